"""The lines of a diff as a person reads them: what changed in a line, and blanks that nobody could see otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from ..core.views import DiffBlockView
from .chars import visible
from .diffs import Diff, DiffLine, Kind, unified
from .word_diff import Piece

MAX_SAME_CHARS = 400
"""A longer unchanged part of a changed line is left out but for its ends: the change in it could not be found."""
KEPT_CHARS = 120

BLANKS = {" ": "·", "\t": "⇥\t"}
BYTE_ORDER_MARK = "\ufeff"
NO_CHANGE = "(no change)"
NO_NEWLINE_HERE = "\\ No newline at the end"
"""Of a fragment, which is not the end of a file."""

Look = Literal["", "blank", "left out"]


class Span(NamedTuple):
    """A visible text; ``changed`` within its line; ``blank``: signs that stand for blanks; ``left out``: a count."""

    text: str
    changed: bool = False
    look: Look = ""


class ShownLine(NamedTuple):
    kind: Kind
    spans: tuple[Span, ...]

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)

    def cut(self, text: str, chars: int) -> ShownLine:
        """The same line where no more than ``text`` of it is kept, of which ``chars`` characters are its own."""
        if text == self.text:
            return self
        kept, room = [], chars
        for span in self.spans:
            if room > 0:
                kept.append(span._replace(text=span.text[:room]))
            room -= len(span.text)
        return ShownLine(self.kind, (*kept, Span(text[chars:], look="left out")))


def diff_of(block: DiffBlockView) -> Diff:
    """The diff of a block; a newline that both sides of a fragment lack is not worth a word."""
    old, new = block.old, block.new
    if not block.fragment:
        return unified(old, new, block.first_lines)
    if not old.endswith("\n") and not new.endswith("\n"):
        old, new = (text and text + "\n" for text in (old, new))
    diff = unified(old, new, block.first_lines)
    return diff._replace(
        lines=[line._replace(text=NO_NEWLINE_HERE) if line.kind == "note" else line for line in diff.lines]
    )


def shown_lines(diff: Diff) -> list[ShownLine]:
    """Every line of a diff with all of its characters to be seen."""
    return [ShownLine(line.kind, tuple(_spans(line))) for line in diff.lines]


def _spans(line: DiffLine) -> Iterator[Span]:
    if line.kind not in ("add", "del"):
        yield Span(visible(line.text))
        return
    pieces = line.pieces or (Piece(line.text[1:]),)
    has_changes = any(piece.changed for piece in pieces)
    blank_from = _blank_from(line.text[1:])
    yield Span(line.text[:1])
    at = 0
    for text, changed in pieces:
        words = text[: max(blank_from - at, 0)]
        if changed and words.isspace():
            yield Span(_signs(words), True, "blank")
        elif words:
            yield from [Span(visible(words), True)] if changed else _same(words, has_changes)
        if rest := text[len(words) :]:
            yield Span(_signs(rest), changed, "blank")
        at += len(text)


def _blank_from(text: str) -> int:
    """Where the blanks at the end of a line begin; a carriage return is seen in any case."""
    words = text.rstrip()
    return len(words) if text[len(words) :].strip("\r") else len(text)


def _signs(blanks: str) -> str:
    """Blanks as signs: a dot for a space, an arrow for a tab, the code point of any other."""
    return "".join(BLANKS.get(char) or _code_point(char) for char in blanks)


def _code_point(char: str) -> str:
    shown = visible(char)
    return shown if shown != char else f"‹U+{ord(char):04X}›"


def _same(text: str, has_changes: bool) -> Iterator[Span]:
    """An unchanged part; a very long one beside a change is cut to what stands next to it."""
    if not has_changes or len(text) <= MAX_SAME_CHARS:
        yield Span(visible(text))
        return
    left_out = len(text) - 2 * KEPT_CHARS
    yield Span(visible(text[:KEPT_CHARS]))
    yield Span(f" … {left_out:,} equal characters … ", look="left out")
    yield Span(visible(text[-KEPT_CHARS:]))


def diff_caption(block: DiffBlockView, diff: Diff) -> str:
    """``src/x.py +1 −1``, and what is easily overlooked."""
    spacing = spacing_words(block.old, block.new)
    return " · ".join(filter(None, (f"{block.path} +{diff.added} −{diff.removed}".strip(), spacing)))


def spacing_words(old: str, new: str) -> str:
    """What a diff changes that is easily overlooked: line ends, a byte order mark, or nothing but blanks."""
    if not old or not new or old == new:
        return ""
    ends = [_line_ends(text) for text in (old, new)]
    marks = [text.startswith(BYTE_ORDER_MARK) for text in (old, new)]
    said = [f"line ends {ends[0]} → {ends[1]}"] if all(ends) and ends[0] != ends[1] else []
    said += [f"byte order mark {'added' if marks[1] else 'removed'}"] if marks[0] != marks[1] else []
    if said and _same_but_ends(old, new):
        said.append("nothing else changes")
    elif _without_blanks(old) == _without_blanks(new):
        said.append("only blanks change")
    return ", ".join(said)


def _line_ends(text: str) -> str:
    crlf, newlines = text.count("\r\n"), text.count("\n")
    if not newlines:
        return ""
    return "CR LF" if crlf == newlines else "LF" if not crlf else "mixed"


def _without_blanks(text: str) -> str:
    return "".join(text.removeprefix(BYTE_ORDER_MARK).split())


def _same_but_ends(old: str, new: str) -> bool:
    """Whether line ends and a byte order mark are all that differs."""
    plain = [text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n") for text in (old, new)]
    return plain[0] == plain[1]


def kept_lines(lines: Sequence[ShownLine], texts: Sequence[str], split: int, chars: int) -> list[ShownLine]:
    """The lines that ``keep`` kept of a diff: ``texts[:split]`` from its beginning, the others from its end."""
    end = len(texts) - split
    kept = [*lines[:split], *(lines[len(lines) - end :] if end else ())]
    return [line.cut(text, chars) for line, text in zip(kept, texts, strict=True)]
