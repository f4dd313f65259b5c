"""Asking once whether a project's settings files may count: beside the first question that comes up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..session import Session
from .live import LiveDisplay
from .note import note_bundle

if TYPE_CHECKING:
    from ..settings import TrustRequest
    from .cards import WidgetBag
    from .cards.parts import Post


class TrustOffer:
    """Shows a card for each file that nobody has answered for, each text of it once in the life of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown: set[tuple[str, bytes]] = set()

    def show(self, live: LiveDisplay) -> None:
        """Put the cards into this display, above what is added to it next."""
        from ..settings import trust_requests

        for request in trust_requests(self._session.settings):
            key = (str(request.path), request.data)
            if not request.refused and key not in self._shown:
                self._shown.add(key)
                self._add(live, request)

    def _add(self, live: LiveDisplay, request: TrustRequest) -> None:
        def make(bag: WidgetBag, post: Post) -> Any:
            from .cards import TrustCard

            def gone(words: str) -> None:
                live.remove(card, note_bundle(f"{request.path}: {words}")["text/html"])

            def approve() -> None:
                request.approve()
                self._session.reload_settings(also_refused=False)

            return TrustCard(request, bag, post, approve=approve, refuse=request.refuse, gone=gone)

        card = live.add(make)
