"""Typing to a program that runs: a line of text, Send, and the two keys that every terminal has."""

from __future__ import annotations

import asyncio
import html
from collections.abc import Callable

from ipywidgets import VBox

from ...core.errors import ToolError, UsageError
from ...shell import Job
from .fields import PasswordField, TextField
from .parts import TEXT_AFTER_ENTER_S, Post, WidgetBag, problem_html

ENDS = "End of input"
BREAKS = "Ctrl-C"


class KeysRow:
    """Types to one command. What is typed is handed to its terminal, taken out of the field, and kept nowhere.

    Args:
        job: the command.
        bag: makes the widgets.
        post: hands a callback over to the loop that owns this row.

    Attributes:
        root: the widget to show.
    """

    def __init__(self, job: Job, bag: WidgetBag, post: Post) -> None:
        self._job, self._bag, self._post = job, bag, post
        self._hides = job.hides_typing
        self._asks = job.input.state == "asked"
        self._head = bag.html(_head_html(self._hides, self._asks))
        self._field = self._make_field()
        self._row = bag.row(
            bag.button("Send", "Type this line to the program, and press Enter", lambda: post(self._send), kind="info"),
            bag.button(ENDS, "Press Ctrl-D: there is no more to read", lambda: post(self._press_end)),
            bag.button(BREAKS, "Press Ctrl-C: interrupt the program", lambda: post(self._press_interrupt)),
        )
        self.root: VBox = bag.column(self._head, self._field, self._row)

    def _make_field(self) -> TextField | PasswordField:
        label, hint = ("Password", "hidden, and not kept") if self._hides else ("Your answer", "Enter sends the line")
        return self._bag.text(label, hint=hint, on_enter=lambda: self._post(self._on_enter), hidden=self._hides)

    def focus(self) -> None:
        """Let the person type at once."""
        self._field.focus()

    def refresh(self) -> None:
        """Show what is typed, or hide it, as the program wants it now."""
        if self._job.hides_typing == self._hides or self._field.value:
            return
        self._hides = not self._hides
        before, self._field = self._field, self._make_field()
        self._head.value = _head_html(self._hides, self._asks)
        self.root.children = [self._head, self._field, self._row]
        self._bag.discard(before)

    def _on_enter(self) -> None:
        asyncio.get_running_loop().call_later(TEXT_AFTER_ENTER_S, self._post, self._send)

    def _send(self) -> None:
        line, self._field.value = self._field.value, ""
        self._act(lambda: self._job.type(line))

    def _press_end(self) -> None:
        self._act(lambda: self._job.press("end"))

    def _press_interrupt(self) -> None:
        self._act(lambda: self._job.press("interrupt"))

    def _act(self, act: Callable[[], None]) -> None:
        try:
            act()
        except (UsageError, ToolError) as problem:
            self._head.value = problem_html(str(problem))


def _head_html(hides: bool, asks: bool) -> str:
    what = "The program waits for an answer" if asks else "Type to the program"
    if hides:
        what = "The program asks for something that it does not show"
    style = "font-family:var(--jp-ui-font-family,sans-serif);color:var(--jp-ui-font-color1,inherit);line-height:1.4"
    return f'<div role="status" aria-live="polite" style="{style}">{html.escape(what)}</div>'
