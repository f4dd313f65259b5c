"""The transcript on disk: one JSON line for each thing that happens, written when it happens.

Each line goes to the operating system in one write, so a kernel that is killed leaves everything up to its last event.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from ..core.blocks import Message, ToolUse, to_json
from ..core.call import CallState
from ..core.decision import Decision
from ..core.events import HookNote, JobEvent, ProgressEvent, SettingsEvent, StageEvent, describe
from ..core.outcome import Outcome
from ..core.prompting import PermissionAnswer, PermissionRequest
from .image_files import ImageFiles

CLIP_CHARS = 2_000
"""Longest text in the line of a stage. Whole inputs and results stand once, in ``call_start`` and ``call_end``."""

LONG_LINE = 4_000
"""A line this long is looked through for texts to clip."""


@cache
def _encoder() -> Callable[[Any], bytes]:
    from msgspec.json import Encoder  # ten times as quick as the standard library, and not needed before the first call

    return Encoder(enc_hook=repr).encode


def encode(line: Any) -> bytes:
    """The JSON text of a line. A text that is no Unicode (a lone surrogate) is escaped rather than lost."""
    try:
        return _encoder()(line)
    except UnicodeEncodeError:
        return json.dumps(line, default=repr).encode()


class Transcript:
    """An observer that writes ``path``. The file and its folder are made with the first line, private to their owner.

    A disk that is full or gone must not stop a call: the first such fault is kept in ``fault``.

    A stage's line holds what came out of it; what went in is what came out of the stages before. Images are files in
    the folder ``images`` beside it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fault: OSError | None = None
        self._images = ImageFiles(path.parent / "images")
        self._lock = threading.Lock()
        self._descriptor: int | None = None
        self._torn = False  # a disk that got full took part of a line: the next one must not go on behind it

    def on_call_start(self, tool_use: ToolUse, state: CallState) -> None:
        self._write("call_start", tool_use.id, {"tool_use": to_json(tool_use), "agent_id": state.context.agent_id})

    def on_stage(self, event: StageEvent) -> None:
        line = {
            "stage": event.stage,
            "status": event.status,
            "reason": event.reason,
            "duration_ms": round(event.duration_ms, 3),
            "out": {name: _described(value) for name, value in event.changed()},
        }
        self._write("stage", event.tool_use_id, line, clipped=True)

    def on_progress(self, event: ProgressEvent) -> None:
        self._write("progress", event.tool_use_id, {"data": describe(event.data)}, clipped=True)

    def on_job(self, event: JobEvent) -> None:
        self._write("job", event.tool_use_id, {"event": describe(event)}, clipped=True)

    def on_hook_note(self, note: HookNote) -> None:
        self._write("hook_note", note.tool_use_id or None, {"event": note.event, "text": note.text}, clipped=True)

    def on_settings(self, event: SettingsEvent) -> None:
        self._write("settings", None, {"paths": event.paths, "notes": event.notes}, clipped=True)

    def on_permission_request(self, request: PermissionRequest) -> None:
        self._write("permission_request", request.tool_use_id, {"reason": request.decision.reason})

    def on_permission_answer(self, request: PermissionRequest, answer: PermissionAnswer) -> None:
        self._write("permission_answer", request.tool_use_id, describe(answer))

    def on_call_end(self, outcome: Outcome) -> None:
        line = {
            "tool": outcome.tool_use.name,
            "status": outcome.status,
            "duration_ms": round(outcome.duration_ms, 3),
            "block": self._without_images(to_json(outcome.block)),
        }
        self._write("call_end", outcome.tool_use.id, line)

    def on_message(self, message: Message) -> None:
        self._write("message", message.source_tool_use_id, self._without_images(to_json(message)))

    def _without_images(self, block: dict[str, Any]) -> dict[str, Any]:
        if isinstance(block["content"], str):
            return block
        try:
            return self._images.taken_out(block)
        except OSError as fault:
            self.fault = self.fault or fault
            return block

    def _write(self, kind: str, tool_use_id: str | None, fields: dict[str, Any], *, clipped: bool = False) -> None:
        head = {"type": kind, "time": round(time.time(), 3), "tool_use_id": tool_use_id}
        line = encode({**head, **fields})
        if clipped and len(line) > LONG_LINE:
            line = encode({**head, **clip(fields)})
        with self._lock:
            try:
                text = b"\n" * self._torn + line + b"\n"
                written = os.write(self._open(), text)
                self._torn = written < len(text)
            except OSError as fault:
                self.fault = self.fault or fault

    def _open(self) -> int:
        if self._descriptor is None:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with suppress(OSError):  # says that the session runs; where nothing can be locked, nothing is removed
                fcntl.flock(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return self._descriptor

    def close(self) -> None:
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None


def _described(value: Any) -> Any:
    return _described_decision(value) if isinstance(value, Decision) else describe(value)


@lru_cache(maxsize=256)
def _described_decision(decision: Decision) -> Any:
    """A decision's JSON data. Most calls of a session are decided in a few ways, each with a trace of many steps."""
    return describe(decision)


def clip(value: Any) -> Any:
    """The same JSON data with every long text cut, and how much was cut said."""
    if isinstance(value, str) and len(value) > CLIP_CHARS:
        return f"{value[:CLIP_CHARS]}… [{len(value) - CLIP_CHARS:,} more characters]"
    if isinstance(value, dict):
        return {key: clip(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clip(item) for item in value]
    return value
