"""Which words of a changed line changed?"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

WORK = 3_000_000
"""Steps that one diff may cost, about a second at the very worst; what comes after is marked roughly, or not at all."""
PAIR_WORK = 600_000
MAX_LINE_CHARS = 200_000
MAX_CELLS = 2_500
"""Pairs of lines that one changed place may be searched for; beyond this, only equally many lines are paired."""
MIN_SHARED = 0.4
"""Lines that share less than this are different lines, and marking nearly all of both would tell nothing."""

_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN = re.compile(rf"[^\W{_CJK}]+|[ ]+|\t+|.", re.DOTALL)
"""A word, a run of one kind of blank, or one other character; scripts without spaces go character by character."""


class Piece(NamedTuple):
    """A part of a line, and whether the other line has something else in its place."""

    text: str
    changed: bool = False


Pieces = tuple[Piece, ...]


class WordDiff:
    """Compares lines word by word, with one bound on the work for all of them.

    Attributes:
        work_left: the steps that may still be taken.
    """

    def __init__(self) -> None:
        self.work_left = WORK

    def pieces(self, old: Sequence[str], new: Sequence[str]) -> tuple[list[Pieces], list[Pieces]]:
        """The lines of a changed place, each as pieces that give the line when they are put together."""
        before: list[Pieces] = [(Piece(line),) for line in old]
        after: list[Pieces] = [(Piece(line),) for line in new]
        for at, to in self._pairs([_tokens(line) for line in old], [_tokens(line) for line in new]):
            before[at], after[to] = self._compare(_tokens(old[at]), _tokens(new[to]))
        return before, after

    def _pairs(self, old: Sequence[list[str]], new: Sequence[list[str]]) -> list[tuple[int, int]]:
        """Which line became which: pairs in order that share as much as possible."""
        work = sum(map(len, old)) * len(new) + sum(map(len, new)) * len(old)
        if len(old) * len(new) > MAX_CELLS or work > self.work_left:
            same = len(old) == len(new)
            return [(at, at) for at in range(len(old)) if same and shared(old[at], new[at]) >= MIN_SHARED]
        self.work_left -= work
        return _best_pairs([[shared(a, b) for b in new] for a in old])

    def _compare(self, old: list[str], new: list[str]) -> tuple[Pieces, Pieces]:
        head, tail = _common(old, new)
        a, b = old[head : len(old) - tail], new[head : len(new) - tail]
        codes = self._codes(a, b)
        ends = (("equal", old[:head], new[:head]), ("equal", old[len(old) - tail :], new[len(new) - tail :]))
        parts = _without_gaps([ends[0], *((tag, a[i1:i2], b[j1:j2]) for tag, i1, i2, j1, j2 in codes), ends[1]])
        return _joined([(tag, x) for tag, x, _ in parts]), _joined([(tag, y) for tag, _, y in parts])

    def _codes(self, a: list[str], b: list[str]) -> list[tuple[str, int, int, int, int]]:
        counts = Counter(b)
        work = sum(counts[token] for token in a) * (min(len(a), len(b)) + 1) + len(a) + len(b)
        if work > min(PAIR_WORK, self.work_left):
            return [("replace", 0, len(a), 0, len(b))]
        self.work_left -= work
        return difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()


def _tokens(line: str) -> list[str]:
    return _TOKEN.findall(line) if len(line) <= MAX_LINE_CHARS else [line]


def shared(a: Sequence[str], b: Sequence[str]) -> float:
    """How much of two lines is the same, 0 to 1; lines that differ in blanks alone are the same."""
    left, right = (Counter({t: n * len(t) for t, n in Counter(x).items() if not t.isspace()}) for x in (a, b))
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else float(bool(a) and bool(b))


def _best_pairs(scores: list[list[float]]) -> list[tuple[int, int]]:
    """The increasing pairs with the greatest sum of scores; a pair below :data:`MIN_SHARED` is none."""
    rows, columns = len(scores), len(scores[0]) if scores else 0
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            taken = scores[i][j] + best[i + 1][j + 1] if scores[i][j] >= MIN_SHARED else 0.0
            best[i][j] = max(taken, best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < rows and j < columns and best[i][j]:
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            pairs.append((i, j))
            i, j = i + 1, j + 1
    return pairs


def _common(a: Sequence[str], b: Sequence[str]) -> tuple[int, int]:
    """How many tokens are the same at the beginning, and of the rest at the end."""
    shorter = min(len(a), len(b))
    head = next((at for at in range(shorter) if a[at] != b[at]), shorter)
    tail = next((at for at in range(shorter - head) if a[-1 - at] != b[-1 - at]), shorter - head)
    return head, tail


Part = tuple[str, list[str], list[str]]


def _without_gaps(parts: list[Part]) -> list[Part]:
    """A blank between two replaced words belongs to them: three marks in a row would be harder to read than one."""
    joined = list(parts)
    for at in range(1, len(parts) - 1):
        between = parts[at - 1][0] == parts[at + 1][0] == "replace"
        if parts[at][0] == "equal" and between and "".join(parts[at][1]).isspace():
            joined[at] = ("replace", *parts[at][1:])
    return joined


def _joined(parts: list[tuple[str, list[str]]]) -> Pieces:
    pieces = ((tag != "equal", "".join(tokens)) for tag, tokens in parts if tokens)
    return tuple(
        Piece("".join(text for _, text in group), changed) for changed, group in groupby(pieces, lambda piece: piece[0])
    )
