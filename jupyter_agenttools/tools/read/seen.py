"""Which parts of a file does the reader have already?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...core.events import FileEvent
from ...files.hashing import LateHash, digest_of
from ...files.opening import MAX_WHOLE_BYTES
from ...files.state import FileView, file_state, is_still_shown

if TYPE_CHECKING:
    from ...core.context import ToolUseContext


def was_shown(path: str, content_hash: str | LateHash, wanted: Sequence[FileView], context: ToolUseContext) -> bool:
    """Whether just these parts of just this content, asked for in the same way, are in results that are still there.

    Args:
        wanted: what was asked for; what was shown of it and in which call does not matter here.
    """
    state = file_state(context)
    record = state.peek(path, context.agent_id)
    if record is None:
        return False
    there = {_request(view) for view in record.views if _is_shown(view, context)}
    if not all(_request(view) in there for view in wanted):
        return False
    if record.late is not None and record.late is content_hash:  # not even hashed since: the very same content
        return True
    if _would_wait(path, record.late, content_hash):
        return False
    known = state.get(path, context.agent_id)
    return known is not None and known.content_hash == digest_of(content_hash)


def _is_shown(view: FileView, context: ToolUseContext) -> bool:
    """Whether the model is still sent the result that holds this part, whole."""
    replaced = context.content_replacement_state
    is_whole = replaced is None or view.tool_use_id not in replaced.replaced
    return is_whole and is_still_shown(view, context.messages)


def _would_wait(path: str, *hashes: str | LateHash | None) -> bool:
    """Whether finding out takes so long that showing the lines once more is better: a hash of a huge file."""
    missing = any(isinstance(late, LateHash) and not late.is_known for late in hashes)
    return missing and os.path.exists(path) and os.path.getsize(path) > MAX_WHOLE_BYTES


def note_shown(
    path: str, content_hash: str | LateHash, total: int, shown: Sequence[FileView], context: ToolUseContext
) -> None:
    """Remember that the reader was shown these parts, and tell whoever watches files: at once, or as soon as the hash
    of a large file is known."""

    def tell(digest: str) -> None:
        context.on_file(FileEvent(context.tool_use_id, "read", path, digest))

    for view in shown:
        file_state(context).saw(path, context.agent_id, content_hash, total, view)
    if isinstance(content_hash, LateHash):
        content_hash.tell(tell)
    else:
        tell(content_hash)


def _request(view: FileView) -> tuple[int, int, str]:
    return view.offset, view.limit, view.pages
