"""Turning magics into awaited calls, so that a cell can be answered while it runs.

Three steps, in the order in which IPython takes them:

1. :func:`keep_cell` takes a ``%%tool`` cell as it is, before IPython looks for prompts (``>>>``) in its body.
2. :class:`OwnCommand` and :class:`OwnAssignment` take ``%tool …`` lines before a ``?`` at their end counts as help.
3. :class:`AwaitRewriter` sees plain Python and puts ``await`` before our calls, where Python allows it.
"""

from __future__ import annotations

import ast
import re
import threading
from typing import Any, NamedTuple

from IPython.core.inputtransformer2 import EscapedCommand, MagicAssign

MAGICS = ("tool", "agent")
ENTRY = "__agenttools__"
"""The name under which the awaited form of the magics stands in the user's namespace."""

_CELL = re.compile(r"\s*%%(?P<name>\w+)(?P<line>[^\S\n][^\n]*)?(?:\n(?P<body>.*))?\Z", re.DOTALL)
_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ClassDef,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.JoinedStr,  # the positions of what stands in an f-string are not reliable
)


class CellMagic(NamedTuple):
    """A cell that is one of our magics as a whole: its name, the text after it, and the cell below that line."""

    name: str
    line: str
    body: str


def cell_magic(source: str) -> CellMagic | None:
    """The ``%%tool`` or ``%%agent`` cell that this text is, ``None`` when it is none."""
    match = _CELL.match(source)
    if match is None or match["name"] not in MAGICS:
        return None
    return CellMagic(match["name"], (match["line"] or "").strip(), match["body"] or "")


def keep_cell(lines: list[str]) -> list[str]:
    """A ``%%tool`` or ``%%agent`` cell as the call that IPython would make of it, its body untouched."""
    magic = cell_magic("".join(lines))
    if magic is None:
        return lines
    return [f"get_ipython().run_cell_magic({magic.name!r}, {magic.line!r}, {magic.body!r})\n"]


# IPython leaves such functions out where it asks whether a cell is complete. It must see the ``%%`` there: a terminal
# then waits for the body, up to an empty line.
keep_cell.has_side_effects = True  # type: ignore[attr-defined]


def _is_ours(tokens: list[Any], percent: tuple[int, int]) -> bool:
    """Whether the ``%`` token at this place begins one of our magics; ``%tool?`` is left to IPython."""
    at = next((i for i, token in enumerate(tokens) if token.start == percent), None)
    if at is None or at + 1 >= len(tokens):
        return False
    name, after = tokens[at + 1], tokens[at + 2] if at + 2 < len(tokens) else None
    return name.string in MAGICS and not (after and after.string == "?" and after.start == name.end)


class OwnCommand(EscapedCommand):
    """``%tool …`` as a statement, whatever it ends with."""

    priority = 1

    @classmethod
    def find(cls, tokens_by_line: Any) -> OwnCommand | None:
        for tokens in tokens_by_line:
            found = super().find([tokens])
            if found and _is_ours(tokens, (found.start_line + 1, found.start_col)):
                return found
        return None


class OwnAssignment(MagicAssign):
    """``x = %tool …``, whatever it ends with."""

    @classmethod
    def find(cls, tokens_by_line: Any) -> OwnAssignment | None:
        for tokens in tokens_by_line:
            found = super().find([tokens])
            if found and _is_ours(tokens, (found.start_line + 1, found.start_col)):
                found.column, found.start_col = found.start_col, -1  # the order goes by line, then by column
                return found
        return None

    def transform(self, lines: list[str]) -> list[str]:
        self.start_col = self.column
        return super().transform(lines)


class AwaitRewriter:
    """An ``input_transformers_post`` function; also told when cells begin and end.

    While a cell runs, other text that is transformed (``%%time``, ``%%capture``, ``run_cell``) cannot await, and is
    left to the synchronous magics. Cells of different threads (subshells) do not count for each other.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._depth = threading.local()

    def enter(self, *_: object) -> None:
        self._depth.cells = self._running + 1

    def leave(self, *_: object) -> None:
        self._depth.cells = max(0, self._running - 1)

    @property
    def _running(self) -> int:
        return getattr(self._depth, "cells", 0)

    def __call__(self, lines: list[str]) -> list[str]:
        if self._running or not self._can_await():
            return lines
        return rewrite("".join(lines), self._shell.ast_node_interactivity).splitlines(keepends=True)

    def _can_await(self) -> bool:
        runner, _ = self._shell.loop_runner_map["asyncio"]
        return self._shell.autoawait and self._shell.loop_runner is runner


def rewrite(source: str, interactivity: str = "last_expr") -> str:
    """``source`` with ``await`` before each of our magics at its top level; lines keep their numbers.

    Args:
        source: Python, after IPython's own transformations.
        interactivity: IPython's ``ast_node_interactivity``: the values of which statements it will show.
    """
    if "run_line_magic('" not in source and "run_cell_magic('" not in source:
        return source
    tree = _parse(source)
    calls = _find_calls(tree) if tree is not None else []
    if tree is None or not calls:
        return source
    shown = _shown_values(tree, interactivity)
    text = source.encode()
    starts = _line_starts(text)
    for call in sorted(calls, key=lambda c: (c.lineno, c.col_offset), reverse=True):
        assert call.end_lineno is not None and call.end_col_offset is not None
        begin = starts[call.lineno - 1] + call.col_offset
        end = starts[call.end_lineno - 1] + call.end_col_offset
        words = [repr(argument.value) for argument in call.args]  # type: ignore[attr-defined]
        words += ["shown=True"] if id(call) in shown else []
        text = text[:begin] + f"(await {ENTRY}({', '.join(words)}))".encode() + text[end:]
    return text.decode()


def _parse(source: str) -> ast.Module | None:
    try:
        return compile(source, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError):
        return None


def _find_calls(node: ast.AST) -> list[ast.Call]:
    """Our magic calls outside of every scope that has no top-level await."""
    found = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _SCOPES):
            continue
        if isinstance(child, ast.Call) and _is_our_call(child):
            found.append(child)
        found += _find_calls(child)
    return found


def _is_our_call(call: ast.Call) -> bool:
    function = call.func
    return (
        isinstance(function, ast.Attribute)
        and function.attr in ("run_line_magic", "run_cell_magic")
        and isinstance(function.value, ast.Call)
        and isinstance(function.value.func, ast.Name)
        and function.value.func.id == "get_ipython"
        and not call.keywords
        and len(call.args) == (2 if function.attr == "run_line_magic" else 3)
        and all(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in call.args)
        and call.args[0].value in MAGICS  # type: ignore[attr-defined]
    )


def _shown_values(tree: ast.Module, interactivity: str) -> set[int]:
    """The ids of the expressions whose values IPython's display hook will be given."""
    statements = tree.body if interactivity == "all" else tree.body[-1:]
    if interactivity == "none":
        return set()
    kinds = (ast.Expr, ast.Assign) if interactivity == "last_expr_or_assign" else (ast.Expr,)
    return {id(s.value) for s in statements if isinstance(s, kinds)}


def _line_starts(text: bytes) -> list[int]:
    """The offset of each line's first byte, lines as Python counts them."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts
