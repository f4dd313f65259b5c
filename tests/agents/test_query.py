"""The query loop on real tools: order, refusals, stops, and a history that can always go on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from jupyter_agenttools import PermissionAnswer, ScriptedModel, Session, UsageError
from jupyter_agenttools.core import Message, ToolUse
from jupyter_agenttools.core.updates import CallFinished, TextDelta, TurnEnded
from jupyter_agenttools.models import ModelRequest, StopPart, TextPart, ToolUsePart
from tests.agents.support import ALLOW, check_history, collect
from tests.support.tools import Log, reader, writer

pytestmark = pytest.mark.anyio


def use(name: str, **input: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": input}


async def test_a_whole_conversation(tmp_path) -> None:
    log = Log()
    model = ScriptedModel(
        [
            ["Looking.", use("Reader", text="a", seconds=0.02), use("Reader", text="b"), use("Writer", text="w")],
            lambda messages: f"Saw {[b.text for b in messages[-1].content]}",
        ]
    )
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[reader(log), writer(log)], model=model)
    updates = await collect(session.query("go"))
    assert updates[-1] == TurnEnded("end_turn", "Saw ['a', 'b', 'w']", turns=2)
    assert [u.outcome.text for u in updates if isinstance(u, CallFinished)] == ["a", "b", "w"]
    assert log.peak == 2 and log.words.index("end a") < log.words.index("start w")
    assert "".join(u.text for u in updates if isinstance(u, TextDelta)).startswith("Looking.")
    check_history(session.messages)


async def test_a_refused_call_comes_back_to_the_model(tmp_path) -> None:
    seen: list[Message] = []

    def answer(messages: tuple[Message, ...]) -> str:
        seen.append(messages[-1])
        return "Then I leave it."

    session = Session(
        cwd=tmp_path,
        tools=[writer()],
        model=ScriptedModel([[use("Writer", text="w")], answer]),
        prompter=lambda request: PermissionAnswer("deny", "use another file"),
    )
    updates = await collect(session.query("go"))
    result = seen[0].content[0]
    assert result.is_error and "use another file" in result.content
    assert updates[-1].text == "Then I leave it."
    check_history(session.messages)


async def test_a_stop_while_tools_run_leaves_a_history_that_can_go_on(tmp_path) -> None:
    model = ScriptedModel([[use("Writer", text="w", seconds=3600), use("Writer", text="v")], "after"])
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[writer()], model=model)

    class Stop:
        def on_stage(self, event: Any) -> None:
            if event.stage == "permission":
                session.interrupt("enough")

    undo = session.observers.attach(Stop())
    with anyio.fail_after(20):
        updates = await collect(session.query("go"))
    assert updates[-1].reason == "interrupted" and "enough" in updates[-1].detail
    check_history(session.messages)
    undo()
    again = await collect(session.query("and now?"))
    assert again[-1].reason == "end_turn"


class Failing:
    """A model whose stream breaks, or hangs, in the middle of a message."""

    name = "failing"

    def __init__(self, failure: BaseException | None) -> None:
        self.failure = failure

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        yield TextPart("I begin ")
        yield ToolUsePart(ToolUse("Writer", {"text": "never"}))
        if self.failure is not None:
            raise self.failure
        await anyio.sleep_forever()


async def test_a_stream_that_breaks_is_told_and_a_call_that_was_complete_keeps_its_result(tmp_path) -> None:
    log = Log()
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[writer(log)], model=Failing(OSError("cut off")))
    updates = await collect(session.query("go"))
    assert updates[-1].reason == "error" and "cut off" in updates[-1].detail
    assert log.words == ["start never", "end never"]
    assert [m.text for m in session.messages] == ["go", "I begin ", ""]
    assert session.messages[-1].content[0].content == "never"
    check_history(session.messages)


async def test_a_stop_while_the_model_speaks(tmp_path) -> None:
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[writer()], model=Failing(None))
    with anyio.fail_after(20):
        updates = []
        async for update in session.query("go"):
            updates.append(update)
            if isinstance(update, TextDelta):
                session.interrupt("enough")
    assert updates[-1].reason == "interrupted"
    assert session.messages[-1].text == "I begin "
    check_history(session.messages)


async def test_the_number_of_turns_is_limited(tmp_path) -> None:
    class Endless:
        name = "endless"

        async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
            yield ToolUsePart(ToolUse("Reader", {"text": "again"}))
            yield StopPart("tool_use")

    session = Session(cwd=tmp_path, settings=ALLOW, tools=[reader()], model=Endless())
    updates = await collect(session.query("go", max_turns=3))
    assert updates[-1].reason == "max_turns"
    check_history(session.messages)


async def test_without_a_model_the_person_is_told(tmp_path) -> None:
    with pytest.raises(UsageError, match="no model"):
        await collect(Session(cwd=tmp_path).query("go"))


@pytest.mark.parametrize("leave_at", [2, 3, 4, 5, 6])
async def test_a_query_that_is_left_keeps_a_history_that_can_go_on(tmp_path, leave_at: int) -> None:
    model = ScriptedModel([[use("Reader", text="a"), use("Reader", text="b")], "Done.", "Again."])
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[reader()], model=model)
    updates = session.query("go")
    for _ in range(leave_at):
        await anext(updates)
    await updates.aclose()
    check_history(session.messages)


async def test_a_query_that_is_cancelled_keeps_a_history_that_can_go_on(tmp_path) -> None:
    model = ScriptedModel([[use("Reader", text="a"), use("Writer", text="b", seconds=60)]])
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[reader(), writer()], model=model)
    with anyio.CancelScope() as scope:
        async for update in session.query("go"):
            if isinstance(update, CallFinished):
                scope.cancel()
    check_history(session.messages)
    assert session.messages[-1].content[0].text == "a"
