"""The one way in which a tool changes a file: what was there is kept for undo, then written, then told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..core.events import FileEvent
from .opening import content_hash
from .writing import WriteReceipt, safe_write

if TYPE_CHECKING:
    from ..core.context import ToolUseContext


class ChangeKeeper(Protocol):
    """Whoever keeps what files held before; see :class:`.history.FileHistory`."""

    def before_change(self, path: str, present: bytes | None, tool_use_id: str) -> None:
        """Keep ``present``, which is what the file at ``path`` holds (``None``: there is none), before it changes."""

    def after_change(self, path: str, content_hash: str, tool_use_id: str) -> None:
        """Note what that file holds after the change, so that an undo can tell whether it is still so."""


def change_file(path: str, data: bytes, present: bytes | None, context: ToolUseContext) -> WriteReceipt:
    """Make the file at the absolute ``path`` hold ``data`` instead of ``present``.

    Call it in a worker thread, inside :func:`.locks.file_lock`.

    Args:
        present: what the file holds, and what was judged; ``None`` when there is no file yet.

    Raises:
        ToolValidationError, WriteError, InterruptedToolError: as :func:`.writing.safe_write`.
    """
    keeper: ChangeKeeper | None = context.file_history
    if keeper is not None:
        keeper.before_change(path, present, context.tool_use_id)
    expected = None if present is None else content_hash(present)
    receipt = safe_write(path, data, cancellation=context.cancellation, expected_hash=expected)
    if keeper is not None:
        keeper.after_change(path, receipt.content_hash, context.tool_use_id)
    context.on_file(FileEvent(context.tool_use_id, "written", path, receipt.content_hash))
    return receipt
