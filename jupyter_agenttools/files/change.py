"""The one way in which a tool changes a file: what was there is kept for undo, then written, then told."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from ..core.errors import ToolValidationError
from ..core.events import FileEvent
from .opening import content_hash
from .writing import WriteReceipt, safe_write

if TYPE_CHECKING:
    from ..core.context import ToolUseContext


MAX_PLANNED_BYTES = 16 << 20
"""What a longer content would be is not noted beforehand: hashing it twice takes longer than it is worth. After a kill
in the middle of such a write nobody can tell whether it was done, and an undo of it has to be confirmed."""


class ChangeKeeper(Protocol):
    """Whoever keeps what files held before; see :class:`.history.FileTurn`."""

    def before_change(self, path: str, present: bytes | None, tool_use_id: str, planned: str = "") -> None:
        """Keep ``present``, which is what the file at ``path`` holds (``None``: there is none), before it changes.

        ``planned`` is the hash of what it is to hold.
        """

    def after_change(self, path: str, content_hash: str, tool_use_id: str) -> None:
        """Note what that file holds after the change, so that an undo can tell whether it is still so."""


def change_file(path: str, data: bytes, present: bytes | None, context: ToolUseContext) -> WriteReceipt:
    """Make the file at the absolute ``path`` hold ``data`` instead of ``present``.

    Call it in a worker thread, inside :func:`.locks.file_lock`.

    Args:
        present: what the file holds, and what was judged; ``None`` when there is no file yet.

    Raises:
        ToolValidationError: the path leads elsewhere than when it was judged.
        ToolValidationError, WriteError, InterruptedToolError: as :func:`.writing.safe_write`; a ``WriteError`` also
            when what was there could not be kept: then nothing was changed.
    """
    _require_judged_place(path, context)
    keeper: ChangeKeeper | None = context.file_history
    if keeper is not None:
        planned = content_hash(data) if len(data) <= MAX_PLANNED_BYTES else ""
        keeper.before_change(path, present, context.tool_use_id, planned)
    receipt = safe_write(path, data, cancellation=context.cancellation, expected_hash=None, expected=present)
    if keeper is not None:
        keeper.after_change(path, receipt.content_hash, context.tool_use_id)
    context.on_file(FileEvent(context.tool_use_id, "written", path, receipt.content_hash))
    return receipt


def _require_judged_place(path: str, context: ToolUseContext) -> None:
    """Do nothing while ``path`` leads to the place that was allowed."""
    judged, now = context.judged_place, os.path.realpath(path)
    if judged is not None and judged != now:
        message = f"{path} leads to {now} now; what was allowed is {judged}. Nothing was written"
        raise ToolValidationError(message, check_id="path-moved")
