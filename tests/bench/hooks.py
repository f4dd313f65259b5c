"""What a command hook adds to a call, beside ``subprocess.run`` of the same command with the same input."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from jupyter_agenttools import Session
from tests.support.hooks import command, hook_settings
from tests.support.tools import echo_tool

from .measure import Figure, median

ROUNDS = 60
COMMAND = "cat > /dev/null"


def _floor(folder: Path) -> None:
    stdin = b'{"hook_event_name": "PreToolUse"}\n' * 10
    subprocess.run(["bash", "-c", COMMAND], cwd=folder, input=stdin, capture_output=True, check=True)


async def _rounds(folder: Path) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds of a call with the hook, of one without, and of the floor; in turns."""
    guarded = Session(cwd=folder, settings=hook_settings("PreToolUse", command(COMMAND)), tools=[echo_tool()])
    plain = Session(cwd=folder, settings={"permissions": {"allow": ["Echo"]}}, tools=[echo_tool()])
    with_hook, without, floors = [], [], []
    for _ in range(ROUNDS):
        for session, into in ((guarded, with_hook), (plain, without)):
            began = time.perf_counter()
            assert (await session.call("Echo", {"text": "x"})).status == "ok"
            into.append((time.perf_counter() - began) * 1e3)
        began = time.perf_counter()
        _floor(folder)
        floors.append((time.perf_counter() - began) * 1e3)
    await guarded.aclose()
    await plain.aclose()
    return with_hook, without, floors


def figures() -> Iterator[Figure]:
    """The figures of this module, one after the other."""
    with TemporaryDirectory() as name:
        with_hook, without, floors = anyio.run(_rounds, Path(name))
        added = median(with_hook) - median(without)
        detail = {"floor is": "subprocess.run", "rounds": ROUNDS, "without": round(median(without), 3)}
        yield Figure("a command hook before a call", added, median(floors), "ms", 2.5, detail)
