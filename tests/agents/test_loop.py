"""The query loop beside its calls: thinking, usage, endings, steering, shortening, and what a query is asked with."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from jupyter_agenttools import Hook, Session, ToolUse, UsageError, hook
from jupyter_agenttools.core import TextBlock
from jupyter_agenttools.core.blocks import ThinkingBlock
from jupyter_agenttools.core.errors import ContextOverflowError, ModelConnectionError
from jupyter_agenttools.core.updates import (
    CallFinished,
    Compacted,
    MessageAdded,
    ModelRetry,
    TextDelta,
    ThinkingDelta,
    TurnEnded,
    UsageAdded,
)
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.models import RetryPart, StopPart, TextPart, ThinkingPart
from tests.agents.support import ALLOW, check_history, collect, results_of
from tests.support.models import CALLS, END, PlayingModel
from tests.support.tools import calling, reader, writer

pytestmark = pytest.mark.anyio


def session(folder: Any, *turns: Any, hooks: tuple[Hook, ...] = (), **attributes: Any) -> Session:
    return Session(
        cwd=folder, settings=ALLOW, tools=[reader(), writer()], hooks=hooks, model=PlayingModel(*turns, **attributes)
    )


def model_of(running: Session) -> PlayingModel:
    assert isinstance(running.model, PlayingModel)
    return running.model


# ---- what a message consists of


async def test_thoughts_stay_in_the_message_as_they_came(tmp_path) -> None:
    use = ToolUse("Reader", {"text": "a"})
    parts = [ThinkingPart("One "), ThinkingPart("two.", "sig-1"), ThinkingPart("More.", "sig-2"), "I look.", use, CALLS]
    running = session(tmp_path, parts)
    updates = await collect(running.query("go"))
    thoughts = (ThinkingBlock("One two.", "sig-1"), ThinkingBlock("More.", "sig-2"))
    assert running.messages[1].content == (*thoughts, TextBlock("I look."), use)
    assert [u.text for u in updates if isinstance(u, ThinkingDelta)] == ["One ", "two.", "More."]
    assert model_of(running).requests[1].messages[1].content[:2] == thoughts, "the provider gets them back"


@pytest.mark.parametrize("steps", [[], [ThinkingPart("Half a thou")]])
async def test_an_answer_that_broke_off_before_it_said_anything_leaves_nothing(tmp_path, steps: list[Any]) -> None:
    running = session(tmp_path, [*steps, ModelConnectionError("the connection was lost: try again")])
    updates = await collect(running.query("go"))
    assert updates[-1] == TurnEnded("error", "", "the connection was lost: try again", turns=1)
    assert [m.role for m in running.messages] == ["user"]
    assert (await collect(running.query("again")))[-1].text == "Done."
    assert [m.role for m in model_of(running).requests[1].messages] == ["user"], "two of a role go out as one"


async def test_an_answer_of_thoughts_alone_is_an_answer(tmp_path) -> None:
    running = session(tmp_path, [ThinkingPart("Hm.", "s"), END])
    assert (await collect(running.query("go")))[-1].reason == "end_turn"
    assert running.messages[-1].content == (ThinkingBlock("Hm.", "s"), TextBlock("(no answer)"))


async def test_a_model_that_cannot_even_be_asked_is_told(tmp_path) -> None:
    class Unready:
        name = "unready"

        def stream(self, request: Any) -> Any:
            raise UsageError("set UNREADY_API_KEY first")

    updates = await collect(session(tmp_path).query("go", model=Unready()))
    assert (updates[-1].reason, updates[-1].detail) == ("error", "set UNREADY_API_KEY first")


# ---- totals


async def test_usage_and_cost_add_up(tmp_path) -> None:
    turns = [
        [RetryPart("busy", 0.5, 2), ToolUse("Reader"), StopPart("tool_use", Usage(10, 2, 3, 4))],
        ["So.", StopPart("end_turn", Usage(20, 5))],
    ]
    running = session(tmp_path, *turns, provider="scripted")
    updates = await collect(running.query("go"))
    assert [u for u in updates if isinstance(u, ModelRetry)] == [ModelRetry("busy", 0.5, 2)]
    assert [u.usage for u in updates if isinstance(u, UsageAdded)] == [Usage(10, 2, 3, 4), Usage(20, 5)]
    assert updates[-1] == TurnEnded("end_turn", "So.", "", Usage(30, 7, 3, 4), 0.0, 2)
    assert running.usage == Usage(30, 7, 3, 4) and running.cost_usd == 0.0
    await collect(running.query("again", model=PlayingModel(["Yes.", StopPart("end_turn", Usage(1, 1))])))
    assert running.usage == Usage(31, 8, 3, 4)


async def test_no_cost_is_claimed_where_no_price_is_known(tmp_path) -> None:
    running = session(tmp_path, ["So.", StopPart("end_turn", Usage(20, 5))])
    assert (await collect(running.query("go")))[-1].cost_usd is None
    assert running.cost_usd is None


# ---- who is told


async def test_observers_are_told_of_each_update(tmp_path) -> None:
    told: list[Any] = []

    class Watch:
        def on_update(self, update: Any) -> None:
            told.append(update)

    running = session(tmp_path, ["Hm.", ToolUse("Reader"), CALLS])
    running.observers.attach(Watch())
    assert await collect(running.query("go")) == told
    told.clear()
    updates = running.query("again")
    await anext(updates)
    await updates.aclose()
    assert isinstance(told[-1], TurnEnded) and told[-1].reason == "interrupted" and "left" in told[-1].detail


# ---- what a query may be asked with


async def test_only_the_named_tools_are_offered_and_can_be_called(tmp_path) -> None:
    running = session(tmp_path, [ToolUse("Writer", {"text": "x"}), ToolUse("Reader", {"text": "y"}), CALLS])
    await collect(running.query("go", tools=["Reader", "Grep", "Read"]))
    offered = [tool.name for tool in model_of(running).requests[0].tools]
    assert offered == [t.name for t in running.tools if t.name in ("Reader", "Grep", "Read")]
    refused, done = results_of(running.messages)
    assert refused.is_error and "Writer is not offered here" in refused.text and done.content == "y"


async def test_the_order_of_the_tools_stays(tmp_path) -> None:
    running = session(tmp_path, [ToolUse("Reader"), CALLS], [ToolUse("Reader"), CALLS])
    await collect(running.query("go"))
    asked = model_of(running).requests
    assert len(asked) == 3 and len({request.tools for request in asked}) == 1
    assert len({request.system for request in asked}) == 1
    before, after = asked[1].messages, asked[2].messages
    assert all(one is other for one, other in zip(before, after, strict=False)), "what was sent stays the same"


async def test_its_own_system_prompt_and_schema(tmp_path) -> None:
    running = session(tmp_path)
    schema = {"type": "object"}
    await collect(running.query("go", system="You are a cook.", output_schema=schema))
    request = model_of(running).requests[0]
    assert request.system.startswith("You are a cook.") and request.output_schema == schema


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tools": ["Reader", "Nope"]}, "'Nope'.*Reader"),
        ({"tools": "Reader"}, "a list"),
        ({"max_turns": 0}, "max_turns"),
    ],
)
async def test_what_cannot_be_asked_is_said(tmp_path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        await collect(session(tmp_path).query("go", **options))


async def test_one_query_at_a_time(tmp_path) -> None:
    running = session(tmp_path)
    first = running.query("go")
    await anext(first)
    for other in (running.query("me too"), running.query("me three")):
        with pytest.raises(UsageError, match="a query runs in this session already"):
            await anext(other)
    with pytest.raises(UsageError, match="a query runs"):
        await running.compact()
    await first.aclose()
    assert (await collect(running.query("now")))[-1].reason == "end_turn"


async def test_the_last_update_is_the_end_also_for_whoever_asks_no_further(tmp_path) -> None:
    running = session(tmp_path)
    async for update in running.query("go"):
        if isinstance(update, TurnEnded):
            break
    assert (await collect(running.query("again")))[-1].reason == "end_turn"


async def test_a_stop_before_the_model_is_asked(tmp_path) -> None:
    running = session(tmp_path)
    updates = []
    async for update in running.query("go"):
        updates.append(update)
        running.interrupt("enough")
    assert updates[-1] == TurnEnded("interrupted", "", "enough") and model_of(running).requests == []


# ---- what the person says while it runs


async def test_what_is_said_while_calls_run_stands_beside_their_results(tmp_path) -> None:
    running = session(tmp_path, [ToolUse("Reader", {"text": "a"}), CALLS])
    async for update in running.query("go"):
        if isinstance(update, CallFinished):
            assert running.steer("use the other file") and not running.steer("  ")
    sent = model_of(running).requests[1].messages
    assert [m.role for m in sent] == ["user", "assistant", "user"]
    assert sent[-1].content[0].content == "a" and sent[-1].content[-1] == TextBlock("use the other file")
    assert not running.steer("too late")


async def test_what_is_said_at_the_end_makes_it_go_on(tmp_path) -> None:
    running = session(tmp_path, ["Finished.", END], ["Also that.", END])
    async for update in running.query("go"):
        if isinstance(update, TextDelta) and update.text == "Finished.":
            running.steer("and the rest?")
    assert [m.text for m in running.messages] == ["go", "Finished.", "and the rest?", "Also that."]
    check_history(running.messages)


async def test_what_nobody_told_the_model_is_not_lost(tmp_path) -> None:
    running = session(tmp_path, ["Hm.", ModelConnectionError("gone")])
    async for update in running.query("go"):
        if isinstance(update, TextDelta):
            running.steer("look at b")
    assert isinstance(update, TurnEnded) and update.reason == "error"
    await collect(running.query("again"))
    assert "look at b" in running.messages[-2].content[0].text


async def test_hooks_judge_it_as_a_prompt(tmp_path) -> None:
    @hook("UserPromptSubmit")
    async def no_secrets(event: dict[str, Any]) -> dict[str, Any] | None:
        return {"decision": "block", "reason": "no secrets"} if "secret" in event["prompt"] else None

    running = session(tmp_path, [ToolUse("Reader"), CALLS], hooks=(no_secrets,))
    async for update in running.query("go"):
        if isinstance(update, CallFinished):
            running.steer("the secret is 42")
    assert isinstance(update, TurnEnded) and update.reason == "hook" and "no secrets" in update.detail
    assert not any("42" in m.text for m in running.messages)


async def test_a_call_that_need_not_be_waited_for_makes_way(tmp_path) -> None:
    began = anyio.Event()

    async def wait(input: Any, context: Any) -> str:
        began.set()
        await anyio.sleep_forever()
        return "never"

    use = ToolUse("Outer")
    tool = calling("Outer", wait, interrupt_behavior=lambda: "cancel")
    running = Session(cwd=tmp_path, settings=ALLOW, tools=[tool], model=PlayingModel([use, CALLS]))

    async def say() -> None:
        await began.wait()
        running.steer("never mind")

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(say)
            updates = await collect(running.query("go"))
    assert "the person has said something" in results_of(running.messages)[0].text
    assert running.messages[-2].text == "never mind" and updates[-1].reason == "end_turn"


# ---- a conversation that does not fit

LONG = "all work and no play " * 400


def long_talk(folder: Any, *turns: Any, hooks: tuple[Hook, ...] = (), window: int = 1_000_000) -> Session:
    early = [[f"{number}: {LONG}", END] for number in range(6)]
    return session(folder, *early, *turns, hooks=hooks, context_window=window)


async def talk(running: Session) -> None:
    for number in range(6):
        await collect(running.query(f"question {number}"))


async def test_an_overflow_shortens_the_conversation_once_and_asks_again(tmp_path) -> None:
    fired: list[dict[str, Any]] = []

    @hook("PreCompact")
    async def before(event: dict[str, Any]) -> None:
        fired.append(event)

    @hook("PostCompact")
    async def after(event: dict[str, Any]) -> None:
        fired.append(event)

    turns = [
        [ContextOverflowError("too long")],
        ["We spoke of work.", StopPart("end_turn", Usage(7, 7))],
        ["Here.", END],
    ]
    running = long_talk(tmp_path, *turns, hooks=(before, after))
    await talk(running)
    updates = await collect(running.query("and now?"))
    assert updates[-1].text == "Here." and updates[-1].reason == "end_turn"
    (compacted,) = [u for u in updates if isinstance(u, Compacted)]
    assert "We spoke of work." in compacted.summary and compacted.tokens_after < compacted.tokens_before
    assert updates[-1].usage == running.usage == Usage(7, 7), "the summary is counted in"
    assert [event["hook_event_name"] for event in fired] == ["PreCompact", "PostCompact"]
    assert any("We spoke of work." in m.text for m in running.messages)
    assert "and now?" in running.messages[-2].text
    check_history(running.messages, one_role_after_the_other=False)


async def test_an_overflow_that_stays_is_told(tmp_path) -> None:
    turns = [[ContextOverflowError("too long")], ["Summary.", END], [ContextOverflowError("still too long")]]
    running = long_talk(tmp_path, *turns)
    await talk(running)
    updates = await collect(running.query("and now?"))
    assert (updates[-1].reason, updates[-1].detail) == ("error", "still too long")


async def test_a_hook_may_forbid_it(tmp_path) -> None:
    @hook("PreCompact")
    async def never(event: dict[str, Any]) -> dict[str, Any]:
        return {"decision": "block", "reason": "keep every word"}

    running = long_talk(tmp_path, [ContextOverflowError("too long")], hooks=(never,))
    await talk(running)
    before = running.messages
    updates = await collect(running.query("and now?"))
    assert updates[-1].reason == "error" and "keep every word" in updates[-1].detail
    assert "too long" in updates[-1].detail and running.messages[: len(before)] == before
    with pytest.raises(UsageError, match="keep every word"):
        await running.compact()


async def test_near_the_window_it_is_shortened_before_the_model_is_asked(tmp_path) -> None:
    running = long_talk(tmp_path, ["We spoke of work.", END], ["Here.", END], window=20_000)
    seen = []
    for number in range(8):
        seen += await collect(running.query(f"question {number}"))
    assert [u for u in seen if isinstance(u, Compacted)]
    assert all(u.reason == "end_turn" for u in seen if isinstance(u, TurnEnded))


async def test_a_person_may_ask_for_it(tmp_path) -> None:
    running = long_talk(tmp_path, ["We spoke of work.", END])
    await talk(running)
    done = await running.compact("keep the numbers")
    assert "We spoke of work." in done.summary
    assert "keep the numbers" in str(model_of(running).requests[-1])
    with pytest.raises(UsageError, match="nothing to shorten"):
        await session(tmp_path).compact()


# ---- the number of turns


async def test_the_limit_of_turns_counts_answers(tmp_path) -> None:
    running = session(tmp_path, *[[f"{n}", ToolUse("Reader"), CALLS] for n in range(9)])
    updates = await collect(running.query("go", max_turns=3))
    assert updates[-1] == TurnEnded("max_turns", "2", "the model was asked 3 times, which is the limit", turns=3)
    assert isinstance(updates[-2], MessageAdded) and results_of((updates[-2].message,))


async def test_parts_of_text_become_one_block(tmp_path) -> None:
    running = session(tmp_path, [TextPart("a"), TextPart(""), TextPart("b"), END])
    await collect(running.query("go"))
    assert running.messages[-1].content == (TextBlock("ab"),)
