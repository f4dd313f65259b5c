"""How running cells looks to a person."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...core.views import Badge, CodeBlockView, Density, TextBlockView, ToolView, ViewBlock
from ..read import view as read_view

if TYPE_CHECKING:
    from .output import RunCellOutput

_WORDS = {
    "done": "ran",
    "failed": "failed",
    "timeout": "took too long",
    "stuck": "still running",
    "busy": "kernel busy",
    "queued": "kernel busy",
    "kernel-died": "kernel died",
    "changed": "cell changed",
    "cancelled": "stopped",
}


def summary(input: Mapping[str, Any]) -> str:
    """``analysis.ipynb c1, c2``; works while the input is still incomplete."""
    name, ids = os.path.basename(str(input.get("notebook_path", ""))), input.get("cell_ids")
    named = ", ".join(map(str, ids)) if isinstance(ids, Sequence) and not isinstance(ids, str) else ""
    return f"{name} {named}".strip()


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    return ToolView(f"RunCell {summary(input)}".rstrip())


def question(path: str, sources: Mapping[str, str], language: str) -> ToolView:
    """The approval card: the code that would run, as it stands there now."""
    count = len(sources)
    blocks = (CodeBlockView(source, language, title=id) for id, source in sources.items())
    title = f"Run {count} cell{'' if count == 1 else 's'} of {os.path.basename(path)}"
    return ToolView(title, (Badge("open document"),), (TextBlockView(path), *blocks))


def impossible(path: str, reason: str) -> ToolView:
    """A run that could not succeed as things are."""
    title = f"Run cells of {os.path.basename(path)}"
    return ToolView(title, (Badge("cannot work", "error"),), (TextBlockView(reason, tone="error"),))


def render_result(output: RunCellOutput, density: Density) -> ToolView:
    badge = Badge(_WORDS[output.end], "ok" if output.end == "done" else "error")
    title = f"Run cells of {os.path.basename(output.notebook_path)}"
    said = TextBlockView(output.words, tone="info" if output.end == "done" else "error")
    if density == "condensed":
        return ToolView(title, (badge,), (said,), collapsed=True)
    return ToolView(title, (badge,), (said, *_cells(output)))


def _cells(output: RunCellOutput) -> Iterator[ViewBlock]:
    yield from read_view.render_result(output.shown, "verbose").blocks


def extract_search_text(output: RunCellOutput) -> str:
    """Exactly the texts that the verbose view shows."""
    return f"{output.words}\n{read_view.extract_search_text(output.shown)}"
