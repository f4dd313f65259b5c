"""What a turn shows while it goes on: texts and thoughts as they stream, and each call with how it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..models.manual import ManualModel
from ..render.call_times import CallTimes
from ..render.chars import count_of
from ..render.style import style_tag
from ..render.totals import cost_words, usage_words
from .agent_slots import StorySlots
from .agent_story import TurnStory
from .live import LiveDisplay
from .run import Run, current_run
from .watcher import QUIET_S, CallWatcher

if TYPE_CHECKING:
    from ipywidgets import HTML

    from ..core.events import ScheduleEvent
    from .runtime import Runtime

CHARS_A_SECOND = 200_000
"""What a page takes well: a bigger update is followed by a longer pause."""

SAY_AFTER_S = 1.0
"""A turn that is over before this has no field for what a person might say."""


class TurnCard:
    """The story as one HTML widget for each of its parts: what does not change is neither sent nor drawn again."""

    def __init__(self, bag: Any, post: Any) -> None:
        self._bag = bag
        self._style = bag.html(style_tag())
        self._slots: list[HTML] = []
        self.root = bag.column(self._style)

    def show(self, slots: Sequence[str]) -> int:
        """Show these parts, each HTML of our own. Returns how many characters had to be sent."""
        sent = sum(self._change(widget, html) for widget, html in zip(self._slots, slots, strict=False))
        if new := [self._bag.html(html) for html in slots[len(self._slots) :]]:
            self._slots += new
            self.root.children = [self._style, *self._slots]
        for widget in self._slots[len(slots) :]:
            sent += self._change(widget, "")
        return sent + sum(len(widget.value) for widget in new)

    @staticmethod
    def _change(widget: HTML, html: str) -> int:
        if widget.value == html:
            return 0
        widget.value = html
        return len(html)


class TurnWatcher(CallWatcher):
    """Also shows the story of the turn, above what runs.

    Args:
        model: who answers, for the line that says what is waited for.
    """

    def __init__(self, run: Run, live: LiveDisplay, runtime: Runtime, model: str = "") -> None:
        super().__init__(run, live, runtime)
        self._model = model or "the model"
        self._drawing = StorySlots(runtime.session)
        self._card: TurnCard | None = None
        self._next = 0.0
        self._offered = model == ManualModel.name  # whoever plays the model need not tell it anything
        self.story = TurnStory()
        self.times = CallTimes()

    def on_schedule(self, event: ScheduleEvent) -> None:
        """A call of this turn is somewhere else now."""
        if current_run() is self._run:
            self.times.take(event)

    def refresh(self, now: float) -> None:
        if self.story.parts and now >= self._next:
            if self._card is None:
                self._card = self._live.add(TurnCard, first=True)  # type: ignore[assignment]
            if self._card is not None:
                sent = self._card.show(self._drawing.draw(self.story))
                self._next = now + sent / CHARS_A_SECOND
        self._offer_to_say()
        super().refresh(now)

    def _offer_to_say(self) -> None:
        """After a moment, let a person tell the model something. It comes after the card, whose coming moves it."""
        if self._offered or self._card is None or self.story.seconds < SAY_AFTER_S:
            return
        if self._live.hears_typing(self._run.blocking):
            from .cards import SayRow

            self._offered = True
            self._hear()
            self._live.add(lambda bag, post: SayRow(bag, post, self._runtime.saying.say))

    def idle_words(self) -> str:
        """That the model is waited for, and what the turn took so far."""
        story = self.story
        if story.ended is not None or story.seconds < QUIET_S:
            return ""
        known = (
            f"{self._model} answers" if story.text_is_open else f"waiting for {self._model}",
            count_of(story.turns, "turn") if story.turns else "",
            usage_words(story.usage),
            cost_words(story.cost_usd) if story.cost_usd is not None else "",
            f"{story.seconds:.0f} s",
        )
        return " · ".join(filter(None, known))
