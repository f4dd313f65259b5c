"""What a model may send: wrong values stop at the border, and nothing counts behind the end of a message."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from jupyter_agenttools import Session, ToolUse
from jupyter_agenttools.core.updates import CallFinished
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.models import RetryPart, StopPart, TextPart, ThinkingPart, ToolUsePart
from tests.agents.support import ALLOW, check_history, collect
from tests.support.models import CALLS, END, PlayingModel
from tests.support.tools import reader

pytestmark = pytest.mark.anyio

READ: dict[str, Any] = {"text": "a"}


class Sends:
    """A model that sends anything, and then answers."""

    name = "sends"

    def __init__(self, *sent: Any) -> None:
        self._turns: list[tuple[Any, ...]] = [sent, (TextPart("Fine."), END)]

    async def stream(self, request: Any) -> Any:
        for each in self._turns.pop(0):
            yield each


def wrong(**values: Any) -> Any:
    return values


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (TextPart(**wrong(text=b"x")), "a TextPart whose text is bytes b'x', not str"),
        (TextPart(**wrong(text=None)), "a TextPart whose text is NoneType"),
        (ThinkingPart(**wrong(text=1)), "a ThinkingPart whose text is int 1"),
        (ThinkingPart("a", **wrong(signature=b"s")), "signature is bytes b's', not str or None"),
        (ToolUsePart(**wrong(tool_use={"name": "Reader"})), "a ToolUsePart whose tool_use is dict"),
        (ToolUsePart(ToolUse("Reader", READ, **wrong(id=7))), "a ToolUse whose id is int 7"),
        (ToolUsePart(ToolUse("Reader", READ, **wrong(id=None))), "a ToolUse whose id is NoneType None"),
        (ToolUsePart(ToolUse("Reader", READ, id="")), "a ToolUse whose id is empty"),
        (ToolUsePart(ToolUse(**wrong(name=None))), "a ToolUse whose name is NoneType"),
        (ToolUsePart(ToolUse("Reader", **wrong(input=[1]))), "a ToolUse whose input is list [1], not Mapping"),
        (ToolUsePart(ToolUse("Reader", {"text": b"x"})), "a ToolUse whose input is no JSON"),
        (ToolUsePart(ToolUse("Reader", READ), **wrong(problem=None)), "a ToolUsePart whose problem is NoneType"),
        (RetryPart("busy", **wrong(delay_s="1", attempt=1)), "a RetryPart whose delay_s is str '1'"),
        (StopPart(**wrong(usage={"input_tokens": 1})), "a StopPart whose usage is dict"),
        (StopPart(usage=Usage(**wrong(input_tokens="9"))), "a Usage whose input_tokens is str '9'"),
        (StopPart(**wrong(reason="tired")), "a StopPart whose reason is str 'tired', not one of end_turn"),
        (StopPart(**wrong(detail=None)), "a StopPart whose detail is NoneType"),
        ("text", "str 'text', which is no part of an answer"),
        (None, "NoneType None, which is no part of an answer"),
    ],
)
async def test_a_wrong_value_ends_the_turn_and_stays_out_of_the_conversation(tmp_path, part: Any, said: str) -> None:
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[reader()], model=Sends(part))
    ended = (await collect(session.query("go")))[-1]
    assert ended.reason == "error" and ended.detail.startswith("the model sent ") and said in ended.detail
    assert [message.role for message in session.messages] == ["user"] and not session.outcomes
    assert (await collect(session.query("again")))[-1].text == "Fine."
    await session.aclose()


class Panic(BaseException):
    pass


@pytest.mark.parametrize("raised", [ValueError("no"), Panic("no"), SystemExit(3)], ids=lambda each: type(each).__name__)
async def test_an_answer_counts_whatever_its_stream_raises_when_it_is_closed(tmp_path, raised: BaseException) -> None:
    class Stream:
        def __init__(self) -> None:
            self._parts = iter((TextPart("Fine."), END))

        def __aiter__(self) -> Stream:
            return self

        async def __anext__(self) -> Any:
            for part in self._parts:
                return part
            raise StopAsyncIteration

        async def aclose(self) -> None:
            raise raised

    model: Any = SimpleNamespace(name="sends", stream=lambda request: Stream())
    with ThreadPoolExecutor(1) as pool:  # where no signal is raised, as in a kernel: there nobody means us by an exit
        ended, roles = await asyncio.wrap_future(pool.submit(anyio.run, _ask, tmp_path, model))
    assert (ended.reason, ended.text) == ("end_turn", "Fine.") and roles == ["user", "assistant"]


async def _ask(folder: Any, model: Any) -> tuple[Any, list[str]]:
    session = Session(cwd=folder, settings=ALLOW, tools=[reader()], model=model)
    try:
        return (await collect(session.query("go")))[-1], [message.role for message in session.messages]
    finally:
        await session.aclose()


async def test_what_came_before_it_stays(tmp_path) -> None:
    sent = (TextPart("I look."), ToolUsePart(ToolUse("Reader", READ)), TextPart(**wrong(text=b"x")), END)
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[reader()], model=Sends(*sent))
    assert (await collect(session.query("go")))[-1].reason == "error"
    assert session.messages[1].text == "I look."
    check_history(session.messages)
    assert (await collect(session.query("again")))[-1].text == "Fine."
    await session.aclose()


async def test_nothing_counts_behind_the_end_of_the_message(tmp_path) -> None:
    first, late = ToolUse("Reader", READ), ToolUse("Reader", {"text": "late"})
    model = PlayingModel([first, CALLS, late, "late words", END, TextPart(**wrong(text=b"x"))])
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[reader()], model=model)
    updates = await collect(session.query("go"))
    assert updates[-1].reason == "end_turn" and updates[-1].text == "Done."
    assert [u.outcome.tool_use.id for u in updates if isinstance(u, CallFinished)] == [first.id]
    assert session.messages[1].content == (first,)
    await session.aclose()
