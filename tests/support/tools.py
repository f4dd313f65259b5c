"""Small real tools for tests of the pipeline and the runner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import anyio

from jupyter_agenttools.core import StrictInput, Tool, ToolResult, build_tool


class EchoInput(StrictInput):
    text: str = ""
    seconds: float = 0.0


class Log:
    """What happened, in order, as words such as ``start a`` and ``end a``."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.running = 0
        self.peak = 0

    def enter(self, name: str) -> None:
        self.running += 1
        self.peak = max(self.peak, self.running)
        self.words.append(f"start {name}")

    def leave(self, name: str) -> None:
        self.running -= 1
        self.words.append(f"end {name}")


def echo_tool(name: str = "Echo", log: Log | None = None, **definition: Any) -> Tool:
    """A tool that waits, then returns its text."""
    log = log or Log()

    async def call(input: EchoInput, context: Any) -> str:
        log.enter(input.text)
        try:
            await anyio.sleep(input.seconds)
        finally:
            log.leave(input.text)
        return input.text

    return build_tool(name=name, call=call, input_model=EchoInput, primary_field="text", **definition)


def reader(log: Log | None = None, name: str = "Reader") -> Tool:
    """A tool that may overlap others."""
    return echo_tool(name, log, is_read_only=True, is_concurrency_safe=True)


def writer(log: Log | None = None, name: str = "Writer") -> Tool:
    """A tool that must run alone."""
    return echo_tool(name, log)


def calling(name: str, function: Callable[[Any, Any], Any], **definition: Any) -> Tool:
    """A tool whose call is ``function(input, context)``; what it raises, the tool raises."""

    async def call(input: EchoInput, context: Any) -> Any:
        result = function(input, context)
        return await result if hasattr(result, "__await__") else result

    return build_tool(name=name, call=call, input_model=EchoInput, primary_field="text", **definition)


def moving(safe: bool) -> Tool:
    """A tool that moves the session to the folder it names, and says where it was."""

    def move(input: Any, context: Any) -> ToolResult[str]:
        return ToolResult(context.cwd, context_modifier=lambda state: replace(state, cwd=input.text))

    return calling("Move", move, is_concurrency_safe=safe)


__all__ = ["EchoInput", "Log", "ToolResult", "calling", "echo_tool", "moving", "reader", "writer"]
