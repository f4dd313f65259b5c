"""What code prints and shows while it runs, told apart from what others print meanwhile."""

from __future__ import annotations

import base64
import itertools
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal

from ..core.interpreter import CodeOutput

MAX_TEXT_CHARS = 2_000_000
"""Of what was printed: more than this is a loop that prints, and it is held in memory. The middle is left out."""
MAX_SHOWN = 50
"""Things displayed, of one run."""
MAX_SHOWN_CHARS = 20_000_000
"""Of all representations of what is displayed, images as base64 text."""
TELL_EVERY_S = 0.1
TAIL_CHARS = 4_000
FINISH_S = 0.1

_current: ContextVar[Recorder | None] = ContextVar("jupyter_agenttools_recorder", default=None)
_open: list[Recorder] = []


def current_recorder() -> Recorder | None:
    """Who records what the caller prints: code that runs, a task of it, or a thread that it began. Else ``None``."""
    found = _current.get()
    if found is not None:
        return None if found.closed else found
    here = threading.get_ident()
    adopting = [each for each in tuple(_open) if each.adopts(here)]
    return adopting[0] if len(adopting) == 1 else None


class Recorder:
    """Keeps what one piece of code prints and displays, in order, up to a size. Thread-safe.

    Args:
        on_output: told the end of what was printed so far, at most ten times a second.
    """

    def __init__(self, on_output: Callable[[str], None] = lambda tail: None) -> None:
        self._lock = threading.RLock()  # what Python itself prints (a warning in a finalizer) may come in the middle
        self._on_output = on_output
        self._threads = {thread.ident for thread in threading.enumerate()}
        self._head: list[CodeOutput] = []
        self._late: deque[CodeOutput] = deque()
        self._head_chars, self._late_chars, self._omitted = 0, 0, 0
        self._shown, self._shown_chars, self._left_out = 0, 0, 0
        self._tail, self._told = "", 0.0
        self.closed = False

    def adopts(self, thread: int) -> bool:
        """Whether that thread was begun while the code runs, and so most likely by it."""
        return not self.closed and thread not in self._threads and thread != threading.main_thread().ident

    def write(self, stream: Literal["stdout", "stderr"], text: str) -> None:
        """Keep what was printed: the first half of the room, and the last."""
        with self._lock:
            room = MAX_TEXT_CHARS // 2 - self._head_chars
            if head := text[:room]:
                self._head.append(CodeOutput(stream, head))
                self._head_chars += len(head)
            if late := text[room:]:
                self._late.append(CodeOutput(stream, late))
                self._late_chars += len(late)
                if self._late_chars > MAX_TEXT_CHARS:  # twice its room: that is taken out at once, not piece by piece
                    self._trim()
            self._tail = (self._tail + text[-TAIL_CHARS:])[-TAIL_CHARS:]
            tell = time.monotonic() - self._told >= TELL_EVERY_S
            if tell:
                self._told = time.monotonic()
        if tell:
            self._on_output(self._tail)

    def _trim(self) -> None:
        """Take out what was printed in the middle; what was displayed there moves to the beginning."""
        over = self._late_chars - MAX_TEXT_CHARS // 2
        while over > 0:
            entry = self._late.popleft()
            if entry.kind not in ("stdout", "stderr"):
                self._head.append(entry)
                continue
            cut = min(over, len(entry.text))
            over, self._late_chars, self._omitted = over - cut, self._late_chars - cut, self._omitted + cut
            if left := entry.text[cut:]:
                self._late.appendleft(CodeOutput(entry.kind, left))

    def show(self, kind: Literal["display", "value"], data: Mapping[str, Any]) -> None:
        """Keep representations of something."""
        kept = {kind: _as_text(value) for kind, value in data.items()}
        size = sum(len(value) for value in kept.values() if isinstance(value, str))
        with self._lock:
            if self._shown >= MAX_SHOWN or self._shown_chars + size > MAX_SHOWN_CHARS:
                self._left_out += 1
                return
            self._shown, self._shown_chars = self._shown + 1, self._shown_chars + size
            self._add(CodeOutput(kind, data=kept))

    def fail(self, text: str) -> None:
        """Keep why the code ended early."""
        with self._lock:
            self._add(CodeOutput("error", text))

    def _add(self, entry: CodeOutput) -> None:
        (self._late if self._late or self._omitted else self._head).append(entry)

    def finish(self) -> tuple[CodeOutput, ...]:
        """Keep nothing more; what there is. Does not wait for a thread that hangs in the middle of a print."""
        _streams.release(id(self))
        self.closed = True
        is_ours = self._lock.acquire(timeout=FINISH_S)
        try:
            if self._late_chars > MAX_TEXT_CHARS // 2:
                self._trim()
            words = f"\n[… {self._omitted:,} characters left out …]\n"
            cut = (CodeOutput("stderr", words),) if self._omitted else ()
            return tuple(_joined((*self._head, *cut, *self._late)))
        finally:
            if is_ours:
                self._lock.release()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not kept, once it is finished."""
        printed = (
            f"{self._omitted:,} characters in the middle of what was printed are not kept: the limit is "
            f"{MAX_TEXT_CHARS:,}"
        )
        shown = f"{self._left_out} more things were displayed that are not kept"
        return (*([printed] if self._omitted else []), *([shown] if self._left_out else []))

    @contextmanager
    def recording(self) -> Iterator[None]:
        """What the caller prints and displays in this block is kept here."""
        token = _current.set(self)
        _open.append(self)
        _streams.take(id(self))
        try:
            yield
        finally:
            _streams.release(id(self))
            _open.remove(self)
            _current.reset(token)


def _joined(entries: Iterable[CodeOutput]) -> Iterator[CodeOutput]:
    """What was printed to one stream without a break, as one."""
    for kind, group in itertools.groupby(entries, lambda entry: entry.kind):
        if kind in ("stdout", "stderr"):
            yield CodeOutput(kind, "".join(entry.text for entry in group))
        else:
            yield from group


def _as_text(value: Any) -> Any:
    return base64.b64encode(value).decode("ascii") if isinstance(value, (bytes, bytearray)) else value


class _Told:
    """Stands for a standard stream while code runs: prints of the code are recorded, all others go where they went."""

    def __init__(self, stream: Any, name: Literal["stdout", "stderr"]) -> None:
        self._stream, self._name = stream, name

    def write(self, text: str) -> int:
        recorder = current_recorder()
        if recorder is None:
            return self._stream.write(text)
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        recorder.write(self._name, text)
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        if self._stream is not None and current_recorder() is None:
            self._stream.flush()

    def isatty(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Streams:
    """The standard streams, told apart while any code runs. They come back with the end of the last one, whatever code
    did to them; code that was left alone counts as ended."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._users: set[int] = set()
        self._before: tuple[Any, Any] = (None, None)

    def take(self, user: int) -> None:
        with self._lock:
            if not self._users:
                self._before = sys.stdout, sys.stderr
            self._users.add(user)
            if not isinstance(sys.stdout, _Told):
                sys.stdout = _Told(self._before[0], "stdout")
            if not isinstance(sys.stderr, _Told):
                sys.stderr = _Told(self._before[1], "stderr")

    def release(self, user: int) -> None:
        with self._lock:
            if user in self._users:
                self._users.remove(user)
                if not self._users:
                    sys.stdout, sys.stderr = self._before


_streams = _Streams()


@contextmanager
def adopt_displays(publisher: Any) -> Iterator[None]:
    """Keep what code displays through ``publisher.publish(data, …)`` as well; a person still sees it."""
    publish = publisher.publish
    had_own = "publish" in vars(publisher)

    def publish_and_keep(data: Any, *arguments: Any, **options: Any) -> Any:
        recorder = current_recorder()
        if recorder is not None and isinstance(data, Mapping):
            recorder.show("display", data)
        return publish(data, *arguments, **options)

    publisher.publish = publish_and_keep
    try:
        yield
    finally:
        if vars(publisher).get("publish") is publish_and_keep:
            if had_own:
                publisher.publish = publish
            else:
                del publisher.publish
