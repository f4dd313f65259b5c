"""How a command is read, as lines of text: its calls, their paths, its programs, its tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from shlex import quote
from typing import TYPE_CHECKING

from .calls import judge_call
from .chain import SEMANTICS
from .fields import Field
from .follow import Follower, Judged
from .grammar import parse_tree
from .parse import understand
from .parsed import TooComplex
from .script import Node
from .spellings import forms_of

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

MAX_TREE_LINES = 60
MAX_CALLS = 40
TEXT_CHARS = 60

_PLAIN = re.compile(r"[\w./:@%+,=…*?\[\]{}<~^!-]+")


def explain_command(command: str, *, cwd: str, roots: tuple[str, ...]) -> list[str]:
    """How is this command read: its calls, what each of them reads, the programs that rules look at, its tree?

    Args:
        command, cwd, roots: as for :func:`.chain.judge_command`.
    """
    names = dict.fromkeys(argv[0] for argv, _ in forms_of(command).calls if argv and argv[0])
    return [
        "calls:",
        *_calls(command, cwd, roots),
        f"programs that rules look at: {', '.join(names) or 'none that could be read'}",
        "tree:",
        *_tree(command),
    ]


def _calls(command: str, cwd: str, roots: tuple[str, ...]) -> list[str]:
    """What is found of each call, also of those behind one that asks."""
    follower = Follower(roots, cwd, judge_call)

    def go_on(node: Node, fields: list[Field] | None, refusal: TooComplex | None) -> bool:
        if refusal is not None and fields and fields[0].text in SEMANTICS:
            follower.spoiled = True
        return True

    follower.cover = go_on
    said, at, written = "", (0, 0), ()
    try:
        script = understand(command)
        written = script.calls
        follower.run(script.root)
    except TooComplex as refusal:
        said, at = refusal.reason, refusal.span
    except (OSError, ValueError, RecursionError) as error:
        said = f"a path could not be looked at: {error}"
    lines = [line for judged in follower.judged[:MAX_CALLS] for line in _call_lines(judged, command)]
    seen = {judged.start for judged in follower.judged}
    for node in [node for node in written if node.words and node.start not in seen][:MAX_CALLS]:
        is_it = at[0] < node.end and node.start < at[1]
        lines.append(f"  {_clipped(command[node.start : node.end])}  {f'asks: {said}' if is_it else 'not looked at'}")
    return lines or [f"  none that could be read: {said}"]


def _call_lines(judged: Judged, command: str) -> Iterator[str]:
    written = " ".join(map(_quoted, judged.argv)) if judged.argv else command[judged.start : judged.end]
    yield f"  {_clipped(written)}  {'reads only' if judged.refusal is None else f'asks: {judged.refusal.reason}'}"
    for read in judged.reads:
        yield f"    reads {read.path}{' and all below' if read.whole_tree else ''}"


def _quoted(word: str) -> str:
    """A word as it could be typed; a wildcard stands there as it is."""
    return word if _PLAIN.fullmatch(word) else quote(word)


def _short(text: str) -> str:
    return _clipped(repr(text))


def _clipped(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= TEXT_CHARS else text[: TEXT_CHARS - 1] + "…"


def _tree(command: str) -> list[str]:
    lines = []
    for line in _branch(parse_tree(command).root_node, 1):
        if len(lines) == MAX_TREE_LINES:
            return [*lines, "  …"]
        lines.append(line)
    return lines


def _branch(node: TreeNode, level: int) -> Iterator[str]:
    text = _short((node.text or b"").decode(errors="replace"))
    yield f"{'  ' * level}{node.type}{f' {text}' if not node.named_child_count else ''}"
    for child in node.named_children:
        yield from _branch(child, level + 1)
