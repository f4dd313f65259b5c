"""The panel of what runs: how long, what it said last, and what a person can do about it."""

from __future__ import annotations

import html
import math
from collections.abc import Callable

from ipywidgets import HTML, Button, VBox

from ...shell import Job
from .keys import KeysRow
from .parts import Post, WidgetBag


class ProgressPanel:
    """One HTML widget, and buttons: Stop; for a command also Background, and Type… where it can be typed to.

    Args:
        bag: makes the widgets.
        post: hands a callback over to the loop that owns this panel.
        stop: called for a click on Stop; ``None`` where nobody could hear a click, and there are no buttons then.
        move: called for a click on Background.
        on_keys: called when a person is offered to type.

    Attributes:
        root: the widget to show.
    """

    def __init__(
        self,
        bag: WidgetBag,
        post: Post,
        stop: Callable[[], None] | None,
        move: Callable[[], None],
        on_keys: Callable[[], None],
    ) -> None:
        self._bag, self._post = bag, post
        self._move, self._on_keys = move, on_keys
        self._html = bag.html("")
        self._stop = bag.button("Stop", "Stop what runs", lambda: post(stop), kind="warning") if stop else None
        self._buttons = bag.row(self._stop) if self._stop else None
        self._job: Job | None = None
        self._extra: tuple[Button, ...] = ()
        self._hint: HTML | None = None
        self._said = ""
        self._keys: KeysRow | None = None
        self._keys_bag: WidgetBag | None = None
        self.root: VBox = bag.column(self._html)
        self._arrange()

    def show(self, html: str) -> None:
        """Show this, if it is anything new."""
        if self._html.value != html:
            self._html.value = html

    def offer(self, job: Job | None) -> None:
        """Let the person act on this command; ``None`` when no command runs."""
        if self._stop is None:
            return
        if job is not self._job:
            self._take(job)
        if job is not None and self._keys is None:
            self._tell_of_input(job)
        if self._keys is not None:
            self._keys.refresh()

    def _tell_of_input(self, job: Job) -> None:
        """Where the program has asked, offer to type. Where it only reads, say so: its input ends soon."""
        if job.input.state == "asked":
            self._open_keys()
            return
        words = input_words(job)
        if words == self._said:
            return
        self._said = words
        if self._hint is None:
            self._hint = self._bag.html("")
        self._hint.value = _hint_html(words) if words else ""
        self._arrange()

    def _take(self, job: Job | None) -> None:
        self._close_keys()
        before, self._extra, self._job, self._said = self._extra, (), job, ""
        if job is not None:
            hint = "Let the command go on in the background; the call ends now"
            self._extra = (self._bag.button("Background", hint, lambda: self._post(self._move)),)
            if job.keyboard is not None:
                hint = "Type to the program, or hide the line for it"
                typing = self._bag.button("Type…", hint, lambda: self._post(self._toggle_keys))
                self._extra = (*self._extra, typing)
        self._arrange()
        self._bag.discard(*before)

    def _toggle_keys(self) -> None:
        if self._keys is not None:
            self._close_keys()
            self._arrange()
        elif self._job is not None and self._job.keyboard is not None:
            self._job.input.hold()
            self._open_keys()
            self._keys.focus()  # type: ignore[union-attr]

    def _open_keys(self) -> None:
        assert self._job is not None
        self._on_keys()
        self._said = ""
        self._keys_bag = WidgetBag(self._bag)
        self._keys = KeysRow(self._job, self._keys_bag, self._post)
        self._arrange()

    def _close_keys(self) -> None:
        if self._keys_bag is not None:
            self._keys_bag.close()
        self._keys = self._keys_bag = None

    def _arrange(self) -> None:
        rows = [self._html]
        if self._buttons is not None:
            self._buttons.children = [self._stop, *self._extra]
            rows.append(self._buttons)
        if self._hint is not None and self._said:
            rows.append(self._hint)
        if self._keys is not None:
            rows.append(self._keys.root)
        self.root.children = rows


def input_words(job: Job) -> str:
    """What to tell of a program that reads and has asked nothing; empty where there is nothing to tell."""
    ends_in_s = job.input.ends_in_s
    if ends_in_s:
        return f"The program waits for input. Type… answers it; else its input ends in {math.ceil(ends_in_s)} s."
    return "Nobody typed: the input of the program was ended." if job.input.was_ended else ""


def _hint_html(words: str) -> str:
    style = "font-family:var(--jp-ui-font-family,sans-serif);color:var(--jp-ui-font-color1,inherit);line-height:1.4"
    return f'<div role="status" style="{style}">{html.escape(words)}</div>'
