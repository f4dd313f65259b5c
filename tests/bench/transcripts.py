"""What a transcript costs: a line, reading it back, showing it, and searching many."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jupyter_agenttools.core import ToolUse
from jupyter_agenttools.core.blocks import Message, TextBlock, ToolResultBlock
from jupyter_agenttools.core.events import ProgressEvent
from jupyter_agenttools.core.home import HOME_VARIABLE
from jupyter_agenttools.session import export_transcript, load_transcript, search_sessions
from jupyter_agenttools.session.transcript import Transcript

from .measure import Figure, median

EVENTS = 2_000
REPEATS = 7
SESSIONS = 200
STAGES = ("parse_input", "validate_input", "speculate", "observe", "pre_hooks", "permission", "call", "post_hooks")
RESULT = "".join(f"{number:>6}→a line of a file that somebody has read, as long as they are\n" for number in range(20))


def written_calls(path: Path, calls: int, *, words: str = "Done.") -> Path:
    """A transcript of one query with so many calls, one after the other, as a session writes it."""
    transcript = Transcript(path, lambda: {"version": 2, "session_id": path.parent.name, "cwd": "/", "mode": "default"})
    transcript.on_message(Message("user", (TextBlock("Read all of these files and say what is in them."),)))
    for number in range(calls):
        use = ToolUse("Read", {"file_path": f"/project/src/file_{number}.py"}, f"toolu_{number:024x}")
        block = ToolResultBlock(use.id, RESULT)
        transcript.on_message(Message("assistant", (TextBlock(f"Now file {number}."), use)))
        transcript._write("call_start", use.id, {"tool_use": dict(use), "agent_id": None})
        for stage in STAGES:
            line = {"stage": stage, "status": "ok", "reason": "it only reads", "duration_ms": 0.1, "out": {}}
            transcript._write("stage", use.id, line, clipped=True)
        end = {"tool": "Read", "status": "ok", "duration_ms": 1.5, "block": dict(block)}
        transcript._write("call_end", use.id, end)
        transcript.on_message(Message("user", (block,)))
    transcript.on_message(Message("assistant", (TextBlock(words),)))
    transcript.close()
    return path


def _seconds(work: Callable[[], Any]) -> float:
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def _event_us(folder: Path) -> tuple[float, float]:
    """Microseconds of CPU for a line, and for the write of the same bytes."""
    event = ProgressEvent("toolu_3f0c3f0c3f0c3f0c3f0c3f0c", {"tail": "one line of output\n" * 5, "elapsed_ms": 1234})
    ours, floors = [], []
    for number in range(REPEATS):
        transcript = Transcript(folder / f"{number}.jsonl", lambda: {"version": 2})
        transcript.on_progress(event)
        before = time.process_time()
        for _ in range(EVENTS):
            transcript.on_progress(event)
        ours.append((time.process_time() - before) / EVENTS * 1e6)
        transcript.close()
        line = transcript.path.read_bytes().splitlines(keepends=True)[-1]
        descriptor = os.open(folder / f"{number}.floor", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        before = time.process_time()
        for _ in range(EVENTS):
            os.write(descriptor, line)
        floors.append((time.process_time() - before) / EVENTS * 1e6)
        os.close(descriptor)
    return median(ours), median(floors)


def _parsed(path: Path) -> None:
    for line in path.read_bytes().splitlines():
        json.loads(line)


def figures() -> Iterator[Figure]:
    """The figures of this module, one after the other."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        ours, floor = _event_us(folder)
        yield Figure("a line of the transcript", ours, floor, "us CPU", 15, {"floor is": "os.write of the same bytes"})
        path = written_calls(folder / "calls" / "transcript.jsonl", 2_000)
        loads = median([_seconds(lambda: load_transcript(path)) for _ in range(REPEATS)])
        parses = median([_seconds(lambda: _parsed(path)) for _ in range(REPEATS)])
        detail = {"floor is": "json.loads of every line", "calls": 2_000, "bytes": path.stat().st_size}
        yield Figure("load of 2,000 calls", loads, parses, "s", 2.0, detail)
        big = written_calls(folder / "big" / "transcript.jsonl", 10_000)
        for form in ("html", "markdown"):
            page: list[str] = []
            seconds = _seconds(lambda form=form, page=page: page.append(export_transcript(big, form)))
            yield Figure(f"export of 10,000 calls as {form}", seconds, None, "s", 10, {"characters": len(page[0])})
        yield _search(folder / "home")


def _search(home: Path) -> Figure:
    for number in range(SESSIONS):
        written_calls(home / "sessions" / f"{number:032x}" / "transcript.jsonl", 50, words=f"The answer is {number}.")
    before = os.environ.get(HOME_VARIABLE)
    os.environ[HOME_VARIABLE] = str(home)
    try:
        seconds = _seconds(lambda: search_sessions("the answer is 117"))
    finally:
        if before is None:
            del os.environ[HOME_VARIABLE]
        else:
            os.environ[HOME_VARIABLE] = before
    return Figure("search over 200 sessions of 50 calls", seconds, None, "s", 2)
