"""The card that puts a plan before a person."""

from __future__ import annotations

from dataclasses import replace

from ...core.permission_updates import SetMode
from ...core.prompting import PermissionAnswer
from ...render import view_html
from ...render.chars import one_line
from ...session import Session, keep_planning
from ..prompts import OpenPrompt
from .ask import AskCard
from .deny_drawer import DenyDrawer
from .edit_drawer import EditDrawer
from .face import NAME_CHARS, odd_signs_html
from .parts import Post, WidgetBag, heading_html


class PlanCard(AskCard):
    """The plan as rendered Markdown, and what can be said to it."""

    def __init__(self, prompt: OpenPrompt, session: Session, bag: WidgetBag, post: Post) -> None:
        super().__init__(prompt, session, bag, post)
        accept = "Carry it out; edits in the working directories do not ask"
        comment = "Send a comment, and stay in plan mode"
        self.build(
            bag.html(self._face_html()),
            buttons=(
                self.button("Approve", "Carry out this plan; it asks as it did before", self._approve, "y", "success"),
                self.button("Approve & accept edits", accept, self._accept, "a"),
                self.button("Edit plan…", "Change the plan, and approve it as you wrote it", self._edit, "e"),
                self.button("Keep planning…", comment, self._keep_planning, "n", "warning"),
            ),
        )

    def _face_html(self) -> str:
        request = self.request
        name = one_line(f"A plan wants your approval: {request.view.title}", NAME_CHARS)
        heading = heading_html("A plan wants your approval", "Nothing is changed before you approve it.", name=name)
        # The plan's first line, which its title repeats, stands at the top of the plan itself.
        return heading + odd_signs_html(request) + view_html(replace(request.view, title=""))

    def _approve(self) -> None:
        self.answer(PermissionAnswer("allow", answered_by="widget"))

    def _accept(self) -> None:
        self.answer(PermissionAnswer("allow", updates=(SetMode("acceptEdits"),), answered_by="widget"))

    def _edit(self) -> None:
        self.open(EditDrawer(self, whole=lambda: self.open(EditDrawer(self)), run="Approve edited"))

    def _keep_planning(self) -> None:
        if isinstance(self.drawer, DenyDrawer):
            self.drawer.send()
        else:
            self.open(DenyDrawer(self, "Comment", "Keep planning", _comment_words, "Stop the turn"))


def _comment_words(comment: str) -> str:
    return keep_planning(comment, PermissionAnswer("deny")).message
