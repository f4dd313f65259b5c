"""The process that decodes: started for one reading, asked in turn, ended with it.

Whatever a file does to the decoders (a crash, a loop without end, all the memory) ends that process and nothing else.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from types import TracebackType
from typing import Any

from ..core.cancel import Cancellation
from ..core.library_places import library_places
from .frames import Frame, packed, unpacked

START = "import sys; sys.path += sys.argv[1:]; from jupyter_agenttools.media.child.main import main; main()"
ANSWER_SECONDS = 20.0
"""For one image or page; what takes longer is hostile."""

READ_BYTES = 1 << 20

INSTALLED_AS = {"PIL": "pillow", "pypdfium2": "pypdfium2"}


class MediaProblem(Exception):
    """Why something cannot be shown.

    Args:
        code: a stable word for it, e.g. ``image-damaged``, ``decoder-crashed``.
        message: the same for people, without the path.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class MediaProcess:
    """Decodes what it is asked for. Use it with ``with``, in a worker thread: every method waits.

    Args:
        cancellation: ends the process when it is thrown.
        libraries: importable names of what is needed, ``PIL`` or ``pypdfium2``.
        descriptors: of open files that it may read.
    """

    def __init__(
        self, cancellation: Cancellation, libraries: Sequence[str] = ("PIL",), descriptors: Sequence[int] = ()
    ) -> None:
        self._cancellation = cancellation
        self._libraries = tuple(libraries)
        self._descriptors = tuple(descriptors)
        self._process: subprocess.Popen[bytes] | None = None
        self._unread = bytearray()

    def __enter__(self) -> MediaProcess:
        self._cancellation.add_callback(self._kill)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._cancellation.remove_callback(self._kill)
        self._end()

    @property
    def is_running(self) -> bool:
        """Whether it has been started and, as far as is known, not ended since."""
        return self._process is not None

    def ask(self, request: dict[str, Any], payloads: Sequence[bytes] = (), seconds: float = ANSWER_SECONDS) -> Frame:
        """What does the process answer? It is started for the first question, and again after it died.

        Args:
            seconds: how long it may take.

        Raises:
            MediaProblem: it cannot be decoded, for whatever reason.
            InterruptedToolError: the call was stopped.
        """
        self._cancellation.check()
        process = self._process or self._start()
        deadline = time.monotonic() + seconds
        try:
            answer = self._exchange(process, packed(request, payloads), deadline)
        except TimeoutError as error:
            self._end()
            raise MediaProblem("decoder-timeout", f"decoding it took longer than {seconds:g} s") from error
        except (OSError, ValueError):
            answer = None
        if answer is None:
            status = self._end()
            self._cancellation.check()
            raise MediaProblem("decoder-crashed", _died(status))
        if "problem" in answer.header:
            raise MediaProblem(answer.header["code"], answer.header["problem"])
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        if not sys.executable:
            raise MediaProblem("decoder-missing", "it cannot be decoded: this kernel does not know its Python program")
        folders = [str(Path(__file__).parents[2]), *dict.fromkeys(map(_home_of, self._libraries))]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", START, *folders],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=self._descriptors,
                start_new_session=True,  # an interrupt of the kernel is not meant for it
                bufsize=0,
            )
        except OSError as error:
            raise MediaProblem("decoder-missing", f"it cannot be decoded: no process: {error.strerror}") from error
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        if self._cancellation.cancelled:
            self._kill("")
        return self._process

    def _exchange(self, process: subprocess.Popen[bytes], pieces: list[bytes], deadline: float) -> Frame | None:
        assert process.stdin is not None
        for piece in pieces:
            view = memoryview(piece)
            while view:
                view = view[_write(process.stdin.fileno(), view, deadline) :]
        return unpacked(lambda count: self._read(process, count, deadline))

    def _read(self, process: subprocess.Popen[bytes], count: int, deadline: float) -> bytes:
        assert process.stdout is not None
        descriptor = process.stdout.fileno()
        while len(self._unread) < count:
            _await(descriptor, select.POLLIN, deadline)
            piece = os.read(descriptor, READ_BYTES)
            if not piece:
                break
            self._unread += piece
        found = bytes(self._unread[:count])
        del self._unread[:count]
        return found

    def _kill(self, _: str) -> None:
        if self._process is not None:
            self._process.kill()

    def _end(self) -> int | None:
        """End the process; returns its exit status, ``None`` where it had not ended by itself."""
        process, self._process = self._process, None
        self._unread.clear()
        if process is None:
            return None
        assert process.stdin is not None and process.stdout is not None
        by_itself = process.poll() is not None or self._ended_by_itself(process)
        process.kill()
        process.stdin.close()
        process.stdout.close()
        status = process.wait()
        return status if by_itself else None

    @staticmethod
    def _ended_by_itself(process: subprocess.Popen[bytes]) -> bool:
        """Whether a process that closed its side is on its way out, so that its own exit status can be told."""
        assert process.stdout is not None
        poll = select.poll()
        poll.register(process.stdout.fileno(), 0)
        if not poll.poll(0):
            return False
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            return False
        return True


def _await(descriptor: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(descriptor, event)
    left = deadline - time.monotonic()
    if left <= 0 or not poll.poll(left * 1000):
        raise TimeoutError


def _write(descriptor: int, view: memoryview, deadline: float) -> int:
    """Write what the pipe, which does not block, takes at once."""
    _await(descriptor, select.POLLOUT, deadline)
    return os.write(descriptor, view)


def _died(status: int | None) -> str:
    if status is None:
        return "its decoder gave no proper answer"
    if status == -signal.SIGXCPU:
        return "decoding it took more time than anything sound does"
    if status < 0:
        return f"its decoder crashed (signal {-status}): the file is damaged, or made to do that"
    return f"its decoder ended unexpectedly (status {status})"


def _home_of(library: str) -> str:
    """The folder that a library is installed in.

    Raises:
        MediaProblem: it is not installed.
    """
    spec = PathFinder.find_spec(library, library_places())
    if spec is None or spec.origin is None:
        name = INSTALLED_AS[library]
        message = f"it cannot be decoded: {name} is not installed (pip install {name})"
        raise MediaProblem("decoder-missing", message)
    return str(Path(spec.origin).parents[1])
