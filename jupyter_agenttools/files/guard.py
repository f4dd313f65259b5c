"""May this reader change this file: has it seen what is there now?"""

from __future__ import annotations

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


def require_read(path: str, record: ReadRecord | None) -> ReadRecord:
    """The record of a file that has been read completely.

    Raises:
        ToolValidationError: it was not read, or only a part of it.
    """
    if record is None:
        message = f"{path} exists and has not been read in this conversation. Read it first, then write"
        raise ToolValidationError(message, check_id="not-read")
    unseen = None if record.written else record.unseen()
    if unseen is not None:
        first, last = unseen
        raise ToolValidationError(
            f"{path} was read only in part: {first}-{last} of {record.total} were not shown, and replacing the whole "
            f"file would lose them unseen. Read them (offset={first}), or change only a part of the file",
            check_id="read-in-part",
        )
    return record
