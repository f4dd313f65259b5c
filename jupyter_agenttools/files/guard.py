"""May this reader change this file: has it seen what is there now?"""

from __future__ import annotations

from collections.abc import Iterable

from ..core.errors import ToolValidationError
from .state import ReadRecord


def require_unchanged(path: str, record: ReadRecord, present_hash: str) -> None:
    """Do nothing while the file holds the content that was read.

    Raises:
        ToolValidationError: it holds another one.
    """
    if record.content_hash != present_hash:
        raise ToolValidationError(
            f"{path}: content changed since read (by a person, an editor or a command). Nothing was written. "
            "Read it again and repeat the change on what is there now",
            check_id="content-changed",
        )


def require_known(path: str, record: ReadRecord | None) -> ReadRecord:
    """The record of a file of which anything at all was read.

    Raises:
        ToolValidationError: it was not read.
    """
    if record is None:
        message = f"{path} exists and has not been read in this conversation. Read it first, then change it"
        raise ToolValidationError(message, check_id="not-read")
    return record


def require_read(path: str, record: ReadRecord | None) -> ReadRecord:
    """The record of a file that has been read completely.

    Raises:
        ToolValidationError: it was not read, or only a part of it.
    """
    record = require_known(path, record)
    unseen = None if record.written else record.unseen()
    if unseen is not None:
        first, last = unseen
        raise ToolValidationError(
            f"{path} was read only in part: {first}-{last} of {record.total} were not shown, and replacing the whole "
            f"file would lose them unseen. Read them (offset={first}), or change only a part of the file",
            check_id="read-in-part",
        )
    return record


def require_lines_seen(path: str, record: ReadRecord, stretches: Iterable[tuple[int, int]]) -> None:
    """Do nothing when each line of ``stretches`` (first and last line of each, from 1) was shown.

    Raises:
        ToolValidationError: one was not.
    """
    if record.written:
        return
    for first, last in stretches:
        missing = record.first_unseen(first, last)
        if missing is not None:
            start = max(first - 5, 1)
            limit = max(min(last + 5, record.total), last) - start + 1
            raise ToolValidationError(
                f"{path} was read only in part, and line {missing} of {record.total}, which this would change, was not "
                f"shown. Nothing was written. Read it first (offset={start}, limit={limit}), "
                "then repeat the change",
                check_id="read-in-part",
            )
