"""Which notebook does a Jupyter server say that a kernel has? It knows also after a rename, with no page of ours."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

ANSWER_S = 2.0
"""A server on the same machine answers within milliseconds; one that hangs must not hold a cell up."""

MOST_BYTES = 10_000_000
"""Of an answer: a session takes less than a kilobyte."""

_CONNECTION_FILE = re.compile(r"kernel-(?P<id>[0-9a-f-]+)\.json$")


def renamed_notebook(connection_file: str) -> str:
    """The absolute path of the notebook of the kernel with this connection file, ``""`` where no server of this user
    tells. Nothing is asked but servers that this user runs, each with its own token."""
    kernel = _CONNECTION_FILE.search(connection_file)
    if kernel is None:
        return ""
    for server in running_servers():
        for session in _sessions_of(server):
            named = session.get("path")
            if isinstance(named, str) and _kernel_of(session) == kernel["id"]:
                return os.path.join(str(server["root_dir"]), named)
    return ""


def running_servers() -> Iterator[Mapping[str, Any]]:
    """The Jupyter servers of this user that run now: ``root_dir``, ``url`` and ``token`` of each."""
    try:
        from jupyter_server.serverapp import list_running_servers
    except ImportError:  # the kernel has an environment of its own
        return
    yield from (server for server in list_running_servers() if server.get("root_dir"))


def _sessions_of(server: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the server has open; nothing when it does not let us ask."""
    url = str(server.get("url", ""))
    if not url.startswith(("http://", "https://")):
        return []
    request = Request(f"{url.rstrip('/')}/api/sessions", headers={"Authorization": f"token {server.get('token', '')}"})
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=ANSWER_S) as answer:
            told = json.loads(answer.read(MOST_BYTES))
    except (OSError, ValueError, HTTPException):
        return []
    return [each for each in told if isinstance(each, dict)] if isinstance(told, list) else []


def _kernel_of(session: Mapping[str, Any]) -> Any:
    kernel = session.get("kernel")
    return kernel.get("id") if isinstance(kernel, dict) else None
