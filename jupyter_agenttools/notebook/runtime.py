"""What the extension keeps for one kernel: the portal, the session, the open questions."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ..core import errors as core
from ..core.tool import Tool
from .background import BackgroundTurns
from .cell import current_cell
from .cell_records_replay import CellRecords
from .errors import KeyboardInterrupt
from .front_ends import FrontEnds
from .loaded import Loaded
from .main_jobs import MainJob
from .model_totals import ModelTotals
from .open_notes import OpenQuestionNotes
from .open_steps import OpenSteps
from .open_turns import OpenTurns
from .portal import Portal
from .prompts import OpenPrompts
from .replays import Replays
from .run import Run, current_run
from .saying import Saying
from .settings_notes import SettingsNotes
from .sigint import INTERRUPTED, watch_sigint
from .transcript_notes import TranscriptNotes

if TYPE_CHECKING:
    from ..settings import TrustRequest
    from .kernel_session import KernelSession
    from .live import LiveDisplay, Standing

CLOSE_SESSION_S = 2.0


class Runtime:
    """What runs tools and agents for one IPython shell.

    Args:
        loaded: the extension in the shell.

    Attributes:
        shell: the shell.
        portal: the thread in which pipelines run.
        prompts: the open questions.
        steps: the calls that stop between two stages.
        shown: values that need no second showing.
        front_ends: which front ends show widgets.
        heartbeat: beats while a cell runs.
        background: the turns that no cell waits for.
        cell_records: what is recorded of the notebook's cells.
        saying: how the model is told something while it works.
        replays: the recordings that cells play.
        totals: what each model used up.
        lab: the pages that have our extension; ``None`` in a terminal.
        shown_requests: the settings files that a person was last shown to answer for.
    """

    def __init__(self, loaded: Loaded) -> None:
        self.shell = loaded.shell
        self.shown = loaded.shown
        self.heartbeat = loaded.heartbeat
        self.portal = Portal()
        self.prompts = OpenPrompts()
        self.steps = OpenSteps()
        self.turns = OpenTurns()
        self.front_ends = FrontEnds()
        self.lab = loaded.lab
        self._loaded = loaded
        self._runs: list[Run] = []
        self._lone_displays: list[LiveDisplay] = []
        self._lock = threading.RLock()
        self._session: KernelSession | None = None
        self._undo: dict[int, Callable[[], None]] = {}
        self._settings_notes = SettingsNotes()
        self._question_notes = OpenQuestionNotes(self.prompts)
        self.shown_requests: tuple[TrustRequest, ...] = ()
        self.background = BackgroundTurns(self)
        self.cell_records = CellRecords(self, loaded.notebook_at_start)
        self.saying = Saying(self)
        self.replays = Replays()
        self.totals = ModelTotals(lambda: getattr(self.session.model, "name", ""))

    # ---- the session

    @property
    def session(self) -> KernelSession:
        """The kernel's session, made when first asked for: in the kernel's working directory, with its settings."""
        with self._lock:
            if self._session is None:
                self._session = self._make_session()
                for each in self._loaded.definitions:
                    self._define_or_tell(each.made)
                if self._loaded.lab is not None:
                    self._loaded.lab.serve(self)
            return self._session

    def _make_session(self) -> KernelSession:
        from .agent_hooks import HookNotes
        from .interpreter import KernelInterpreter
        from .job_notes import JobNotes
        from .kernel_session import KernelSession
        from .kernel_settings import kernel_settings, remove_old_sessions_later, settings_lines
        from .prompter import KernelPrompter

        config = self._loaded.config
        settings = kernel_settings(config)
        remove_old_sessions_later(settings.cleanup_days)
        session = KernelSession(self, settings=settings, prompter="deny", rule_scopes=RULE_SCOPES)
        session.watch_settings(config.watch_settings)
        session.prompter = KernelPrompter(self, session)
        session.run_on_main = self.on_main
        session.interpreter = KernelInterpreter(self)
        session.own_notebook = self.own_notebook
        if self._loaded.lab is not None:
            session.live_documents = self._loaded.lab.documents(lambda: self.heartbeat.is_cell_running)
        session.jobs.can_type = self._can_type
        session.observers.attach(JobNotes())
        session.observers.attach(HookNotes())
        session.observers.attach(TranscriptNotes())
        session.observers.attach(self._settings_notes)
        session.observers.attach(self.totals)
        for line in settings_lines(config, settings, session.hook_events.notes):
            print(line)
        return session

    def own_notebook(self) -> str:
        """The notebook of the cell that runs, ``""`` where nobody says: its page knows it best, also after a rename,
        and where a kernel runs the cells of several."""
        from .own_notebook import own_notebook

        told = self.lab.pages.own_notebook(current_cell(self.shell).client) if self.lab is not None else None
        return told if told is not None and os.path.exists(told) else own_notebook(self.shell.user_ns)

    @property
    def max_turns(self) -> int | None:
        """How often an ``%%agent`` cell may ask the model, ``None`` for the usual number."""
        return self._loaded.config.max_turns or None

    def follow(self, change: Any) -> None:
        """Let the session have what a person has just configured. Raises as :func:`.kernel_settings.follow`."""
        from .kernel_settings import follow

        with self._lock:
            if self._session is not None:
                follow(self._loaded.config, self._session, change)

    def _can_type(self) -> bool:
        """Whether a person who looks at the cell that runs has widgets to type into, as seen before."""
        run = current_run()
        return run is not None and run.live is not None and run.live.hears_typing(run.blocking)

    def define(self, made: Any, replaced: Sequence[Any] = ()) -> None:
        """Put a tool or hook into the session, in place of others that were put there before.

        Raises:
            UsageError: a built-in tool has that name.
        """
        with self._lock:
            if self._session is None:
                return
            if isinstance(made, Tool):
                self._take_out(replaced)  # they may have the same name
                self._undo[id(made)] = self._session.add_tool(made)
            else:  # the new guard comes before the old one goes: no call meets neither
                self._undo[id(made)] = self._session.add_hook(made)
                self._take_out(replaced)

    def _take_out(self, replaced: Sequence[Any]) -> None:
        for made in replaced:
            if (undo := self._undo.pop(id(made), None)) is not None:
                undo()

    def _define_or_tell(self, made: Any) -> None:
        """One definition that cannot be used must not keep the others from being used."""
        try:
            self.define(made)
        except core.UsageError as problem:
            print(f"not added: {problem}")

    # ---- running

    def on_cell(self) -> None:
        """A cell begins."""
        cell = current_cell(self.shell)
        self._question_notes.tell(cell)
        self.background.tell(cell)

    def new_run(self, work: Callable[[], Awaitable[Any]]) -> Run:
        """Work for the portal, waited for by the cell that runs now."""
        self._settings_notes.tell()
        run = Run(self.portal, work, stop=self.stop, cell=current_cell(self.shell), pump=self._loaded.pump)
        self._runs = [*(r for r in self._runs if not r.done.is_set()), run]
        return run

    @property
    def running(self) -> list[Run]:
        """What cells wait for at the moment."""
        return [run for run in self._runs if run.begun and not run.done.is_set()]

    @contextmanager
    def lone_display(self, live: LiveDisplay) -> Iterator[None]:
        """While this lasts, a display that no run shows is one of those that stand."""
        self._lone_displays.append(live)
        try:
            yield
        finally:
            self._lone_displays.remove(live)

    def standing_displays(self) -> list[Standing]:
        """The outputs that are still being drawn: of runs, and of questions that nothing else shows."""
        return [standing for live in self._live_displays() if (standing := live.standing()) is not None]

    def was_cleared(self, widgets: str) -> None:
        """A page says that an output with these widgets was cleared: where they are still needed they come again."""
        for live in self._live_displays():
            live.was_cleared(widgets)

    def _live_displays(self) -> list[LiveDisplay]:
        runs = (*self._runs, *filter(None, (self.background.running,)))
        return [*(run.live for run in runs if run.live is not None), *self._lone_displays]

    def stop(self, reason: str) -> None:
        """Stop everything that runs in the session, but for what runs in the background."""
        if self._session is not None:
            self._session.interrupt(reason, group="")

    def result_of(self, run: Run) -> Any:
        """What a run came to.

        Raises:
            KeyboardInterrupt: it was interrupted, and the caller is the cell itself.
            asyncio.CancelledError: it was cancelled, or interrupted in a task beside the cell's own: there a
                ``KeyboardInterrupt`` would tear down the kernel's event loop.
        """
        in_cell = self.heartbeat.in_cell_task
        if (run.cancelled and not (run.signalled and in_cell)) or (run.interrupts and not in_cell):
            raise asyncio.CancelledError
        if run.interrupts:
            raise KeyboardInterrupt(INTERRUPTED)
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
            raise core.ToolError("nothing can run on the main thread now: no cell waits for this call")
        job = MainJob(function)
        kernel.io_loop.add_callback(_run_alone, job)
        return await asyncio.wrap_future(job.future)

    # ---- the end

    def close(self) -> None:
        """Stop what runs, close the session and end the portal's thread."""
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            self._close_session(session)
        self.portal.close()

    def _close_session(self, session: KernelSession) -> None:
        """Let what was stopped come to its own end; what does not is cancelled with the portal."""
        until = time.monotonic() + CLOSE_SESSION_S
        closing: Future[Any] = self.portal.start_soon(session.aclose)
        with suppress(Exception):  # it is being thrown away, whatever it thinks of that
            closing.result(CLOSE_SESSION_S)
        for run in (*self._runs, *filter(None, (self.background.running,))):
            run.done.wait(max(0.0, until - time.monotonic()))


async def _run_alone(job: MainJob) -> None:
    """Run a job that no cell waits for. An Interrupt that comes while its code keeps the thread is meant for it."""

    def on_interrupt() -> None:
        if job.in_user_code:
            job.heard_interrupt = True
            raise KeyboardInterrupt(INTERRUPTED)

    with watch_sigint(on_interrupt):
        await job.run()


RULE_SCOPES = ("session", "localSettings", "projectSettings", "userSettings")
