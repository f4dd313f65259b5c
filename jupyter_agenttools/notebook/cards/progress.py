"""The panel of what runs: how long, what it said last, and a button to stop it."""

from __future__ import annotations

from collections.abc import Callable

from ipywidgets import VBox

from .parts import Post, WidgetBag


class ProgressPanel:
    """One HTML widget and a Stop button.

    Args:
        bag: makes the widgets.
        post: hands a callback over to the loop that owns this panel.
        stop: called for a click on Stop; ``None`` where nobody could hear the click, and there is no button then.

    Attributes:
        root: the widget to show.
    """

    def __init__(self, bag: WidgetBag, post: Post, stop: Callable[[], None] | None) -> None:
        self._html = bag.html("")
        stop_row = [bag.row(bag.button("Stop", "Stop what runs", lambda: post(stop), kind="warning"))] if stop else []
        self.root: VBox = bag.column(self._html, *stop_row)

    def show(self, html: str) -> None:
        """Show this, if it is anything new."""
        if self._html.value != html:
            self._html.value = html
