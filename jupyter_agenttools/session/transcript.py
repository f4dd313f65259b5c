"""The transcript on disk: one JSON line for each thing that happens, written when it happens.

Each line goes to the operating system in one write, so a kernel that is killed leaves everything up to its last event.
"""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

from ..core.blocks import Message, ToolUse, to_json
from ..core.call import CallState
from ..core.events import ProgressEvent, StageEvent, describe
from ..core.outcome import Outcome
from ..core.prompting import PermissionAnswer, PermissionRequest

CLIP_CHARS = 2_000
"""Longest text in a stage's line. Whole inputs and results stand once, in ``call_start`` and ``call_end``."""


class Transcript:
    """An observer that writes ``path``. The file and its folder are made with the first line, private to their owner.

    A disk that is full or gone must not stop a call: the first such fault is kept in ``fault``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fault: OSError | None = None
        self._lock = threading.Lock()
        self._descriptor: int | None = None

    def on_call_start(self, tool_use: ToolUse, state: CallState) -> None:
        self._write("call_start", {"tool_use": to_json(tool_use), "agent_id": state.context.agent_id})

    def on_stage(self, event: StageEvent) -> None:
        self._write("stage", clip(event.to_json()))

    def on_progress(self, event: ProgressEvent) -> None:
        self._write("progress", {"tool_use_id": event.tool_use_id, "data": clip(describe(event.data))})

    def on_permission_request(self, request: PermissionRequest) -> None:
        self._write("permission_request", {"tool_use_id": request.tool_use_id, "reason": request.decision.reason})

    def on_permission_answer(self, request: PermissionRequest, answer: PermissionAnswer) -> None:
        self._write("permission_answer", {"tool_use_id": request.tool_use_id, **describe(answer)})

    def on_call_end(self, outcome: Outcome) -> None:
        fields = {"block": to_json(outcome.block), "status": outcome.status, "decision": describe(outcome.decision)}
        self._write(
            "call_end",
            {"tool": outcome.tool_use.name, **fields, "duration_ms": round(outcome.duration_ms, 3)},
        )

    def on_message(self, message: Message) -> None:
        self._write("message", to_json(message))

    def _write(self, kind: str, fields: dict[str, Any]) -> None:
        line = json.dumps({"type": kind, "time": round(time.time(), 3), **fields}, ensure_ascii=False, default=repr)
        data = line.encode("utf-8", "backslashreplace") + b"\n"
        with self._lock:
            try:
                os.write(self._open(), data)
            except OSError as fault:
                self.fault = self.fault or fault

    def _open(self) -> int:
        if self._descriptor is None:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._descriptor

    def close(self) -> None:
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None


def clip(value: Any) -> Any:
    """The same JSON data with every long text cut, and how much was cut said."""
    if isinstance(value, str) and len(value) > CLIP_CHARS:
        return f"{value[:CLIP_CHARS]}… [{len(value) - CLIP_CHARS:,} more characters]"
    if isinstance(value, dict):
        return {key: clip(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clip(item) for item in value]
    return value
