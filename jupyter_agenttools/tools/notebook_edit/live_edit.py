"""The edit of a notebook that is open in a front end: done there, by the ids of its cells; the file is not touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from ...core.errors import ToolValidationError
from ...files.guard import require_unchanged
from ...files.ipynb import CellEdit, NotebookDocument
from ...files.ipynb.addressing import MADE
from ...files.live_document import LIVE_HASH, LiveDocumentError, LiveEdits, LiveReceipt
from ...files.opening import content_hash, read_whole
from ...files.state import ReadRecord, file_state
from .input import NotebookEditInput
from .judging import Judged, judged_sources
from .output import NotebookEditOutput, output_of

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

UNSAVED = "changed in the open document, where it can be undone; it is not saved yet"
SAVED = "changed in the open document, where it can be undone, and saved"


async def edit_live(judged: Judged, input: NotebookEditInput, context: ToolUseContext) -> NotebookEditOutput:
    """Make the edits in the open document that the call was judged by.

    Raises:
        ToolValidationError: a cell cannot be edited, or is not what was read or judged.
        LiveDocumentError: the front end does not answer.
        InterruptedToolError: stopped before anything changed.
    """
    assert judged.live is not None
    document, snapshot = judged.live
    await anyio.to_thread.run_sync(require_live_unchanged, judged, context)
    wishes = input.wishes
    by_id = all(_is_certain(judged.notebook, wish) for wish in wishes)
    wish = LiveEdits(
        wishes,
        context.options.notebook_outputs,
        None if by_id else snapshot.revision,
        judged_sources(judged.notebook, wishes),
        context.tool_use_id if context.file_history is None else f"{context.file_history.started:.6f}",
    )
    context.cancellation.check()
    try:
        receipt = await document.apply(wish)
    except LiveDocumentError as silence:
        message = (
            f"{judged.path} is open in a front end that stopped answering ({silence.message}): the edit may or may not "
            "have been made. Read the notebook before you go on"
        )
        raise LiveDocumentError(message, check_id="live-unknown") from silence
    return _output(judged, receipt, context)


def _output(judged: Judged, receipt: LiveReceipt, context: ToolUseContext) -> NotebookEditOutput:
    state = file_state(context)
    record = state.get(judged.path, context.agent_id)
    if record is not None:
        state.edited(judged.path, context.agent_id, record.content_hash, LIVE_HASH + receipt.revision)
    changed = any(cell.changed for cell in receipt.cells)
    notes = (*receipt.notes, *((SAVED if receipt.saved else UNSAVED,) if changed else ()))
    return output_of(judged.path, judged.notebook.language, receipt.cells, changed, notes, "open document")


def require_live_unchanged(judged: Judged, context: ToolUseContext) -> None:
    """Do nothing while the open document is what this reader has read of it, or of its file. Blocks.

    Raises:
        ToolValidationError: it is not; a person has changed it.
    """
    assert judged.live is not None
    record = file_state(context).get(judged.path, context.agent_id)
    if record is None or record.content_hash == judged.content_hash:
        return
    if not judged.live[1].dirty and _is_of_file(record, judged.path):
        return
    require_unchanged(judged.path, record, judged.content_hash)


def _is_of_file(record: ReadRecord, path: str) -> bool:
    try:
        return record.content_hash == content_hash(read_whole(path))
    except ToolValidationError:  # a document that has never been saved
        return False


def _is_certain(notebook: NotebookDocument, wish: CellEdit) -> bool:
    """Whether every cell that this wish names is named by its real id, whatever happens to the others."""
    names = [name for name in (wish.cell_id, wish.after) if name is not None]
    real = [own for own, _ in notebook.identities]
    return all(real.count(name) == 1 or MADE.match(name) for name in names)
