"""Taking turns back, path by path, and saying what became of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from ...core.cancel import Cancellation
from ...core.errors import InterruptedToolError, ToolError
from ..locks import file_lock
from .blobs import Blobs
from .held import Held
from .report import FileResult, FileUndo
from .restore import FOLDER_NOT_EMPTY, present_of, restore
from .turns import Step, way_back

SHOWN_TEXT_BYTES = 200_000
"""A text longer than this is not shown as a difference."""


class Writer(Protocol):
    """Who keeps the records of an undo."""

    def begin(self, path: str, present: Held, data: bytes, target: Held, reverts: Sequence[Step]) -> Step:
        """Keep what the path holds, and note what it is to hold; on the disk when this returns."""

    def finish(self, step: Step, after: Held) -> None:
        """Note that it does."""


def take_back(
    paths: dict[str, list[Step]], writer: Writer, blobs: Blobs, cancellation: Cancellation, *, force: bool
) -> Iterator[FileUndo]:
    """Take the steps of each path back (newest first); says what became of each path, in the order it was done."""
    stopped = ""
    for path, steps in sorted(paths.items(), key=_turn_of):
        if stopped:
            yield FileUndo(path, "failed", stopped)
            continue
        try:
            with file_lock(path):
                done = _take_back(path, steps, writer, blobs, cancellation, force)
        except InterruptedToolError as stop:
            stopped = f"not looked at: {stop}"
            done = FileUndo(path, "failed", stopped)
        except ToolError as refusal:
            result: FileResult = "kept" if refusal.check_id == FOLDER_NOT_EMPTY else "failed"
            done = FileUndo(path, result, refusal.message)
        except OSError as error:
            done = FileUndo(path, "failed", error.strerror or str(error))
        if done.result in ("kept", "failed") or "folder" not in _kinds(steps):
            yield done


def _kinds(steps: Sequence[Step]) -> set[str]:
    return {held.kind for step in steps for held in (step.before, step.after) if held is not None}


def _turn_of(job: tuple[str, list[Step]]) -> tuple[int, int, str]:
    """Files away first, then folders away (the inner ones first), then folders back, and last what files hold."""
    path, steps = job
    depth, oldest = path.count("/"), steps[-1].before.kind
    if oldest == "folder":
        return 2, depth, path
    if steps[0].after is not None and steps[0].after.kind == "folder":
        return 1, -depth, path
    return (0 if oldest == "missing" else 3), depth, path


def _take_back(
    path: str, steps: Sequence[Step], writer: Writer, blobs: Blobs, cancellation: Cancellation, force: bool
) -> FileUndo:
    cancellation.check()
    present, data = present_of(path)
    way = way_back(present, steps, force=force)
    if not way.reverts:
        return FileUndo(path, "kept", way.blocked)
    step = writer.begin(path, present, data, way.target, way.reverts)
    if way.target.same(present):
        writer.finish(step, present)
        return FileUndo(path, "kept" if way.blocked else "already", way.blocked)
    said = restore(path, present, way.target, blobs, cancellation)
    after, now = present_of(path)
    writer.finish(step, after)
    old, new = _text(present, data), _text(after, now)
    result: FileResult = "removed" if way.target.kind == "missing" else "restored"
    return FileUndo(path, result, "; ".join(filter(None, (way.blocked, said))), after.digest, old, new)


def _text(held: Held, data: bytes) -> str | None:
    """The text of a file, or of a link; nothing for what is missing, ``None`` for what cannot be shown."""
    if held.kind == "link":
        return f"→ {held.target}\n"
    if held.kind != "file":
        return ""
    if len(data) > SHOWN_TEXT_BYTES or b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
