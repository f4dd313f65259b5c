"""What the file history costs: the copies before a command, and before a tool's own change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.files import content_hash, safe_write
from jupyter_agenttools.files.history import FileHistory, FileTurn

from .measure import Figure, median

FOLDERS, FILES, SIZE = 100, 50, 20_000
REPEATS = 5
EDIT_BYTES = 100_000
UNDONE = 500


def _make_tree(root: Path) -> None:
    for number in range(FOLDERS):
        folder = root / f"folder-{number}"
        folder.mkdir(parents=True)
        for file in range(FILES):
            (folder / f"file-{file}").write_bytes(os.urandom(SIZE))
    os.sync()


def _timed(work: Callable[[], object]) -> float:
    before = time.perf_counter()
    work()
    return (time.perf_counter() - before) * 1_000


def _copy_all(root: Path, target: Path) -> None:
    """Every byte of the tree into one file that is on the disk."""
    with open(target, "wb") as out:
        for folder, _, names in os.walk(root):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    out.write(file.read())
        out.flush()
        os.fsync(out.fileno())
    target.unlink()


def _look_at_all(root: str) -> None:
    """The status of every file in the tree."""
    with os.scandir(root) as entries:
        for entry in entries:
            entry.stat(follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False):
                _look_at_all(entry.path)


def _edit_ms(path: Path, turn: FileTurn | None) -> float:
    """One write of a file that was not changed in this turn before."""
    present, data = path.read_bytes(), os.urandom(EDIT_BYTES)

    def write() -> None:
        if turn is not None:
            turn.before_change(str(path), present, "call", content_hash(data))
        receipt = safe_write(str(path), data, cancellation=Cancellation(), expected_hash=None, expected=present)
        if turn is not None:
            turn.after_change(str(path), receipt.content_hash, "call")

    return _timed(write)


def _undo_ms(folder: Path) -> tuple[float, float]:
    """An undo of many small files that were changed, and writing as many beside them, each of them on the disk."""
    root = folder / "small"
    root.mkdir()
    names = [str(root / str(number)) for number in range(UNDONE)]
    for name in names:
        Path(name).write_bytes(name.encode())
    history = FileHistory(folder / "session-undo")
    turn = history.turn("change them")
    snapshot = turn.before_command([str(root)], "1")
    for name in names:
        Path(name).write_bytes(b"changed " + name.encode())
    turn.after_command(snapshot, "1")

    def write_all() -> None:
        for name in names:
            with open(name + ".new", "wb") as out:
                out.write(name.encode())
                out.flush()
                os.fsync(out.fileno())
            os.replace(name + ".new", name + ".beside")

    return _timed(lambda: history.undo(1, Cancellation())), _timed(write_all)


def figures() -> Iterator[Figure]:
    """The figures of this module, one after the other."""
    with TemporaryDirectory() as name:
        folder = Path(os.path.realpath(name))
        root, detail = folder / "tree", {"files": FOLDERS * FILES, "bytes": FOLDERS * FILES * SIZE}
        _make_tree(root)
        first, copies = [], []
        for number in range(REPEATS):
            history = FileHistory(folder / f"session-{number}")
            turn = history.turn("first")
            first.append(_timed(lambda turn=turn: turn.before_command([str(root)], "1")))
            copies.append(_timed(lambda: _copy_all(root, folder / "copy")))
        yield Figure("copies before the first command", median(first), median(copies), "ms", 2.5, detail)
        again, looks = [], []
        for _ in range(REPEATS * 3):
            again.append(_timed(lambda: turn.before_command([str(root)], "1")))
            looks.append(_timed(lambda: _look_at_all(str(root))))
        yield Figure("the same before a later command", median(again), median(looks), "ms", 3.0, detail)
        plain, kept, file = [], [], root / "edited"
        file.write_bytes(b"")
        for _ in range(REPEATS * 3):
            kept.append(_edit_ms(file, history.turn("edit")))
            plain.append(_edit_ms(file, None))
        yield Figure("a write of 100 kB with its history", median(kept), median(plain), "ms", 2.5)
        undo, writes = _undo_ms(folder)
        yield Figure("an undo of 500 files", undo, writes, "ms", 3.0, {"files": UNDONE})
