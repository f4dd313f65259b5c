"""TodoWrite: a list that is kept in the session, replaced as a whole, and allowed unless somebody says otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core import ContextState, ToolPermissionContext
from jupyter_agenttools.core.context import create_subagent_context
from jupyter_agenttools.core.todos import Todo, todos_of, with_todos
from jupyter_agenttools.core.views import ChecklistBlockView, ChecklistItem
from jupyter_agenttools.session import Session
from jupyter_agenttools.tools.todo_write import todo_write_tool
from jupyter_agenttools.tools.todo_write.tool import MAX_TEXT_CHARS, MAX_TODOS
from tests.support.file_tools import Workspace

pytestmark = pytest.mark.anyio

COOK = {"content": "Cook the soup", "status": "in_progress", "activeForm": "Cooking the soup"}
EAT = {"content": "Eat it", "status": "pending", "activeForm": "Eating it"}


def done(todo: dict[str, str]) -> dict[str, str]:
    return {**todo, "status": "completed"}


def session_in(folder: Path, **permissions: Any) -> Session:
    return Session(cwd=folder, settings={"permissions": permissions})


async def test_the_whole_list_is_replaced_and_the_output_tells_both(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    first = await session.call("TodoWrite", {"todos": [COOK, EAT]})
    assert first.status == "ok" and first.output.old_todos == ()
    assert [todo.words for todo in session.todos] == ["Cooking the soup", "Eat it"]
    second = await session.call("TodoWrite", {"todos": [EAT]})
    assert second.output.old_todos == first.output.new_todos
    assert session.todos == second.output.new_todos == (Todo(**EAT),)


async def test_what_the_model_reads(tmp_path: Path) -> None:
    session = session_in(tmp_path)

    async def told(*todos: dict[str, str]) -> str:
        return (await session.call("TodoWrite", {"todos": list(todos)})).text

    text = await told(done(EAT), COOK, EAT)
    assert "stored: 3 tasks, 1 completed" in text and "go on with the task that is in progress" in text
    assert "mark it in_progress first" in await told(EAT)
    assert "2 tasks are in_progress" in await told(COOK, COOK)
    assert "empty" in await told()


async def test_a_list_that_is_done_is_cleared_but_shown(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    outcome = await session.call("TodoWrite", {"todos": [done(COOK), done(EAT)]})
    assert session.todos == () and len(outcome.output.new_todos) == 2 and "completed" in outcome.text


async def test_equal_tasks_are_kept_apart(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    await session.call("TodoWrite", {"todos": [EAT, EAT]})
    assert len(session.todos) == 2


async def test_a_list_written_as_text_and_a_missing_active_form_are_understood(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    outcome = await session.call("TodoWrite", {"todos": '[{"content": "Eat", "status": "in_progress"}]'})
    assert outcome.status == "ok" and session.todos[0].words == "Eat"


@pytest.mark.parametrize(
    ("todos", "says"),
    [
        ([COOK, {**EAT, "content": " \n"}], "todos.1.content is empty"),
        ([EAT] * (MAX_TODOS + 1), f"at most {MAX_TODOS}"),
        ([{**EAT, "content": "x" * (MAX_TEXT_CHARS + 1)}], "todos.0.content has 2,001 characters"),
        ([{**EAT, "activeForm": "x" * (MAX_TEXT_CHARS + 1)}], "todos.0.activeForm has 2,001 characters"),
        ([{**EAT, "status": "done"}], "todos.0.status"),
        ([{**EAT, "priority": "high"}], "todos.0.priority"),
        ("soup", "todos"),
    ],
)
async def test_what_cannot_be_kept_is_refused_and_changes_nothing(tmp_path: Path, todos: Any, says: str) -> None:
    session = session_in(tmp_path)
    await session.call("TodoWrite", {"todos": [COOK]})
    outcome = await session.call("TodoWrite", {"todos": todos})
    assert outcome.status == "error" and says in outcome.text and len(outcome.text) < 500
    assert session.todos == (Todo(**COOK),)


async def test_each_agent_has_its_own_list(tmp_path: Path) -> None:
    context = Workspace(tmp_path).context()
    helper = create_subagent_context(context, agent_id="a1", agent_type="helper")
    state = context.state
    for each, todo in ((context, COOK), (helper, EAT)):
        parsed = todo_write_tool.input_model.model.model_validate({"todos": [todo]})
        result = await todo_write_tool.call(parsed, replace(each, state=state))
        state = result.context_modifier(state)
    assert todos_of(state) == (Todo(**COOK),) and todos_of(state, "a1") == (Todo(**EAT),)
    assert todos_of(with_todos(state, None, ()), "a1") == (Todo(**EAT),)


async def test_the_state_cannot_be_changed_from_outside(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    await session.call("TodoWrite", {"todos": [COOK]})
    before = session.state
    with pytest.raises(TypeError):
        before.app_state["todos"][""][0]["content"] = "Burn it"
    await session.call("TodoWrite", {"todos": []})
    assert todos_of(before) == (Todo(**COOK),) and session.todos == ()


@pytest.mark.parametrize("mode", ["default", "plan", "dontAsk", "acceptEdits"])
async def test_nobody_is_asked_in_any_mode(tmp_path: Path, mode: str) -> None:
    outcome = await session_in(tmp_path, defaultMode=mode).call("TodoWrite", {"todos": [COOK]})
    assert outcome.status == "ok" and outcome.decision is not None and outcome.decision.decided_by == "tool"


@pytest.mark.parametrize("behavior", ["deny", "ask"])
async def test_rules_win_over_the_tools_own_word(tmp_path: Path, behavior: str) -> None:
    session = session_in(tmp_path, **{behavior: ["TodoWrite"]})
    decision = await session.decide("TodoWrite", {"todos": [COOK]})
    assert decision.behavior == behavior and decision.rule == "TodoWrite"
    assert (await session.call("TodoWrite", {"todos": [COOK]})).status == "denied" and session.todos == ()


def test_calls_never_overlap() -> None:
    assert not todo_write_tool.is_concurrency_safe(None) and not todo_write_tool.is_destructive(None)


async def test_the_view_is_a_checklist(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    outcome = await session.call("TodoWrite", {"todos": [done(EAT), COOK]})
    view = todo_write_tool.render_result(outcome.output, "verbose")
    assert view.title == "Todos 1 of 2 done: Cooking the soup"
    assert view.blocks == (
        ChecklistBlockView(
            (
                ChecklistItem("Eat it", "done", "Eating it"),
                ChecklistItem("Cook the soup", "in_progress", "Cooking the soup"),
            )
        ),
    )
    assert todo_write_tool.render_result(outcome.output, "condensed").blocks == ()
    assert todo_write_tool.extract_search_text(outcome.output) == "Eat it\nCooking the soup"


@pytest.mark.parametrize(
    "partial",
    [{}, {"todos": None}, {"todos": "[{"}, {"todos": [1, {}, {"content": "a"}, {"status": []}]}, {"todos": {"a": 1}}],
)
def test_a_view_of_an_input_that_still_streams(partial: dict[str, Any]) -> None:
    for density in ("condensed", "verbose"):
        assert todo_write_tool.render_tool_use(partial, density).title.startswith("Todos")
    assert todo_write_tool.get_tool_use_summary(partial)


todos = st.lists(
    st.builds(Todo, st.text(min_size=1), st.sampled_from(["pending", "in_progress", "completed"]), st.text())
)


@given(todos, todos)
def test_what_is_kept_is_what_was_given(mine: list[Todo], theirs: list[Todo]) -> None:
    state = ContextState(ToolPermissionContext(), "/x", app_state={"plan": {"steps": [1]}})
    state = with_todos(with_todos(state, None, mine), "helper", theirs)
    assert todos_of(state) == tuple(mine) and todos_of(state, "helper") == tuple(theirs)
    assert state.app_state["plan"] == {"steps": (1,)}
