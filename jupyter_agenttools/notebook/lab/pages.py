"""Which pages are there, and which notebooks are open in them?"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from .roots import find_root

if TYPE_CHECKING:
    from .messages import Hello, OpenDocument


KEPT_GONE = 100
"""So many pages that have gone are remembered, the last ones: a cell that one of them ran may go on, and who has gone
may come back as if it were new. Each notebook of a page that is loaded anew counts as one."""


class OpenIn(NamedTuple):
    """A notebook that is open in a page.

    Attributes:
        client: the page's connection to this kernel. since: when the page came, ms since the epoch.
        document: what the page says of it.
        path: its file, absolute, links resolved.
        is_own: whether this kernel runs its cells.
    """

    client: str
    since: float
    document: OpenDocument
    path: str
    is_own: bool = False


class Pages:
    """What every page said last. Thread-safe; nothing of it blocks.

    A page says hello when the extension is loaded, long before anybody may want to know: it is read when it is needed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: dict[str, dict[str, Any]] = {}
        self._heard: dict[str, int] = {}
        self._own: dict[str, str] = {}
        self._count = 0
        self._root: str | None = None

    def take(self, message: dict[str, Any]) -> None:
        """Remember what a page says of itself."""
        with self._lock:
            self._count += 1
            self._heard.pop(message["client"], None)  # the dict has those last that were heard last
            self._heard[message["client"]] = self._count
            if message.get("type") == "hello":
                self._said[message["client"]] = message
                self._take_own(message["client"], message.get("own"))
            elif message.get("type") == "bye":
                self._said.pop(message["client"], None)
            self._drop_gone()

    def _drop_gone(self) -> None:
        gone = [client for client in self._heard if client not in self._said]
        for client in gone[:-KEPT_GONE]:
            del self._heard[client]
            self._own.pop(client, None)

    def _take_own(self, client: str, own: Any) -> None:
        if not isinstance(own, str) or not own:
            return
        was = self._own.get(client, own)
        self._own[client] = own
        for gone in self._own.keys() - self._said.keys() if was != own else ():
            if self._own[gone] == was:  # the notebook was renamed, and who has gone cannot tell it
                self._own[gone] = own

    def notebook_of(self, client: str) -> str:
        """The notebook whose cells this connection runs, as its page calls it, ``""`` when nobody knows; also of a page
        that has gone, whose cells may still run."""
        with self._lock:
            return self._own.get(client, "")

    def forget(self, client: str) -> None:
        """The page is gone, although it did not say so."""
        with self._lock:
            self._said.pop(client, None)

    def older_with_same(self, message: dict[str, Any]) -> frozenset[str]:
        """The older pages that have a notebook open which the page that says this hello has too.

        One of them may have crashed, and would be taken for one with unsaved work for ever.
        """
        from .messages import Hello, read_message

        new = read_message(message)
        if not isinstance(new, Hello):
            return frozenset()
        mine = {self._absolute(new, document.path) for document in new.documents} - {None}
        others = (hello for hello in self._hellos() if hello.since < new.since)
        return frozenset(
            hello.client
            for hello in others
            if any(self._absolute(hello, document.path) in mine for document in hello.documents)
        )

    @property
    def mark(self) -> int:
        """A moment, for :meth:`silent_since`."""
        return self._count

    def silent_since(self, mark: int, clients: frozenset[str]) -> frozenset[str]:
        """Those of ``clients`` that have said nothing since."""
        with self._lock:
            return frozenset(client for client in clients if self._heard.get(client, 0) <= mark)

    def knows(self, client: str) -> bool:
        """Whether it is, or once was, the connection of a page: one that is loaded anew takes the place of its old
        self."""
        with self._lock:
            return client in self._heard

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
        return next((self._absolute(hello, hello.own) for hello in reversed(hellos) if hello.own), None)

    def open_in(self, path: str) -> list[OpenIn]:
        """Where the notebook at ``path`` (absolute, links resolved) is open, the page that came last first.

        A page has one connection for each of its notebooks to the same kernel; each page is in it once.
        """
        found: dict[float, OpenIn] = {}
        for hello in self._hellos():
            kernels = {document.kernel for document in hello.documents if document.path == hello.own} - {None}
            for document in hello.documents:
                if self._absolute(hello, document.path) == path:
                    is_own = document.kernel in kernels
                    found[hello.since] = OpenIn(hello.client, hello.since, document, path, is_own)
        return [found[since] for since in sorted(found, reverse=True)]

    def _absolute(self, hello: Hello, path: str) -> str | None:
        root = os.path.expanduser(hello.server_root) if hello.server_root else self._found_root(hello)
        return None if root is None else os.path.realpath(os.path.join(root, path))

    def _found_root(self, hello: Hello) -> str | None:
        """The root of a server that does not tell it. It is kept: the notebook may be renamed later on."""
        if self._root is None:
            self._root = find_root(hello.own)
        return self._root
