"""Being the model: a form in which a person writes its answer and the tool calls in it."""

from __future__ import annotations

import json
from concurrent.futures import Future, InvalidStateError
from typing import Any

from ipywidgets import HBox, VBox, Widget

from ...core.blocks import TextBlock, ToolUse, to_json
from ...models import ModelRequest
from ...models.turns import Turn
from ...render.chars import escape, one_line
from ..manual_form_view import answers_so_far, request_html
from .manual_call import CallForm
from .page import CARD_CLASS, page_html
from .parts import Post, WidgetBag, heading_html, problem_html

CALL_CHARS = 300
MANUAL_CLASS = "agt-manual"
ROOM = f"<style>.{MANUAL_CLASS} textarea{{min-height:4.5em}}</style>"
"""An answer mostly has more than one line, which its field is to show."""
DETAIL = "Below is what the model is given. Write its answer, and the calls that it makes, as it would."


class ManualCard:
    """The form for one answer.

    Args:
        request: what the model is given.
        answer: takes the answer, once.
        bag: makes the widgets. post: hands a callback over to the loop that owns the card.

    Attributes:
        root: the widget to show.
    """

    def __init__(self, request: ModelRequest, answer: Future[Turn], bag: WidgetBag, post: Post) -> None:
        self._request, self._answer, self._bag, self._post = request, answer, bag, post
        self._calls: dict[str, tuple[ToolUse, HBox]] = {}
        self._form: CallForm | None = None
        title = f"You are the model: answer {answers_so_far(request.messages) + 1}"
        self._face = bag.html(heading_html(title, DETAIL) + request_html(request))
        self._text = bag.textarea("Your answer", "", hint="The model's text, Markdown", least=3)
        names = tuple((tool.name, tool.name) for tool in request.tools)
        self._tools = bag.dropdown("Tool", names, hint="Which tool the model calls") if names else None
        adding: tuple[Widget, ...] = ()
        if self._tools is not None:
            adding = (self._tools, bag.button("Add a call…", "Fill in a call of this tool", lambda: post(self._open)))
        self._adding = bag.row(*adding)
        self._problem = bag.html("")
        self._row = bag.row(
            bag.button(
                "Send",
                "Send the text and the calls, which are run",
                lambda: post(self._send),
                kind="success",
                key="enter",
            ),
            bag.button("End the turn", "Send the text as the last answer", lambda: post(self._end), kind="info"),
        )
        self._page = bag.html(page_html() + ROOM)  # last: it looks at the buttons that stand above it
        self.root: VBox = bag.column(css=CARD_CLASS)
        self.root.add_class(MANUAL_CLASS)
        self._arrange()

    def focus(self) -> None:
        """Put the cursor into the answer."""
        self._text.focus()

    # ---- calls

    def _open(self) -> None:
        assert self._tools is not None
        tool = next(tool for tool in self._request.tools if tool.name == self._tools.value)
        before, self._form = self._form, CallForm(tool, self._bag, self._post, self._add, self._close)
        self._arrange(before)
        self._form.focus()

    def _close(self) -> None:
        before, self._form = self._form, None
        self._arrange(before)

    def _add(self, use: ToolUse) -> None:
        hint = f"Take back call {use.name}"
        remove = self._bag.button("Remove", hint, lambda: self._post(self._remove, use))
        self._calls[use.id] = (use, self._bag.row(self._bag.html(_call_html(use)), remove))
        self._problem.value = ""
        self._close()

    def _remove(self, use: ToolUse) -> None:
        _, row = self._calls.pop(use.id)
        self._arrange()
        self._bag.discard(*row.children, row)

    def _arrange(self, closed: CallForm | None = None) -> None:
        """Show what there is now, and close the widgets of a form that is not there any more.

        While a call is filled in there is nothing else to send.
        """
        calls = [row for _, row in self._calls.values()]
        below = self._form.widgets if self._form is not None else (self._problem, self._row)
        self.root.children = [self._face, self._text, *calls, self._adding, *below, self._page]
        if closed is not None:
            self._bag.discard(*closed.made)

    # ---- the answer

    def _send(self) -> None:
        if not self._calls and not self._text.value.strip():
            self._complain("write an answer, or add a call")
        else:
            self._give(tuple(use for use, _ in self._calls.values()))

    def _end(self) -> None:
        if self._calls:
            self._complain("the last answer calls nothing: remove the calls, or send them")
        elif not self._text.value.strip():
            self._complain("write the last answer")
        else:
            self._give(())

    def _give(self, calls: tuple[ToolUse, ...]) -> None:
        text: tuple[Any, ...] = (TextBlock(self._text.value),) if self._text.value.strip() else ()
        try:
            self._answer.set_result(Turn((*text, *calls)))
        except InvalidStateError:  # the query was stopped meanwhile
            return
        for button in self._row.children:
            button.disabled = True

    def _complain(self, message: str) -> None:
        self._problem.value = problem_html(message)


def _call_html(use: ToolUse) -> str:
    text = one_line(json.dumps(to_json(use.input), ensure_ascii=False), CALL_CHARS)
    style = "font-family:var(--jp-code-font-family,monospace);overflow-wrap:anywhere"
    return f'<div style="{style}">calls <b>{escape(use.name)}</b> {escape(text)}</div>'
