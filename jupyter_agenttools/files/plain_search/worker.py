"""The process that searches: reads a job from its standard input, writes what ripgrep would write.

Records of a count are ``./path``, NUL, the number and a line end; of a list ``./path`` and NUL; lines are JSON objects
with the fields of ``rg --json`` that are used. Troubles go to the error output as ``rg: ./path: why (os error N)``.
"""

from __future__ import annotations

import json
import os
import re
import sys
import zlib
from collections.abc import Iterator
from typing import Any

from .excerpt import Wish, excerpts
from .lifetime import end_after, watched
from .scan import UTF16_MARKS, FileBytes, Matcher, TooLargeError, decoded
from .walk import NameFilter, Walk

PIPE_BYTES = 4096
"""What several processes may write to one pipe at once without mixing; to a file opened for appending, anything."""

MAX_PROCESSES = 4


class Output:
    """Whole records to the standard output, in pieces that never mix with those of another process."""

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._size = 0

    def write(self, record: bytes) -> None:
        if self._size + len(record) > PIPE_BYTES:
            self.flush()
        self._held.append(record)
        self._size += len(record)

    def flush(self) -> None:
        data = memoryview(b"".join(self._held))
        self._held, self._size = [], 0
        while data:
            data = data[os.write(1, data) :]


def main() -> None:
    """Run one job: ``{"do": "count" | "list" | "lines", "root": …, …}``."""
    job = json.loads(sys.stdin.buffer.read())
    sys.exit(watched(lambda: _do(job), job["limit_s"]))


def _do(job: dict[str, Any]) -> None:
    try:
        {"count": _count, "list": _list, "lines": _lines}[job["do"]](job)
    except re.error as error:
        sys.stderr.write(f"regex error: {error}\n")
        sys.exit(2)
    except BrokenPipeError:
        os._exit(0)  # nobody listens any more


def _matcher(job: dict[str, Any]) -> Matcher:
    matcher = Matcher(
        job["pattern"],
        job["required"],
        ignore_case=job["ignore_case"],
        by_line=job["by_line"],
        one_line_at_a_time=job["one_line_at_a_time"],
    )
    matcher.compile()
    return matcher


def _files(job: dict[str, Any], *, quiet: bool = False) -> Iterator[str]:
    if job["files"]:
        yield from job["files"]
        return

    def on_error(folder: str, error: OSError) -> None:
        if not quiet:
            _complain(folder or ".", error)

    names = NameFilter.from_texts(job["wanted"], job["unwanted"])
    yield from Walk(job["root"], names, respect_ignore=job["respect_ignore"], on_error=on_error).files()


def _complain(relative: str, error: OSError) -> None:
    line = f"rg: ./{relative}: {error.strerror} (os error {error.errno})\n"
    os.write(2, line.encode("utf-8", "surrogateescape"))


def _list(job: dict[str, Any]) -> None:
    output = Output()
    for relative in _files(job):
        output.write(b"./" + os.fsencode(relative) + b"\0")
    output.flush()


def _usable_processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _count(job: dict[str, Any]) -> None:
    """Every process walks through all folders, which is quick, and looks into its share of the files."""
    matcher = _matcher(job)
    total = 1 if job["files"] else min(MAX_PROCESSES, _usable_processors())
    share, children = 0, []
    for number in range(1, total):
        child = os.fork()
        if child == 0:
            end_after(job["limit_s"])
            share = number
            break
        children.append(child)
    try:
        _count_share(job, matcher, share, total)
    except BrokenPipeError:
        os._exit(0)
    if share:
        os._exit(0)
    for child in children:
        os.waitpid(child, 0)


def _count_share(job: dict[str, Any], matcher: Matcher, share: int, total: int) -> None:
    output, root = Output(), job["root"].rstrip("/") + "/"
    each, nul = job["each"], job["nul"]
    for relative in _files(job, quiet=share > 0):
        if total > 1 and zlib.crc32(os.fsencode(relative)) % total != share:
            continue
        try:
            found = _count_file(root + relative, matcher, each, nul)
        except OSError as error:
            _complain(relative, error)
        except TooLargeError:
            _complain(relative, OSError(27, "File too large"))
        else:
            if found:
                output.write(b"./%s\0%d\n" % (os.fsencode(relative), found))
    output.flush()


def _count_file(path: str, matcher: Matcher, each: bool, nul: str) -> int:
    """How often the file matches; 0 for a binary one.

    Args:
        nul: what a NUL byte means: ``quit`` (the file is binary), ``text`` (nothing), ``newline`` (a line end).
    """
    file, found = FileBytes(path), 0
    try:
        for data in file.blocks(whole=not matcher.by_line):
            if b"\0" in data and not data.startswith(UTF16_MARKS):
                if nul == "quit":
                    return 0
                data = data.replace(b"\0", b"\n") if nul == "newline" else data
            if matcher.may_match(data):
                text = decoded(data)
                if nul == "quit" and "\0" in text:
                    return 0
                found += matcher.count(text, each=each)
    finally:
        file.close()
    return found


def _lines(job: dict[str, Any]) -> None:
    matcher, output = _matcher(job), Output()
    root = job["root"].rstrip("/") + "/"
    for relative in job["files"]:
        try:
            file = FileBytes(root + relative)
            try:
                text = "".join(decoded(data) for data in file.blocks(whole=True))
            finally:
                file.close()
        except (OSError, TooLargeError) as error:
            _complain(relative, error if isinstance(error, OSError) else OSError(27, "File too large"))
            continue
        _emit(output, {"type": "begin", "data": {"path": {"text": "./" + relative}}})
        wish = Wish(job["before"], job["after"], job["most"], job["most_spans"])
        for record in excerpts(matcher, text, wish):
            _emit(output, record)
    output.flush()


def _emit(output: Output, record: dict[str, Any]) -> None:
    output.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
