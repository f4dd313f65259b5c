"""The card that asks a person whether a call may run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from ipywidgets import Button, VBox, Widget

from ...core.prompting import PermissionAnswer, PermissionRequest
from ...session import Session
from ..prompts import OpenPrompt
from .deny_drawer import DenyDrawer
from .edit_drawer import EditDrawer
from .face import face_html
from .page import CARD_CLASS
from .parts import Post, WidgetBag, problem_html
from .rule_drawer import RuleDrawer


class Drawer(Protocol):
    """What is open below the buttons."""

    widgets: tuple[Widget, ...]

    def focus(self) -> None: ...


class PermissionCard:
    """Shows one question and turns clicks into its one answer.

    Args:
        prompt: the question.
        session: knows the tool and what a rule covers.
        bag: makes the widgets.
        post: hands a callback over to the loop that owns this card.
        others: the other questions that are open.

    Attributes:
        root: the widget to show.
    """

    def __init__(
        self,
        prompt: OpenPrompt,
        session: Session,
        bag: WidgetBag,
        post: Post,
        others: Callable[[], tuple[PermissionRequest, ...]] = tuple,
    ) -> None:
        self._prompt, self._session, self._bag, self._post = prompt, session, bag, post
        self._request, self._others = prompt.request, others
        self._drawer: Drawer | None = None
        self._problem: Widget | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._buttons = self._make_buttons()
        self._face = bag.html(face_html(self._request, session))
        self._row = bag.row(*self._buttons)
        self.root: VBox = bag.column(self._face, self._row, css=CARD_CLASS)

    def _make_buttons(self) -> tuple[Button, ...]:
        return (
            self._button("Allow once", "Run this call, and ask again next time", self._allow, "y", "success"),
            *self._rule_button(),
            self._button("Edit…", "Change the input first; it is judged again", self._open_edit, "e"),
            self._button("Deny", "Refuse this call; once more refuses it without a reason", self._deny, "n", "danger"),
        )

    def _rule_button(self) -> tuple[Button, ...]:
        """Nothing where no rule may be kept at all."""
        if not self._request.scopes:
            return ()
        hint = "Choose a rule that allows such calls from now on"
        return (self._button("Always allow…", hint, self._open_rule, "a"),)

    def _button(self, label: str, hint: str, act: Any, key: str, kind: str = "") -> Button:
        hint = f"{hint} ({self._request.tool_name})"
        return self._bag.button(label, hint, lambda: self._post(act), kind=kind, key=key)

    def judged_again(self, request: PermissionRequest) -> None:
        """Show why it is still asked, now that the rights have changed."""
        self._request = request
        self._face.value = face_html(request, self._session)

    # ---- answers

    def _answer(self, answer: PermissionAnswer) -> None:
        if self._prompt.answer(answer):
            for button in self._buttons:
                button.disabled = True

    def _allow(self) -> None:
        self._answer(PermissionAnswer("allow", answered_by="widget"))

    def _deny(self) -> None:
        if isinstance(self._drawer, DenyDrawer):
            self._drawer.send()
        else:
            name = self._request.tool_name
            self._open(DenyDrawer(name, self._bag, self._post, self._answer, self._close))

    def _open_rule(self) -> None:
        self._open(
            RuleDrawer(
                self._request,
                self._session,
                self._bag,
                self._post,
                others=self._others,
                answer=self._answer,
                spawn=self._spawn,
                back=self._close,
            )
        )

    def _open_edit(self) -> None:
        self._edit(self._open_whole)

    def _open_whole(self) -> None:
        self._edit(None)

    def _edit(self, whole: Callable[[], None] | None) -> None:
        self._open(
            EditDrawer(
                self._request,
                self._session,
                self._bag,
                self._post,
                answer=self._answer,
                complain=self._complain,
                spawn=self._spawn,
                back=self._close,
                whole=whole,
            )
        )

    # ---- what is open below the buttons

    def _open(self, drawer: Drawer) -> None:
        closed = self._contents()
        self._drawer, self._problem = drawer, None
        self._arrange()
        self._bag.discard(*closed)
        drawer.focus()

    def _close(self) -> None:
        closed = self._contents()
        self._drawer = self._problem = None
        self._arrange()
        self._bag.discard(*closed)

    def _contents(self) -> tuple[Widget, ...]:
        """The widgets of the drawer, with what is inside of its rows."""
        shown = self._drawer.widgets if self._drawer is not None else ()
        inside = (child for widget in shown for child in getattr(widget, "children", ()))
        return (*shown, *inside, *([self._problem] if self._problem is not None else ()))

    def _complain(self, message: str) -> None:
        if self._problem is None:
            self._problem = self._bag.html("")
        self._problem.value = problem_html(message)
        self._arrange()

    def _arrange(self) -> None:
        below = self._drawer.widgets if self._drawer is not None else ()
        problem = (self._problem,) if self._problem is not None else ()
        self.root.children = [self._face, self._row, *below, *problem]

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something that takes a while, in the loop of this card. A fault in it is shown, and nothing is answered."""
        task = asyncio.get_running_loop().create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as fault:
            if not self._bag.closed:
                self._complain(f"this could not be checked: {type(fault).__name__}: {fault}")
