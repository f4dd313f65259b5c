"""What every card is made of: widgets that are counted, shared and closed together."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any, TypeVar

import ipywidgets
from ipywidgets import Button, HBox, Layout, VBox
from ipywidgets.widgets.widget_bool import CheckboxStyle
from ipywidgets.widgets.widget_button import ButtonStyle
from ipywidgets.widgets.widget_description import DescriptionStyle
from ipywidgets.widgets.widget_string import HTMLStyle, TextStyle

from ...render.chars import escape
from .fields import CheckField, ChoiceField, PasswordField, RadioField, TextAreaField, TextField

Kind = TypeVar("Kind", bound=ipywidgets.Widget)
Post = Callable[..., None]
"""Hands a call over to the loop that owns the cards: widget callbacks do nothing else, whatever thread they are on."""


ROW_CHARS = 70
"""So many characters fit into a row of a field where a page is narrow."""

MAX_ROWS = 20

TEXT_AFTER_ENTER_S = 0.1
"""A front end tells of the Enter key first and sends the text after it, with the field's change event."""


class LeanLayout(Layout):
    """A layout that sends what it says and not the forty things that it does not say: those are null in a page too."""

    def get_state(self, key: Any = None, drop_defaults: bool = False) -> dict[str, Any]:
        state = super().get_state(key, drop_defaults)
        return {name: value for name, value in state.items() if key is not None or value is not None}


class WidgetBag:
    """Makes widgets and closes all of them. Layouts and styles are shared: each widget of its own costs a message."""

    def __init__(self, parent: WidgetBag | None = None) -> None:
        self.closed = False
        self._parent = parent
        self._made: list[ipywidgets.Widget] = []
        self._shared: dict[str, ipywidgets.Widget] = parent._shared if parent else {}

    def _keep(self, widget: Kind) -> Kind:
        self._made.append(widget)
        return widget

    def _share(self, name: str, make: Callable[[], ipywidgets.Widget]) -> Any:
        """A layout or style that all widgets of the display have in common; its outermost bag closes it."""
        if name not in self._shared:
            self._shared[name] = make()
        return self._shared[name]

    def layout(self) -> Layout:
        return self._share("layout", lambda: LeanLayout(width="auto", margin="2px"))

    def html(self, value: str) -> ipywidgets.HTML:
        style = self._share("html", HTMLStyle)
        # As a flex box, which it is by itself, it would grow with its longest line and leave the cell.
        layout = self._share("block", lambda: LeanLayout(display="block", width="auto", margin="2px"))
        return self._keep(ipywidgets.HTML(value, layout=layout, style=style))

    def button(self, label: str, hint: str, on_click: Callable[[], None], *, kind: str = "", key: str = "") -> Button:
        """A button; ``hint`` is its tooltip and what a screen reader says, ``key`` the letter that presses it."""
        style = self._share("button", ButtonStyle)
        classes = (f"agt-key-{key}",) if key else ()
        button = self._keep(
            Button(
                description=label,
                tooltip=hint,
                button_style=kind,
                layout=self.layout(),
                style=style,
                _dom_classes=classes,
            )
        )
        button.on_click(lambda _: on_click())
        return button

    def text(
        self,
        label: str,
        value: str = "",
        *,
        hint: str = "",
        on_enter: Callable[[], None] | None = None,
        hidden: bool = False,
    ) -> TextField | PasswordField:
        """A line of text, as dots when ``hidden``; ``on_enter`` is called when Enter is pressed in it."""
        style = self._share("text", lambda: TextStyle(description_width="initial"))
        text = self._keep(
            (PasswordField if hidden else TextField)(
                value,
                description=label,
                placeholder=hint,
                tooltip=hint,
                layout=self._wide(),
                style=style,
                continuous_update=False,
            )
        )
        if on_enter is not None:
            text.on_msg(lambda _, content, __: on_enter() if content.get("event") == "submit" else None)
        return text

    def textarea(self, label: str, value: str, *, hint: str, least: int = 3) -> TextAreaField:
        """Lines of text, at first with room for those that there are and for ``least``."""
        style = self._share("text", lambda: TextStyle(description_width="initial"))
        return self._keep(
            TextAreaField(
                value,
                description=label,
                tooltip=hint,
                rows=rows_of(value, least),
                layout=self._wide(),
                style=style,
                continuous_update=False,
            )
        )

    def dropdown(self, label: str, options: tuple[tuple[str, str], ...], *, hint: str) -> ChoiceField:
        style = self._share("description", lambda: DescriptionStyle(description_width="initial"))
        return self._keep(
            ChoiceField(options=options, description=label, tooltip=hint, layout=self.layout(), style=style)
        )

    def radio(self, options: tuple[str, ...], *, hint: str) -> RadioField:
        """A choice of one of several, none of them at first; ``hint`` says of what."""
        style = self._share("description", lambda: DescriptionStyle(description_width="initial"))
        return self._keep(RadioField(options=options, index=None, tooltip=hint, layout=self.layout(), style=style))

    def checkbox(self, label: str, *, hint: str) -> CheckField:
        style = self._share("check", lambda: CheckboxStyle(description_width="initial"))
        return self._keep(CheckField(description=label, tooltip=hint, indent=False, layout=self.layout(), style=style))

    def _wide(self) -> Layout:
        return self._share("wide", lambda: LeanLayout(width="auto", margin="2px"))

    def _column(self) -> Layout:
        return self._share("column", lambda: LeanLayout(margin="0"))

    def row(self, *children: ipywidgets.Widget) -> HBox:
        layout = self._share("row", lambda: LeanLayout(flex_flow="row wrap", align_items="center"))
        return self._keep(HBox(list(children), layout=layout))

    def column(self, *children: ipywidgets.Widget, css: str = "") -> VBox:
        return self._keep(VBox(list(children), layout=self._column(), _dom_classes=(css,) if css else ()))

    def hand_over(self, widget: ipywidgets.Widget, to: WidgetBag) -> None:
        """Leave a widget to another bag: it stays when this one is closed."""
        self._made.remove(widget)
        to._keep(widget)

    def discard(self, *widgets: ipywidgets.Widget) -> None:
        """Close some widgets that are no longer shown."""
        for widget in widgets:
            self._made.remove(widget)
            widget.close()

    def close(self) -> None:
        """Close every widget that was made here, and what they share when this is the outermost bag."""
        self.closed = True
        for widget in self._made:
            widget.close()
        self._made.clear()
        if self._parent is None:
            for widget in self._shared.values():
                widget.close()
            self._shared.clear()


def rows_of(text: str, least: int) -> int:
    """How many rows a field needs for this text, long lines broken."""
    return min(MAX_ROWS, max(least, sum(1 + len(line) // ROW_CHARS for line in text.split("\n"))))


def problem_html(message: str) -> str:
    """A message about something that a person typed; the word says it, not the colour alone."""
    style = "color:var(--jp-error-color1,#b00020);overflow-wrap:anywhere;line-height:1.4"
    return f'<div role="alert" style="{style}"><b>Not yet:</b> {html.escape(message)}</div>'


def heading_html(text: str, detail: str = "", *, name: str = "") -> str:
    """A card's first line, announced by a screen reader when it appears; ``name`` is what the whole card is called."""
    style = (
        "font-family:var(--jp-ui-font-family,sans-serif);color:var(--jp-ui-font-color1,inherit);line-height:1.4;"
        "overflow-wrap:anywhere"
    )
    detail = f"<div>{escape(detail)}</div>" if detail else ""
    named = f' data-name="{html.escape(name)}"' if name else ""
    return f'<div role="status" aria-live="assertive"{named} style="{style}"><b>{html.escape(text)}</b>{detail}</div>'
