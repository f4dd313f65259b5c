"""Below the buttons of a card: changing the input in place. It is validated and judged before anything is answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ipywidgets import Widget

from ...core.errors import UsageError
from ...core.prompting import PermissionAnswer
from ...session import problem_of_input
from .ask import AskCard


class EditDrawer:
    """A field with the main text of the input, or all of the input as JSON.

    Args:
        card: whose answer it gives.
        whole: opens it anew with all of the input; ``None`` where all of it is shown.
        run: what the button is called.

    Attributes:
        widgets: what to show, from top to bottom.
    """

    def __init__(self, card: AskCard, whole: Callable[[], None] | None = None, run: str = "Run edited") -> None:
        self._card = card
        bag, post, request = card.bag, card.post, card.request
        tool = card.session.find_tool(request.tool_name)
        self._field, text = editable(request.input, tool.body_field if tool and whole else None)
        hint = f"The new {self._field}" if self._field else "The whole new input, a JSON object"
        self._text = bag.textarea(self._field or "Input (JSON)", text, hint=hint)
        hint = f"Judge the edited input, and run it ({request.tool_name})"
        buttons = [bag.button(run, hint, lambda: post(self._run), kind="success", key="enter")]
        if self._field and whole and len(request.input) > 1:
            buttons.append(bag.button("All arguments…", "Edit the whole input as JSON", lambda: post(whole)))
        buttons.append(bag.button("Back", "Leave the input as it is", lambda: post(card.close), key="esc"))
        self.widgets: tuple[Widget, ...] = (self._text, bag.row(*buttons))

    def focus(self) -> None:
        self._text.focus()

    def _run(self) -> None:
        try:
            edited = edited_input(self._card.request.input, self._field, self._text.value)
        except UsageError as error:
            self._card.complain(str(error))
            return
        self._card.spawn(self._judge(edited))

    async def _judge(self, edited: dict[str, Any]) -> None:
        problem = await problem_of_input(self._card.session, self._card.request, edited)
        if problem:
            self._card.complain(problem)
        else:
            self._card.answer(PermissionAnswer("allow", updated_input=edited, answered_by="widget"))


def editable(input: Mapping[str, Any], field: str | None) -> tuple[str, str]:
    """What a person edits: the main text of the input and its field, or ``""`` and the JSON of the whole input."""
    if field and isinstance(input.get(field), str):
        return field, input[field]
    return "", json.dumps(dict(input), indent=2, ensure_ascii=False)


def edited_input(input: Mapping[str, Any], field: str, text: str) -> dict[str, Any]:
    """The whole input after an edit.

    Raises:
        UsageError: the text is no JSON object.
    """
    if field:
        return {**input, field: text}
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError('the input must be a JSON object, e.g. {"field": "value"}')
    return value
