"""What the edit of one cell costs in a notebook of 1 MB and of 50 MB: beside copying the bytes, in time and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from anyio.from_thread import start_blocking_portal

from jupyter_agenttools.files.history import HISTORY_VARIABLE
from jupyter_agenttools.session import Session

from .measure import Figure, median

SIZES = (1, 50)
"""In MB."""

REPEATS = {1: 60, 50: 9}
IMAGE = "iVBORw0KGgo/+" * 3_000
"""The base64 text of one output: a plot of about 30 kB."""


def write_notebook(path: Path, megabytes: int) -> None:
    """A notebook of that size: code cells of 20 lines, each with a plot, as Jupyter writes them."""
    output = {"data": {"image/png": IMAGE}, "metadata": {}, "output_type": "display_data"}
    cells = [
        {
            "cell_type": "code",
            "execution_count": number,
            "id": f"c{number}",
            "metadata": {},
            "outputs": [output],
            "source": [f"value_{line} = {number} * {line}\n" for line in range(20)],
        }
        for number in range(megabytes * 1_000_000 // (len(IMAGE) + 900))
    ]
    content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def copy(source: Path, target: Path) -> None:
    """The bytes read and written, nothing else."""
    with open(source, "rb") as file:
        data = file.read()
    with open(target, "wb") as file:
        file.write(data)


def copy_safely(source: Path, target: Path) -> None:
    """The least that a tool can do which must not damage a file: a new file, on the disk, under the old name there."""
    with open(source, "rb") as file:
        data = file.read()
    temporary = target.with_suffix(".tmp")
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, target)
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(folder)
    os.close(folder)


def milliseconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


class Editing:
    """A session that edits one notebook again and again, each time with another source.

    Args:
        undo: keep what was there before each edit, which is one more copy of the whole file.
    """

    def __init__(self, folder: Path, *, undo: bool) -> None:
        env = {} if undo else {HISTORY_VARIABLE: "off"}
        self._session = Session(cwd=folder, settings={"permissions": {"allow": ["Edit"]}, "env": env})
        self._count = 0

    def __enter__(self) -> Self:
        self._loop = start_blocking_portal()
        self._portal = self._loop.__enter__()
        self.edit()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._loop.__exit__(*exception)

    def edit(self) -> None:
        self._count += 1
        fields = {"notebook_path": "n.ipynb", "cell_id": "c9", "new_source": f"x = {self._count}, {id(self)}"}
        outcome = self._portal.call(self._session.call, "NotebookEdit", fields)
        assert not outcome.is_error, outcome.text


def _times(megabytes: int) -> tuple[float, ...]:
    """Medians in milliseconds: the edit, the same with undo, the copy, the safe copy; taken in turns."""
    taken: list[tuple[float, ...]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_notebook(folder / "n.ipynb", megabytes)
        with Editing(folder, undo=False) as plain, Editing(folder, undo=True) as undoable:
            for _ in range(REPEATS[megabytes]):
                edit, with_undo = milliseconds(plain.edit), milliseconds(undoable.edit)
                bare = milliseconds(lambda: copy(folder / "n.ipynb", folder / "copy"))
                safe = milliseconds(lambda: copy_safely(folder / "n.ipynb", folder / "copy"))
                taken.append((edit, with_undo, bare, safe))
    return tuple(median(column) for column in zip(*taken, strict=True))


def peak_of_edit(folder: str) -> None:
    """In a process of its own: print by how many bytes the peak of its memory grew with one edit of the notebook."""
    small = Path(folder, "small")
    small.mkdir()
    write_notebook(small / "n.ipynb", 1)
    with Editing(small, undo=True):
        before = _peak_memory()
    with Editing(Path(folder), undo=True):
        print(_peak_memory() - before)


def _peak_memory() -> int:
    """The most memory that this program has had so far, in bytes; ``ru_maxrss`` also counts the one that started it."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def _peak(megabytes: int) -> tuple[int, int]:
    """By how many bytes the memory grows at most, and how many the file has."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "n.ipynb")
        write_notebook(path, megabytes)
        code = f"from tests.bench.notebooks import peak_of_edit; peak_of_edit({folder!r})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return int(done.stdout), path.stat().st_size


def figures() -> Iterator[Figure]:
    """The figures of this module, one after the other."""
    for megabytes in SIZES:
        edit, with_undo, bare, safe = _times(megabytes)
        detail = {
            "copy that is not synced, ms": round(bare, 2),
            "ratio to that": round(edit / bare, 2),
            "with the old file kept for undo, ms": round(with_undo, 2),
        }
        yield Figure(f"one-cell edit of {megabytes} MB, whole pipeline", edit, safe, "ms", 2, detail)
    peak, size = _peak(max(SIZES))
    yield Figure(f"memory of one edit of {max(SIZES)} MB", peak / 1e6, size / 1e6, "MB", 3)
