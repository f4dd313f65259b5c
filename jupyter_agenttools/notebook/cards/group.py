"""The bar above the questions of one display: how many wait, which is next, and one answer for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ipywidgets import Button, VBox

from ...core.prompting import PermissionAnswer
from ...render.chars import escape, one_line
from ...session.asked_call import call_title
from ..prompts import OpenPrompt
from .page import BAR_CLASS, page_html
from .parts import Post, WidgetBag

TITLE_CHARS = 160
LISTED = 12


class GroupBar:
    """Says what waits as soon as that is more than one question.

    A click answers the questions that were listed when its button was drawn, and no other.

    Attributes:
        root: the widget to show.
    """

    def __init__(self, bag: WidgetBag, post: Post) -> None:
        self._bag, self._post = bag, post
        self._text = bag.html(page_html())
        self._drawn: tuple[object, ...] = ()
        self._row: VBox | None = None
        self.root: VBox = bag.column(self._text, css=BAR_CLASS)

    def show(self, waiting: Sequence[OpenPrompt], elsewhere: int = 0) -> None:
        """Say what waits here, first the next one, and how much in other places."""
        drawn = (*waiting, elsewhere)
        if drawn == self._drawn:
            return
        self._drawn = drawn
        self._text.value = page_html() + waiting_html(waiting, elsewhere)
        self._draw_buttons(tuple(p for p in waiting if p.request.form == "approval"))

    def _draw_buttons(self, prompts: tuple[OpenPrompt, ...]) -> None:
        before, self._row = self._row, None
        if len(prompts) > 1:
            self._row = self._bag.row(self._button("allow", prompts), self._button("deny", prompts))
        if before is not self._row:
            self.root.children = [self._text, *([self._row] if self._row is not None else [])]
        if before is not None:
            self._bag.discard(*before.children, before)

    def _button(self, behavior: Literal["allow", "deny"], prompts: tuple[OpenPrompt, ...]) -> Button:
        count, kind = len(prompts), "success" if behavior == "allow" else "danger"
        said = ("Allow", "Run all of them once") if behavior == "allow" else ("Deny", "Refuse all of them")
        hint = f"{said[1]}: the {count} calls that are listed here"
        return self._bag.button(
            f"{said[0]} all {count}",
            hint,
            lambda: self._post(_answer_all, behavior, prompts),
            kind=kind,
            key="all-y" if behavior == "allow" else "all-n",
        )


def _answer_all(behavior: Literal["allow", "deny"], prompts: tuple[OpenPrompt, ...]) -> None:
    for prompt in prompts:
        prompt.answer(PermissionAnswer(behavior, answered_by="widget"))


def waiting_html(waiting: Sequence[OpenPrompt], elsewhere: int) -> str:
    """The list of what waits; nothing for a single question."""
    if len(waiting) + bool(elsewhere) < 2:
        return ""
    style = "font-family:var(--jp-ui-font-family,sans-serif);color:var(--jp-ui-font-color1,inherit);line-height:1.4"
    head = f"{len(waiting)} questions wait for an answer" if len(waiting) > 1 else "1 question waits for an answer"
    also = f"; {elsewhere} more in {'another place' if elsewhere == 1 else 'other places'}" if elsewhere else ""
    items = "".join(f"<li>{_item(prompt, at == 0)}</li>" for at, prompt in enumerate(waiting[:LISTED]))
    more = f"<li>… and {len(waiting) - LISTED} more</li>" if len(waiting) > LISTED else ""
    shown = f'<ol style="margin:2px 0 4px;padding-left:2em">{items}{more}</ol>' if len(waiting) > 1 else ""
    return f'<div role="status" aria-live="polite" style="{style}"><b>{head}</b>{also}{shown}</div>'


def _item(prompt: OpenPrompt, is_next: bool) -> str:
    request = prompt.request
    who = f" (agent {request.agent_id})" if request.agent_id else ""
    words = escape(one_line(f"{call_title(request)}{who}", TITLE_CHARS))
    return f"{words} – <b>next</b>" if is_next else words
