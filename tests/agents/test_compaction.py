"""Conversations that become too long: what stays, what stands for the rest, and what happens when it fails."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.agents.compaction import (
    MAX_FAILURES,
    CompactionResult,
    Compactor,
    KeptFacts,
    Trigger,
    kept_from,
)
from jupyter_agenttools.agents.conversation import check_history
from jupyter_agenttools.core.blocks import Message, TextBlock, ToolResultBlock, ToolUse
from jupyter_agenttools.core.cancel import Cancellation
from jupyter_agenttools.core.errors import ContextOverflowError, ModelConnectionError
from jupyter_agenttools.core.rough_tokens import message_tokens
from jupyter_agenttools.core.todos import Todo
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.models import ModelRequest, StopPart, TextPart, ToolUsePart
from tests.support.tools import reader

pytestmark = pytest.mark.anyio

GOOD = [TextPart("The person "), TextPart("wants X."), StopPart(usage=Usage(900, 20))]


def user(*parts: Any) -> Message:
    return Message("user", tuple(TextBlock(part) if isinstance(part, str) else part for part in parts))


def assistant(*parts: Any) -> Message:
    return Message("assistant", tuple(TextBlock(part) if isinstance(part, str) else part for part in parts))


def read(id: str, text: str = "seen") -> list[Message]:
    return [assistant(ToolUse("Read", {"file_path": f"/{id}.py"}, id)), user(ToolResultBlock(id, text))]


def long(pairs: int = 10, words: int = 200) -> list[Message]:
    messages = [user("please do X")]
    for number in range(pairs):
        messages += read(f"r{number}", "word " * words)
    return messages


class Writing:
    """A model that gives these streams, one after the other; an exception in one is raised there."""

    name = "writing"

    def __init__(self, *streams: list[Any] | Callable[[ModelRequest], list[Any]], window: int = 10_000) -> None:
        self.streams = list(streams)
        self.context_window = window
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        self.requests.append(request)
        parts = self.streams.pop(0)
        for part in parts(request) if callable(parts) else parts:
            if isinstance(part, BaseException):
                raise part
            yield part


class Hooks:
    def __init__(self, blocked: str | None = None) -> None:
        self.blocked = blocked
        self.heard: list[tuple[str, ...]] = []

    async def before_compaction(self, trigger: Trigger, instructions: str) -> str | None:
        self.heard.append(("before", trigger, instructions))
        return self.blocked

    async def after_compaction(self, trigger: Trigger, summary: str) -> None:
        self.heard.append(("after", trigger, summary))


async def compact(
    messages: list[Message], model: Any, compactor: Compactor | None = None, trigger: Trigger = "auto", **options: Any
) -> CompactionResult:
    request = ModelRequest("system", tuple(messages), (reader(),))
    chosen = compactor or Compactor()
    return await chosen.compact(request, model, options.pop("stop", Cancellation()), trigger=trigger, **options)


async def test_the_older_part_becomes_a_summary_and_the_newest_stays() -> None:
    messages, model = long(), Writing(GOOD)
    result = await compact(messages, model)
    assert result.problem == "" and result.update is not None and result.usage == Usage(900, 20)
    kept = len(result.messages) - 1
    assert kept >= 2 and result.messages[1:] == tuple(messages[-kept:])
    assert result.update.messages == len(messages) - kept
    assert result.update.tokens_after < result.update.tokens_before
    assert check_history(result.messages) == ()
    text = result.messages[0].text
    assert text == result.update.summary and "The person wants X." in text
    assert f"last {kept} messages follow" in text and "please do X" in text
    assert "/r0.py" in text and "read again before it is changed" in text


async def test_the_summary_is_asked_for_at_the_end_of_the_same_request() -> None:
    messages, model = long(), Writing(GOOD)
    await compact(messages, model, instructions="keep the numbers")
    (asked,) = model.requests
    assert asked.messages[: len(messages) - 1] == tuple(messages[:-1]) and asked.system == "system"
    assert [tool.name for tool in asked.tools] == ["Reader"]
    assert asked.messages[-1].content[0] == messages[-1].content[0]
    assert "keep the numbers" in asked.messages[-1].text
    assert check_history(asked.messages) == ()


async def test_what_the_session_knows_goes_in_as_it_is() -> None:
    todos = (Todo("Write tests", "in_progress", "Writing tests"), Todo("Ship", "pending", "Shipping"))
    facts = KeptFacts(todos, ("/kept.txt",), "/plans/plan.md")
    result = await compact(long(), Writing(GOOD), Compactor(facts=lambda: facts))
    text = result.messages[0].text
    assert "- [in_progress] Write tests\n- [pending] Ship" in text and "/plans/plan.md" in text
    assert text.index("/kept.txt") < text.index("/r0.py")


async def test_a_request_that_nobody_has_answered_stays_word_for_word() -> None:
    messages = [*long(), assistant("done"), user("and now Y, " * 2_000)]
    result = await compact(messages, Writing(GOOD))
    (only,) = result.messages
    assert only.content[1:] == messages[-1].content and only.role == "user"


async def test_nothing_is_done_where_there_is_nothing_to_shorten() -> None:
    for messages in ([], [user("hello")]):
        result = await compact(messages, Writing())
        assert result.update is None and "nothing to shorten" in result.problem and result.messages == tuple(messages)


FAILING: list[tuple[list[Any], str]] = [
    ([[OSError("no route")]], "no route"),
    ([[TextPart("The per"), ModelConnectionError("cut")]], "cut"),
    ([[TextPart("The per")]], "broke off"),
    ([[StopPart("refusal", detail="no")]], "refused to write a summary no"),
    ([[TextPart("x"), StopPart("max_tokens")]] * 2, "cut off at the model's limit"),
    ([[ToolUsePart(ToolUse("Reader")), StopPart("tool_use")]] * 2, "wrote no summary"),
    ([[ContextOverflowError("too big")]] * 2, "too big"),
    ([[TextPart("long " * 50_000), StopPart()]], "instead of"),
]


@pytest.mark.parametrize(("streams", "words"), FAILING)
async def test_a_summary_that_fails_leaves_everything_as_it_was(streams: list[Any], words: str) -> None:
    messages, compactor, hooks = long(), None, Hooks()
    compactor = Compactor(hooks)
    result = await compact(messages, Writing(*streams), compactor)
    assert result.update is None and result.messages == tuple(messages)
    assert words in result.problem and "stays as it is" in result.problem
    assert compactor.failures == 1
    assert [heard[0] for heard in hooks.heard] == ["before"]


async def test_a_conversation_that_does_not_fit_is_told_as_plain_text() -> None:
    messages = long(40, 400)

    def second(request: ModelRequest) -> list[Any]:
        assert sum(map(message_tokens, request.messages)) < 10_000 and request.tools == ()
        assert "[older messages are left out here]" in request.messages[0].text
        return GOOD

    result = await compact(messages, Writing([ContextOverflowError("too big")], second))
    assert result.problem == "" and "wants X" in result.messages[0].text


async def test_both_tries_are_paid_for() -> None:
    first = [ToolUsePart(ToolUse("Reader")), StopPart("tool_use", Usage(500, 5))]
    result = await compact(long(), Writing(first, GOOD))
    assert result.usage == Usage(1_400, 25)


async def test_after_three_failures_it_gives_up_until_a_person_asks() -> None:
    compactor, messages = Compactor(), long()
    model = Writing(*[[OSError("no")]] * MAX_FAILURES, GOOD)
    assert compactor.is_due(9_900, model, messages) and not compactor.is_due(5_000, model, messages)
    assert not compactor.is_due(9_900, model, messages[:1]), "it is the rest of the request that is so big"
    for _ in range(MAX_FAILURES):
        await compact(messages, model, compactor)
    assert compactor.has_given_up and not compactor.is_due(9_900, model, messages)
    again = await compact(messages, model, compactor)
    assert again.update is None and "3 times in a row" in again.problem and len(model.requests) == MAX_FAILURES
    asked = await compact(messages, model, compactor, "manual")
    assert asked.update is not None and not compactor.has_given_up


async def test_what_stays_too_big_counts_as_a_failure_although_it_helped() -> None:
    compactor = Compactor()
    messages = [*long(), assistant("done"), user("now this: " + "word " * 20_000)]
    for done in range(1, MAX_FAILURES + 1):
        result = await compact(messages, Writing(GOOD), compactor)
        assert result.update is not None and compactor.failures == done
    assert compactor.has_given_up


async def test_hooks_hear_of_it_and_can_refuse() -> None:
    hooks = Hooks()
    result = await compact(long(), Writing(GOOD), Compactor(hooks), "manual", instructions="short")
    assert hooks.heard == [("before", "manual", "short"), ("after", "manual", result.messages[0].text)]
    refusing, model = Hooks("the hook guard: not now"), Writing()
    compactor = Compactor(refusing)
    refused = await compact(long(), model, compactor)
    assert refused.update is None and "the hook guard: not now" in refused.problem
    assert model.requests == [] and compactor.failures == 0 and len(refusing.heard) == 1


async def test_a_stop_ends_it_at_once_and_is_no_failure() -> None:
    stop, closed = Cancellation(), []

    class Hanging(Writing):
        async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
            try:
                yield TextPart("The ")
                stop.cancel("enough")
                await anyio.sleep_forever()
            finally:
                closed.append(True)

    compactor, messages = Compactor(), long()
    with anyio.fail_after(20):
        result = await compact(messages, Hanging(), compactor, stop=stop)
    assert result.messages == tuple(messages) and result.update is None and "enough" in result.problem
    assert compactor.failures == 0 and closed == [True]


async def test_a_second_summary_takes_the_place_of_the_first() -> None:
    first = await compact(long(), Writing(GOOD))
    messages = [*first.messages, assistant("ok"), user("go on")]
    second = await compact([*messages, *long()[1:]], Writing([TextPart("Now Y."), StopPart()]))
    assert "Now Y." in second.messages[0].text and check_history(second.messages) == ()
    assert second.messages[0].text.count("The conversation became too long") == 1


async def test_the_session_may_hold_its_messages_in_another_form() -> None:
    whole = long()
    sent = [*whole[:-1], user(ToolResultBlock("r9", "taken out"))]
    result = await compact(sent, Writing(GOOD), conversation=whole)
    assert result.messages[-1] is whole[-1]


STEPS = st.lists(
    st.one_of(
        st.builds(lambda n, w: ("calls", n, w), st.integers(1, 3), st.integers(0, 300)),
        st.builds(lambda w: ("talk", 0, w), st.integers(1, 300)),
    ),
    max_size=12,
)


@given(STEPS, st.booleans(), st.integers(500, 20_000))
def test_pairs_are_never_parted(steps: list[tuple[str, int, int]], answered: bool, window: int) -> None:
    messages = [user("start")]
    for at, (kind, number, words) in enumerate(steps):
        if kind == "calls":
            ids = [f"{at}-{n}" for n in range(number)]
            messages.append(assistant(*(ToolUse("Read", {}, id) for id in ids)))
            messages.append(user(*(ToolResultBlock(id, "word " * words) for id in ids)))
        else:
            messages += [assistant("word " * words), user("word " * words)]
    if answered and messages[-1].role == "user":
        messages.append(assistant("done"))
    cut = kept_from(messages, window)
    assert 0 <= cut <= len(messages)
    kept = messages[cut:] if cut else []
    begun = [user("summary")] if not kept or kept[0].role == "assistant" else []
    assert check_history((*begun, *kept)) == ()
    if cut and not answered and messages[-1].role == "user" and messages[-1].text:
        assert kept and kept[-1] is messages[-1]
    beyond = sum(map(message_tokens, kept[1:] if kept and kept[-1].role == "user" else kept))
    assert beyond <= max(window * 0.2, 0) or len(kept) == 1
