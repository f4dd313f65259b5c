"""HTTP hooks, against a real server on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.hooks.handlers import HttpHandler
from jupyter_agenttools.hooks.http import header_values
from tests.support.hooks import hook_settings
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio


class Server(ThreadingHTTPServer):
    """Answers every path with what was put there, and keeps what was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.release = threading.Event()

    def url(self, path: str, status: int = 200, body: Any = b"", **headers: str) -> str:
        """The address of a new answer."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers[path] = (status, headers, data)
        return f"http://127.0.0.1:{self.server_address[1]}{path}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.command, self.path, dict(self.headers), body))
        if self.path == "/hang":
            self.server.release.wait(30)
        status, headers, data = self.server.answers[self.path]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST

    def log_message(self, *args: Any) -> None:
        return None


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield made
    made.release.set()
    made.shutdown()
    made.server_close()
    thread.join()


async def called(tmp_path, url: str, event: str = "PreToolUse", **fields: Any) -> Any:
    entry = {"type": "http", "url": url, **fields}
    session = Session(cwd=tmp_path, settings=hook_settings(event, entry), tools=[echo_tool()])
    return await session.call("Echo", {"text": "x"}, tool_use_id="toolu_1")


async def test_the_event_is_posted_as_a_command_would_read_it(tmp_path, server, monkeypatch) -> None:
    monkeypatch.setenv("HOOK_TOKEN", "secret")
    monkeypatch.setenv("HOOK_OTHER", "not for you")
    headers = {"Authorization": "Bearer $HOOK_TOKEN", "X-Other": "a${HOOK_OTHER}b"}
    url = server.url("/ok")
    assert (await called(tmp_path, url, headers=headers, allowedEnvVars=["HOOK_TOKEN"])).status == "ok"
    ((method, _, sent, body),) = server.requests
    told = json.loads(body)
    assert method == "POST" and sent["Content-Type"] == "application/json"
    assert (told["hook_event_name"], told["tool_input"], told["tool_use_id"]) == (
        "PreToolUse",
        {"text": "x"},
        "toolu_1",
    )
    assert sent["Authorization"] == "Bearer secret" and sent["X-Other"] == "ab"


def test_only_named_variables_are_filled_in() -> None:
    handler = HttpHandler("http://h", {"A": "$X-${Y}-$Z"}, ("X", "Z"))
    assert header_values(handler, {"X": "1", "Y": "2"}) == {"A": "1--"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", "ok"),
        (b"fine", "ok"),
        ({}, "ok"),
        ({"decision": "block", "reason": "no"}, "denied"),
        ({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}, "denied"),
        (b"{broken", "denied"),
        (b'hello {"decision": "block"}', "denied"),
        ({"permissionDecision": "perhaps"}, "denied"),
        (b"x" * 2_000_000, "denied"),
    ],
)
async def test_the_response_is_the_answer(tmp_path, server, body: Any, status: str) -> None:
    assert (await called(tmp_path, server.url("/x", body=body))).status == status


@pytest.mark.parametrize("code", [400, 403, 500])
async def test_a_guard_whose_server_fails_blocks_unless_told_otherwise(tmp_path, server, code: int) -> None:
    url = server.url("/x", code, {"permissionDecision": "allow"})
    outcome = await called(tmp_path, url)
    assert outcome.status == "denied" and f"status {code}" in outcome.text
    assert (await called(tmp_path, url, onFailure="pass")).status == "ok"
    assert (await called(tmp_path, url, "PostToolUse")).status == "ok"


async def test_nobody_there(tmp_path, server) -> None:
    url = server.url("/x")
    server.shutdown()
    server.server_close()
    outcome = await called(tmp_path, url)
    assert outcome.status == "denied" and "ConnectError" in outcome.text


async def test_a_server_that_takes_too_long_makes_the_call_ask(tmp_path, server) -> None:
    outcome = await called(tmp_path, server.url("/hang"), timeout=0.3)
    assert outcome.status == "denied" and "took longer than 0.3 s" in outcome.text


async def test_the_event_follows_no_redirect_to_another_place(tmp_path, server) -> None:
    other = Server()
    thread = threading.Thread(target=other.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        away = server.url("/away", 307, Location=other.url("/stolen"))
        outcome = await called(tmp_path, away)
        assert outcome.status == "denied" and "redirected" in outcome.text and not other.requests
    finally:
        other.shutdown()
        other.server_close()
    server.url("/target", body={"decision": "block", "reason": "from the target"})
    outcome = await called(tmp_path, server.url("/here", 308, Location="/target"))
    assert "from the target" in outcome.text
    assert "redirects" in (await called(tmp_path, server.url("/loop", 307, Location="/loop"))).text
    assert (await called(tmp_path, server.url("/get", 302, Location="/target"))).status == "denied"
