"""Which pages are there, and which notebooks are open in them?"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .messages import Hello, OpenDocument


class OpenIn(NamedTuple):
    """A notebook that is open in a page.

    Attributes:
        client: the page's connection to this kernel. since: when the page came, ms since the epoch.
        document: what the page says of it.
        path: its file, absolute, links resolved.
    """

    client: str
    since: float
    document: OpenDocument
    path: str


class Pages:
    """What every page said last. Thread-safe; nothing of it blocks.

    A page says hello when the extension is loaded, long before anybody may want to know: it is read when it is needed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: dict[str, dict[str, Any]] = {}

    def take(self, message: dict[str, Any]) -> None:
        """Remember what a page says of itself."""
        with self._lock:
            if message.get("type") == "hello":
                self._said[message["client"]] = message
            elif message.get("type") == "bye":
                self._said.pop(message["client"], None)

    def forget(self, client: str) -> None:
        """The page is gone, although it did not say so."""
        with self._lock:
            self._said.pop(client, None)

    def __len__(self) -> int:
        return len(self._said)

    @property
    def clients(self) -> frozenset[str]:
        """The pages' connections to this kernel."""
        with self._lock:
            return frozenset(self._said)

    def _hellos(self) -> list[Hello]:
        """What can be read of it."""
        from .messages import Hello, read_message

        with self._lock:
            said = list(self._said.values())
        return [hello for each in said if isinstance(hello := read_message(each), Hello)]

    def own_notebook(self, client: str = "") -> str | None:
        """The file of the notebook whose kernel this is, as the page knows it now; a rename has arrived.

        Args:
            client: the page that is asked first.
        """
        hellos = sorted(self._hellos(), key=lambda hello: (hello.client == client, hello.since))
        return next((_absolute(hello, hello.own) for hello in reversed(hellos) if hello.own), None)

    def open_in(self, path: str) -> list[OpenIn]:
        """Where the notebook at ``path`` (absolute, links resolved) is open, the page that came last first.

        A page has one connection for each of its notebooks to the same kernel; each page is in it once.
        """
        found: dict[float, OpenIn] = {}
        for hello in self._hellos():
            for document in hello.documents:
                if _absolute(hello, document.path) == path:
                    found[hello.since] = OpenIn(hello.client, hello.since, document, path)
        return [found[since] for since in sorted(found, reverse=True)]


def _absolute(hello: Hello, path: str) -> str:
    root = os.path.expanduser(hello.server_root) or "/"
    return os.path.realpath(os.path.join(root, path))
