"""The card that asks whether what a project's settings file wants may count."""

from __future__ import annotations

from collections.abc import Callable

from ipywidgets import VBox

from ...core.errors import SettingsError
from ...core.views import ToolView
from ...render import view_html
from ...settings import TrustRequest
from ..wishes import wish_blocks
from .parts import Post, WidgetBag, heading_html, problem_html

QUESTION = "A settings file of this project asks for rights"
MEANING = "What it takes away counts already. What it gives counts once you approve exactly this text of it."


class TrustCard:
    """Lists all that one file asks for. It stands beside other cards and keeps nobody waiting.

    Args:
        request: the file. bag: makes the widgets. post: hands a callback over to the loop that owns this card.
        approve, refuse: what the two answers do; they may raise a ``SettingsError`` or an ``OSError``.
        gone: called with a few words when the question is over.

    Attributes:
        root: the widget to show.
    """

    def __init__(
        self,
        request: TrustRequest,
        bag: WidgetBag,
        post: Post,
        *,
        approve: Callable[[], None],
        refuse: Callable[[], None],
        gone: Callable[[str], None],
    ) -> None:
        self._bag, self._gone = bag, gone
        self._request, self._approve, self._refuse = request, approve, refuse
        again = "It is asked again in the next session, and %agent trust shows it"
        self._row = bag.row(
            bag.button("Approve this file", "Let it count until a byte of it changes", lambda: post(self._yes)),
            bag.button("Refuse", "It does not count, and nobody asks again", lambda: post(self._no)),
            bag.button("Not now", again, lambda: post(gone, "not answered")),
        )
        self._face = bag.html(heading_html(QUESTION, MEANING) + view_html(trust_view(request)))
        self.root: VBox = bag.column(self._face, self._row)

    def _yes(self) -> None:
        if not self._request.is_current():
            self._complain("the file has changed since it was shown; %agent trust shows what it says now")
            return
        self._do(self._approve, "approved")

    def _no(self) -> None:
        self._do(self._refuse, "refused")

    def _do(self, act: Callable[[], None], words: str) -> None:
        try:
            act()
        except (SettingsError, OSError) as problem:
            self._complain(str(problem))
            return
        self._gone(words)

    def _complain(self, message: str) -> None:
        self.root.children = [self._face, self._row, self._bag.html(problem_html(message))]


def trust_view(request: TrustRequest) -> ToolView:
    """The file with all that it asks for, each thing whole and with its signs visible."""
    return ToolView(f"Trust {request.path}", blocks=wish_blocks(request))
