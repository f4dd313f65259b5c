"""How soon calls start while the model streams, how close a turn comes to the ideal, what a long history costs."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
from pydantic import Field

from jupyter_agenttools import Session, build_tool
from jupyter_agenttools.core import StrictInput, ToolUse
from jupyter_agenttools.core.updates import MessageAdded
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.models import ModelRequest, StopPart, TextPart, ToolUsePart

from .measure import Figure, median

BLOCKS = 8
APART_S = 0.1
TOOL_S = 0.15
REPEATS = 5
IDEAL_PARALLEL_S = BLOCKS * APART_S + TOOL_S
IDEAL_SERIAL_S = APART_S + BLOCKS * TOOL_S
CALLS = 2_000
WINDOW = 100
"""So many turns are looked at together."""


class PauseInput(StrictInput):
    number: int = Field(0)


class Starts:
    """When each block was complete, and when its call began."""

    def __init__(self) -> None:
        self.complete: dict[int, float] = {}
        self.begun: dict[int, float] = {}

    def delays_ms(self) -> list[float]:
        return [(self.begun[n] - self.complete[n]) * 1000 for n in sorted(self.begun)]


class Streaming:
    """A model that completes a call every tenth of a second, and then says that it is done."""

    name = "streaming"
    provider = "scripted"

    def __init__(self, tool: str, starts: Starts) -> None:
        self._tool, self._starts, self._turn = tool, starts, 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        self._turn += 1
        if self._turn == 1:
            begin = time.perf_counter()
            for number in range(BLOCKS):
                await anyio.sleep(max(0.0, begin + (number + 1) * APART_S - time.perf_counter()))
                self._starts.complete[number] = time.perf_counter()
                yield ToolUsePart(ToolUse(self._tool, {"number": number}))
        else:
            yield TextPart("Done.")
        yield StopPart("tool_use" if self._turn == 1 else "end_turn", Usage(10, 10))


def _session(folder: Path, starts: Starts) -> Session:
    async def pause(input: Any, context: Any) -> str:
        starts.begun[input.number] = time.perf_counter()
        await anyio.sleep(TOOL_S)
        return "done"

    folder.mkdir(exist_ok=True)

    async def nothing(input: Any, context: Any) -> str:
        return "done"

    tools = [
        build_tool(name="Pause", call=pause, input_model=PauseInput, is_read_only=True, is_concurrency_safe=True),
        build_tool(name="Hold", call=pause, input_model=PauseInput),
        build_tool(name="Nothing", call=nothing, input_model=PauseInput, is_read_only=True, is_concurrency_safe=True),
    ]
    rules = {"permissions": {"allow": ["Pause", "Hold", "Nothing"]}}
    return Session(cwd=folder, settings=rules, tools=tools, session_dir=folder / "session")


async def _turn(folder: Path, tool: str) -> tuple[float, list[float]]:
    """Seconds from the question to the last result, and the milliseconds from each block to its call."""
    starts = Starts()
    session = _session(folder, starts)
    begin, end = time.perf_counter(), 0.0
    async for update in session.query("go", model=Streaming(tool, starts)):
        if isinstance(update, MessageAdded) and update.message.role == "user":
            end = time.perf_counter()
    await session.aclose()
    return end - begin, starts.delays_ms()


async def _floor(parallel: bool) -> tuple[float, float]:
    """The same with nothing but tasks: seconds, and the milliseconds until the first one began."""
    begin, late_ms = time.perf_counter(), [0.0]
    lock = anyio.Lock()

    async def work(complete: float) -> None:
        if late_ms == [0.0]:
            late_ms[0] = (time.perf_counter() - complete) * 1000
        if parallel:
            await anyio.sleep(TOOL_S)
            return
        async with lock:
            await anyio.sleep(TOOL_S)

    async with anyio.create_task_group() as group:
        for number in range(BLOCKS):
            await anyio.sleep(max(0.0, begin + (number + 1) * APART_S - time.perf_counter()))
            group.start_soon(work, time.perf_counter())
    return time.perf_counter() - begin, late_ms[0]


class Endless:
    """A model that asks for one more call each time; its window is never full."""

    name = "endless"
    provider = "scripted"
    context_window = 1_000_000_000

    def __init__(self) -> None:
        self.asked: list[float] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        self.asked.append(time.process_time())
        if len(self.asked) <= CALLS:
            yield ToolUsePart(ToolUse("Nothing", {"number": len(self.asked)}))
            yield StopPart("tool_use")
        else:
            yield TextPart("Done.")
            yield StopPart("end_turn")


async def _long_history(folder: Path) -> dict[int, float]:
    """Milliseconds of CPU for one turn, the call included, by how many calls are in the history."""
    session = _session(folder, Starts())
    model = Endless()
    async for _ in session.query("go", model=model, max_turns=CALLS + 1):
        pass
    await session.aclose()
    turns = [(after - before) * 1000 for before, after in zip(model.asked, model.asked[1:], strict=False)]
    return {at: median(turns[at - WINDOW : at]) for at in (WINDOW, CALLS // 2, CALLS)}


def figures() -> Iterator[Figure]:
    """The figures of this module, one after the other."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for tool, ideal in (("Pause", IDEAL_PARALLEL_S), ("Hold", IDEAL_SERIAL_S)):
            turns, floors = [], []
            for number in range(REPEATS):
                turns.append(anyio.run(_turn, folder / f"{tool}-{number}", tool))
                floors.append(anyio.run(_floor, tool == "Pause"))
            kind = "parallel" if tool == "Pause" else "serial"
            tasks = min(seconds for seconds, _ in floors)
            # Whatever else the machine does only adds to it, so the least is what it takes.
            total, usual = min(seconds for seconds, _ in turns), median([seconds for seconds, _ in turns])
            detail = {"floor is": "the ideal", "bare tasks": round(tasks, 4), "median": round(usual, 4)}
            yield Figure(f"8 blocks 100 ms apart, {kind} tools of 150 ms", total, ideal, "s", 1.02, detail)
            first = median([delays[0] for _, delays in turns])
            bare = {"bare task": round(median([late for _, late in floors]), 3)}
            yield Figure(f"first call after its block is complete, {kind}", first, None, "ms", 10, bare)
            if tool == "Pause":
                late = median([max(delays) for _, delays in turns])
                yield Figure("the latest of the eight calls, parallel", late, None, "ms", 10)
        costs = anyio.run(lambda: _long_history(folder / "long"))
        detail = {f"at {at} calls": round(cost, 3) for at, cost in costs.items()}
        yield Figure(f"one turn of the loop at {CALLS:,} calls", costs[CALLS], None, "ms CPU", 5, detail)
        grown, half = costs[CALLS] - costs[WINDOW], costs[CALLS // 2] - costs[WINDOW]
        yield Figure("growth from half of that, 2 is linear", grown, max(half, 0.1), "ms CPU", 2.6)
