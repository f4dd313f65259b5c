"""The hooks of a session: who they are, and telling them what happens outside of single calls."""

from __future__ import annotations

import threading
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from ..core.call import NO_EFFECTS, HookEffects
from ..core.cancel import Cancellation, CutScope
from ..core.context import RuleSource
from ..core.errors import SettingsError
from ..core.events import HookNote, JobEvent
from ..core.prompting import PermissionRequest
from ..hooks import Hook, HookEvent, HookSet, unreadable_hooks
from ..permissions import rule_matches
from .file_watch import FileWatch
from .hook_layers import KnownHook, LoadedHooks, hooks_of
from .hook_services import SessionHookServices
from .hook_updates import apply_hook_updates
from .reloading import ConfigChange
from .turn_events import TurnEvents

if TYPE_CHECKING:
    from .session import Session

SESSION_END_S = 1.5
"""The documented budget of all hooks at the end of a session."""

KEPT_REMINDERS = 40
"""For a model that is not asked for a long time; older ones are forgotten."""

CONFIG_SOURCES: Mapping[RuleSource, str] = {
    "userSettings": "user_settings",
    "projectSettings": "project_settings",
    "localSettings": "local_settings",
    "managed": "policy_settings",
}


class SessionHooks:
    """The hooks of one session. Also an observer of it: questions and jobs are events for hooks.

    Args:
        session: the session. own: hooks that were handed to it.

    Attributes:
        prompt_id: of the query that runs.
        source: what the hooks of ``SessionStart`` are told of how it began: ``startup`` or ``resume``.
        notes: what a person should know of the hooks in the settings.
    """

    def __init__(self, session: Session, own: Sequence[Hook]) -> None:
        self._session = session
        self._lock = threading.RLock()
        self._reminders: deque[str] = deque(maxlen=KEPT_REMINDERS)
        self.services = SessionHookServices(session, self.remind)
        self._own = tuple(own)
        self._of_settings: tuple[KnownHook, ...] = ()
        self._used: tuple[Hook, ...] = ()
        self._set = HookSet((), rule_matches, self.services)
        self.prompt_id = ""
        self.source = "startup"
        self.notes: tuple[str, ...] = ()
        self._started = self._ended = False
        self._watch = FileWatch(self._file_changed)
        self._loaded = session.settings
        self._load(hooks_of(self._loaded))

    # ---- which hooks there are

    @property
    def set(self) -> HookSet:
        """The hooks that run, by the settings that count now."""
        self._catch_up()
        return self._set

    def _catch_up(self) -> None:
        """Take the hooks of the settings in case others count by now."""
        settings = self._session.settings
        if settings is self._loaded:
            return
        with self._lock:
            self._loaded = settings
            try:
                self._load(hooks_of(settings))
            except SettingsError as problem:
                said = f"{problem}. None of the hooks in the settings runs, and every call asks."
                self._load(LoadedHooks((unreadable_hooks(str(problem), "session settings"),), (), (said,)))
            for note in self.notes:
                self.services.note("ConfigChange", note)

    def _load(self, loaded: LoadedHooks) -> None:
        self._of_settings, self._used, self.notes = loaded.known, loaded.used, loaded.notes
        self._rebuild()

    def add(self, hook: Hook) -> Callable[[], None]:
        """Add a hook. Returns the undo."""
        with self._lock:
            self._own = (*self._own, hook)
            self._rebuild()
        return lambda: self._remove(hook)

    def _remove(self, hook: Hook) -> None:
        with self._lock:
            self._own = tuple(h for h in self._own if h is not hook)
            self._rebuild()

    def _rebuild(self) -> None:
        self._set = self._set.replaced((*self._used, *self._own))
        self._watch_files()

    @property
    def own(self) -> tuple[Hook, ...]:
        """Those that were written in Python."""
        return self._own

    @property
    def known(self) -> tuple[KnownHook, ...]:
        """Every hook, also those that do not run."""
        self._catch_up()
        return (*self._of_settings, *(KnownHook(hook) for hook in self._own))

    # ---- telling them

    def payload(self) -> dict[str, Any]:
        """What every hook is told."""
        session = self._session
        said = {
            "session_id": session.id,
            "transcript_path": str(session.transcript.path),
            "cwd": session.cwd,
            "permission_mode": session.state.permission.mode,
        }
        return {**said, "prompt_id": self.prompt_id} if self.prompt_id else said

    async def fire(
        self, event: HookEvent, fields: Mapping[str, Any], cancellation: Cancellation | None = None
    ) -> HookEffects:
        """Tell the hooks of an event, and hear what they say. A stop ends them, and nothing was said then."""
        if not self.set.has(event):
            return NO_EFFECTS
        with CutScope(cancellation or Cancellation()):
            effects = await self.set.fire(event, {**self.payload(), **fields})
            self._show(event, effects)
            return effects
        return NO_EFFECTS

    def fire_later(
        self, event: HookEvent, fields: Mapping[str, Any], then: Callable[[HookEffects], None] = lambda effects: None
    ) -> None:
        """Tell the hooks of an event while nobody waits. Thread-safe."""
        if self.set.has(event):

            async def work() -> None:
                then(await self.fire(event, fields))

            self.services.in_background(work)

    def for_calls(self) -> dict[str, Any]:
        """What the environment of a call holds of hooks."""
        return {
            "hooks": self.set,
            "hooks_now": lambda: self.set,
            "hook_payload": self.payload,
            "tell_person": self.tell_person,
            "fire_later": self.fire_call_later,
            "apply_hook_updates": partial(apply_hook_updates, self._session),
        }

    def fire_call_later(self, event: HookEvent, payload: Mapping[str, Any], hooks: Sequence[Hook]) -> None:
        """Tell these hooks of an event of one call while nobody waits."""

        async def work() -> None:
            self._show(event, await self.set.fire(event, payload, hooks))

        self.services.in_background(work)

    def tell_person(self, event: HookEvent, tool_use_id: str, effects: HookEffects) -> None:
        """Show what hooks of a call want the person to know, or what went wrong with one and had no effect.

        What they decided is in the call's record.
        """
        if not effects.ran:
            return
        wrong = [f"{run.name}: {run.note}" for run in effects.runs if run.note and run.decision == "no objection"]
        for text in (*effects.messages, *wrong):
            self._session.observers.emit("on_hook_note", HookNote(event, text, tool_use_id))

    def turn(self, cancellation: Cancellation) -> TurnEvents:
        """What the hooks have to say to a query that begins now."""
        self.prompt_id = uuid.uuid4().hex
        return TurnEvents(self, cancellation)

    def _show(self, event: HookEvent, effects: HookEffects) -> None:
        """What the hooks of an event outside of a call had to say to the person."""
        for line in effects.ran:
            self.services.note(event, line)

    # ---- what the model is told at its next turn

    def remind(self, text: str) -> None:
        with self._lock:
            self._reminders.append(text)

    def take_reminders(self) -> list[str]:
        """What hooks want the model to know, each once."""
        with self._lock:
            waiting = list(self._reminders)
            self._reminders.clear()
        return waiting

    # ---- the session's beginning and end

    async def start(self, cancellation: Cancellation) -> None:
        """Something begins in the session. Before the first thing that does, tell of the beginning of the session."""
        self.prompt_id = ""
        if self._started:
            return
        self._started = True
        model = getattr(self._session.model, "name", "")
        effects = await self.fire("SessionStart", {"source": self.source, "model": model}, cancellation)
        self._take_context("SessionStart", effects)
        if first := effects.extra.get("initialUserMessage"):
            self.remind(first)
        self._watch_also(effects)
        self._watch_files()

    async def begin_again(self, source: str) -> None:
        """The session goes on with another conversation: tell of the end of the one, and of the beginning of the other
        before the next thing that runs."""
        if self._started:
            with anyio.move_on_after(SESSION_END_S):
                await self.fire("SessionEnd", {"reason": source})
        self._started, self.source = False, source

    async def end(self, reason: str = "other") -> None:
        """Tell of the end of the session; hooks get 1.5 s altogether. Nothing runs afterwards."""
        if self._ended:
            return
        self._ended = True
        if self._started:
            with anyio.move_on_after(SESSION_END_S):
                await self.fire("SessionEnd", {"reason": reason})
        self._watch.close()
        await anyio.to_thread.run_sync(self.services.close)

    def _take_context(self, event: HookEvent, effects: HookEffects) -> None:
        for text in effects.additional_context:
            self.remind(f"[{event} hook] {text}")

    # ---- folders and files

    async def cwd_changed(self, before: str, cancellation: Cancellation) -> None:
        """Tell that commands run somewhere else now."""
        fields = {"old_cwd": before, "new_cwd": self._session.cwd}
        effects = await self.fire("CwdChanged", fields, cancellation)
        self._take_context("CwdChanged", effects)
        self._watch_also(effects)
        self._watch_files()

    def _watch_also(self, effects: HookEffects) -> None:
        self._watch.also(str(path) for path in effects.extra.get("watchPaths", ()))

    def _watch_files(self) -> None:
        """Watch what the matchers of hooks name, in the working directory."""
        if self._started and not self._ended and self._set.has("FileChanged"):
            matchers = [hook.matcher for hook in self._set.hooks if hook.event == "FileChanged"]
            names = [name.strip() for matcher in matchers for name in matcher.split("|")]
            self._watch.watch(str(Path(self._session.cwd, name)) for name in names if name not in ("", "*"))

    def _file_changed(self, path: str, change: str) -> None:
        def then(effects: HookEffects) -> None:
            self._take_context("FileChanged", effects)
            self._watch_also(effects)

        self.fire_later("FileChanged", {"file_path": path, "event": change}, then)

    # ---- settings

    async def refusal_of_change(self, change: ConfigChange) -> str | None:
        """Why a changed settings file must not count, ``None`` when it may. Asks the hooks that count now."""
        fields = {"source": CONFIG_SOURCES.get(change.source, change.source), "file_path": str(change.path)}
        effects = await self.fire("ConfigChange", fields)
        return f"the hook {effects.hook} refuses it: {effects.reason}" if effects.behavior == "deny" else None

    # ---- observing

    def on_permission_request(self, request: PermissionRequest) -> None:
        message = f"{request.tool_name} waits for your answer: {request.decision.reason}"
        self._notify("permission_prompt", message)

    def on_job(self, event: JobEvent) -> None:
        fields = {"task_id": event.task_id, "task_subject": event.title}
        if event.kind == "background":
            self.fire_later("TaskCreated", fields, lambda effects: self._on_task_created(event, effects))
        elif event.kind == "ended":
            self.fire_later("TaskCompleted", fields, lambda effects: self._on_task_completed(event, effects))
            self._notify("task_ended", f"Background task {event.task_id} ({event.title}): {event.words}")

    def _notify(self, kind: str, message: str) -> None:
        self.fire_later("Notification", {"message": message, "notification_type": kind})

    def _on_task_created(self, event: JobEvent, effects: HookEffects) -> None:
        job = self._session.jobs.find(event.task_id)
        if effects.behavior == "deny" and job is not None:
            job.stop(f"the hook {effects.hook}: {effects.reason}")
        self._take_context("TaskCreated", effects)

    def _on_task_completed(self, event: JobEvent, effects: HookEffects) -> None:
        if effects.behavior == "deny":
            self.remind(f"[TaskCompleted hook] {event.task_id} is not done yet: {effects.reason}")
        self._take_context("TaskCompleted", effects)
