"""Watching the calls of one run and showing how far they are, ten times a second at most."""

from __future__ import annotations

import asyncio
import html
import time
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..core import default_views
from ..core.blocks import ToolUse
from ..core.call import CallState
from ..core.events import HookProgress, ProgressEvent, StageEvent
from ..core.faults import faults
from ..core.outcome import Outcome
from ..core.tool import Tool
from ..core.views import CodeBlockView, TextBlockView, ToolView
from ..render import view_html
from ..render.chars import escape, one_line
from ..session import Session
from ..shell import Job
from .live import LiveDisplay
from .run import Run, current_run
from .status_line import StatusLine

if TYPE_CHECKING:
    from .cards import ProgressPanel
    from .runtime import Runtime

Result = TypeVar("Result")
QUIET_S = 0.3
"""A call that is over before this shows no progress at all."""
TICK_S = 0.1
"""At most ten updates a second: more of them freeze a page."""
LINE_CHARS = 60
TAIL_LINES = 200
TAIL_CHARS = 16_000
LIVE_STYLE = (
    "<style>.agt-live .agt-terminal{display:flex;flex-direction:column-reverse;max-height:28em;overflow-y:auto}</style>"
)
"""What is printed stays at its end by itself, in a box so low that the buttons below it are in sight."""


@dataclass
class RunningCall:
    """One call that has begun: since when its tool works (``None`` before that), and what it said last.

    ``waits_for`` is what a hook that runs wants to be shown meanwhile.
    """

    use: ToolUse
    tool: Tool | None = None
    since: float | None = None
    payload: Any = None
    waits_for: str = ""


class CallWatcher:
    """An observer of a session that follows the calls of one run, and drives its progress panel.

    Args:
        run: the run whose calls to follow.
        live: where to show them.
        runtime: stops what runs, and knows the commands; there are no buttons where no click could be heard.

    Attributes:
        outcomes: of the calls that are over.
    """

    def __init__(self, run: Run, live: LiveDisplay, runtime: Runtime) -> None:
        self._run, self._live, self._runtime = run, live, runtime
        self._hearing = ExitStack()
        self._calls: dict[str, RunningCall] = {}
        self._panel: ProgressPanel | None = None
        self.outcomes: list[Outcome] = []

    # ---- what the session tells

    def on_call_start(self, tool_use: ToolUse, state: CallState) -> None:
        if current_run() is self._run:
            self._calls[tool_use.id] = RunningCall(tool_use)

    def on_stage(self, event: StageEvent) -> None:
        call = self._calls.get(event.tool_use_id)
        if call is not None and call.waits_for:
            call.waits_for, call.since = "", None
        if call is not None and event.stage == "permission":
            call.use, call.tool = event.after.tool_use, event.after.tool
            call.since = time.monotonic() if event.status == "ok" else None

    def on_progress(self, event: ProgressEvent) -> None:
        call = self._calls.get(event.tool_use_id)
        if call is not None and isinstance(event.data, HookProgress):
            call.waits_for, call.since = event.data.message, call.since or time.monotonic()
        elif call is not None:
            call.payload = event.data

    def on_call_end(self, outcome: Outcome) -> None:
        if self._calls.pop(outcome.tool_use.id, None):
            self.outcomes.append(outcome)

    # ---- showing it

    async def tick(self) -> None:
        """Show what runs until cancelled."""
        if self._run.cell.in_terminal:
            await self._tick_in_terminal()
        while self._live.offers_progress(self._run.blocking):
            await asyncio.sleep(TICK_S)
            self.refresh(time.monotonic())

    async def _tick_in_terminal(self) -> None:
        """A line that says what runs; none while a question is open, whose answer is typed there."""
        line = StatusLine()
        try:
            while True:
                await asyncio.sleep(TICK_S)
                calls = tuple(self._calls.values())
                asking = any(call.since is None for call in calls)
                line.show("" if asking else self._words(calls))
        finally:
            line.show("")

    async def settle(self) -> None:
        """Nothing runs any more: find out where the record will be seen. A held loop would never hear of it."""
        if not self._run.blocking:
            await self._live.settle()

    def refresh(self, now: float) -> None:
        """Show what has been running for a moment; take the panel away when nothing has."""
        for call in tuple(self._calls.values()):
            if call.since is not None and call.use.id in self._run.held:
                call.since = now
        long = [c for c in tuple(self._calls.values()) if c.since is not None and now - c.since >= QUIET_S]
        idle = "" if self._calls else self.idle_words()
        if not long and not idle:
            self._live.remove(self._panel)
            self._panel = None
            return
        if self._panel is None:
            self._panel = self._live.add(self._make_panel)  # type: ignore[assignment]
        if self._panel is not None:
            self._panel.show("".join(progress_html(call, now) for call in long) or _status_html(escape(idle)))
            self._panel.offer(next(self._commands(long), None))

    def idle_words(self) -> str:
        """What is waited for while no call is on its way; nothing when there is nothing to wait for."""
        return ""

    def _words(self, calls: Sequence[RunningCall]) -> str:
        """What runs, on one line."""
        return " | ".join(progress_words(call, time.monotonic()) for call in calls) or one_line(self.idle_words(), 200)

    def _commands(self, calls: Sequence[RunningCall]) -> Iterator[Job]:
        """The commands that these calls wait for."""
        jobs = (self._runtime.session.jobs.of_call(call.use.id) for call in calls)
        return (job for job in jobs if job is not None)

    def _move(self) -> None:
        for call in tuple(self._calls.values()):
            self._runtime.session.move_to_background(call.use.id)

    def _hear(self) -> None:
        """From now on a person may send one line after the other."""
        self._hearing.enter_context(self._runtime.heartbeat.pumping())

    def close(self) -> None:
        """Nothing is shown any more."""
        self._hearing.close()

    def _make_panel(self, bag: Any, post: Any) -> ProgressPanel:
        from .cards import ProgressPanel

        stop = None if self._run.blocking else lambda: self._run.stop("stopped with the Stop button")
        return ProgressPanel(bag, post, stop, self._move, self._hear)


async def watching(session: Session, watcher: CallWatcher, work: Awaitable[Result]) -> Result:
    """Do the work while ``watcher`` sees what the session does, and shows it."""
    undo = session.observers.attach(watcher)
    ticking = asyncio.ensure_future(watcher.tick())
    try:
        result = await work
        ticking.cancel()
        await watcher.settle()
        return result
    finally:
        undo()
        ticking.cancel()
        watcher.close()
        await asyncio.gather(ticking, return_exceptions=True)  # what it shows on a terminal must be gone by now


def progress_html(call: RunningCall, now: float) -> str:
    """What one running call shows: what it does, for how long, and the tail of what it says."""
    elapsed = now - (call.since or now)
    head = _status_html(f"<b>{html.escape(_activity(call))}</b> · {elapsed:.0f} s")
    if call.payload is None:
        return head
    return f'{head}{LIVE_STYLE}<div class="agt-live">{view_html(_progress_view(call))}</div>'


def _status_html(inner: str) -> str:
    style = "font-family:var(--jp-ui-font-family,sans-serif);color:var(--jp-ui-font-color1,inherit);line-height:1.4"
    return f'<div role="status" style="{style}">{inner}</div>'


def progress_words(call: RunningCall, now: float) -> str:
    """The same in a few words: what it does, for how long, and how much it said."""
    said = "" if call.payload is None else f" · {one_line(_progress_view(call).title, LINE_CHARS)}"
    return f"{one_line(_activity(call), LINE_CHARS)} · {now - (call.since or now):.0f} s{said}"


def _activity(call: RunningCall) -> str:
    if call.waits_for:
        return call.waits_for
    try:
        return call.tool.get_activity_description(call.use.input) if call.tool else call.use.name
    except faults():  # a tool's own renderer must not stop the call that it shows
        return call.use.name


def _progress_view(call: RunningCall) -> ToolView:
    try:
        assert call.tool is not None
        view = call.tool.render_progress(call.payload)
    except faults() as fault:
        view = default_views.progress(f"{call.use.name} ({type(fault).__name__} in its own view)", call.payload)
    return replace(view, blocks=tuple(_tail(block) for block in view.blocks))


def _tail(block: Any) -> Any:
    """The block with no more text than a page can take ten times a second."""
    if not isinstance(block, (CodeBlockView, TextBlockView)) or len(block.text) <= TAIL_CHARS:
        if not isinstance(block, CodeBlockView) or block.text.count("\n") <= TAIL_LINES:
            return block
    kept = "\n".join(block.text[-TAIL_CHARS:].split("\n")[-TAIL_LINES:])
    if isinstance(block, TextBlockView):
        return replace(block, text="…" + kept)
    dropped = block.text.count("\n") - kept.count("\n")
    return replace(block, text=kept, omitted=block.omitted + dropped)
