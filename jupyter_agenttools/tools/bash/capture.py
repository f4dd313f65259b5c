"""The output of one command: to disk as it comes, and as text that is short enough to show."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from ...shell import OutputLog, OutputText
from .output import BashProgress

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
    """

    text: str
    path: str | None
    size: int | None
    lines: int
    bytes: int
    notices: tuple[str, ...]


class Capture:
    """Takes both outputs of a command. A terminal has only the first.

    Args:
        out_path: the file for the output; the error output of pipes goes beside it.
        limit: characters that are shown in the end.
    """

    def __init__(self, out_path: Path, limit: int) -> None:
        self._limit = limit
        self._out = OutputLog(out_path, limit)
        self._err = OutputLog(out_path.with_suffix(".stderr.txt"), limit // STDERR_SHARE)
        self._numbers = itertools.count(1)

    @property
    def sinks(self) -> Mapping[Literal["stdout", "stderr"], Callable[[bytes], None]]:
        return {"stdout": self._out.write, "stderr": self._err.write}

    def progress(self, elapsed_ms: int, is_incomplete: bool) -> BashProgress:
        """The output as it is now."""
        return BashProgress(
            id=f"bash-progress-{next(self._numbers)}",
            tail=_joined(self._out.tail(), self._err.tail()),
            total_lines=self._out.total_lines + self._err.total_lines,
            total_bytes=self._out.total_bytes + self._err.total_bytes,
            elapsed_ms=elapsed_ms,
            is_incomplete=is_incomplete,
            output_path=str(self._out.path) if self._out.total_bytes else None,
        )

    def close(self) -> None:
        """No more output comes."""
        self._out.close()
        self._err.close()

    def finish(self) -> Captured:
        """The closed output as text. Files that hold no more than the text does are taken away."""
        err = self._err.text(self._limit // STDERR_SHARE)
        out = self._out.text(self._limit - len(err.text))
        shown = ((self._out, out), (self._err, err))
        kept = [log for log, text in shown if not text.same_as_file]
        for log, text in shown:
            if text.same_as_file:
                log.discard_file()
        return Captured(
            text=_joined(out.text, err.text),
            path=str(kept[0].path) if kept else None,
            size=kept[0].kept_bytes if kept else None,
            lines=self._out.total_lines + self._err.total_lines,
            bytes=self._out.total_bytes + self._err.total_bytes,
            notices=tuple(note for log, text in shown for note in _notices(log, text)),
        )


def _joined(out: str, err: str) -> str:
    return f"{out}\n{err}" if out and err and not out.endswith("\n") else out + err


def _notices(log: OutputLog, shown: OutputText) -> list[str]:
    notes = []
    if log.is_binary:
        notes.append("The output holds binary data; signs such as ␀ and � stand for what is no text.")
    if shown.omitted_chars or log.is_binary:
        size = f"{log.total_lines:,} lines, {log.total_bytes:,} bytes"
        notes.append(f"Full output ({size}): {log.path} (read it with offset and limit, or search it)")
    if log.file_error is not None:
        notes.append(f"The file could not be written to the end: {log.file_error}")
    elif not log.file_is_whole:
        notes.append(f"The file holds the first {MAX_FILE_WORDS} only.")
    return notes
