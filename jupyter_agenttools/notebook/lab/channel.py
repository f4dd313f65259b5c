"""The one comm between the kernel and the pages of the front end that have our extension.

The kernel speaks over the comm, which every page hears. Pages answer over the control channel: it has a thread of its
own, so an answer arrives while a cell runs, whether that awaits or blocks.
"""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

VERSION = 1
"""Of the messages on both sides. One of another version is not read: the page is of another release."""

COMM_TARGET = "jupyter_agenttools.lab"
COMM_MSG = "comm_msg"

NO_TEXT = "it holds half of a character, or is nested too deeply"

DEPTH = 200
"""Data that is nested deeper than this is not read: what walks through it would fail."""


class PageSilentError(Exception):
    """A page did not answer in time, or was closed before it did."""


class PageRefusedError(Exception):
    """A page could not do what was asked.

    Args:
        kind: what the caller goes by, e.g. ``content-changed``.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class LabChannel:
    """Opened when the extension is loaded, closed when it is unloaded.

    Args:
        kernel: an ipykernel; ``control_handlers``, ``session`` and ``comm_manager`` are used.
        on_message: told of what pages say that is no reply, as it came. Called in the control channel's thread, and for
            every message of every page from the moment on in which the extension is loaded: light, and never blocks.
    """

    def __init__(self, kernel: Any, on_message: Callable[[dict[str, Any]], None]) -> None:
        from comm import create_comm

        self._kernel, self._on_message = kernel, on_message
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[str, Future[Any]]] = {}
        self._quiet: set[str] = set()
        self._before = kernel.control_handlers.get(COMM_MSG)
        kernel.control_handlers[COMM_MSG] = self._on_control
        self._comm = create_comm(target_name=COMM_TARGET)
        self.tell({"type": "who"})

    def tell(self, message: Mapping[str, Any]) -> None:
        """Say something to every page. Any thread."""
        self._comm.send({"v": VERSION, **message})

    async def request(self, client: str, op: str, args: Mapping[str, Any], timeout_s: float) -> Any:
        """Have the page ``client`` do something, and get what came of it. From any event loop of asyncio.

        A page that slept meanwhile does not do it afterwards.

        Raises:
            PageSilentError: no answer in ``timeout_s`` seconds, or it was closed; it may or may not have done it.
            PageRefusedError: it could not.
        """
        id, future = uuid.uuid4().hex, Future[Any]()
        with self._lock:
            self._waiting[id] = (client, future)
        try:
            self.tell({"type": "request", "id": id, "to": client, "op": op, "args": dict(args)})
            async with asyncio.timeout(timeout_s):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            with self._lock:
                self._quiet.add(client)
            self._withdraw(client, id)
            raise PageSilentError(f"no answer in {timeout_s:g} s") from None
        except asyncio.CancelledError:
            self._withdraw(client, id)
            raise
        finally:
            with self._lock:
                self._waiting.pop(id, None)

    def _withdraw(self, client: str, id: str) -> None:
        self.tell({"type": "request", "id": id, "to": client, "op": "withdraw", "args": {}})

    def is_quiet(self, client: str) -> bool:
        """Whether a page has not answered a request, and nothing was heard of it since."""
        with self._lock:
            return client in self._quiet

    def drop(self, client: str) -> None:
        """The page ``client`` was closed: nobody waits for it any longer."""
        with self._lock:
            self._quiet.discard(client)
            open_futures = [future for waits_for, future in self._waiting.values() if waits_for == client]
        for future in open_futures:
            if future.set_running_or_notify_cancel():
                future.set_exception(PageSilentError("it was closed before it had answered"))

    def close(self) -> None:
        handlers = self._kernel.control_handlers
        if handlers.get(COMM_MSG) == self._on_control:
            handlers.pop(COMM_MSG)
            if self._before is not None:
                handlers[COMM_MSG] = self._before
        self._comm.close()

    def _on_control(self, stream: Any, ident: Any, message: Any) -> Any:
        content = message.get("content", {})
        if content.get("comm_id") != self._comm.comm_id:
            return self._before(stream, ident, message) if self._before is not None else None
        said = content.get("data")
        if (
            isinstance(said, dict)
            and type(said.get("v")) is int
            and said["v"] == VERSION
            and _is_text(said.get("client"))
        ):
            with self._lock:
                self._quiet.discard(said["client"])
            if said.get("type") == "reply":
                self._take(said)
            elif _can_be_said_again(said):
                self._on_message(said)
            elif _is_text(said.get("id")):  # the page may wait for a report
                report = {"id": said["id"], "ok": False, "data": NO_TEXT}
                self.tell({"type": "report", "to": said["client"], **report})
        return None

    def _take(self, reply: dict[str, Any]) -> None:
        with self._lock:
            client, future = self._waiting.get(str(reply.get("id")), ("", None))
        if future is None or client != reply["client"] or not future.set_running_or_notify_cancel():
            return
        if reply.get("ok") is True:
            future.set_result(reply.get("data"))
            return
        said = reply["data"] if isinstance(reply.get("data"), dict) else {}
        future.set_exception(PageRefusedError(str(said.get("kind", "failed")), str(said.get("message", ""))))


def _is_text(value: Any) -> bool:
    """Whether it is a text that can be sent: half of a surrogate pair, which JSON can spell, cannot."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


def _can_be_said_again(said: dict[str, Any]) -> bool:
    """Whether all of it can be told to pages, or written down: every text can, and no nesting is without end."""
    level: list[Any] = [said]
    for _ in range(DEPTH):
        texts = [each for each in level if isinstance(each, str)]
        texts += [key for each in level if isinstance(each, dict) for key in each]
        if not all(map(_is_text, texts)):
            return False
        level = [
            child
            for each in level
            if isinstance(each, dict | list)
            for child in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return True
    return False
