"""The JupyterLab extension as the kernel sees it: its pages, and the notebooks that are open there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .channel import LabChannel
from .kept_marks import KeptMarks
from .pages import Pages

if TYPE_CHECKING:
    from ..runtime import Runtime
    from .documents import LabDocuments

CRASHED_AFTER_S = 5.0
"""So long may a page take to say that it is still there, when a newer one has the same notebook. A page answers within
milliseconds; one that works hard, or sleeps in a tab behind others, takes longer."""


class LabFrontEnd:
    """There from ``%load_ext`` on; it says once that it is there, and hears what pages with the extension answer.

    Args:
        kernel: an ipykernel.
    """

    def __init__(self, kernel: Any) -> None:
        self.pages = Pages()
        self._marks = KeptMarks()
        self._open: dict[str, frozenset[str]] = {}
        self._on_news: Callable[[], None] = lambda: None
        self._on_wish: Callable[[dict[str, Any]], None] = lambda message: None
        self.channel = LabChannel(kernel, self._on_message)

    def _on_message(self, message: dict[str, Any]) -> None:
        if message.get("type") in ("hello", "bye"):
            self.pages.take(message)
            if message["type"] == "bye":
                self.channel.drop(message["client"])
                self._open.pop(message["client"], None)
            else:
                self._on_page(message)
            self._on_news()
        elif message.get("type") == "marks":
            self._tell_all(self._marks.take(message))
        else:
            self._on_wish(message)

    def _on_page(self, message: dict[str, Any]) -> None:
        """A page has a notebook that it did not have before: older pages with it may have crashed, and are asked."""
        client, told = message["client"], message.get("documents")
        documents = told if isinstance(told, list) else []
        paths = frozenset(str(each.get("path")) for each in documents if isinstance(each, dict))
        known = frozenset[str]() if message.get("back") is True else self._open.get(client, frozenset())
        is_more = bool(paths - known)
        self._open[client] = paths
        if is_more:
            self._tell_all(self._marks.of(paths - known))
        if not is_more or len(self.pages) < 2:
            return
        if older := self.pages.older_with_same(message):
            mark = self.pages.mark
            self.channel.tell({"type": "who"})
            timer = threading.Timer(CRASHED_AFTER_S, self._forget_silent, (mark, older))
            timer.daemon = True
            timer.start()

    def _tell_all(self, messages: list[dict[str, Any]]) -> None:
        for each in messages:
            self.channel.tell(each)

    def _forget_silent(self, mark: int, clients: frozenset[str]) -> None:
        silent = self.pages.silent_since(mark, clients)
        for client in silent:
            self.pages.forget(client)
            self._open.pop(client, None)
        if silent:
            self._on_news()

    def serve(self, runtime: Runtime) -> None:
        """Tell the pages of the session from now on, and do what a person wants there."""
        from .state import StateTeller
        from .wishes import PageWishes

        teller = StateTeller(self, runtime)
        self._on_news, self._on_wish = teller.tell, PageWishes(self, runtime).take
        teller.start()

    def tell_state(self) -> None:
        """Let the pages know how the session is now; something of it has changed that nobody else tells of."""
        self._on_news()

    def documents(self, is_cell_running: Callable[[], bool]) -> LabDocuments:
        """The notebooks that are open, for the tools of a session.

        Args:
            is_cell_running: whether a cell of this kernel runs now.
        """
        from .documents import LabDocuments

        return LabDocuments(self.channel, self.pages, is_cell_running)

    def close(self) -> None:
        self.channel.close()
