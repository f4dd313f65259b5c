"""A request as a hook: the event is posted, and the response is its answer."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import anyio

from .answer import Answer, clip, failed, late, unreadable
from .command import encode, read_json
from .definition import Hook
from .events import CONTEXT_FROM_TEXT
from .handlers import HttpHandler
from .output import SILENT, HookOutput, HookOutputError, read_output

MAX_ANSWER_BYTES = 1_000_000
MAX_REDIRECTS = 5
REPEATED = (307, 308)
"""Redirects after which the same request is made again."""

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))", re.ASCII)
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class _Refusal(Exception):
    """The server's answer cannot be used."""


async def run_http(hook: Hook, data: Mapping[str, Any], env: Mapping[str, str]) -> Answer:
    """Post the event and read the response. A failure is an answer; nothing is raised."""
    import httpx

    handler = hook.handler
    assert isinstance(handler, HttpHandler)
    stdin, started = encode(data), time.perf_counter()
    answer: Answer | None = None
    with anyio.move_on_after(hook.limit_s):
        try:
            body = await _post(handler, stdin, env)
            answer = _interpret(hook, body)._replace(stdout=body)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as problem:
            answer = failed(hook, f"{handler.url}: {type(problem).__name__}: {problem}")
        except _Refusal as refusal:
            answer = failed(hook, f"{handler.url}: {refusal}")
    answer = answer or late(hook)
    return answer._replace(duration_ms=(time.perf_counter() - started) * 1000, stdin=stdin)


def header_values(handler: HttpHandler, env: Mapping[str, str]) -> dict[str, str]:
    """The headers, with the variables that this hook may use filled in; all others are empty."""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return env.get(name, "") if name in handler.allowed_env_vars else ""

    return {name: _VARIABLE.sub(value, text) for name, text in handler.headers.items()}


async def _post(handler: HttpHandler, body: bytes, env: Mapping[str, str]) -> bytes:
    import httpx

    headers = {"Content-Type": "application/json", **header_values(handler, env)}
    own = urlsplit(handler.url).hostname in _LOOPBACK
    async with httpx.AsyncClient(timeout=None, trust_env=not own) as client:
        url = httpx.URL(handler.url)
        for _ in range(MAX_REDIRECTS):
            async with client.stream("POST", url, content=body, headers=headers) as response:
                if not response.is_redirect:
                    return await _body(response)
                target = response.url.join(response.headers.get("location", ""))
                if response.status_code not in REPEATED or _origin(target) != _origin(url):
                    raise _Refusal(f"it was redirected to {target}, and the event is sent to no other place")
                url = target
    raise _Refusal(f"more than {MAX_REDIRECTS} redirects")


def _origin(url: Any) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


async def _body(response: Any) -> bytes:
    data = bytearray()
    async for block in response.aiter_bytes():
        data += block
        if len(data) > MAX_ANSWER_BYTES:
            raise _Refusal(f"the answer is bigger than {MAX_ANSWER_BYTES:,} bytes")
    if not response.is_success:
        raise _Refusal(f"status {response.status_code}: {clip(data.decode('utf-8', 'replace'))}")
    return bytes(data)


def _interpret(hook: Hook, body: bytes) -> Answer:
    text = body.decode("utf-8", "replace")
    answer, problem = read_json(body)
    if problem:
        return unreadable(hook, problem, text)
    if answer is not None:
        try:
            output = read_output(hook.event, answer)
        except HookOutputError as error:
            return unreadable(hook, str(error), text)
        return Answer(hook, SILENT if output == SILENT else output)
    said = text.strip() if hook.event in CONTEXT_FROM_TEXT else ""
    return Answer(hook, HookOutput(additional_context=said) if said else SILENT)
