"""Finding a place where a person can answer: a card that is really shown, a line of text, or nobody."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..core.errors import InterruptedToolError
from .cell import Cell, current_cell
from .live import Card, LiveDisplay
from .note import note_bundle
from .run import Run, current_run

if TYPE_CHECKING:
    from .cards.parts import WidgetBag
    from .runtime import Runtime

SEEN_WITHIN_S = 3.0
"""How long a front end gets to say that it shows the widgets; a browser needs about 0.1 s."""
SEEN_AGAIN_S = 0.5
Place = Literal["card", "stdin", "nobody", "later"]
"""``later``: the question stays open until somebody answers it with ``%agent``."""
MakeCard = Callable[["WidgetBag", Callable[..., None]], Card]


@dataclass
class Asking:
    """One question's way to a person, decided while it is asked.

    Args:
        runtime: the kernel's extension.
        title: what a display says that has to be made for this question alone.
    """

    runtime: Runtime
    title: str

    def __post_init__(self) -> None:
        self.run: Run | None = current_run()
        self.cell: Cell = self.run.cell if self.run else current_cell(self.runtime.shell)

    @property
    def first_place(self) -> Place:
        """Where to ask first; whether a card is really shown turns out later."""
        if self.cell.headless:
            return "nobody"
        if self._in_background:
            return "card" if self.cell.may_show_widgets else "later"
        if self.cell.in_terminal or (self.run is not None and self.run.blocking):
            return "stdin"
        return "card"

    @property
    def _in_background(self) -> bool:
        """Whether no cell waits that could read a line."""
        return self.run is not None and self.run.in_background

    @property
    def _stays_open(self) -> bool:
        """Whether the question can be answered although no card of it is drawn: from another cell, or in a page with
        our extension. A line would be read in vain there: while it is read, a page that was loaded anew, or is slow,
        gets no say, and the line belongs to the page that was there before."""
        lab = self.runtime.lab
        if lab is not None and lab.pages.knows(self.cell.client):
            self.runtime.front_ends.learn(self.cell.client, True)
            return True
        return self._in_background

    @property
    def why_stdin(self) -> str:
        """Why there are no buttons, for a person who expects them."""
        if self.run is not None and self.run.blocking and not self.cell.in_terminal:
            return (
                "(No buttons can be shown inside a function, under another magic, or in the cell that loads the "
                "extension: please answer here.)"
            )
        return ""

    @property
    def _patience(self) -> float:
        """How long a front end gets to show a card; one that did not show the last one is given less time."""
        blind = self.runtime.front_ends.shows_widgets(self.cell.client) is False
        return SEEN_AGAIN_S if blind else SEEN_WITHIN_S

    async def on_card(
        self,
        make: MakeCard,
        answer: Future[Any],
        *,
        before: Callable[[LiveDisplay], None] | None = None,
        left: Callable[[], str] = str,
    ) -> bool:
        """Show a card until ``answer`` is there; ``False`` when no front end shows it, and a line can be read instead.

        Args:
            before: called with the display before the card is added.
            left: what stands in the place of the card while others are open below it, HTML.
        """
        own = self.run is None or self.run.live is None
        live = LiveDisplay(self.cell, self.title, self.runtime.front_ends) if own else self.run.live  # type: ignore[union-attr]
        assert live is not None
        if before is not None:
            before(live)
        card = live.add(make, asks=True)
        if card is None:
            raise InterruptedToolError("stopped: its cell is over")
        try:
            standing = self.runtime.lone_display(live) if own else nullcontext()
            with standing, self.runtime.heartbeat.pumping():
                if not await _first(live.draws(card, self._patience), answer) and not self._stays_open:
                    return False
                await asyncio.wrap_future(answer)
                return True
        finally:
            live.remove(card, left())
            if own:
                live.finish(note_bundle(f"{self.title}: {_closing_word(answer)}"))

    async def on_stdin(self, ask: Callable[[], Any]) -> Any:
        """Run ``ask`` where ``input()`` works."""
        if self.run is not None:
            return await self.run.on_main(ask)
        if threading.current_thread() is threading.main_thread():
            return ask()
        return await self.runtime.on_idle_main(ask)


def _closing_word(answer: Future[Any]) -> str:
    """How a question ended, in a word."""
    if not answer.done() or answer.cancelled():
        return "not answered"
    value = answer.result()
    return str(getattr(value, "behavior", None) or getattr(value, "action", "answered"))


async def _first(seen: Any, answer: Future[Any]) -> bool:
    """Whether a view was seen, or somebody answered in another way meanwhile."""
    waiting = asyncio.ensure_future(seen)
    answered = asyncio.ensure_future(_settled(answer))
    try:
        await asyncio.wait({waiting, answered}, return_when=asyncio.FIRST_COMPLETED)
        return answer.done() or (waiting.done() and waiting.result())
    finally:
        waiting.cancel()
        answered.cancel()


async def _settled(answer: Future[Any]) -> None:
    """Wait for a thread-safe future without cancelling it when the waiting is cancelled."""
    settled = asyncio.Event()
    loop = asyncio.get_running_loop()
    answer.add_done_callback(lambda _: loop.call_soon_threadsafe(settled.set))
    await settled.wait()
