"""Histories that a provider takes: what is wrong with one is found, and mended without touching the rest."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.agents.conversation import BROKEN_OFF, HistoryChecker, check_history, repair_history
from jupyter_agenttools.core.blocks import ImageBlock, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUse

PICTURE = ImageBlock({"type": "base64", "media_type": "image/png", "data": "aGk="})


def user(*content: Any) -> Message:
    return Message("user", tuple(TextBlock(part) if isinstance(part, str) else part for part in content))


def assistant(*content: Any) -> Message:
    return Message("assistant", tuple(TextBlock(part) if isinstance(part, str) else part for part in content))


def call(id: str) -> ToolUse:
    return ToolUse("Read", {"file_path": f"/{id}"}, id)


def result(id: str, text: str = "done") -> ToolResultBlock:
    return ToolResultBlock(id, text)


SOUND = (
    user("look at two files"),
    assistant(ThinkingBlock("hm", "sig"), "I read both.", call("a"), call("b")),
    user(result("a"), result("b"), "a note"),
    assistant(call("c")),
    user(ToolResultBlock("c", (TextBlock("seen"), PICTURE))),
    assistant("That is all."),
)


def kinds(messages: Any) -> list[str]:
    return [fault.kind for fault in check_history(messages)]


def test_a_sound_history_is_left_alone() -> None:
    assert kinds(SOUND) == []
    repaired, done = repair_history(SOUND)
    assert done == () and all(one is other for one, other in zip(repaired, SOUND, strict=True))


@pytest.mark.parametrize(
    ("messages", "found", "repaired"),
    [
        ((), [], ()),
        (
            (user("go"), assistant(call("a"))),
            ["use_without_result"],
            (user("go"), assistant(call("a")), user(ToolResultBlock("a", BROKEN_OFF, is_error=True))),
        ),
        (
            (user("go"), assistant(call("a"), call("b")), user(result("b"), "and?"), assistant("so")),
            ["use_without_result"],
            (
                user("go"),
                assistant(call("a"), call("b")),
                user(result("b"), ToolResultBlock("a", BROKEN_OFF, is_error=True), "and?"),
                assistant("so"),
            ),
        ),
        (
            (user("go"), assistant(call("a")), assistant("so")),
            ["use_without_result"],
            (user("go"), assistant(call("a")), user(ToolResultBlock("a", BROKEN_OFF, is_error=True)), assistant("so")),
        ),
        ((user(result("x"), "go"), assistant("so")), ["result_without_use"], (user("go"), assistant("so"))),
        (
            (user("go"), assistant(call("a")), user(result("a", "1"), result("a", "2"))),
            ["result_twice"],
            (user("go"), assistant(call("a")), user(result("a", "1"))),
        ),
        (
            (user("go"), assistant(call("a")), user("a note", result("a"))),
            ["result_after_text"],
            (user("go"), assistant(call("a")), user(result("a"), "a note")),
        ),
        (
            (user("go"), assistant(call("a")), user("a note"), user(result("a"))),
            ["roles_repeat"],
            (user("go"), assistant(call("a")), user(result("a"), "a note")),
        ),
        (
            (user("go"), assistant("I"), assistant("see")),
            ["roles_repeat"],
            (user("go"), assistant("I", "see")),
        ),
        ((user("go"), Message("assistant", ()), user("?")), ["empty_message", "roles_repeat"], (user("go", "?"),)),
        ((user("go"), assistant(" \n", "so")), ["empty_text"], (user("go"), assistant("so"))),
        ((user("go"), assistant(result("a"), "so")), ["wrong_role"], (user("go"), assistant("so"))),
        ((user("go", call("a")), assistant("so")), ["wrong_role"], (user("go"), assistant("so"))),
        (
            (user("go"), assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a", "2"))),
            ["id_repeats"],
            (
                user("go"),
                assistant(call("a")),
                user(result("a")),
                assistant(ToolUse("Read", {"file_path": "/a"}, "a_2")),
                user(result("a_2", "2")),
            ),
        ),
    ],
)
def test_what_is_wrong_is_found_and_mended(messages: Any, found: list[str], repaired: Any) -> None:
    assert kinds(messages) == found
    assert repair_history(messages)[0] == repaired


def test_two_calls_of_one_message_with_one_id_keep_a_result_each() -> None:
    twice = (user("go"), assistant(call("a"), call("a")), user(result("a", "1"), result("a", "2")))
    repaired, _ = repair_history(twice)
    assert [use.id for use in repaired[1].tool_uses] == ["a", "a_2"]
    assert [(block.tool_use_id, block.text) for block in repaired[2].content] == [("a", "1"), ("a_2", "2")]


def test_an_assistant_that_speaks_first_gets_a_beginning() -> None:
    assert kinds((assistant("hello"),)) == ["no_beginning"]
    repaired, _ = repair_history((assistant("hello"),))
    assert [message.role for message in repaired] == ["user", "assistant"]


def test_an_empty_text_in_a_result_goes_and_the_result_stays() -> None:
    messages = (user("go"), assistant(call("a")), user(ToolResultBlock("a", (TextBlock(""), PICTURE))))
    assert kinds(messages) == ["empty_text"]
    assert repair_history(messages)[0][2].content == (ToolResultBlock("a", (PICTURE,)),)


def test_faults_say_where() -> None:
    (fault,) = check_history((user("go"), assistant(call("a")), user("?"), assistant("so")))
    assert (fault.index, fault.tool_use_id) == (1, "a") and fault.text.startswith("message 2: the call a ")


IDS = st.sampled_from(["a", "b", "c", ""])
TEXTS = st.sampled_from(["", " ", "one", "two"])
BLOCKS = st.one_of(
    TEXTS.map(TextBlock),
    st.just(PICTURE),
    st.just(ThinkingBlock("hm")),
    IDS.map(call),
    st.builds(result, IDS, TEXTS),
    IDS.map(lambda id: ToolResultBlock(id, (TextBlock(""), TextBlock("x")))),
)
HISTORIES = st.lists(
    st.builds(Message, st.sampled_from(["user", "assistant"]), st.lists(BLOCKS, max_size=5).map(tuple)), max_size=10
)


def is_sound(messages: Any) -> bool:
    """Said once more in other words, so that the machine is not its own judge."""
    seen: list[str] = []
    for at, message in enumerate(messages):
        assert message.role == ("user", "assistant")[at % 2] and message.content
        assert all(block.text.strip() for block in message.content if isinstance(block, TextBlock))
        results = [block.tool_use_id for block in message.content if isinstance(block, ToolResultBlock)]
        asked = [use.id for use in messages[at - 1].tool_uses] if at else []
        assert sorted(results) == sorted(asked)
        assert all(isinstance(block, ToolResultBlock) for block in message.content[: len(results)])
        seen += [use.id for use in message.tool_uses]
        assert message.role == "assistant" or not message.tool_uses
    assert not (messages and messages[-1].tool_uses)
    assert len(seen) == len(set(seen)) and "" not in seen
    return True


@given(HISTORIES)
def test_whatever_it_was_it_is_sound_afterwards(messages: list[Message]) -> None:
    repaired, done = repair_history(messages)
    assert is_sound(repaired) and check_history(repaired) == ()
    assert repair_history(repaired) == (repaired, ())
    assert bool(done) == bool(check_history(messages))
    if not done:
        assert repaired == tuple(messages)


@given(HISTORIES)
def test_no_text_that_belongs_there_is_lost(messages: list[Message]) -> None:
    said = [block.text for m in messages for block in m.content if isinstance(block, TextBlock) and block.text.strip()]
    repaired, _ = repair_history(messages)
    kept = [block.text for m in repaired for block in m.content if isinstance(block, TextBlock)]
    assert [text for text in kept if not text.startswith("(The beginning")] == said


@given(HISTORIES, st.lists(st.integers(0, 12), max_size=6))
def test_step_by_step_it_says_the_same(messages: list[Message], cuts: list[int]) -> None:
    checker = HistoryChecker()
    for cut in (*cuts, len(messages)):  # also shorter ones than before: a conversation is also cut back
        assert checker.check(messages[:cut]) == check_history(messages[:cut])
        sound, faults = checker.sound(messages[:cut])
        assert sound == repair_history(messages[:cut])[0]
        assert faults == tuple(f for f in check_history(messages[:cut]) if f.kind != "roles_repeat")


def test_a_call_that_is_still_to_be_answered_is_mended_for_the_request_only() -> None:
    checker = HistoryChecker()
    asked = (user("go"), assistant(call("a")))
    assert [fault.kind for fault in checker.sound(asked)[1]] == ["use_without_result"]
    answered = (*asked, user(result("a")))
    assert checker.sound(answered) == (answered, ())


def long_history(calls: int) -> list[Message]:
    messages = [user("go")]
    for number in range(calls):
        messages += [assistant("next", call(f"id{number}")), user(result(f"id{number}", "x" * 200))]
    return messages


def test_a_turn_of_a_long_history_costs_little() -> None:
    messages = long_history(2_000)
    checker = HistoryChecker()
    checker.sound(messages[:-200])
    times = []
    for end in range(len(messages) - 200, len(messages), 2):
        began = time.perf_counter()
        checker.sound(tuple(messages[:end]))
        times.append(time.perf_counter() - began)
    assert sorted(times)[len(times) // 2] < 0.002
