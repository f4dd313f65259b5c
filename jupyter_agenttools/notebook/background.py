"""Turns that go on after their cell has ended: ``%%agent --background``.

Such a turn keeps the output of its cell up to date, asks there, and is not stopped by what happens to other cells. One
runs at a time, since both would go on from the same conversation.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..core.errors import UsageError
from ..core.faults import as_exception, faults
from ..core.views import Badge, CodeBlockView, TextBlockView, ToolView
from ..render.chars import one_line
from ..render.words import duration
from ..session.activities import activity_group
from .cell import Cell
from .note import lines_bundle, note_bundle
from .output import show
from .run import Run

if TYPE_CHECKING:
    from .runtime import Runtime

ID_PREFIX = "turn_"
TITLE_CHARS = 80
STOPPED = "stopped by the person"
STOP_WITHIN_S = 5.0


class BackgroundRun(Run):
    """A run that no cell waits for. An Interrupt of a cell is not meant for it, and never reaches it.

    Args:
        runtime: the kernel's extension.
        work: the async function to run.
        id: how a person names it; also the group of all that it begins.
        title: what it does, in a line.
        cell: the cell that started it.

    Attributes:
        seconds: how long it has been running, or ran.
        record: what its cell shows of it in the end, ``None`` before that.
        problem: what ended the turn before its end, ``""`` when nothing did.
    """

    in_background = True

    def __init__(
        self, runtime: Runtime, work: Callable[[], Awaitable[Any]], *, id: str, title: str, cell: Cell
    ) -> None:
        stop: Callable[[str], None] = lambda reason: runtime.session.interrupt(reason, group=id)  # noqa: E731
        super().__init__(runtime.portal, work, stop=stop, cell=cell)
        self._on_idle_main = runtime.on_idle_main
        self._of_cell = None
        self._finish: Callable[[], None] = lambda: None
        self._began = time.monotonic()
        self._took: float | None = None
        self.id, self.title = id, one_line(title, TITLE_CHARS)
        self.record: Mapping[str, Any] | None = None
        self.problem = ""

    def begin(self, finish: Callable[[], None]) -> None:
        """Start the work. ``finish`` is called in the portal's thread when nothing of it runs any more."""
        self._finish = finish
        if self.live is not None:
            self.live.open()
        self._future = self._portal.start_soon(self._main)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began if self._took is None else self._took

    @property
    def is_over(self) -> bool:
        """Whether the work has ended, and no more than showing it is left."""
        return self._took is not None

    @property
    def words(self) -> str:
        """How it stands, in a few words."""
        took = duration(self.seconds * 1_000)
        if not self.done.is_set():
            return f"running for {took}"
        if self.error is not None or self.problem:
            return f"failed after {took}" + (f": {one_line(self.problem, TITLE_CHARS)}" if self.problem else "")
        return f"over after {took}"

    async def _main(self) -> None:
        activity_group.set(self.id)
        await super()._main()

    async def on_main(self, function: Callable[[], Any]) -> Any:
        """Run a function on the kernel's main thread, as soon as no cell keeps it busy."""
        return await self._on_idle_main(function)

    def _at_end(self) -> None:
        self._took = self.seconds
        try:
            if self.error is None:
                self._finish()
        except faults() as fault:  # nobody waits who could be told by it
            self.error = as_exception(fault)
        if self.error is not None:
            self._show_failure(self.error)

    def _show_failure(self, error: Exception) -> None:
        from ..render import view_bundle

        self.record = view_bundle(failure_view(self.title, error))
        if self.live is not None:
            self.live.finish(self.record)


class BackgroundTurns:
    """The turns of one kernel that run in the background, or did.

    Args:
        runtime: the kernel's extension.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._turns: list[BackgroundRun] = []
        self._told: set[str] = set()

    def new_run(self, work: Callable[[], Awaitable[Any]], title: str, cell: Cell) -> BackgroundRun:
        """Work to be begun in the background.

        Raises:
            UsageError: a turn runs in the background already.
        """
        self.require_none("start another turn")
        run = BackgroundRun(self._runtime, work, id=f"{ID_PREFIX}{len(self._turns) + 1}", title=title, cell=cell)
        self._turns.append(run)
        return run

    @property
    def running(self) -> BackgroundRun | None:
        """The turn that runs, ``None`` when none does."""
        return next((turn for turn in self._turns if not turn.done.is_set()), None)

    def require_none(self, wish: str) -> None:
        """Do nothing when no turn runs in the background.

        Raises:
            UsageError: one does, and ``wish`` cannot be done beside it; says what can be.
        """
        turn = self.running
        if turn is not None and not turn.is_over:
            raise UsageError(
                f"%agent: cannot {wish} while {turn.id} runs in the background ({turn.title}). Wait for its end, "
                f"tell it something with %agent say TEXT, or end it with %agent stop {turn.id}."
            )

    def find(self, id: str) -> BackgroundRun | None:
        """The turn of that id."""
        return next((turn for turn in self._turns if turn.id == id), None)

    def lines(self) -> list[str]:
        """Each turn that was ever started, in a line."""
        return [f"{turn.id}: {turn.words} – {turn.title}" for turn in self._turns]

    def stopping(self, turn: BackgroundRun) -> Iterator[Run]:
        """A plan that ends a turn and says how that went."""
        if turn.done.is_set():
            show(note_bundle(f"{turn.id} was over already"))
            return
        turn.interrupt(STOPPED)
        waiting = self._runtime.new_run(lambda: _end_of(turn))
        yield waiting
        self._runtime.result_of(waiting)
        ended = turn.done.is_set()
        show(note_bundle(f"{turn.id}: {turn.words}" if ended else f"{turn.id} was told to end and does not"))

    def tell(self, cell: Cell) -> None:
        """Say in the cell that begins now which turns have come to their end since the last one.

        A page that was loaded anew hears nothing of cells that an earlier page ran: there the records are shown here.
        """
        for turn in self._turns:
            if not turn.done.is_set() or turn.id in self._told:
                continue
            self._told.add(turn.id)
            here = turn.cell.client == cell.client
            where = "see its cell" if here else "this is its record"
            show(lines_bundle([f"{turn.id} is {turn.words}; {where} – {turn.title}"]))
            if not here and turn.record is not None:
                show(turn.record)
            turn.record = None


async def _end_of(turn: BackgroundRun) -> None:
    await asyncio.to_thread(turn.done.wait, STOP_WITHIN_S)


def failure_view(title: str, error: Exception) -> ToolView:
    """What is shown of a turn that came to its end by a fault: what went wrong, and where."""
    told = "".join(traceback.format_exception(error))
    blocks = (
        TextBlockView(f"{type(error).__name__}: {error}", tone="error"),
        CodeBlockView(told, "pytb", title="traceback"),
    )
    return ToolView(f"Agent: {title}", (Badge("✗ failed in the background", "error"),), blocks)
