"""Making one path hold again what it once held, without a moment in which it holds neither."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from ...core.cancel import Cancellation
from ...core.errors import ToolError, ToolValidationError
from ..opening import MAX_WHOLE_BYTES, content_hash, read_whole, too_large
from ..temporary import temporary_name
from ..writing import safe_write
from .blobs import Blobs
from .held import MISSING, Held, held_by, status_of

CHANGED_SUFFIX = ".changed-during-undo"
FOLDER_NOT_EMPTY = "undo-folder-not-empty"


def present_of(path: str) -> tuple[Held, bytes]:
    """What a path holds now, with its bytes.

    Raises:
        ToolValidationError: a file that cannot be read, or is larger than what fits into memory.
    """
    status = status_of(path)
    if status is None:
        return MISSING, b""
    if not stat.S_ISREG(status.st_mode):
        return held_by(path, status), b""
    if status.st_size > MAX_WHOLE_BYTES:
        raise too_large(path, status.st_size, MAX_WHOLE_BYTES)
    data = read_whole(path)
    return held_by(path, status, content_hash(data)), data


def restore(path: str, present: Held, target: Held, blobs: Blobs, cancellation: Cancellation, folders: set[str]) -> str:
    """Make ``path``, which holds ``present``, hold ``target``. Call it inside of the path's lock.

    Args:
        folders: gets the folders that the caller has to sync before this lasts through a power cut.

    Returns what a person should know besides, ``""`` for nothing.

    Raises:
        ToolError: it cannot be; says why, and the file is as it was.
        OSError: the system failed; nothing was changed.
    """
    _require_same_folder(path)
    cancellation.check()
    folders.add(os.path.dirname(path))
    if present.kind == "folder" and target.kind != "folder":
        _remove_folder(path)
        present = MISSING
    match target.kind:
        case "missing":
            if present.kind != "missing":
                _take_away(path, present)
        case "folder":
            _make_folder(path, present, target.mode)
        case "link":
            _put_link(path, present, target.target)
        case "file":
            return _put_file(path, present, target, _Writing(blobs, cancellation, folders))
        case _:
            raise ToolValidationError("it was a device, a pipe or a socket", check_id="undo-not-regular")
    return ""


def _take_away(path: str, present: Held) -> None:
    """Remove a file or link, unless it holds something else by now: then it stays."""
    with temporary_name(os.path.dirname(path)) as aside:
        os.rename(path, aside)
        if present_of(aside)[0].same_content(present):
            return
        if os.path.lexists(path):
            os.rename(aside, path + CHANGED_SUFFIX)
            message = f"it was changed twice at the same time; the first of these changes is in {path}{CHANGED_SUFFIX}"
        else:
            os.rename(aside, path)
            message = "it was changed at the same time"
    raise ToolError(message, check_id="undo-changed-meanwhile")


def _require_same_folder(path: str) -> None:
    """A folder that was replaced by a link would lead an undo to files that nobody talks about."""
    folder = os.path.dirname(path)
    if os.path.realpath(folder) != folder:
        message = f"the way to it leads over a link now, to {os.path.realpath(folder)}"
        raise ToolValidationError(message, check_id="undo-folder-moved")


def _remove_folder(path: str) -> None:
    try:
        os.rmdir(path)
    except OSError as error:
        if os.path.isdir(path) and os.listdir(path):
            raise ToolValidationError("there are other files in it", check_id=FOLDER_NOT_EMPTY) from error
        raise


def _make_folder(path: str, present: Held, mode: int) -> None:
    if present.kind in ("file", "link"):
        os.unlink(path)
    if present.kind != "folder":
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.mkdir(path, 0o700)
    os.chmod(path, mode)


def _put_link(path: str, present: Held, target: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if present.kind == "missing":
        os.symlink(target, path)
        return
    with temporary_name(os.path.dirname(path)) as temporary:
        os.symlink(target, temporary)
        os.replace(temporary, path)


class _Writing(NamedTuple):
    blobs: Blobs
    cancellation: Cancellation
    folders: set[str]

    def make(self, path: str, data: bytes, mode: int) -> None:
        safe_write(
            path, data, cancellation=self.cancellation, expected_hash=None, new_mode=mode, folders_to_sync=self.folders
        )


def _put_file(path: str, present: Held, target: Held, writing: _Writing) -> str:
    if present.kind == "file" and present.same_content(target):
        os.chmod(path, target.mode)
        return ""
    try:
        data = writing.blobs.read(target.digest)
    except KeyError:
        raise ToolError("no copy of what it held was kept", check_id="undo-no-copy") from None
    if present.kind == "file":
        return _overwrite(path, present, target, data, writing)
    if present.kind == "missing":
        writing.make(path, data, target.mode)
        return _give_back(path, target)
    with temporary_name(os.path.dirname(path)) as made:
        writing.make(made, data, target.mode)
        said = _give_back(made, target)
        os.replace(made, path)
    return said


def _overwrite(path: str, present: Held, target: Held, data: bytes, writing: _Writing) -> str:
    if not present.mode & stat.S_IWUSR:
        os.chmod(path, present.mode | stat.S_IWUSR)
    try:
        safe_write(
            path,
            data,
            cancellation=writing.cancellation,
            expected_hash=present.digest,
            folders_to_sync=writing.folders,
        )
    except BaseException:
        os.chmod(path, present.mode)
        raise
    os.chmod(path, target.mode)
    return ""


def _give_back(path: str, target: Held) -> str:
    """Give a file that was made anew to whom it belonged."""
    status = os.lstat(path)
    if (status.st_uid, status.st_gid) == (target.uid, target.gid) or target.uid < 0:
        return ""
    try:
        os.chown(path, target.uid, target.gid, follow_symlinks=False)
        os.chmod(path, target.mode)  # a change of the owner takes set-id bits away
    except OSError:
        return f"it belonged to user {target.uid}, group {target.gid}, and is yours now"
    return ""
