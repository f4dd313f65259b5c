"""The logic of TodoWrite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.decision import PermissionResult
from ...core.names import TODO_WRITE_TOOL_NAME
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput
from ...core.texts import visible
from ...core.todos import Todo, TodoStatus, todos_of, with_todos
from . import view
from .prompt import DESCRIPTION, PROMPT, result_text

if TYPE_CHECKING:
    from ...core.context import ContextState, ToolUseContext

MAX_TODOS = 200
MAX_TEXT_CHARS = 2_000
"""Of one text. A list is read by a person at a glance, and every call of it stays in the conversation."""


class TodoItem(StrictInput):
    content: Annotated[str, Field(description="What is to be done, e.g. Run the tests")]
    status: Annotated[TodoStatus, Field(description="How far it is")]
    activeForm: Annotated[
        str, Field(description="The same while it is being done, e.g. Running the tests; left out: the content")
    ] = ""


class TodoWriteInput(StrictInput):
    todos: Annotated[list[TodoItem], Field(description="The whole list, in its order")]


@dataclass(frozen=True)
class TodoWriteOutput:
    """The list before and after.

    Args:
        old_todos: what was stored.
        new_todos: as given. Once all of it is completed, the stored list is empty.
    """

    old_todos: tuple[Todo, ...]
    new_todos: tuple[Todo, ...]


async def validate(input: TodoWriteInput, context: ToolUseContext) -> ValidationResult:
    if len(input.todos) > MAX_TODOS:
        message = f"todos holds {len(input.todos):,} tasks; at most {MAX_TODOS} can be kept. Sum up what is far off"
        return ValidationResult(False, message, "todo-list-too-long")
    for number, todo in enumerate(input.todos):
        if not todo.content.strip():
            message = f"todos.{number}.content is empty; say what is to be done, or leave the task out"
            return ValidationResult(False, message, "todo-empty")
        for name, text in (("content", todo.content), ("activeForm", todo.activeForm)):
            if "\0" in text or visible(text) != text:
                message = f"todos.{number}.{name} holds a NUL character or half of a character, which no text can"
                return ValidationResult(False, message, "todo-no-text")
            if len(text) > MAX_TEXT_CHARS:
                message = f"todos.{number}.{name} has {len(text):,} characters; at most {MAX_TEXT_CHARS:,} can be kept"
                return ValidationResult(False, message, "todo-text-too-long")
    return VALID


async def call(input: TodoWriteInput, context: ToolUseContext) -> ToolResult[TodoWriteOutput]:
    new = tuple(Todo(todo.content, todo.status, todo.activeForm) for todo in input.todos)
    stored = () if all(todo.status == "completed" for todo in new) else new
    agent_id = context.agent_id

    def keep(state: ContextState) -> ContextState:
        return with_todos(state, agent_id, stored)

    return ToolResult(TodoWriteOutput(todos_of(context.state, agent_id), new), context_modifier=keep)


async def check_permissions(input: TodoWriteInput, context: ToolUseContext) -> PermissionResult:
    """Nothing outside of the session can be touched, so nobody has to be asked; rules that deny or ask still win."""
    return PermissionResult("allow", "it only keeps a list in this session", check_id="todo-session-only")


def map_result(output: TodoWriteOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


todo_write_tool = build_tool(
    name=TODO_WRITE_TOOL_NAME,
    call=call,
    input_model=TodoWriteInput,
    primary_field="todos",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="plan work and show how far it is",
    validate_input=validate,
    map_tool_result=map_result,
    check_permissions=check_permissions,
    is_read_only=True,  # of all that lies outside of the session; so a plan can be made in plan mode as well
    user_facing_name=lambda input: view.NAME,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: "Keeping the todo list",
)
