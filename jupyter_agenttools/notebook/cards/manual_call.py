"""The form for one tool call of a person who plays the model, made from the tool's schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ipywidgets import Widget

from ...core.blocks import ToolUse
from ...core.errors import UsageError
from ...core.tool import Tool
from ...models.form_fields import FormField
from ...models.forms import parse_form, tool_form
from ...render.chars import escape, one_line
from .parts import Post, WidgetBag, problem_html

HINT_CHARS = 300
LEFT_OUT = "(left out)"


class CallForm:
    """The fields of one tool.

    Args:
        tool: what is called. bag: makes the widgets. post: hands a callback over to the loop of the form.
        add: takes the call. back: closes the form.

    Attributes:
        widgets: what to show, from top to bottom.
        made: all of its widgets, also those that are not shown or stand inside of others.
    """

    def __init__(
        self, tool: Tool, bag: WidgetBag, post: Post, add: Callable[[ToolUse], None], back: Callable[[], None]
    ) -> None:
        self._tool, self._bag, self._add = tool, bag, add
        form = tool_form(tool)
        self._fields: dict[str, Any] = {field.name: _widget(field, bag) for field in form.fields}
        self._problem = bag.html("")
        self._anyway = bag.button(
            "Add it anyway", "Add the call as it is: a model can be wrong", lambda: post(self._force)
        )
        self._row = bag.row(
            bag.button(
                "Add this call", f"Add this call of {tool.name}", lambda: post(self._check), kind="success", key="enter"
            ),
            bag.button("Back", "Add no call", lambda: post(back), key="esc"),
        )
        head = bag.html(_head_html(tool.name, form.summary))
        self.widgets: tuple[Widget, ...] = (head, *self._fields.values(), self._problem, self._row)
        self.made: tuple[Widget, ...] = (*self.widgets, *self._row.children, self._anyway)

    def focus(self) -> None:
        """Put the cursor into the first field."""
        next(iter(self._fields.values()), self._row.children[0]).focus()

    def _typed(self) -> dict[str, str]:
        return {name: str(widget.value or "") for name, widget in self._fields.items()}

    def _check(self) -> None:
        try:
            self._add(ToolUse(self._tool.name, parse_form(self._tool, self._typed())))
        except UsageError as problem:
            self._problem.value = problem_html(str(problem))
            if self._anyway not in self._row.children:
                add, *others = self._row.children
                self._row.children = [add, self._anyway, *others]

    def _force(self) -> None:
        try:
            self._add(ToolUse(self._tool.name, parse_form(self._tool, self._typed(), check=False)))
        except UsageError as problem:
            self._problem.value = problem_html(str(problem))


def _widget(field: FormField, bag: WidgetBag) -> Any:
    """The widget that a field is filled in with; its label is the field's name, its hint what it is for."""
    label = f"{field.name} (required)" if field.required else field.name
    hint = one_line(field.description or field.name, HINT_CHARS)
    if field.kind in ("choice", "boolean"):
        words = [choice.label for choice in field.choices] or ["yes", "no"]
        free = () if field.required else ((LEFT_OUT, ""),)
        return bag.dropdown(label, (*free, *((word, word) for word in words)), hint=hint)
    if field.multiline or field.kind == "json":
        example = f" – JSON such as {field.example}" if field.example else ""
        return bag.textarea(label, field.default, hint=one_line(hint + example, HINT_CHARS), least=2)
    return bag.text(label, field.default, hint=hint)


def _head_html(name: str, summary: str) -> str:
    style = "font-family:var(--jp-ui-font-family,sans-serif);color:var(--jp-ui-font-color1,inherit);line-height:1.4"
    return (
        f'<div style="{style};margin-top:6px"><b>Call {escape(name)}</b>: {escape(one_line(summary, HINT_CHARS))}</div>'
    )
