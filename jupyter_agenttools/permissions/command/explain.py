"""Everything that is known of a command, as lines of text: its tree, its calls, their paths, the checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .chain import judge_command
from .grammar import parse_tree
from .spellings import forms_of

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

MAX_TREE_LINES = 60
MAX_CALLS = 40
TEXT_CHARS = 60


def explain_command(command: str, *, cwd: str, roots: tuple[str, ...], sandboxed: str = "") -> list[str]:
    """How is this command read, and what does each check say?

    Args:
        command, cwd, roots, sandboxed: as for :func:`.chain.judge_command`.
    """
    chain = judge_command(command, cwd=cwd, roots=roots, sandboxed=sandboxed)
    lines = ["tree:", *_tree(command)]
    lines.append("calls:")
    for judged in chain.verdict.calls[:MAX_CALLS]:
        verdict = "reads only" if judged.refusal is None else f"asks: {judged.refusal.reason}"
        lines.append(f"  {list(judged.argv)!r}  {verdict}")
        lines += [f"    reads {read.path}{' and all below' if read.whole_tree else ''}" for read in judged.reads]
    names = dict.fromkeys(argv[0] for argv, _ in forms_of(command).calls if argv and argv[0])
    lines.append(f"programs that rules look at: {', '.join(names) or 'none that could be read'}")
    lines.append("checks:")
    for step in chain.result.steps:
        places = ", ".join(f"{start}-{end} {_short(command[start:end])}" for start, end in step.spans[:4])
        where = f"  at {places}" if places else ""
        mark = {"passthrough": "-"}.get(step.outcome, step.outcome)
        lines.append(f"  {step.check:<34} {mark:<5} {step.detail}{where}")
    return lines


def _short(text: str) -> str:
    shown = repr(text)
    return shown if len(shown) <= TEXT_CHARS else shown[: TEXT_CHARS - 1] + "…"


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
