"""Be the model: a person's turns, and the dialog that takes them down in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import anyio
import pytest

from jupyter_agenttools import ManualModel, build_tool
from jupyter_agenttools.core import Message, TextBlock, ToolUse
from jupyter_agenttools.core.blocks import ImageBlock, ThinkingBlock, ToolResultBlock
from jupyter_agenttools.core.errors import ModelError
from jupyter_agenttools.core.schema import StrictInput
from jupyter_agenttools.models import (
    ModelRequest,
    StopPart,
    TerminalPlayer,
    TextPart,
    ToolUsePart,
    Turn,
)

pytestmark = pytest.mark.anyio


class Where(StrictInput):
    file_path: str
    limit: int | None = None
    how: Literal["fast", "slow"] = "fast"


async def _call(input: Any, context: Any) -> str:
    return ""


READ = build_tool(name="Read", call=_call, description="Reads a file.", input_model=Where, aliases=("View",))
STOP = build_tool(name="Stop", call=_call, description="Stops.")


def request(*messages: Message) -> ModelRequest:
    return ModelRequest("", messages or (Message("user", (TextBlock("What is in a?"),)),), (READ, STOP))


class Keyboard:
    """Types prepared lines; the end of them is the end of the input."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines, self.shown = list(lines), list[str]()

    async def __call__(self, text: str) -> str:
        self.shown.append(text)
        if not self._lines:
            raise EOFError
        return self._lines.pop(0)


async def typed(*lines: str, asked: ModelRequest | None = None) -> tuple[Turn, str]:
    keyboard = Keyboard(lines)
    turn = await TerminalPlayer(keyboard).play(asked or request())
    return turn, "".join(keyboard.shown)


async def test_a_players_turn_streams() -> None:
    class Player:
        async def play(self, request: ModelRequest) -> Turn:
            return Turn((TextBlock(f"You said: {request.messages[-1].text}"), ToolUse("Read", {"file_path": "a"}, "t")))

    model = ManualModel(Player())
    parts = [part async for part in model.stream(request())]
    assert "".join(p.text for p in parts if isinstance(p, TextPart)) == "You said: What is in a?"
    assert parts[-2:] == [ToolUsePart(ToolUse("Read", {"file_path": "a"}, "t")), StopPart("tool_use")]
    assert parts[-1].usage is None, "nobody counted"


async def test_waiting_for_a_person_can_be_cancelled() -> None:
    class Player:
        async def play(self, request: ModelRequest) -> Turn:
            scope.cancel()
            await anyio.sleep_forever()
            raise AssertionError

    with anyio.CancelScope() as scope:
        async for _ in ManualModel(Player()).stream(request()):
            pass
    assert scope.cancelled_caught


async def test_an_answer_of_several_lines() -> None:
    turn, shown = await typed("Two lines,", "both text.", "")
    assert turn.blocks == (TextBlock("Two lines,\nboth text."),)
    assert "What is in a?" in shown and "/call TOOL" in shown


async def test_a_thought_and_a_call() -> None:
    turn, shown = await typed("/think hm", "I look.", "/call View", "a.txt", "5", "", "")
    thought, text, use = turn.blocks
    assert (thought, text) == (ThinkingBlock("hm"), TextBlock("I look."))
    assert isinstance(use, ToolUse) and (use.name, use.input) == ("Read", {"file_path": "a.txt", "limit": 5})
    assert "how (one of fast, slow, optional)" in shown and "Added: Read" in shown


async def test_what_cannot_be_read_is_asked_again() -> None:
    turn, shown = await typed("/call Read", "a", "five", "5", "quick", "slow", "")
    assert turn.blocks[0]["input"] == {"file_path": "a", "limit": 5, "how": "slow"}
    assert "'five' is not a whole number" in shown and "'quick' is not one of fast, slow" in shown


async def test_a_value_of_many_lines() -> None:
    turn, _ = await typed("/call Read", "<<", "one", "", " two", ">>", "", "", "")
    assert turn.blocks[0]["input"] == {"file_path": "one\n\n two"}


async def test_unknown_words_are_told() -> None:
    turn, shown = await typed("", "/call Nothing", "/tools", "/dance", "a", "/clear", "/usr/bin is a path", "")
    assert turn.blocks == (TextBlock("/usr/bin is a path"),)
    for words in ("Nothing was said yet", "no tool 'Nothing'", "Read: Reads a file.", "no /dance", "taken back"):
        assert words in shown


@pytest.mark.parametrize(("lines", "words"), [(["/stop too hard"], "too hard"), (["a"], "at its end")])
async def test_a_person_who_does_not_answer(lines: list[str], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        await typed(*lines)


async def test_what_came_since_the_last_answer_is_shown() -> None:
    image = ImageBlock({"type": "base64", "media_type": "image/png", "data": "AAAA"})
    asked = request(
        Message("user", (TextBlock("old question"),)),
        Message("assistant", (ToolUse("Read", {}, "t"),)),
        Message("user", (ToolResultBlock("t", "\x1b[31mred", True), image, TextBlock("y" * 9_000))),
    )
    _, shown = await typed("ok", "", asked=asked)
    assert "old question" not in shown and "\x1b" not in shown
    assert "[result (error)]" in shown and "[user] (image)" in shown and "7,000 more characters" in shown
