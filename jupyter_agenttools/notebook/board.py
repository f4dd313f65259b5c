"""The questions that are drawn in one display, in the order in which they came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .live import LiveDisplay
from .prompts import OpenPrompt, OpenPrompts

if TYPE_CHECKING:
    from .cards import GroupBar


class QuestionBoard:
    """Keeps the bar above the cards of a display as the questions are.

    Args:
        live: the display. prompts: every open question of the kernel.
    """

    def __init__(self, live: LiveDisplay, prompts: OpenPrompts) -> None:
        from .cards import GroupBar

        self._live, self._prompts = live, prompts
        self._here: list[OpenPrompt] = []
        self._bar: GroupBar | None = live.add(GroupBar)  # type: ignore[assignment]

    def enter(self, prompt: OpenPrompt) -> None:
        """A question is drawn here from now on."""
        self._here.append(prompt)
        self.refresh()

    def leave(self, prompt: OpenPrompt) -> None:
        if prompt in self._here:
            self._here.remove(prompt)
        self.refresh()

    def refresh(self) -> None:
        """Draw the bar again, in the loop of the display, as soon as that turns."""
        self._live.post(self._draw)

    def _draw(self) -> None:
        if self._bar is None:
            return
        here = [prompt for prompt in self._here if prompt.is_open]
        elsewhere = sum(prompt.is_open and prompt not in self._here for prompt in self._prompts.all())
        self._bar.show(here, elsewhere)
