"""What a cell shows of a run: widgets while somebody can use them, and in the end a record that needs no kernel."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import Context, copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .cell import Cell
from .front_ends import FrontEnds
from .note import note_bundle

if TYPE_CHECKING:
    from ipywidgets import VBox

    from .cards.parts import WidgetBag

GONE_AFTER_S = 0.4
"""How long no view at all means that the output was cleared; a moved cell has none for a moment."""
SAME_WITHIN_S = 5.0
"""How long after that a page's word of a cleared output is about the same clearing."""
SEEN_BY_THE_END_S = 1.5
"""How long a run that is over waits to hear whether an unknown front end shows widgets; a browser needs 0.1 s."""
VIEW_MIME_TYPE = "application/vnd.jupyter.widget-view+json"
Bundle = Mapping[str, Any]


class Card(Protocol):
    """A part of a live display."""

    root: Any


class _Place(NamedTuple):
    """Where a card was."""

    root: Any


class Standing(NamedTuple):
    """An output that is still being drawn.

    Attributes:
        cell: the id of its cell. client: the front end's session that ran it.
        display: its display id. data: what stands there.
    """

    cell: str
    client: str
    display: str
    data: Bundle


class LiveDisplay:
    """One output of one cell.

    :meth:`open` and :meth:`finish` belong to the cell's thread, or where no cell waits to the loop that the run is in;
    everything else belongs to that loop.
    Nothing is shown before something needs widgets. They come in a single container, under the same display id as the
    record that takes their place.

    Args:
        cell: whose output it is.
        title: the line that stands for the widgets where there are none, e.g. in a file that was saved meanwhile.
        front_ends: what is known of them.
    """

    def __init__(self, cell: Cell, title: str, front_ends: FrontEnds) -> None:
        self._cell = cell
        self._note = note_bundle(title)
        self._front_ends = front_ends
        self._lock = threading.RLock()
        self._handle: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context: Context | None = None
        self._box: VBox | None = None
        self._bag: WidgetBag | None = None
        self._cards: list[tuple[Card, WidgetBag]] = []
        self._views = 0
        self._seen: asyncio.Event | None = None
        self._again: asyncio.TimerHandle | None = None
        self._drawn_again_s = -math.inf
        self._is_assumed = False
        self._is_gone = False
        self._finished = False

    # ---- in the cell's thread

    def _show(self, bundle: Bundle) -> None:
        from IPython.display import display

        self._is_gone = False
        if self._handle is None:
            self._handle = display(dict(bundle), raw=True, display_id=True)
        else:
            self._handle.display(dict(bundle), raw=True)

    def open(self) -> None:
        """Show at once, in the cell that runs now, what stands for the widgets: they may come after its end."""
        with self._lock:
            if self._handle is None:
                self._show(self._note)

    def finish(self, bundle: Bundle) -> None:
        """Put the record in the place of everything that was shown, and close the widgets."""
        with self._lock:
            self._finished = True
            if self._box is not None:
                self._box._view_count = None  # a count that comes after the end would find no widget
            if self._handle is None or not self._stands_there:
                self._show(bundle)
            else:
                self._handle.update(dict(bundle), raw=True)
            self._close_widgets()

    def move_to(self, cell: Cell) -> None:
        """Draw the cards again in the cell that runs now, when that is on another page than they are."""
        with self._lock:
            if not self._finished and self._cards and cell.may_show_widgets and cell.client != self._cell.client:
                self._cell = cell
                self._show(self._box_bundle())

    @property
    def cell_id(self) -> str:
        """The cell whose output it is, ``""`` where nobody knows."""
        return self._cell.cell_id

    def standing(self) -> Standing | None:
        """What is shown by now and will change, ``None`` when there is nothing yet or the record is there."""
        with self._lock:
            if self._handle is None or self._finished:
                return None
            data = self._note if self._box is None else self._box_bundle()
            return Standing(self._cell.cell_id, self._cell.client, self._handle.display_id, data)

    @property
    def _stands_there(self) -> bool:
        """Whether an update of what was shown will be seen: not once it was cleared, and never in a console."""
        cleared = self._is_gone or (self._seen is not None and self._seen.is_set() and self._views == 0)
        return not cleared and self._front_ends.shows_widgets(self._cell.client) is not False

    def _close_widgets(self) -> None:
        for card, bag in self._cards:
            card.root._view_count = None
            bag.close()
        self._cards.clear()
        if self._bag is not None:
            self._bag.close()

    # ---- in the loop of the run

    def add(
        self, make: Callable[[WidgetBag, Callable[..., None]], Card], *, first: bool = False, asks: bool = False
    ) -> Card | None:
        """Show a card, below the others or ``first`` above them.

        ``make`` is given a bag for its widgets and the way to hand callbacks over to this loop. Of a card that
        ``asks`` a front end counts the views, see :meth:`draws`.

        Returns ``None`` when the display is finished already.
        """
        from .cards import WidgetBag

        with self._lock:
            if self._finished:
                return None
            self._ensure_box()
            bag = WidgetBag(self._bag)
            card = make(bag, partial(self.post, self._unless_closed, bag))
            if asks:
                card.root._view_count = 0
            self._cards.insert(0 if first else len(self._cards), (card, bag))
            self._arrange()
            if self._is_gone:
                self._draw_again()
            return card

    def remove(self, card: Card | None, left: str = "") -> None:
        """Take a card away and close its widgets. ``left`` is HTML that stands in its place while others are below it.

        A front end draws everything anew that comes after a widget which goes. In what stands below a person may be
        typing: so the place of the card stays, and goes when nothing is below it any more.
        """
        with self._lock:
            for entry in [e for e in self._cards if e[0] is card]:
                at = self._cards.index(entry)
                entry[0].root._view_count = None  # nobody waits for it any more
                self._cards[at] = self._emptied(*entry, left)
                while self._cards and isinstance(self._cards[-1][0], _Place):
                    _, bag = self._cards.pop()
                    self._arrange()
                    bag.close()

    def _emptied(self, card: Card, bag: WidgetBag, left: str) -> tuple[Card, WidgetBag]:
        """The place of a card whose widgets are closed, but for the one around them."""
        from .cards import WidgetBag

        kept = WidgetBag(self._bag)
        bag.hand_over(card.root, kept)
        if hasattr(card.root, "children"):
            card.root.children = [kept.html(left)] if left else []
        else:
            card.root.value = left
        bag.close()
        return _Place(card.root), kept

    def post(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call ``function`` in the loop of the run. The only thing that a widget callback does, on whatever thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed: a late click has nothing to act on
                # In the cell's context: what a callback shows must not land where its message came from.
                self._loop.call_soon_threadsafe(self._unless_finished, function, *arguments, context=self._context)

    def _unless_finished(self, function: Callable[..., None], *arguments: Any) -> None:
        with self._lock:
            if not self._finished:
                function(*arguments)

    @staticmethod
    def _unless_closed(bag: WidgetBag, function: Callable[..., None], *arguments: Any) -> None:
        """A click on a card that was taken away meanwhile must not make it grow again."""
        if not bag.closed:
            function(*arguments)

    async def draws(self, card: Card, within_s: float) -> bool:
        """Whether a front end says that it draws this card, waiting a while for it to say so.

        That others were drawn here is no sign: a person may have cleared the output since, and JupyterLab tells nobody
        of that. So where some were, the display is shown once more before it is given up.
        """
        drawn = await self._drawn(card, within_s)
        if not drawn and self._seen is not None and self._seen.is_set():
            with self._lock:
                if not self._finished and any(shown is card for shown, _ in self._cards):
                    self._show(self._box_bundle())
            drawn = await self._drawn(card, within_s)
        self._front_ends.learn(self._cell.client, drawn)
        return drawn

    async def _drawn(self, card: Card, within_s: float) -> bool:
        drawn = asyncio.Event()

        def hear(change: Any) -> None:
            if change.new:
                self.post(drawn.set)

        card.root.observe(hear, "_view_count")
        try:
            # No ``wait_for``: it swallows a cancellation in the moment in which the view comes (until Python 3.12).
            with suppress(TimeoutError):
                if not card.root._view_count:
                    async with asyncio.timeout(within_s):
                        await drawn.wait()
            return bool(card.root._view_count)
        finally:
            card.root.unobserve(hear, "_view_count")

    async def _box_seen(self, within_s: float) -> bool:
        """Whether a front end says that it shows the widgets, waiting a while for it to say so."""
        if self._seen is None:
            return False
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._seen.wait()
        self._front_ends.learn(self._cell.client, self._seen.is_set())
        return self._seen.is_set()

    def offers_progress(self, blocking: bool) -> bool:
        """Whether widgets that only show something make sense; a blocked cell cannot hear whether they are shown."""
        shows = self._front_ends.shows_widgets(self._cell.client)
        if shows is None and blocking:
            shows = bool(self._cell.cell_id)
        return self._cell.may_show_widgets and shows is not False

    def hears_typing(self, blocking: bool) -> bool:
        """Whether a person can surely type into a widget here: one that nobody sees would keep a program waiting."""
        shows = self._front_ends.shows_widgets(self._cell.client)
        return self._cell.may_show_widgets and shows is True and not blocking

    async def settle(self) -> None:
        """Before the end: find out whether the widgets were shown, so that the record is put where it will be seen."""
        if self._seen is not None and self._front_ends.shows_widgets(self._cell.client) is None:
            await self._box_seen(SEEN_BY_THE_END_S)

    def _ensure_box(self) -> None:
        if self._box is not None:
            return
        from .cards import WidgetBag

        self._loop, self._seen, self._context = asyncio.get_running_loop(), asyncio.Event(), copy_context()
        self._bag = WidgetBag()
        self._box = self._bag.column()
        self._box._view_count = 0  # from now on a front end counts its views, and says so
        self._box.observe(lambda change: self.post(self._count_views, change.new), "_view_count")
        bundle = self._box_bundle()
        if self._handle is None:
            self._show(bundle)
        else:
            self._handle.update(bundle, raw=True)

    def _box_bundle(self) -> dict[str, Any]:
        assert self._box is not None
        view = self._box._repr_mimebundle_()[VIEW_MIME_TYPE]
        return {**self._note, VIEW_MIME_TYPE: view}

    def _arrange(self) -> None:
        assert self._box is not None
        self._box.children = [card.root for card, _ in self._cards]

    # ---- when the output is cleared

    def _count_views(self, views: int | None) -> None:
        if not views and self._is_assumed:
            return  # of the views that were cleared
        self._views, self._is_assumed = views or 0, False
        assert self._seen is not None and self._loop is not None
        if self._views:
            self._seen.set()
            self._front_ends.learn(self._cell.client, True)
        else:
            self._again = self._loop.call_later(GONE_AFTER_S, self._show_again)

    def _show_again(self) -> None:
        """Somebody cleared the output: what asks must stay answerable."""
        with self._lock:
            if not self._finished and self._views == 0 and self._cards:
                self._drawn_again_s = time.monotonic()
                self._draw_again()

    def _draw_again(self) -> None:
        """It stands there from now on, also where the number of its views is not told."""
        self._show(self._box_bundle())
        self._views, self._is_assumed = 1, True

    def was_cleared(self, widgets: str) -> None:
        """A page says that the container of this id is gone from the output. Any thread.

        JupyterLab does not always tell the number of views then, so this page's word is what counts.
        """
        if self._box is not None and self._box.model_id == widgets:
            self.post(self._show_cleared)

    def _show_cleared(self) -> None:
        if self._again is not None:
            self._again.cancel()
        if time.monotonic() - self._drawn_again_s < SAME_WITHIN_S:
            self._drawn_again_s = -math.inf
        elif self._cards:
            self._draw_again()
        else:
            self._is_gone = True
