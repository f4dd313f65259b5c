"""An answer of many calls: each call's line says that it belongs to it, and that costs the same for the last one."""

from __future__ import annotations

from jupyter_agenttools.core.blocks import Block, Message, TextBlock, ToolUse
from jupyter_agenttools.session.growing_answer import GrowingAnswer


def answer(*blocks: Block) -> Message:
    return Message("assistant", blocks)


class Counted(ToolUse):
    """Counts how often its id is asked for."""

    asked = 0

    def __getattribute__(self, name: str) -> object:
        if name == "id":
            Counted.asked += 1
        return super().__getattribute__(name)


def test_each_call_is_looked_at_once_however_many_there_are() -> None:
    growing, uses = GrowingAnswer(), tuple(Counted("Read", {}, f"id{n}") for n in range(2_000))
    Counted.asked = 0
    for count in range(1, len(uses) + 1):
        growing.see(answer(*uses[:count]))
        assert growing.has_call(f"id{count - 1}") and not growing.has_call(f"id{count}")
    for _ in uses:
        growing.see(answer(*uses))
    assert Counted.asked == len(uses)


def test_a_text_may_grow_behind_the_last_call() -> None:
    growing, use, other = GrowingAnswer(), ToolUse("Read", {}, "a"), ToolUse("Read", {}, "b")
    growing.see(answer(TextBlock("One. "), use))
    assert growing.text == "One. "
    for text in ("Tw", "Two."):
        growing.see(answer(TextBlock("One. "), use, TextBlock(text)))
        assert growing.text == f"One. {text}"
    growing.see(answer(TextBlock("One. "), use, TextBlock("Two."), other))
    assert growing.text == "One. Two." and growing.has_call("a") and growing.has_call("b")


def test_another_answer_begins_anew() -> None:
    growing = GrowingAnswer()
    growing.see(answer(TextBlock("One."), ToolUse("Read", {}, "a")))
    growing.see(answer(TextBlock("Two."), ToolUse("Read", {}, "b")))
    assert growing.text == "Two." and growing.has_call("b") and not growing.has_call("a")
    growing.see(answer(TextBlock("Three.")))
    assert growing.text == "Three." and not growing.has_call("b")
