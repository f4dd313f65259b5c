"""What the extension keeps for one kernel: the portal, the session, the open questions."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from ..core.errors import ToolError
from ..core.tool import Tool
from .cell import current_cell
from .errors import KeyboardInterrupt, UsageError
from .heartbeat import Heartbeat
from .main_jobs import MainJob
from .portal import Portal
from .prompts import OpenPrompts
from .pump6 import make_pump
from .run import Run, current_run
from .shown import ShownValues
from .widget_status import answer_widget_messages

if TYPE_CHECKING:
    from .kernel_session import KernelSession

CLOSE_SESSION_S = 2.0


class Runtime:
    """The extension's state for one IPython shell.

    Args:
        shell: the shell.

    Attributes:
        portal: the thread in which pipelines run.
        prompts: the open questions.
        shown: values that need no second showing.
        blind_clients: the front ends that did not show the last card.
        heartbeat: beats while a cell runs.
    """

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.portal = Portal()
        self.prompts = OpenPrompts()
        self.shown = ShownValues()
        self.blind_clients: set[str] = set()
        kernel = getattr(shell, "kernel", None)
        self._pump = make_pump(kernel)
        self.heartbeat = Heartbeat(self._pump, kernel)
        self._stop_answering = answer_widget_messages(kernel, self.heartbeat)
        self._lock = threading.RLock()
        self._session: KernelSession | None = None
        self._definitions: dict[str, Any] = {}
        self._undo: dict[str, Callable[[], None]] = {}

    # ---- the session

    @property
    def session(self) -> KernelSession:
        """The kernel's session, made when first asked for: in the kernel's working directory, with its settings."""
        with self._lock:
            if self._session is None:
                self._session = self._make_session()
                for key, made in self._definitions.items():
                    self._add(key, made)
            return self._session

    def _make_session(self) -> KernelSession:
        import os

        from ..settings import environment_settings, load_settings
        from .kernel_session import KernelSession
        from .prompter import KernelPrompter

        settings = load_settings(os.getcwd(), environment_settings())
        for note in settings.notes:
            print(f"settings: {note}")
        session = KernelSession(self, settings=settings, prompter="deny", rule_scopes=RULE_SCOPES)
        session.prompter = KernelPrompter(self, session)
        session.run_on_main = self.on_main
        return session

    def on_definition(self, made: Any, key: str) -> None:
        """A tool or hook was written in a cell: it can be used at once, in place of what that place held before.

        Raises:
            UsageError: a built-in tool has that name.
        """
        with self._lock:
            self._definitions[key] = made
            if self._session is not None:
                self._add(key, made)

    def _add(self, key: str, made: Any) -> None:
        assert self._session is not None
        if key in self._undo:
            self._undo.pop(key)()
        add = self._session.add_tool if isinstance(made, Tool) else self._session.add_hook
        self._undo[key] = add(made)

    # ---- running

    def new_run(self, work: Callable[[], Awaitable[Any]]) -> Run:
        """Work for the portal, waited for by the cell that runs now."""
        return Run(self.portal, work, stop=self.stop, cell=current_cell(self.shell), pump=self._pump)

    def stop(self, reason: str) -> None:
        """Stop everything that runs in the session."""
        if self._session is not None:
            self._session.interrupt(reason)

    def result_of(self, run: Run) -> Any:
        """What a run came to.

        Raises:
            KeyboardInterrupt: it was interrupted, and the caller is the cell itself.
            asyncio.CancelledError: it was cancelled, or interrupted in a task beside the cell's own: there a
                ``KeyboardInterrupt`` would tear down the kernel's event loop.
        """
        if run.cancelled or (run.interrupts and not self.heartbeat.in_cell_task):
            raise asyncio.CancelledError
        if run.interrupts:
            raise KeyboardInterrupt("interrupted")
        if run.error is not None:
            raise run.error
        return run.value

    async def on_main(self, function: Callable[[], Any]) -> Any:
        """Run a function on the kernel's main thread: by the cell that waits, or when the kernel is idle."""
        run = current_run()
        if run is not None:
            return await run.on_main(function)
        return await self.on_idle_main(function)

    async def on_idle_main(self, function: Callable[[], Any]) -> Any:
        """Run a function on the main thread although no cell waits for us.

        Raises:
            ToolError: there is no kernel, whose loop would do it.
        """
        kernel = getattr(self.shell, "kernel", None)
        if kernel is None:
            raise ToolError("nothing can run on the main thread now: no cell waits for this call")
        job = MainJob(function)
        kernel.io_loop.add_callback(job.run)
        return await asyncio.wrap_future(job.future)

    # ---- the end

    def close(self) -> None:
        """Stop what runs, close the session and end the portal's thread."""
        self.heartbeat.stop()
        self._stop_answering()
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            closing: Future[Any] = self.portal.start_soon(session.aclose)
            try:
                closing.result(CLOSE_SESSION_S)
            except Exception:  # it is being thrown away: the portal's end cancels whatever did not stop
                closing.cancel()
        self.portal.close()


RULE_SCOPES = ("session", "localSettings", "projectSettings", "userSettings")
_current: Runtime | None = None


def set_runtime(runtime: Runtime | None) -> None:
    """Make this the runtime of the process (``None`` when the extension is unloaded)."""
    global _current
    _current = runtime


def get_runtime() -> Runtime:
    """The runtime of this process.

    Raises:
        UsageError: the extension is not loaded.
    """
    if _current is None:
        raise UsageError("run %load_ext jupyter_agenttools first")
    return _current


def get_session() -> KernelSession:
    """The session that ``%tool`` and ``%agent`` use in this kernel.

    Raises:
        UsageError: the extension is not loaded, or its settings cannot be used.
    """
    return get_runtime().session
