"""The kernel's side of ``supervisor.py``: start a program there, hear how it goes, have it stopped."""

from __future__ import annotations

import atexit
import marshal
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SUPERVISOR = Path(__file__).with_name("supervisor.py")
ANSWER_BYTES = 65536


@dataclass(frozen=True)
class Job:
    """A program to run.

    Args:
        program: its absolute path.
        argv: its name for itself, and its arguments.
        env: its whole environment; nothing of the kernel's is added.
        cwd: where it starts.
        descriptors: which of the kernel's descriptors (values) it gets under which numbers (keys). Its standard
            input is at end of file unless this says otherwise; nothing else is inherited.
    """

    program: str
    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: str
    descriptors: Mapping[int, int]

    def encode(self) -> bytes:
        """The job as ``supervisor.py`` reads it; ``marshal`` holds bytes and needs no import on the other side."""
        env = {os.fsencode(name): os.fsencode(value) for name, value in self.env.items()}
        argv = [os.fsencode(word) for word in self.argv]
        return marshal.dumps((os.fsencode(self.program), argv, env, os.fsencode(self.cwd), list(self.descriptors)))


class Child:
    """A program that was started, through its supervisor's control socket. All methods may be called in any thread."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control

    def fileno(self) -> int:
        return self._control.fileno()

    def stop(self, grace_s: float) -> None:
        """Have the whole tree asked to end (SIGTERM), and killed after ``grace_s``."""
        self._order(f"stop {int(grace_s * 1000)}\n".encode())

    def kill(self) -> None:
        """Have the whole tree killed now."""
        self._order(b"kill\n")

    def _order(self, words: bytes) -> None:
        with suppress(OSError):  # it is over already
            self._control.sendall(words)

    def receive(self) -> bytes:
        """What the supervisor says next, whole lines; empty when it is gone. Blocks until there is something."""
        heard = b""
        with suppress(OSError):
            heard = self._control.recv(ANSWER_BYTES)
            while heard and not heard.endswith(b"\n"):
                heard += self._control.recv(ANSWER_BYTES)
        return heard

    def close(self) -> None:
        """Let go; what still runs is killed."""
        self._control.close()


def memory_file(data: bytes = b"") -> int:
    """A descriptor of a nameless file with these bytes, at its start. The caller closes it."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("agenttools")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


class Starter:
    """The process that starts commands. Begun when first needed, begun again when it was killed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, job: Job) -> Child:
        """Start a program under a supervisor of its own. Whether it could be executed is said by :class:`Child`.

        Raises:
            OSError: no process can be made here.
        """
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            try:
                socket.send_fds(self._socket(), [b"+"], [theirs.fileno()])
            except (BrokenPipeError, ConnectionResetError):
                self._end()
                socket.send_fds(self._socket(), [b"+"], [theirs.fileno()])
        described = memory_file(job.encode())
        try:
            socket.send_fds(ours, [b"job"], [described, *job.descriptors.values()])
        finally:
            os.close(described)
        return Child(ours)

    def _socket(self) -> socket.socket:
        if self._requests is None:
            ours, theirs = socket.socketpair()
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(SUPERVISOR), str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    start_new_session=True,  # an interrupt goes to the kernel's whole process group
                )
            self._requests = ours
        return self._requests

    def close(self) -> None:
        """End the process. Commands that run go on to their end; the next command begins another one."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        requests, process = self._requests, self._process
        self._requests = self._process = None
        if requests is not None:
            requests.close()
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(1.0)

    def forget(self) -> None:
        """In a forked copy of the kernel: the process belongs to the original."""
        if self._process is not None:
            self._process.returncode = 0  # not a child of this process: there is nothing to wait for
        self.__init__()  # type: ignore[misc]


starter = Starter()
"""The one of this kernel."""

atexit.register(starter.close)
os.register_at_fork(after_in_child=starter.forget)
