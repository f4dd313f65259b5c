"""Below the buttons of a card: saying no, with a reason, and stopping the whole turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ipywidgets import Widget

from ...core.prompting import PermissionAnswer
from .parts import TEXT_AFTER_ENTER_S, Post, WidgetBag


class DenyDrawer:
    """A line for the reason, which the model is told.

    Args:
        name: the tool. bag: makes the widgets. post: hands a callback over to the loop of the card.
        answer: gives the answer. back: closes the drawer.

    Attributes:
        widgets: what to show, from top to bottom.
    """

    def __init__(
        self,
        name: str,
        bag: WidgetBag,
        post: Post,
        answer: Callable[[PermissionAnswer], None],
        back: Callable[[], None],
    ) -> None:
        self._post, self._answer = post, answer
        self._reason = bag.text(
            "Reason", hint="told to the model; Enter sends", on_enter=lambda: post(self._on_enter)
        )
        row = bag.row(
            bag.button("Send denial", f"Refuse this call with this reason ({name})", lambda: post(self.send), kind="danger", key="enter"),
            bag.button("Deny & stop the turn", f"Refuse this call, and end the turn ({name})", lambda: post(self._stop)),
            bag.button("Back", "Do not deny it yet", lambda: post(back), key="esc"),
        )
        self.widgets: tuple[Widget, ...] = (self._reason, row)

    def focus(self) -> None:
        self._reason.focus()

    def _on_enter(self) -> None:
        asyncio.get_running_loop().call_later(TEXT_AFTER_ENTER_S, self._post, self.send)

    def send(self) -> None:
        self._answer(PermissionAnswer("deny", self._reason.value.strip(), answered_by="widget"))

    def _stop(self) -> None:
        self._answer(PermissionAnswer("deny", self._reason.value.strip(), answered_by="widget", interrupt=True))
