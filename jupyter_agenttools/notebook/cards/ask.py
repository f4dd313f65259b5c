"""What every card that asks has: one question, one answer, buttons, and a drawer below them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Protocol

from ipywidgets import Button, VBox, Widget

from ...core.faults import faults
from ...core.prompting import PermissionAnswer, PermissionRequest
from ...session import Session
from ..prompts import OpenPrompt
from .page import CARD_CLASS
from .parts import Post, WidgetBag, problem_html


class Drawer(Protocol):
    """What is open below the buttons."""

    widgets: tuple[Widget, ...]

    def focus(self) -> None: ...


class AskCard:
    """One question on a page. The card gives an answer only for what a person does in it.

    Args:
        prompt: the question.
        session: knows the tool and what a rule covers.
        bag: makes the widgets.
        post: hands a callback over to the loop that owns this card.

    Attributes:
        root: the widget to show.
    """

    def __init__(self, prompt: OpenPrompt, session: Session, bag: WidgetBag, post: Post) -> None:
        self.prompt, self.session, self.bag, self.post = prompt, session, bag, post
        self.drawer: Drawer | None = None
        self._buttons: tuple[Button, ...] = ()
        self._top: tuple[Widget, ...] = ()
        self._problem: Widget | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.root: VBox = bag.column(css=CARD_CLASS)

    @property
    def request(self) -> PermissionRequest:
        """The question as it stands."""
        return self.prompt.request

    def build(self, *above: Widget, buttons: Sequence[Button]) -> None:
        """Show these widgets, and the buttons below them."""
        self._buttons = tuple(buttons)
        self._top = (*above, self.bag.row(*buttons))
        self._arrange()

    def button(self, label: str, hint: str, act: Any, key: str, kind: str = "") -> Button:
        """A button of this card; ``key`` is the letter that presses it."""
        hint = f"{hint} ({self.request.tool_name})"
        return self.bag.button(label, hint, lambda: self.post(act), kind=kind, key=key)

    def answer(self, answer: PermissionAnswer) -> None:
        """Give the answer. Only the first one that anybody gives counts; afterwards the buttons are dead."""
        if self.prompt.answer(answer):
            for button in self._buttons:
                button.disabled = True

    # ---- what is open below the buttons

    def open(self, drawer: Drawer) -> None:
        """Open a drawer in the place of the one that is open, and put the cursor into it."""
        closed = self._contents()
        self.drawer, self._problem = drawer, None
        self._arrange()
        self.bag.discard(*closed)
        drawer.focus()

    def close(self) -> None:
        """Close the drawer."""
        closed = self._contents()
        self.drawer = self._problem = None
        self._arrange()
        self.bag.discard(*closed)

    def complain(self, message: str) -> None:
        """Show why something cannot be done yet; whatever was typed stays."""
        if self._problem is None:
            self._problem = self.bag.html("")
        self._problem.value = problem_html(message)
        self._arrange()

    def _contents(self) -> tuple[Widget, ...]:
        """The widgets of the drawer, with what is inside of its rows."""
        shown = self.drawer.widgets if self.drawer is not None else ()
        inside = (child for widget in shown for child in getattr(widget, "children", ()))
        return (*shown, *inside, *([self._problem] if self._problem is not None else ()))

    def _arrange(self) -> None:
        below = self.drawer.widgets if self.drawer is not None else ()
        problem = (self._problem,) if self._problem is not None else ()
        self.root.children = [*self._top, *below, *problem]

    # ---- what takes a while

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something that takes a while, in the loop of this card. A fault in it is shown and answers nothing."""
        task = asyncio.get_running_loop().create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except faults() as fault:
            if not self.bag.closed:
                self.complain(f"this could not be checked: {type(fault).__name__}: {fault}")
