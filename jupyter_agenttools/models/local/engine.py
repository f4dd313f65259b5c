"""The process that runs the model, shared by everyone in this process who asks the same file."""

from __future__ import annotations

import atexit
import json
import os
import secrets
import select
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx

from ...core.errors import ContextOverflowError, ModelConnectionError, ModelError

WINDOW = 16384
"""Tokens at most; a model that was made for fewer gets those. More would cost memory that a laptop does not have."""
START_S = 120.0
CALL_S = 60.0


class Engine:
    """One file's process. Started when first asked, and again when it has died."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.url = ""
        self.key = secrets.token_urlsafe(24)
        self.window: int | None = None
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def headers(self) -> dict[str, str]:
        """What a request to it must carry, so that nobody else on this machine can ask it."""
        return {"Authorization": f"Bearer {self.key}"}

    def start(self) -> None:
        """Have it run. Takes about a second for a small model.

        Raises:
            ModelError: the file cannot be run; says what the engine said.
        """
        with self._lock:
            if self.is_running:
                return
            self._end()
            self._process = process = self._spawn()
            try:
                self.url = self._greet(process)["url"]
                self.window = self.ask("GET", "/props")["default_generation_settings"]["n_ctx"]
            except BaseException:
                self._end()
                raise

    def close(self) -> None:
        """End the process. It is started again when it is asked."""
        with self._lock:
            self._end()

    def count_tokens(self, text: str) -> int:
        """How many of the model's tokens ``text`` is."""
        self.start()
        return len(self.ask("POST", "/tokenize", {"content": text})["tokens"])

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """One short question. Raises a ``ModelError`` where it is not answered."""
        try:
            with httpx.Client(base_url=self.url, headers=self.headers, timeout=CALL_S, trust_env=False) as client:
                answer = client.request(method, path, json=body)
        except httpx.HTTPError as error:
            raise self.failure_of(error) from error
        if answer.status_code != 200:
            raise refusal(answer.status_code, answer.text)
        return answer.json()

    def failure_of(self, error: Exception) -> ModelConnectionError:
        """Why it cannot be reached, or its answer broke off."""
        code = self._process.poll() if self._process is not None else None
        how = f"the engine ended (code {code})" if code is not None else f"{type(error).__name__}: {error}"
        return ModelConnectionError(f"the local model does not answer: {how}")

    def _spawn(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("serving.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt of the kernel is not meant for it
            bufsize=0,
        )

    def _greet(self, process: subprocess.Popen[bytes]) -> dict[str, Any]:
        asked = {
            "file": str(self.file),
            "name": self.file.stem,
            "key": self.key,
            "window": WINDOW,
            "threads": _threads(),
        }
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            line = _read_line(process.stdout.fileno(), time.monotonic() + START_S)
            answer = json.loads(line)
        except (OSError, ValueError, TimeoutError) as error:
            raise ModelError(f"the local model {self.file.name} cannot be started: {self.failure_of(error)}") from error
        if "error" in answer:
            raise ModelError(f"the local model {self.file.name} cannot be started: {answer['error']}")
        return answer

    def _end(self) -> None:
        if (process := self._process) is None:
            return
        self._process = None
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def refusal(status: int, text: str) -> ModelError:
    """The error of an answer that is none: ``text`` is its body."""
    try:
        said = json.loads(text)["error"]
        kind, message = said.get("type", ""), said.get("message", "")
    except (ValueError, KeyError, TypeError, AttributeError):
        kind, message = "", text[:300]
    if kind == "exceed_context_size_error":
        return ContextOverflowError(f"the conversation does not fit into the local model's window: {message}")
    return ModelError(f"the local model refused ({status}): {message}")


def engine_for(file: Path) -> Engine:
    """The engine of a file, the same one each time. All of them end with this process."""
    with _guard:
        if file not in _engines:
            _engines[file] = Engine(file)
        return _engines[file]


def _read_line(descriptor: int, deadline: float) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        readable, _, _ = select.select([descriptor], [], [], max(deadline - time.monotonic(), 0))
        if not readable:
            raise TimeoutError(f"it did not start within {START_S:g} s")
        piece = os.read(descriptor, 65536)
        if not piece:
            raise ValueError("it ended before it said anything")
        line += piece
    return line


def _threads() -> int:
    """Half of the processors: two of them often share one core, and its threads wait for the slowest."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(usable // 2, 1)


def _close_all() -> None:
    for engine in list(_engines.values()):
        engine.close()


_engines: dict[Path, Engine] = {}
_guard = threading.Lock()
atexit.register(_close_all)
