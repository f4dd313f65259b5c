"""What happens, as data, and who watches.

Observers are how anything sees a call: the widget, the trace, the transcript and the tests. An observer has any
subset of the methods of :class:`Observer`; a fault in one never touches the call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from .blocks import Message, ToolUse, WireBlock, to_json
from .call import CallState
from .faults import faults
from .outcome import Outcome
from .prompting import PermissionAnswer, PermissionRequest

if TYPE_CHECKING:
    from .context import ToolPermissionContext
    from .updates import Update

StageStatus = Literal["ok", "skipped", "edited", "denied", "error", "interrupted"]


class StageEvent(NamedTuple):
    """One step of one call.

    Attributes:
        tool_use_id: the call.
        stage: name of the stage, e.g. ``permission``.
        status: how it went.
        before, after: the call's state on the way in and out; frozen, so an event stays true for ever.
        reads, writes: the names of the fields of the state that this stage looks at and fills in.
        reason: which rule, hook or check acted, in one sentence.
        started: seconds since the epoch.
        duration_ms: wall time.
    """

    tool_use_id: str
    stage: str
    status: StageStatus
    before: CallState
    after: CallState
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    reason: str
    started: float
    duration_ms: float

    def went_in(self) -> dict[str, Any]:
        """What the stage looked at, as JSON data."""
        return {name: describe(getattr(self.before, name)) for name in self.reads}

    def came_out(self) -> dict[str, Any]:
        """What the stage filled in, as JSON data (only what it really changed)."""
        return {name: describe(value) for name, value in self.changed()}

    def changed(self) -> list[tuple[str, Any]]:
        """The fields that the stage filled in, with their new values."""
        before, after = self.before, self.after
        return [(n, value) for n in self.writes if (value := getattr(after, n)) is not getattr(before, n)]

    def to_json(self) -> dict[str, Any]:
        return {
            "tool_use_id": self.tool_use_id,
            "stage": self.stage,
            "status": self.status,
            "in": self.went_in(),
            "out": self.came_out(),
            "reason": self.reason,
            "started": self.started,
            "duration_ms": round(self.duration_ms, 3),
        }


class ProgressEvent(NamedTuple):
    """A tool's progress; ``data`` is the tool's own payload."""

    tool_use_id: str
    data: Any


class HookProgress(NamedTuple):
    """What a call waits for while a hook runs: the hook, and what it wants to be shown meanwhile."""

    hook: str
    message: str


ScheduleStatus = Literal["queued", "executing", "completed", "yielded"]
"""Waiting for a slot; running; its result is there; its result has left in the order of the calls."""


class ScheduleEvent(NamedTuple):
    """One step of a call on its way through the executor.

    Attributes:
        tool_use_id: the call.
        status: where it is from now on.
        time: seconds since the epoch.
        waits_for: the ids of the calls for which it waits, for ``queued``, and for a ``completed`` one that cannot
            leave yet.
        reason: in one sentence why it waits, or was not run.
    """

    tool_use_id: str
    status: ScheduleStatus
    time: float
    waits_for: tuple[str, ...] = ()
    reason: str = ""


class FileEvent(NamedTuple):
    """A file that a tool showed to the model, or changed: what an editor or a language server wants to hear.

    Attributes:
        tool_use_id: the call.
        kind: what was done to it.
        path: absolute.
        content_hash: SHA-256 of the bytes that were read or that it holds now, hex; ``""`` once it is deleted,
            or when it changed before the hash of a large file was taken.
    """

    tool_use_id: str
    kind: Literal["read", "written", "deleted"]
    path: str
    content_hash: str


class JobEvent(NamedTuple):
    """News of a command that runs in the background.

    Attributes:
        task_id: by which it is asked about, e.g. ``bash_1``.
        tool_use_id: the call that started it.
        kind: it is in the background from now on, it printed lines that somebody watches for, or it is over.
        title: its description, or its command in one line.
        state: ``running``, ``completed``, ``failed``, ``killed`` or ``timed out``.
        words: the state with what is known of it, e.g. ``failed, exit code 7``.
        elapsed_ms: since its start.
        output_path, output_bytes: the file with its output, and how much that holds.
        lines: what it printed, for ``lines``; for ``ended`` what one printed last of which nobody was told that.
    """

    task_id: str
    tool_use_id: str
    kind: Literal["background", "lines", "ended"]
    title: str
    state: str
    words: str
    elapsed_ms: int
    output_path: str
    output_bytes: int
    lines: tuple[str, ...] = ()


class HookNote(NamedTuple):
    """Something that a hook wants a person to know, or that went wrong with one.

    Attributes:
        event: what the hook was told of.
        text: one or more lines.
        tool_use_id: the call it was about, ``""`` for none.
    """

    event: str
    text: str
    tool_use_id: str = ""


class SettingsEvent(NamedTuple):
    """Settings were changed on disk while a session runs.

    Attributes:
        paths: the files that changed, came or went.
        notes: what a person should know about the settings as they are now.
    """

    paths: tuple[str, ...]
    notes: tuple[str, ...] = ()


def describe(value: Any) -> Any:
    """Plain JSON data that says what this part of a call's state is."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, WireBlock):
        return to_json(value)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_unset=True, by_alias=True)
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    if hasattr(value, "_asdict"):
        return {k: describe(v) for k, v in value._asdict().items() if v not in (None, "", (), False, {})}
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, Mapping):
        return _describe_dataclass(value)
    if isinstance(value, Mapping):
        return {str(k): describe(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [describe(v) for v in value]
    return f"<{type(value).__name__}>"


def _describe_dataclass(value: Any) -> Any:
    if "call" in value.__dataclass_fields__:  # a Tool: its name says enough
        return value.name
    return {
        name: describe(getattr(value, name))
        for name in value.__dataclass_fields__
        if getattr(value, name) not in (None, "", (), False)
    }


class Observer(Protocol):
    """Somebody who watches. Every method is optional; none may block."""

    def on_call_start(self, tool_use: ToolUse, state: CallState) -> None: ...
    def on_stage(self, event: StageEvent) -> None: ...
    def on_progress(self, event: ProgressEvent) -> None: ...
    def on_schedule(self, event: ScheduleEvent) -> None: ...
    def on_file(self, event: FileEvent) -> None: ...
    def on_job(self, event: JobEvent) -> None: ...
    def on_hook_note(self, note: HookNote) -> None: ...
    def on_settings(self, event: SettingsEvent) -> None: ...
    def on_transcript_fault(self, text: str) -> None: ...
    def on_rights(self, rights: ToolPermissionContext) -> None: ...
    def on_permission_request(self, request: PermissionRequest) -> None: ...
    def on_permission_answer(self, request: PermissionRequest, answer: PermissionAnswer) -> None: ...
    def on_call_end(self, outcome: Outcome) -> None: ...
    def on_message(self, message: Message) -> None: ...
    def on_update(self, update: Update) -> None: ...


HOOKS = (
    "on_call_start",
    "on_stage",
    "on_progress",
    "on_schedule",
    "on_file",
    "on_job",
    "on_hook_note",
    "on_settings",
    "on_transcript_fault",
    "on_rights",
    "on_permission_request",
    "on_permission_answer",
    "on_call_end",
    "on_message",
    "on_update",
)


class ObserverFault(NamedTuple):
    observer: object
    method: str
    error: BaseException


class Observers:
    """The watchers of a session, called in the order in which they came.

    ``faults`` keeps the last few exceptions that observers raised; ``on_fault`` is told of each.
    """

    MAX_FAULTS = 50

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._attached: tuple[object, ...] = ()
        self._methods: dict[str, tuple[Callable[..., None], ...]] = {name: () for name in HOOKS}
        self.faults: list[ObserverFault] = []
        self.on_fault: Callable[[ObserverFault], None] | None = None

    def attach(self, observer: object) -> Callable[[], None]:
        """Let ``observer`` watch from now on. Returns the undo, which may be called twice."""
        with self._lock:
            self._attached = (*self._attached, observer)
            self._rebuild()
        return lambda: self.detach(observer)

    def detach(self, observer: object) -> None:
        """Let ``observer`` watch no longer; nothing happens when it does not."""
        with self._lock:
            self._attached = tuple(o for o in self._attached if o is not observer)
            self._rebuild()

    def _rebuild(self) -> None:
        self._methods = {
            name: tuple(m for o in self._attached if callable(m := getattr(o, name, None))) for name in HOOKS
        }

    def listen_to(self, name: str) -> bool:
        """Whether anybody has a method ``name``; an event that nobody hears of need not be made."""
        return bool(self._methods[name])

    def emit(self, name: str, *payload: Any) -> None:
        """Tell everybody who has a method ``name``. Never raises."""
        for method in self._methods[name]:
            try:
                method(*payload)
            except faults() as error:  # an observer must not be able to harm the call it watches
                self._note(ObserverFault(getattr(method, "__self__", method), name, error))

    def _note(self, fault: ObserverFault) -> None:
        self.faults = [*self.faults, fault][-self.MAX_FAULTS :]
        if self.on_fault is not None:
            self.on_fault(fault)
