"""The transcript on disk: one JSON line for each thing that happens, written when it happens.

Each line goes to the operating system in one write, so a kernel that is killed leaves everything up to its last event.
The first line says who the session is; with what follows :func:`resume_session` can go on where it stopped. Nothing
secret is in it: see ``core/secrets.py``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from ..core.blocks import Message, ToolUse, to_json
from ..core.call import CallState
from ..core.context import ContextState, ToolPermissionContext
from ..core.decision import Decision
from ..core.events import HookNote, JobEvent, ProgressEvent, ScheduleEvent, SettingsEvent, StageEvent, describe
from ..core.outcome import Outcome
from ..core.prompting import PermissionAnswer, PermissionRequest
from ..core.secrets import are_known_clean, know_secrets, may_hold_secret, secrets_version
from ..core.texts import visible
from ..core.updates import Compacted, ModelRetry, TurnEnded, Update, UsageAdded
from .growing_answer import GrowingAnswer
from .image_files import ImageFiles
from .redacted_lines import redacted_line
from .transcript_file import LineFile
from .transcript_head import STATE_FIELDS, changes, state_fields

CLIP_CHARS = 2_000
"""Longest text in the line of a stage. Whole inputs and results stand once, in ``call_start`` and ``call_end``."""

LONG_LINE = 4_000
"""A line this long is looked through for texts to clip."""


@cache
def _encoder() -> Callable[[Any], bytes]:
    from msgspec.json import Encoder  # ten times as quick as the standard library, and not needed before the first call

    return Encoder(enc_hook=repr).encode


def encode(line: Any) -> bytes:
    """The JSON text of a line, which can always be read back. A text that is no Unicode (a lone surrogate) is spelled
    out rather than lost: a JSON escape of one is nothing that a reader takes."""
    try:
        return _encoder()(line)
    except UnicodeEncodeError:
        return _encoder()(_spelled_out(json.loads(json.dumps(line, default=repr, skipkeys=True))))


def _spelled_out(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(key): _spelled_out(item) for key, item in value.items()}
    return [_spelled_out(item) for item in value] if isinstance(value, list) else value


class Transcript:
    """An observer that writes ``path``. The file and its folder are made with the first line, private to their owner.

    A disk that is full or gone must not stop a call: the first such fault is kept in ``fault``, and told once.

    A stage's line holds what came out of it; what went in is what came out of the stages before. Images are files in
    the folder ``images`` beside it.

    Args:
        about: the fields of the first line: who the session is. Asked when that is written.
        tell: called with the first fault, in words.
    """

    def __init__(
        self,
        path: Path,
        about: Callable[[], Mapping[str, Any]] | None = None,
        tell: Callable[[str], object] = lambda text: None,
    ) -> None:
        self.resumes = False
        self._about, self._tell = about, tell
        self._is_told = False
        self._file = LineFile(path, self._head if about is not None else None)
        self._images = ImageFiles(path.parent / "images")
        self._image_fault: OSError | None = None
        self._state: dict[str, Any] | None = None
        """What the file says of the session's state; ``None`` before its first line."""
        self._messages: list[Message] = []
        self._replaced: set[str] = set()
        self._answer = GrowingAnswer()
        self._said = ""

    @property
    def path(self) -> Path:
        return self._file.path

    @property
    def fault(self) -> OSError | None:
        """The first thing that could not be written."""
        return self._file.fault or self._image_fault

    @property
    def fault_words(self) -> str:
        """What could not be written, what that means and what to do; ``""`` when everything was."""
        if self.fault is None:
            return ""
        why = self.fault.strerror or str(self.fault)
        return (
            f"not everything of this session was written down: {why}, in {self.path.parent}. What is missing there is "
            "also missing when it is exported or resumed. Make room, or make the folder writable: what happens after "
            "that is written again"
        )

    # ---- calls

    def on_call_start(self, tool_use: ToolUse, state: CallState) -> None:
        line = {"tool_use": to_json(tool_use), "agent_id": state.context.agent_id}
        parent = state.context.parent_message
        if parent is not None:
            line |= self._of_answer(parent, tool_use.id)
        self._write("call_start", tool_use.id, line)

    def _of_answer(self, answer: Message, tool_use_id: str) -> dict[str, Any]:
        """That the call belongs to an answer, if it does, with the text of it as far as that is new. The answer's own
        line comes when it is whole, which may be long after its first call began."""
        self._answer.see(answer)
        if not self._answer.has_call(tool_use_id):
            return {}
        text = self._answer.text
        new = "" if text == self._said else text
        self._said = text
        return {"of_answer": True, **({"said": new} if new else {})}

    def on_stage(self, event: StageEvent) -> None:
        changed = event.changed()
        line = {
            "stage": event.stage,
            "status": event.status,
            "reason": event.reason,
            "duration_ms": round(event.duration_ms, 3),
            "out": {name: _described(value) for name, value in changed},
        }
        is_clean = all(_is_clean_decision(value) for _, value in changed) and are_known_clean(
            (event.tool_use_id, event.stage, event.reason)
        )
        self._write("stage", event.tool_use_id, line, clipped=True, is_clean=is_clean)

    def on_schedule(self, event: ScheduleEvent) -> None:
        line: dict[str, Any] = {"status": event.status}
        if event.waits_for:
            line["waits_for"] = event.waits_for
        if event.reason:
            line["reason"] = event.reason
        is_clean = are_known_clean((event.tool_use_id, event.reason, *event.waits_for))
        self._write("schedule", event.tool_use_id, line, is_clean=is_clean)

    def on_progress(self, event: ProgressEvent) -> None:
        self._write("progress", event.tool_use_id, {"data": describe(event.data)}, clipped=True)

    def on_job(self, event: JobEvent) -> None:
        self._write("job", event.tool_use_id, {"event": describe(event)}, clipped=True)

    def on_hook_note(self, note: HookNote) -> None:
        self._write("hook_note", note.tool_use_id or None, {"event": note.event, "text": note.text}, clipped=True)

    def on_settings(self, event: SettingsEvent) -> None:
        if self._about is not None:
            self._about()  # the settings may have brought new secrets
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
        if outcome.events and outcome.events[0].before.tool_use.input != outcome.tool_use.input:
            line["ran"] = to_json(outcome.tool_use)  # the person, or a hook, gave it another input on the way
        self._write("call_end", outcome.tool_use.id, line)

    # ---- the conversation

    def on_message(self, message: Message) -> None:
        self._said = ""
        self._messages.append(message)
        self._write("message", message.source_tool_use_id, self._without_images(to_json(message)))

    def on_update(self, update: Update) -> None:
        """What else a resume and a reader need of a query. Texts as they stream are not kept: they are in messages."""
        if isinstance(update, UsageAdded):
            self._write("usage", None, {"usage": describe(update.usage), "cost_usd": update.cost_usd})
        elif isinstance(update, ModelRetry):
            self._write("retry", None, describe(update))
        elif isinstance(update, Compacted):
            self._write("compacted", None, describe(update))
        elif isinstance(update, TurnEnded):
            fields = {name: getattr(update, name) for name in ("reason", "detail", "cost_usd", "turns")}
            self._write("turn_end", None, {**fields, "usage": describe(update.usage)})

    def keep_history(self, messages: Sequence[Message]) -> None:
        """The conversation is from now on this one: what is new in it is written, what stays is counted from its end.

        To be called when messages were replaced, as a compaction does; those that are added come by themselves.
        """
        kept = 0
        while kept < min(len(messages), len(self._messages)) and messages[-1 - kept] is self._messages[-1 - kept]:
            kept += 1
        new = [self._message_fields(message) for message in messages[: len(messages) - kept]]
        self._messages = list(messages)
        self._write("history", None, {"kept": kept, "messages": new})

    def keep_replacements(self, replaced: Mapping[str, str]) -> None:
        """Results of these calls stand in requests as these texts from now on; those that are new are written."""
        new = {id: text for id, text in replaced.items() if id not in self._replaced}
        self._replaced.update(new)
        if new:
            self._write("replacements", None, {"replaced": new})

    def _message_fields(self, message: Message) -> dict[str, Any]:
        made_by = {"tool_use_id": message.source_tool_use_id} if message.source_tool_use_id else {}
        return {**self._without_images(to_json(message)), **made_by}

    # ---- the session

    def keep_state(self, state: ContextState, begun: ToolPermissionContext) -> None:
        """The shared context is this one now: what a resume needs of it is written, as far as it is new.

        Args:
            begun: the rights that the settings give by themselves.
        """
        know_secrets(state.shell_env)
        if self._state is not None and (changed := changes(self._state, state_fields(state, begun))):
            self._state = {**self._state, **changed}
            self._write("state", None, changed)

    def keep_name(self, name: str) -> None:
        """The session is called that from now on."""
        if self._state is not None:
            self._write("name", None, {"name": name})

    def resume(self, messages: Sequence[Message]) -> bool:
        """Go on with what the file holds, which makes this conversation. Whether no other session writes into it.

        Raises:
            OSError: it cannot be opened.
        """
        self.resumes, self._messages = True, list(messages)
        return self._file.begin()

    def close(self) -> None:
        self._file.close()

    # ---- inside

    def _head(self) -> bytes:
        assert self._about is not None
        about = dict(self._about())
        self._state = {name: value for name, value in about.items() if name in STATE_FIELDS}
        return self._line("resumed" if self.resumes else "session", None, about)

    def _without_images(self, block: dict[str, Any]) -> dict[str, Any]:
        if isinstance(block["content"], str):
            return block
        try:
            return self._images.taken_out(block)
        except OSError as fault:
            self._image_fault = self._image_fault or fault
            return block

    def _write(
        self,
        kind: str,
        tool_use_id: str | None,
        fields: Mapping[str, Any],
        *,
        clipped: bool = False,
        is_clean: bool = False,
    ) -> None:
        """Append a line. ``clipped``: long texts in it are cut; ``is_clean``: nothing in it is secret, as is known."""
        self._file.write(self._line(kind, tool_use_id, fields, clipped, is_clean))
        if not self._is_told and self.fault is not None:
            self._is_told = True
            self._tell(self.fault_words)

    def _line(
        self,
        kind: str,
        tool_use_id: str | None,
        fields: Mapping[str, Any],
        clipped: bool = False,
        is_clean: bool = False,
    ) -> bytes:
        whole: Any = {"type": kind, "time": round(time.time(), 3), "tool_use_id": tool_use_id, **fields}
        line = encode(whole)
        if not is_clean and may_hold_secret(line):  # before anything is cut: half a key is not known as one
            whole = redacted_line(json.loads(line))
            line = encode(whole)
        return encode(clip(whole)) if clipped and len(line) > LONG_LINE else line


def _described(value: Any) -> Any:
    return _described_decision(value) if isinstance(value, Decision) else describe(value)


@lru_cache(maxsize=256)
def _described_decision(decision: Decision) -> Any:
    """A decision's JSON data. Most calls of a session are decided in a few ways, each with a trace of many steps."""
    return describe(decision)


def _is_clean_decision(value: Any) -> bool:
    """Whether this is a decision in which nothing is secret; anything else has to be looked at when it is written."""
    return isinstance(value, Decision) and _is_clean_as(value, secrets_version())


@lru_cache(maxsize=256)
def _is_clean_as(decision: Decision, version: int) -> bool:
    return not may_hold_secret(encode(_described_decision(decision)))


def clip(value: Any) -> Any:
    """The same JSON data with every long text cut, and how much was cut said."""
    if isinstance(value, str) and len(value) > CLIP_CHARS:
        return f"{value[:CLIP_CHARS]}… [{len(value) - CLIP_CHARS:,} more characters]"
    if isinstance(value, Mapping):
        return {key: clip(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clip(item) for item in value]
    return value
