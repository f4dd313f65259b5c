"""What one call costs, and how close many calls come to the ideal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
from pydantic import BaseModel

from jupyter_agenttools import Session, ToolUse, build_tool, hook
from jupyter_agenttools.core import StageEvent, StrictInput

from .measure import Figure, cpu_us, median, wall_s

CALLS = 100
REPEATS = 15


class NoopInput(StrictInput):
    a: int
    b: str


class FloorInput(BaseModel):
    a: int
    b: str


INPUT = {"a": 1, "b": "two"}
RULES = {
    "allow": ["Bash(git status *)", "Read(./src/**)", "Noop", "Pause", "Hold"],
    "ask": ["Bash(git push *)"],
    "deny": ["Bash(rm *)", "Read(.env)", "WebFetch"],
}


async def _noop(input: Any, context: Any = None) -> str:
    return "done"


class Watcher:
    """An observer that looks at every event; the outcomes keep them."""

    def __init__(self) -> None:
        self.seen = 0

    def on_stage(self, event: StageEvent) -> None:
        self.seen += event.status != "error"


def _session(folder: Path, *, transcript: bool) -> Session:
    @hook("PreToolUse", matcher="Noop")
    async def before(event: dict[str, Any]) -> None:
        return None

    @hook("PostToolUse", matcher="Noop")
    async def after(event: dict[str, Any]) -> None:
        return None

    async def pause(input: Any, context: Any) -> str:
        await anyio.sleep(0.05)
        return "done"

    noop = build_tool(name="Noop", call=_noop, input_model=NoopInput, is_read_only=True, is_concurrency_safe=True)
    safe = build_tool(name="Pause", call=pause, input_model=NoopInput, is_read_only=True, is_concurrency_safe=True)
    alone = build_tool(name="Hold", call=pause, input_model=NoopInput)
    session = Session(
        cwd=folder,
        settings={"permissions": RULES},
        tools=[noop, safe, alone],
        hooks=[before, after],
        session_dir=folder,
    )
    if not transcript:
        session.observers.detach(session.transcript)
    return session


async def _overhead(folder: Path, *, transcript: bool) -> tuple[float, float]:
    """Microseconds of CPU for each call, and of its floor, interleaved."""
    session = _session(folder, transcript=transcript)
    session.observers.attach(watcher := Watcher())
    uses = [ToolUse("Noop", INPUT) for _ in range(CALLS)]

    async def floor() -> None:
        for _ in range(CALLS * 10):
            await _noop(FloorInput.model_validate(INPUT))

    async def full() -> None:
        watcher.seen = 0
        outcomes = await session.run(uses)
        assert all(o.status == "ok" for o in outcomes) and watcher.seen == 9 * CALLS

    await full()
    calls, floors = [], []
    for _ in range(REPEATS):
        calls += await cpu_us(full, repeats=1, per=CALLS)
        floors += await cpu_us(floor, repeats=1, per=CALLS * 10)
    return median(calls), median(floors)


async def _makespans(folder: Path) -> tuple[float, float]:
    session = _session(folder, transcript=True)
    sleeps = [ToolUse("Pause", INPUT) for _ in range(CALLS)]
    mixed = [ToolUse(name, INPUT) for name in ("Pause",) * 3 + ("Hold",) + ("Pause",) * 3]
    many = await wall_s(lambda: session.run(sleeps), repeats=5)
    few = await wall_s(lambda: session.run(mixed), repeats=15)
    return median(many), median(few)


def figures() -> Iterator[Figure]:
    """The figures of this module, one after the other."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        value, floor = anyio.run(lambda: _overhead(folder, transcript=False))
        detail = {"floor is": "model_validate + await", "batch": CALLS, "with": "rules, events, a hook on each side"}
        yield Figure("pipeline overhead per call", value, floor, "us CPU", 40, detail)
        value, floor = anyio.run(lambda: _overhead(folder, transcript=True))
        yield Figure("the same with the transcript on disk", value, floor, "us CPU", 400)
        many, few = anyio.run(lambda: _makespans(folder))
        yield Figure("100 sleeps of 50 ms at cap 10", many, 0.5, "s", 1.015)
        yield Figure("3 reads, 1 write, 3 reads of 50 ms", few, 0.15, "s", 1.03)
