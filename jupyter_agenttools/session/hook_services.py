"""What a session does for its hooks: processes, the model, long texts, variables for later commands."""

from __future__ import annotations

import itertools
import os
import shlex
import threading
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.from_thread

from ..core.blocks import Message, TextBlock
from ..core.context import ContextState
from ..core.errors import UsageError
from ..core.events import HookNote, HookProgress, ProgressEvent
from ..core.faults import faults
from ..hooks import Hook, HookOutput, ProcessEnd, ProcessOrder
from ..models import ModelRequest, TextPart
from ..settings.places import project_root
from ..shell import ShellCommand, ShellRun, approved_environment
from .hook_processes import HookProcesses

if TYPE_CHECKING:
    from .session import Session

TEXTS_FOLDER = "hook-texts"
ENV_FOLDER = "hook-env"
ENV_FILE_S = 10.0
"""How long the lines may take that a hook wrote for later commands."""

JUDGE = "You judge one event of a tool system for the person who wrote the question. You call no tools."


class SessionHookServices:
    """Implements ``hooks.HookServices`` for one session.

    Args:
        session: whose hooks run.
        remind: puts a text before the model at its next turn.
    """

    def __init__(self, session: Session, remind: Callable[[str], None]) -> None:
        self._session, self._remind = session, remind
        self._project_dir = str(project_root(session.cwd))
        self._processes = HookProcesses()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._background: anyio.from_thread.BlockingPortal | None = None
        self._cleanup = ExitStack()
        self._closed = False

    @property
    def cwd(self) -> str:
        return self._session.cwd

    @property
    def project_dir(self) -> str:
        return self._project_dir

    def environment(self) -> dict[str, str]:
        # What a model's commands exported is left out: with another PATH they would choose the programs of guards.
        return approved_environment(os.environ, self._session.settings.env, {}, ())

    async def run_process(
        self,
        order: ProcessOrder,
        detach: Callable[[bytes], float | None],
        on_late_end: Callable[[ProcessEnd], None],
    ) -> ProcessEnd:
        return await self._processes.run(order, detach, on_late_end)

    async def ask_model(self, prompt: str, model: str) -> str:
        chosen = self._session.model
        if chosen is None:
            raise UsageError("this session has no model")
        request = ModelRequest(JUDGE, (Message("user", (TextBlock(prompt),)),), ())
        parts = [part.text async for part in chosen.stream(request) if isinstance(part, TextPart)]
        return "".join(parts)

    # ---- files

    def keep_text(self, text: str) -> str:
        return self._new_file(TEXTS_FOLDER, "txt", text)

    def new_env_file(self) -> str:
        return self._new_file(ENV_FOLDER, "sh", "")

    def _new_file(self, folder: str, suffix: str, text: str) -> str:
        path = Path(self._session.dir, folder, f"{next(self._numbers)}.{suffix}")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
        return str(path)

    async def take_env_file(self, path: str) -> None:
        """Run what a hook wrote in a shell of its own, and keep what that exports for later commands."""
        if _is_empty(path):
            return
        session = self._session
        before = approved_environment(os.environ, session.settings.env, session.state.shell_env, ())
        command = ShellCommand(f". {shlex.quote(path)}", session.cwd, before, timeout_s=ENV_FILE_S)
        try:
            end = await ShellRun(command, {"stdout": _drop, "stderr": _drop}).run()
        except OSError as problem:
            self.note("hooks", f"the variables that a hook set could not be taken over: {problem}")
            return
        if end.state is None or end.stopped is not None:
            self.note("hooks", f"the variables that a hook set in {path} could not be taken over")
            return
        exported = end.state.change_since(before).exported
        if exported:
            self.note("hooks", f"a hook set variables for later commands: {', '.join(sorted(exported))}")
            session.modify_state(lambda state: _with_variables(state, dict(exported)))

    # ---- what nobody waits for

    def in_background(self, work: Callable[[], Awaitable[None]]) -> None:
        with self._lock:
            if self._closed:
                return
            if self._background is None:
                portal = anyio.from_thread.start_blocking_portal(name="agenttools-hooks")
                self._background = self._cleanup.enter_context(portal)
            self._background.start_task_soon(self._guarded, work)

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except faults() as fault:
            self.note("hooks", f"a hook in the background failed: {type(fault).__name__}: {fault}")

    def tell_later(self, hook: Hook, output: HookOutput) -> None:
        for text in (output.message, output.warning):
            if text:
                self.note(hook.event, f"{hook.name}: {text}")
        if output.additional_context:
            self._remind(f"[hook {hook.name}] {output.additional_context}")

    def show_status(self, hook: Hook, tool_use_id: str) -> None:
        progress = HookProgress(hook.name, hook.status_message)
        self._session.observers.emit("on_progress", ProgressEvent(tool_use_id, progress))

    def note(self, event: str, text: str) -> None:
        """Tell the person something of hooks."""
        self._session.observers.emit("on_hook_note", HookNote(event, text))

    def close(self) -> None:
        """End everything that hooks have running."""
        with self._lock:
            self._closed, portal, self._background = True, self._background, None
        self._processes.close()
        if portal is not None:
            with suppress(RuntimeError):
                portal.call(portal.stop, True)
            self._cleanup.close()


def _is_empty(path: str) -> bool:
    try:
        return os.path.getsize(path) == 0
    except OSError:
        return True


def _drop(data: bytes) -> None:
    return None


def _with_variables(state: ContextState, exported: dict[str, str]) -> ContextState:
    return replace(state, shell_env={**state.shell_env, **exported})
