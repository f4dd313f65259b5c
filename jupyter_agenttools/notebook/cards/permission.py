"""The card that asks a person whether a call may run."""

from __future__ import annotations

from collections.abc import Callable

from ipywidgets import Button

from ...core.prompting import PermissionAnswer, PermissionRequest
from ...session import Session
from ..prompts import OpenPrompt
from .ask import AskCard
from .deny_drawer import DenyDrawer
from .edit_drawer import EditDrawer
from .face import face_html
from .parts import Post, WidgetBag
from .rule_drawer import RuleDrawer


class PermissionCard(AskCard):
    """Shows one call and turns clicks into its one answer.

    Args:
        prompt, session, bag, post: as for every card.
        others: the other questions that are open.
    """

    def __init__(
        self,
        prompt: OpenPrompt,
        session: Session,
        bag: WidgetBag,
        post: Post,
        others: Callable[[], tuple[PermissionRequest, ...]] = tuple,
    ) -> None:
        super().__init__(prompt, session, bag, post)
        self._others = others
        self._face = bag.html(face_html(self.request, session))
        self.build(self._face, buttons=self._make_buttons())

    def _make_buttons(self) -> tuple[Button, ...]:
        rule = "Choose a rule that allows such calls from now on"
        return (
            self.button("Allow once", "Run this call, and ask again next time", self._allow, "y", "success"),
            *((self.button("Always allow…", rule, self._open_rule, "a"),) if self.request.scopes else ()),
            self.button("Edit…", "Change the input first; it is judged again", self._open_edit, "e"),
            self.button("Deny", "Refuse this call; once more refuses it without a reason", self._deny, "n", "danger"),
        )

    def judged_again(self) -> None:
        """Show why it is still asked, now that the rights have changed."""
        self._face.value = face_html(self.request, self.session)

    def _allow(self) -> None:
        self.answer(PermissionAnswer("allow", answered_by="widget"))

    def _deny(self) -> None:
        if isinstance(self.drawer, DenyDrawer):
            self.drawer.send()
        else:
            self.open(DenyDrawer(self))

    def _open_rule(self) -> None:
        self.open(RuleDrawer(self, self._others))

    def _open_edit(self) -> None:
        self.open(EditDrawer(self, whole=lambda: self.open(EditDrawer(self))))
