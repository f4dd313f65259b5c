"""The output of one command: to disk as it comes, and as text that is short enough to show."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...shell import OutputLog, OutputText
from .output import BashProgress
from .output_kinds import unread_output

if TYPE_CHECKING:
    from ...media.images import ShownImage

STDERR_SHARE = 4
"""Of an output over pipes, at most this part (1/4) of what is shown is the error output."""

MAX_FILE_WORDS = "64 MB"


class Captured(NamedTuple):
    """A finished output.

    Attributes:
        text: what is shown of it.
        path, size: the file with every byte, when the text is not exactly that.
        lines, bytes: of the whole output.
        notices: where the rest is and what the text does not show.
        image: the bytes of the image that the output is.
        shown: that image, once it is decoded.
    """

    text: str
    path: str | None
    size: int | None
    lines: int
    bytes: int
    notices: tuple[str, ...]
    image: bytes | None = None
    shown: ShownImage | None = None


class Capture:
    """Takes both outputs of a command. A terminal has only the first. Thread-safe.

    Args:
        out_path: the file for the output; the error output of pipes goes beside it.
        limit: characters that are shown in the end.
        on_output: also given every byte of both outputs as it comes.
    """

    def __init__(self, out_path: Path, limit: int, on_output: Callable[[bytes], None] | None = None) -> None:
        self._limit = limit
        self._out = OutputLog(out_path, limit)
        self._err = OutputLog(out_path.with_suffix(".stderr.txt"), limit // STDERR_SHARE)
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()
        self._kept = False
        self._on_output = on_output
        self.path = out_path

    @property
    def sinks(self) -> Mapping[Literal["stdout", "stderr"], Callable[[bytes], None]]:
        return {"stdout": partial(self._write, self._out), "stderr": partial(self._write, self._err)}

    def _write(self, log: OutputLog, data: bytes) -> None:
        with self._lock:
            log.write(data)
        if self._on_output is not None:
            self._on_output(data)

    @property
    def total_lines(self) -> int:
        return self._out.total_lines + self._err.total_lines

    @property
    def total_bytes(self) -> int:
        return self._out.total_bytes + self._err.total_bytes

    def keep_file(self) -> None:
        """From now on there is a file, even for no output, and it stays."""
        with self._lock:
            self._kept = True
            self._out.make_file()

    def tail(self) -> str:
        """The last lines of both outputs as they look now."""
        with self._lock:
            return _joined(self._out.tail(), self._err.tail())

    def so_far(self, limit: int) -> str:
        """What there is of both outputs, its beginning and its end when it is longer than ``limit`` characters."""
        with self._lock:
            err = self._err.text_so_far(limit // STDERR_SHARE)
            return _joined(self._out.text_so_far(limit - len(err)), err)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What the files do not hold, and where the error output is when it has a file of its own."""
        with self._lock:
            apart = [f"The error output has a file of its own: {self._err.path}"] if self._err.total_bytes else []
            return (*apart, *(note for log in (self._out, self._err) for note in _file_gaps(log)))

    def progress(self, elapsed_ms: int, is_incomplete: bool) -> BashProgress:
        """The output as it is now."""
        return BashProgress(
            id=f"bash-progress-{next(self._numbers)}",
            tail=self.tail(),
            total_lines=self.total_lines,
            total_bytes=self.total_bytes,
            elapsed_ms=elapsed_ms,
            is_incomplete=is_incomplete,
            output_path=str(self._out.path) if self._out.total_bytes else None,
        )

    def close(self) -> None:
        """No more output comes."""
        with self._lock:
            self._out.close()
            self._err.close()

    def finish(self) -> Captured:
        """The closed output as text. Files that hold no more than the text does are taken away."""
        err = self._err.text(self._limit // STDERR_SHARE)
        out = self._out.text(self._limit - len(err.text))
        unread = unread_output(self._out, out.text)
        if unread is not None:
            out = OutputText(f"[{unread.words}]", 0, False)
        shown = ((self._out, out), (self._err, err))
        kept = [log for log, text in shown if not text.same_as_file]
        for log, text in shown:
            if text.same_as_file and not self._kept:
                log.discard_file()
        return Captured(
            text=_joined(out.text, err.text),
            path=str(kept[0].path) if kept else None,
            size=kept[0].kept_bytes if kept else None,
            lines=self.total_lines,
            bytes=self.total_bytes,
            notices=tuple(note for log, text in shown for note in _notices(log, text, log is self._out and unread)),
            image=unread.image if unread is not None else None,
        )


def _joined(out: str, err: str) -> str:
    return f"{out}\n{err}" if out and err and not out.endswith("\n") else out + err


def _notices(log: OutputLog, shown: OutputText, is_unread: object) -> list[str]:
    notes = []
    if is_unread:
        notes.append(f"All {log.total_bytes:,} bytes: {log.path}")
    elif log.is_binary:
        notes.append("The output holds binary data; signs such as ␀ and � stand for what is no text.")
    elif log.is_invalid:
        notes.append("Some of the output is not UTF-8; � stands for such bytes.")
    if not is_unread and (shown.omitted_chars or log.is_binary or log.is_invalid):
        size = f"{log.total_lines:,} lines, {log.total_bytes:,} bytes"
        notes.append(f"Full output ({size}): {log.path} (read it with offset and limit, or search it)")
    return [*notes, *_file_gaps(log)]


def _file_gaps(log: OutputLog) -> list[str]:
    if log.file_error is not None:
        return [f"The file could not be written to the end: {log.file_error}"]
    return [] if log.file_is_whole else [f"The file holds the first {MAX_FILE_WORDS} only."]
