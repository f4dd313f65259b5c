"""A model that does everything a model may do, and tools that do everything a tool may do. All chance has a seed."""

from __future__ import annotations

import base64
import os
import random
import re
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import anyio

from jupyter_agenttools.agents.conversation import check_history
from jupyter_agenttools.core import ImageBlock, Message, TextBlock, Tool, ToolResult, ToolResultBlock, ToolUse
from jupyter_agenttools.core.errors import ContextOverflowError, ModelBusyError, ModelConnectionError, ToolError
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.models import (
    ModelPart,
    ModelRequest,
    RetryPart,
    StopPart,
    TextPart,
    ThinkingPart,
    ToolUsePart,
)
from tests.support.media_files import halves, saved
from tests.support.tools import calling, reader, writer

WINDOW = 30_000
"""Tokens: small, so that the conversation is shortened again and again."""

PICTURE = base64.b64encode(saved(halves(), "PNG")).decode()

SETTINGS = {
    "permissions": {
        "allow": ["Reader", "Writer", "Failing", "Big", "Photo", "Talking", "Read", "Write", "Edit", "Bash(echo *)",
                  "Bash(seq *)", "Bash(sleep *)", "Bash(exit *)"],
        "deny": ["Forbidden"],
    }
}  # fmt: skip
"""What is neither allowed nor denied is asked for, and the answer is left to chance."""

WEIGHTS = {
    "answer": 30, "calls": 45, "broken_call": 2, "one_id_twice": 1, "refusal": 1, "cut_off": 2, "retry": 2,
    "fails_at_once": 2, "fails_half_way": 3, "breaks_off": 2, "says_nothing": 1, "hangs": 2, "overflows": 1,
}  # fmt: skip
"""How often the model does what."""


class ChaoticModel:
    """Answers with texts, thoughts and calls, or fails in one of the ways in which providers fail.

    Args:
        chance: decides. folder: the working directory.

    Attributes:
        did: how often it did what.
        unsound: what no provider would have taken of what it was sent.
    """

    name = "chaotic"
    context_window = WINDOW

    def __init__(self, chance: random.Random, folder: str) -> None:
        self._chance, self._folder = chance, folder
        self.did: Counter[str] = Counter()
        self.unsound: list[Any] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        kind = "summary" if "takes the place of the messages above" in request.messages[-1].text else self._kind()
        self.did[kind] += 1
        self.unsound += unsound(request)
        for part in self._parts(kind):
            if isinstance(part, BaseException):
                raise part
            if part is None:
                await anyio.sleep_forever()
                return
            await anyio.sleep(self._chance.choice((0, 0, 0.001)))
            yield part

    def _kind(self) -> str:
        return self._chance.choices(tuple(WEIGHTS), tuple(WEIGHTS.values()))[0]

    def _parts(self, kind: str) -> list[Any]:
        """What it streams; an exception is raised, and at ``None`` it hangs."""
        calls, text = self._some_calls(), TextPart("That is all. " * self._chance.randint(1, 30))
        one = ToolUse("Reader", {"text": "one"})
        return {
            "answer": [ThinkingPart("hm ", "sig"), text, self._stop()],
            "calls": [text, *calls, self._stop("tool_use")],
            "broken_call": [ToolUsePart(ToolUse("Reader", {}), "its input is no JSON"), *calls, self._stop("tool_use")],
            "one_id_twice": [ToolUsePart(one), ToolUsePart(ToolUse("Reader", {}, one.id)), self._stop("tool_use")],
            "refusal": [text, self._stop("refusal")],
            "cut_off": [text, self._stop("max_tokens")],
            "retry": [RetryPart("overloaded", 0.0, 2), text, self._stop()],
            "fails_at_once": [ModelBusyError("rate limit", retry_after_s=1)],
            "fails_half_way": [text, *calls, ModelConnectionError("the stream broke")],
            "breaks_off": [ThinkingPart("hm"), text, *calls],
            "says_nothing": [TextPart(" \n"), self._stop()],
            "hangs": [text, *calls, None],
            "overflows": [ContextOverflowError("the conversation is too long")],
            "summary": self._chance.choice([[text, self._stop()]] * 4 + [[OSError("not today")], [self._stop()]]),
        }[kind]

    def _stop(self, reason: Any = "end_turn") -> StopPart:
        return StopPart(reason, Usage(self._chance.randint(0, 9), self._chance.randint(1, 99)))

    def _some_calls(self) -> list[ToolUsePart]:
        return [ToolUsePart(ToolUse(*self._call())) for _ in range(self._chance.randint(1, 4))]

    def _call(self) -> tuple[str, dict[str, Any]]:
        """The name and the input of a call, often a wrong one."""
        number, path = self._chance.randint(0, 9), f"{self._folder}/file{self._chance.randint(0, 3)}"
        return self._chance.choice(
            [
                *[("Reader", {"text": f"r{number}", "seconds": number / 2_000})] * 6,
                *[("Writer", {"text": f"w{number}", "seconds": number / 2_000})] * 3,
                ("Writer", {"text": "slow", "seconds": 30}),
                ("Failing", {"text": str(number)}),
                ("Big", {"text": str(number)}),
                ("Photo", {}),
                ("Talking", {"text": "half \ud83d a character"}),
                ("Forbidden", {"text": "no"}),
                ("Asked", {"text": "may I?"}),
                ("Nobody", {}),
                ("Reader", {"text": [1], "more": float(number)}),
                ("Read", {"file_path": path}),
                ("Write", {"file_path": path, "content": f"{number}\n" * 50}),
                ("Edit", {"file_path": path, "old_string": f"{number}\n", "new_string": "x\n", "replace_all": True}),
                ("Bash", {"command": f"echo {number}"}),
                ("Bash", {"command": f"exit {number}"}),
                ("Bash", {"command": "seq 1 20000"}),
                ("Bash", {"command": "sleep 30"}),
            ]
        )


def unsound(request: ModelRequest) -> list[Any]:
    """What no provider would take of a request, and what it names that is not there."""
    gone = [path for path in named_files(request) if not (os.path.isfile(path) and os.path.getsize(path))]
    return [*check_history(request.messages), *(f"{path} is named, but not there" for path in gone)]


def named_files(request: ModelRequest) -> list[str]:
    """The files that stand in the place of results."""
    results = [b for message in request.messages for b in message.content if isinstance(b, ToolResultBlock)]
    return re.findall(r"^This result has .* All of it: (\S+?);?$", "\n".join(b.text for b in results), re.MULTILINE)


def chaotic_tools() -> list[Tool]:
    """Tools that wait, fail, give too much, show images or speak into the conversation."""

    def fail(input: Any, context: Any) -> str:
        raise (ToolError, ValueError, RuntimeError)[int(input.text) % 3](f"no {input.text}")

    def talk(input: Any, context: Any) -> ToolResult[str]:
        return ToolResult(input.text, new_messages=(Message("user", (TextBlock("by the way"),)),))

    photo = ImageBlock({"type": "base64", "media_type": "image/png", "data": PICTURE})
    return [
        reader(),
        writer(),
        writer(name="Forbidden"),
        writer(name="Asked"),
        calling("Failing", fail),
        calling("Big", lambda input, context: f"line {input.text}\n" * 5_000, max_result_size_chars=20_000),
        calling("Photo", lambda input, context: (photo,), map_tool_result=lambda out, id: ToolResultBlock(id, out)),
        calling("Talking", talk),
    ]
