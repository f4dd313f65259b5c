"""Checks against JSON Schemas, in a process of their own.

A pattern can keep ``re`` busy for years while nothing else in its process runs, not even an interrupt, and a small
schema can ask for more comparisons than anybody has time for. Only another process can be ended whatever it does.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, NamedTuple

from .cancel import Cancellation
from .library_places import library_places

CHECK_SECONDS = 5.0
START_SECONDS = 60.0
MOST = 1_000
PROGRAM = Path(__file__).with_name("schema_child.py")
LIBRARIES = ("jsonschema", "jsonschema_specifications", "referencing", "rpds", "attr", "attrs", "typing_extensions")


class UncheckedError(Exception):
    """It is not known whether the data fits, and so it must not be taken. Says why."""


class SchemaProblem(NamedTuple):
    """One place where data does not fit: the parts of its path, and what is wrong there."""

    where: tuple[str, ...]
    message: str


class SchemaFindings(NamedTuple):
    """The first problems in the order of their places, and how many there are altogether."""

    problems: tuple[SchemaProblem, ...] = ()
    count: int = 0


def problems_of_schema(schema: Any, cancellation: Cancellation | None = None) -> SchemaFindings:
    """Is it a JSON Schema? Waits and raises like :func:`problems_of_value`."""
    return _ask({"do": "schema", "schema": schema, "most": MOST}, cancellation)


def problems_of_value(
    value: Any, schema: Any, cancellation: Cancellation | None = None, most: int = MOST
) -> SchemaFindings:
    """Where does the value not fit? Waits for the answer, at most ``CHECK_SECONDS``.

    Args:
        cancellation: ends the check when it is thrown.
        most: how many problems are told.

    Raises:
        UncheckedError: it could not be checked, for whatever reason.
        InterruptedToolError: the call was stopped.
    """
    return _ask({"do": "value", "schema": schema, "value": value, "most": most}, cancellation)


def _ask(request: dict[str, Any], cancellation: Cancellation | None) -> SchemaFindings:
    try:
        line = json.dumps(request, default=dict).encode()
    except (TypeError, ValueError):
        raise UncheckedError("it is no JSON data") from None
    except RecursionError:
        raise UncheckedError("it is nested too deeply") from None
    answer = _CHECKER.ask(line, cancellation or Cancellation())
    if "unusable" in answer:
        raise UncheckedError(answer["unusable"])
    problems = tuple(SchemaProblem(tuple(where), message) for where, message in answer["problems"])
    return SchemaFindings(problems, answer["count"])


class _Checker:
    """The process: started for the first check, used for the next ones, ended by what takes too long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, line: bytes, cancellation: Cancellation) -> dict[str, Any]:
        with self._lock:
            cancellation.check()
            process = self._running(cancellation)
            with _ended_by(process, cancellation, CHECK_SECONDS) as late:
                answer = self._exchange(process, line + b"\n")
            if answer is not None and not late.is_set():
                return answer
            self.end()
            cancellation.check()
            if late.is_set():
                raise UncheckedError(f"it takes longer than {CHECK_SECONDS:g} s to check")
            raise UncheckedError("the process that checks it ended unexpectedly")

    def end(self) -> None:
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():  # after a fork it is the process of the parent
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:  # what was not written yet goes nowhere
                continue
        process.wait()

    def _running(self, cancellation: Cancellation) -> subprocess.Popen[bytes]:
        process = self._process
        if process is not None and self._owner == os.getpid() and process.poll() is None:
            return process
        self.end()
        self._process, self._owner = _started(), os.getpid()
        with _ended_by(self._process, cancellation, START_SECONDS):
            ready = self._exchange(self._process, b"")
        if ready is None:
            self.end()
            cancellation.check()
            raise UncheckedError("the process that checks it does not start")
        return self._process

    def _exchange(self, process: subprocess.Popen[bytes], line: bytes) -> dict[str, Any] | None:
        """What it answers; ``None`` where it ended instead."""
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(line)
            process.stdin.flush()
            answer = process.stdout.readline()
            return json.loads(answer) if answer else None
        except (OSError, ValueError):
            return None
        except BaseException:  # an interrupt: the answer of this check must not be read as that of the next
            self.end()
            raise


@contextmanager
def _ended_by(
    process: subprocess.Popen[bytes], cancellation: Cancellation, seconds: float
) -> Iterator[threading.Event]:
    """Within this the process is killed once the time is over, or the switch is thrown; says whether it was late."""
    late = threading.Event()

    def expire() -> None:
        late.set()
        process.kill()

    def stop(_: str) -> None:
        process.kill()

    timer = threading.Timer(seconds, expire)
    timer.daemon = True
    timer.start()
    cancellation.add_callback(stop)
    try:
        yield late
    finally:
        cancellation.remove_callback(stop)
        timer.cancel()


def _started() -> subprocess.Popen[bytes]:
    if not sys.executable:
        raise UncheckedError("this kernel does not know its Python program")
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(PROGRAM), str(CHECK_SECONDS + 1), *_homes()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=PROGRAM.parent,
            start_new_session=True,  # an interrupt of the kernel is not meant for it
        )
    except OSError as error:
        raise UncheckedError(f"no process can be started: {error.strerror}") from error


def _homes() -> list[str]:
    """The folders that the libraries are installed in."""
    places = library_places()
    specs = (PathFinder.find_spec(library, places) for library in LIBRARIES)
    files = [Path(spec.origin) for spec in specs if spec is not None and spec.origin is not None]
    return list(dict.fromkeys(str(f.parents[1] if f.stem == "__init__" else f.parent) for f in files))


_CHECKER = _Checker()
atexit.register(_CHECKER.end)
