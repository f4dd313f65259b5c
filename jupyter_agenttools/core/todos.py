"""The todo lists of a session: one for each agent, in the state that only context modifiers change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from .context import ContextState
from .views import ChecklistBlockView, ChecklistItem, ItemState, ToolView

TodoStatus = Literal["pending", "in_progress", "completed"]

_STATE_KEY = "todos"
"""In ``app_state``: a mapping from the agent's id (``""`` for the main one) to its list."""

_STATES: Mapping[str, ItemState] = {"completed": "done", "in_progress": "in_progress"}


class Todo(NamedTuple):
    """One task of a list, with the field names of the wire: ``activeForm`` says it while it is being done."""

    content: str
    status: TodoStatus
    activeForm: str

    @property
    def words(self) -> str:
        """The task as it reads now: what is being done, or what is to be done."""
        return self.activeForm if self.status == "in_progress" and self.activeForm else self.content


def todos_of(state: ContextState, agent_id: str | None = None) -> tuple[Todo, ...]:
    """What does this agent (``None``: the main one) have on its list?"""
    kept = state.app_state.get(_STATE_KEY, {}).get(agent_id or "", ())
    return tuple(Todo(**todo) for todo in kept)


def with_todos(state: ContextState, agent_id: str | None, todos: Sequence[Todo]) -> ContextState:
    """The same state with another list for this agent; an empty one leaves no trace."""
    lists = {**state.app_state.get(_STATE_KEY, {}), agent_id or "": tuple(todo._asdict() for todo in todos)}
    kept = {agent: each for agent, each in lists.items() if each}
    return replace(state, app_state={**state.app_state, _STATE_KEY: kept})


def todos_summary(todos: Sequence[Todo]) -> str:
    """How far is it? ``1 of 3 done: Running the tests``."""
    if not todos:
        return "none"
    done = sum(todo.status == "completed" for todo in todos)
    active = next((f": {todo.words}" for todo in todos if todo.status == "in_progress"), "")
    return f"{done} of {len(todos)} done{active}"


def todos_view(todos: Sequence[Todo]) -> ToolView:
    """The list as a person sees it."""
    items = tuple(ChecklistItem(todo.content, _STATES.get(todo.status, "pending"), todo.activeForm) for todo in todos)
    return ToolView(f"Todos {todos_summary(todos)}", blocks=(ChecklistBlockView(items),) if items else ())
