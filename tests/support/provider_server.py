"""A provider's HTTP interface on loopback: plays written replies byte for byte, and keeps what it was sent."""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GIVE_UP_S = 30.0


@dataclass(frozen=True)
class Reply:
    """What the server answers.

    Args:
        body: pieces of the body, each sent as one chunk; before an event it waits until that is set.
        status, headers: of the answer.
        cut: the connection is closed without the last chunk, as when a provider dies.
    """

    body: Sequence[str | threading.Event] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False

    @classmethod
    def fault(cls, status: int, body: Any, **headers: str) -> Reply:
        """A refusal with a JSON body; underscores in the names of headers are hyphens."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return cls((json.dumps(body),), status, {"content-type": "application/json", **named})


@dataclass(frozen=True)
class Asked:
    """One request: where, with which headers, and its JSON body."""

    path: str
    headers: Mapping[str, str]
    body: Any


class ProviderServer:
    """The replies still to be played, and what was asked so far."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.asked: list[Asked] = []
        self.connections: list[Any] = []
        self.left = threading.Event()
        """Set once a client closed its connection while an answer was under way."""
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    @contextmanager
    def running(self) -> Iterator[ProviderServer]:
        thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield self
        finally:
            self._http.shutdown()
            self._http.server_close()
            thread.join()

    def _handler(owner) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # each piece goes out when it is written, as providers send them

            def setup(self) -> None:
                super().setup()
                owner.connections.append(self.client_address)

            def handle(self) -> None:
                with suppress(OSError):  # a client that closes its connection between two requests
                    super().handle()

            def do_POST(self) -> None:
                size = int(self.headers.get("content-length", 0))
                owner.asked.append(Asked(self.path, dict(self.headers.items()), json.loads(self.rfile.read(size))))
                reply = owner.replies.pop(0)
                self.send_response(reply.status)
                for name, value in {"content-type": "text/event-stream", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                try:
                    self._play(reply)
                except OSError:
                    owner.left.set()
                    self.close_connection = True

            def _play(self, reply: Reply) -> None:
                held = b""
                for piece in reply.body:
                    self.wfile.write(held)
                    held = b""
                    if isinstance(piece, threading.Event):
                        self._wait(piece)
                    elif piece:
                        data = piece.encode()
                        held = b"%x\r\n%s\r\n" % (len(data), data)
                # The last piece and the end go out together: a client may wait a tenth of a second for the end, and
                # gives the connection up when it comes later.
                self.wfile.write(held if reply.cut else held + b"0\r\n\r\n")
                if reply.cut:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)

            def _wait(self, event: threading.Event) -> None:
                """Until the event is set; a client that has left is noticed at once."""
                for _ in range(int(GIVE_UP_S / 0.01)):
                    if event.is_set():
                        return
                    readable, _, _ = select.select([self.connection], [], [], 0.01)
                    if readable and not self.connection.recv(1, socket.MSG_PEEK):
                        raise ConnectionResetError
                raise TimeoutError("nobody let the reply go on")

            def log_message(self, format: str, *args: object) -> None:
                return

        return Handler
