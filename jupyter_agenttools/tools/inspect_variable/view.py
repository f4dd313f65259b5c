"""How InspectVariable looks to a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...core.texts import visible
from ...core.views import CodeBlockView, Density, TableBlockView, TextBlockView, ToolView, ViewBlock

if TYPE_CHECKING:
    from .described import Described
    from .tool import InspectVariableOutput

NAME = "Variables"


def summary(input: Mapping[str, Any]) -> str:
    """The names; works while the input is still incomplete."""
    name = input.get("name")
    return visible(name) if isinstance(name, str) else ""


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    return ToolView(f"{NAME} {summary(input)}".rstrip())


def render_result(output: InspectVariableOutput, density: Density) -> ToolView:
    names = ", ".join(each.path for each in output.variables)
    title = f"{NAME} {names or f'({len(output.listed or ())})'}"
    return ToolView(title, blocks=() if density == "condensed" else tuple(_blocks(output)))


def _blocks(output: InspectVariableOutput) -> Iterator[ViewBlock]:
    if output.listed:
        yield TableBlockView(("name", "class", ""), output.listed, kinds=("code", "code", "text"))
    for each in output.variables:
        yield from _described(each)


def _described(each: Described) -> Iterator[ViewBlock]:
    facts = "  ".join(f"{label} {said}" for label, said in each.facts)
    yield TextBlockView(f"{each.path}: {each.type_name}  {facts}".rstrip())
    if each.columns:
        yield TableBlockView(("name", "is"), each.columns, kinds=("code", "code"))
    if each.text:
        yield CodeBlockView(each.text)
    for note in each.notes:
        yield TextBlockView(note, tone="info")


def extract_search_text(output: InspectVariableOutput) -> str:
    listed = [" ".join(row) for row in output.listed or ()]
    return "\n".join([*listed, *(f"{each.path} {each.type_name} {each.text}" for each in output.variables)])
