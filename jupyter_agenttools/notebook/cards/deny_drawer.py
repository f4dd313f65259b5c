"""Below the buttons of a card: saying no, with a reason, and stopping the whole turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ipywidgets import Widget

from ...core.prompting import PermissionAnswer
from .ask import AskCard
from .parts import TEXT_AFTER_ENTER_S


class DenyDrawer:
    """A line for the reason, which the model is told.

    Args:
        card: whose answer it gives. label, send, stop: what the line and its buttons are called.
        words: what the model is told, made of what stands in the line.

    Attributes:
        widgets: what to show, from top to bottom.
    """

    def __init__(
        self,
        card: AskCard,
        label: str = "Reason",
        send: str = "Send denial",
        words: Callable[[str], str] = str,
        stop: str = "Deny & stop the turn",
    ) -> None:
        self._card, self._words = card, words
        bag, post, name = card.bag, card.post, card.request.tool_name
        hint = "told to the model; Enter sends"
        self._reason = bag.text(label, hint=hint, on_enter=lambda: post(self._on_enter))
        hints = (f"Tell the model no, with these words ({name})", f"Tell it no, and end the turn ({name})")
        row = bag.row(
            bag.button(send, hints[0], lambda: post(self.send), kind="danger", key="enter"),
            bag.button(stop, hints[1], lambda: post(self._stop)),
            bag.button("Back", "Say nothing yet", lambda: post(card.close), key="esc"),
        )
        self.widgets: tuple[Widget, ...] = (self._reason, row)

    def focus(self) -> None:
        self._reason.focus()

    def _on_enter(self) -> None:
        asyncio.get_running_loop().call_later(TEXT_AFTER_ENTER_S, self._card.post, self.send)

    def send(self) -> None:
        """Give the denial with what stands in the line."""
        self._deny(interrupt=False)

    def _stop(self) -> None:
        self._deny(interrupt=True)

    def _deny(self, *, interrupt: bool) -> None:
        message = self._words(self._reason.value.strip())
        self._card.answer(PermissionAnswer("deny", message, answered_by="widget", interrupt=interrupt))
