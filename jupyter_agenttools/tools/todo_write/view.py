"""How a todo list looks to a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...core.todos import Todo, todos_summary, todos_view
from ...core.views import Density, ToolView

if TYPE_CHECKING:
    from .tool import TodoWriteOutput

NAME = "Todos"


def summary(input: Mapping[str, Any]) -> str:
    """``1 of 3 done: Running the tests``; works while the input is still incomplete."""
    return todos_summary(_readable(input))


def _readable(input: Mapping[str, Any]) -> tuple[Todo, ...]:
    """The tasks of a raw input as far as they can be read."""
    raw = input.get("todos")
    items = [item for item in raw if isinstance(item, Mapping)] if isinstance(raw, (list, tuple)) else []
    texts = ([str(item.get(name) or "") for name in Todo._fields] for item in items)
    return tuple(Todo(content, status, active) for content, status, active in texts)  # type: ignore[arg-type]


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    todos = _readable(input)
    return _shown(todos, density) if todos or "todos" in input else ToolView(NAME)


def render_result(output: TodoWriteOutput, density: Density) -> ToolView:
    return _shown(output.new_todos, density)


def _shown(todos: tuple[Todo, ...], density: Density) -> ToolView:
    view = todos_view(todos)
    return replace(view, blocks=()) if density == "condensed" else view


def extract_search_text(output: TodoWriteOutput) -> str:
    return "\n".join(todo.words for todo in output.new_todos)
