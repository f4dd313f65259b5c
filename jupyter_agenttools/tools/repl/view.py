"""How REPL looks to a person: the whole code, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...core.texts import visible
from ...core.views import Badge, CodeBlockView, Density, ImageBlockView, TextBlockView, ToolView, ViewBlock
from .output import ReplOutput, bundle_text

if TYPE_CHECKING:
    from ...core.context import ToolUseContext
    from .tool import ReplInput

NAME = "Python"
LINE_CHARS = 80
_BADGES = {
    "error": Badge("raised", "error"),
    "interrupted": Badge("interrupted", "warning"),
    "timeout": Badge("time over", "warning"),
}


def summary(input: Mapping[str, Any]) -> str:
    """The description, or the first line of the code; works while the input is still incomplete."""
    for name in ("description", "code"):
        text = input.get(name)
        if isinstance(text, str) and text.strip():
            line = visible(text.strip().splitlines()[0])
            return line if len(line) <= LINE_CHARS else line[: LINE_CHARS - 1] + "…"
    return ""


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    title = f"{NAME} {summary(input)}".rstrip()
    code = input.get("code")
    if density == "condensed" or not isinstance(code, str):
        return ToolView(title)
    return ToolView(title, blocks=(CodeBlockView(visible(code), "python"),))


def preview(input: ReplInput, context: ToolUseContext) -> ToolView:
    """What a person approves: all of the code."""
    return ToolView(
        f"{NAME} {visible(input.description or '')}".rstrip(), blocks=(CodeBlockView(visible(input.code), "python"),)
    )


def render_progress(tail: Any) -> ToolView:
    return ToolView(NAME, blocks=(CodeBlockView(visible(str(tail)), "terminal"),))


def render_result(output: ReplOutput, density: Density) -> ToolView:
    badge = _BADGES.get(output.status)
    badges = (Badge(output.error_name, "error") if output.status == "error" and output.error_name else badge,)
    shown = tuple(badge for badge in badges if badge is not None)
    return ToolView(NAME, shown, () if density == "condensed" else tuple(_blocks(output)))


def _blocks(output: ReplOutput) -> Iterator[ViewBlock]:
    for each in output.outputs:
        if each.kind in ("stdout", "stderr"):
            yield CodeBlockView(each.text.rstrip("\n"), "terminal")
        elif each.kind == "error":
            yield CodeBlockView(each.text, "pytb")
        else:
            yield from _shown(each.data)
    for note in output.notes:
        yield TextBlockView(note, tone="warning")


def _shown(data: Mapping[str, Any]) -> Iterator[ViewBlock]:
    text = bundle_text(data)
    for kind in ("image/png", "image/jpeg"):
        if isinstance(data.get(kind), str):
            yield ImageBlockView(kind, "".join(data[kind].split()), alt=text or "an image")  # type: ignore[arg-type]
            return
    if text:
        yield CodeBlockView(text)


def extract_search_text(output: ReplOutput) -> str:
    texts = (block.text for block in _blocks(output) if isinstance(block, (CodeBlockView, TextBlockView)))
    return "\n".join(texts)
