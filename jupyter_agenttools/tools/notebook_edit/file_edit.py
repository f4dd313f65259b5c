"""The edit of a file that nobody has open: the bytes of the cells are spliced, all others stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...core.errors import ToolValidationError
from ...files.change import change_file
from ...files.guard import require_unchanged
from ...files.ipynb import CellEdit, NotebookDocument, OutputPolicy, edit_notebook, open_notebook
from ...files.ipynb.addressing import is_positional
from ...files.locks import file_lock
from ...files.opening import read_whole
from ...files.paths import locate
from ...files.state import file_state
from .input import NotebookEditInput, check_input
from .judging import Judged, file_mark, kept_judgement, require_judged
from .output import NotebookEditOutput, output_of

if TYPE_CHECKING:
    from ...core.context import ToolUseContext


def edit_on_disk(
    input: NotebookEditInput, context: ToolUseContext, policy: OutputPolicy | None = None, notes: Sequence[str] = ()
) -> NotebookEditOutput:
    """Edit the file, whatever else has it open. Blocks.

    Args:
        policy: what happens to the outputs of a code cell whose source changes; ``None`` for what the settings say.
        notes: to be told with the result.

    Raises:
        ToolValidationError: the file or a cell cannot be edited, or the file is not what was read or judged.
        WriteError: the system could not write it.
        InterruptedToolError: stopped before anything changed.
    """
    check_input(input)
    path, state = locate(input.notebook_path, context.cwd), file_state(context)
    with file_lock(path):
        document = _present(path, input.wishes, context)
        _require_known_numbers(document, input.wishes, context)
        edited = edit_notebook(document, input.wishes, policy or context.options.notebook_outputs)
        changed = edited.last is not None and edited.data != document.data
        if changed:
            record = state.get(path, context.agent_id)
            receipt = change_file(path, edited.data, document.data, context)
            if edited.shifted:
                state.judged.note_shift(path, context)
            if record is not None:
                state.edited(path, context.agent_id, record.content_hash, receipt.content_hash)
    return output_of(path, document.language, edited.cells, changed, (*edited.notes, *notes), "file")


def _present(path: str, wishes: Sequence[CellEdit], context: ToolUseContext) -> NotebookDocument:
    """The notebook as the file holds it now, if it may be changed as it was judged.

    A file that looks unchanged is not read again: the write itself compares all its bytes with those judged here.
    """
    kept, state = kept_judgement(path, context), file_state(context)
    state.judged.take(context.tool_use_id)
    if kept is not None and kept.mark is not None and kept.mark == file_mark(path):
        now = kept
    else:
        now = Judged(path, open_notebook(path, read_whole(path)))
        if kept is not None and kept.notebook.data != now.notebook.data:
            require_judged(kept, now, wishes)
    record = state.get(path, context.agent_id)
    if record is not None:
        require_unchanged(path, record, now.content_hash)
    return now.notebook


def _require_known_numbers(document: NotebookDocument, wishes: Sequence[CellEdit], context: ToolUseContext) -> None:
    """Do nothing when names such as cell-1 mean what whoever wrote them has seen.

    Raises:
        ToolValidationError: an earlier call of the same message has moved cells.
    """
    names = [name for wish in wishes for name in (wish.cell_id, wish.after) if is_positional(document, name)]
    if names and file_state(context).judged.is_shifted(document.path, context):
        message = (
            f"{document.path}: an earlier call of this message moved cells, so {names[0]} may not be the cell that was "
            "meant. Nothing was written. Repeat this edit with the positions as they are now, or give all edits of one "
            "notebook in `edits`"
        )
        raise ToolValidationError(message, check_id="cell-shifted")
