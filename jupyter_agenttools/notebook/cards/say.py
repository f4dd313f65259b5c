"""Telling the model something while it works: a line of text below the turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ipywidgets import VBox

from ...core.errors import UsageError
from ...render.chars import escape, one_line
from .page import CARD_CLASS
from .parts import TEXT_AFTER_ENTER_S, Post, WidgetBag, problem_html

SHOWN_CHARS = 120


class SayRow:
    """A field whose text reaches the model before its next answer. Enter sends it.

    Args:
        bag: makes the widgets.
        post: hands a callback over to the loop that owns this row.
        say: tells the model; raises a ``UsageError`` where nothing runs any more.

    Attributes:
        root: the widget to show.
    """

    def __init__(self, bag: WidgetBag, post: Post, say: Callable[[str], None]) -> None:
        self._post, self._say = post, say
        hint = "reaches the model before its next answer; Enter sends"
        self._field = bag.text("Tell the model", hint=hint, on_enter=lambda: post(self._on_enter))
        self._row = bag.row(bag.button("Send", "Tell the model this", lambda: post(self._send), kind="info"))
        self._said = bag.html("")
        self.root: VBox = bag.column(self._field, self._row, self._said, css=CARD_CLASS)

    def _on_enter(self) -> None:
        asyncio.get_running_loop().call_later(TEXT_AFTER_ENTER_S, self._post, self._send)

    def _send(self) -> None:
        text = self._field.value.strip()
        if not text:
            return
        try:
            self._say(text)
        except UsageError as problem:
            self._said.value = problem_html(str(problem))
            return
        self._field.value = ""
        self._said.value = said_html(text)


def said_html(text: str) -> str:
    """That something was said, and when the model reads it."""
    style = "font-family:var(--jp-ui-font-family,sans-serif);color:var(--jp-ui-font-color2,inherit);line-height:1.4"
    words = f"Said: {one_line(text, SHOWN_CHARS)} (the model reads it before its next answer)"
    return f'<div role="status" style="{style}">{escape(words)}</div>'
