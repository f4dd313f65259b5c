"""The kernel's side of ``supervisor.py``: start a program there, hear how it goes, have it stopped."""

from __future__ import annotations

import atexit
import marshal
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SUPERVISOR = Path(__file__).with_name("supervisor.py")
ANSWER_BYTES = 65536

MAX_IDLE = 4
"""So many supervisors wait for a next call; a burst of calls leaves no crowd of them behind."""


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
        is_boxed: the program only holds a box in which the job runs, and ends when that does: nobody asks it to end.
    """

    program: str
    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: str
    descriptors: Mapping[int, int]
    is_boxed: bool = False

    def encode(self) -> bytes:
        """The job as ``supervisor.py`` reads it; ``marshal`` holds bytes and needs no import on the other side."""
        env = {os.fsencode(name): os.fsencode(value) for name, value in self.env.items()}
        argv = [os.fsencode(word) for word in self.argv]
        numbers = list(self.descriptors)
        return marshal.dumps((os.fsencode(self.program), argv, env, os.fsencode(self.cwd), numbers, self.is_boxed))


class Supervisor:
    """A supervisor as the kernel knows it: the socket to it, and its process once it has said that."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.pid: int | None = None

    def take(self, job: Job) -> None:
        """Have it start a job.

        Raises:
            OSError: it is gone, or the job cannot be described.
        """
        described = memory_file(job.encode())
        try:
            socket.send_fds(self.control, [b"job"], [described, *job.descriptors.values()])
        finally:
            os.close(described)


class Child:
    """A program that was started, through its supervisor's control socket. All methods may be called in any thread.

    Args:
        supervisor: who watches over it.
        release: takes the supervisor back when the call is over and nothing of it is left.
    """

    def __init__(self, supervisor: Supervisor, release: Callable[[Supervisor], None]) -> None:
        self._supervisor: Supervisor | None = supervisor
        self._release = release
        self._lock = threading.Lock()
        self._is_clean = False

    def fileno(self) -> int:
        return -1 if self._supervisor is None else self._supervisor.control.fileno()

    def stop(self, grace_s: float) -> None:
        """Have the whole tree asked to end (SIGTERM), and killed after ``grace_s``."""
        self._order(f"stop {int(grace_s * 1000)}\n".encode())

    def kill(self) -> None:
        """Have the whole tree killed now."""
        self._order(b"kill\n")

    def _order(self, words: bytes) -> None:
        with self._lock, suppress(OSError):  # it is over already
            if self._supervisor is not None:
                self._supervisor.control.sendall(words)

    def receive(self) -> list[list[str]] | None:
        """What the supervisor says next, in words, line by line; ``None`` when it is gone. Blocks until it speaks."""
        assert self._supervisor is not None
        heard = b""
        with suppress(OSError):
            heard = self._supervisor.control.recv(ANSWER_BYTES)
            while heard and not heard.endswith(b"\n"):
                heard += self._supervisor.control.recv(ANSWER_BYTES)
        lines = [line.split() for line in heard.decode("ascii").splitlines()]
        if lines and lines[0][0] == "pid":
            self._supervisor.pid = int(lines.pop(0)[1])
        self._is_clean = lines[-1:] == [["gone"]]
        return lines if heard else None

    def close(self) -> None:
        """Let go; what still runs is killed."""
        with self._lock:
            supervisor, self._supervisor = self._supervisor, None
        if supervisor is not None and self._is_clean:
            self._release(supervisor)
        elif supervisor is not None:
            supervisor.control.close()

    def abandon(self) -> None:
        """Kill a supervisor that does not answer (a command may have stopped it); its tree is killed with it."""
        with self._lock:
            if self._supervisor is not None and self._supervisor.pid is not None and _is_open(self._supervisor.control):
                with suppress(ProcessLookupError):
                    os.kill(self._supervisor.pid, signal.SIGKILL)


def _is_open(control: socket.socket) -> bool:
    """Whether somebody holds the other side: then its process number cannot belong to another process by now."""
    try:
        return control.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


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
    """The process that starts commands. Begun when first needed, begun again when it was killed.

    Supervisors whose call is over wait here for the next one: a few of them, the latest first.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._idle: list[Supervisor] = []

    def start(self, job: Job) -> Child:
        """Start a program under a supervisor of its own. Whether it could be executed is said by :class:`Child`.

        Raises:
            OSError: no process can be made here.
        """
        while supervisor := self._waiting():
            try:
                supervisor.take(job)
            except (BrokenPipeError, ConnectionResetError):  # somebody has killed it
                supervisor.control.close()
            else:
                return Child(supervisor, self._release)
        supervisor = self._new()
        try:
            supervisor.take(job)
        except BaseException:
            supervisor.control.close()
            raise
        return Child(supervisor, self._release)

    def _waiting(self) -> Supervisor | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _new(self) -> Supervisor:
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            try:
                socket.send_fds(self._socket(), [b"+"], [theirs.fileno()])
            except (BrokenPipeError, ConnectionResetError):
                self._end()
                socket.send_fds(self._socket(), [b"+"], [theirs.fileno()])
        return Supervisor(ours)

    def _release(self, supervisor: Supervisor) -> None:
        with self._lock:
            if self._requests is not None and len(self._idle) < MAX_IDLE:
                self._idle.append(supervisor)
                return
        supervisor.control.close()

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
        while self._idle:
            self._idle.pop().control.close()
        if requests is not None:
            requests.close()
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(1.0)

    def forget(self) -> None:
        """In a forked copy of the kernel: the process belongs to the original."""
        if self._process is not None:
            self._process.returncode = 0  # not a child of this process: there is nothing to wait for
        for supervisor in self._idle:
            supervisor.control.close()
        self.__init__()  # type: ignore[misc]


starter = Starter()
"""The one of this kernel."""

atexit.register(starter.close)
os.register_at_fork(after_in_child=starter.forget)
