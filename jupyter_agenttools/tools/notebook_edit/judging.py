"""What a call is judged by: the notebook as the open document or the file holds it, read once for all checks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import anyio.to_thread

from ...core.errors import ToolValidationError
from ...files.ipynb import CellEdit, NotebookDocument, open_notebook
from ...files.ipynb.addressing import is_positional, source_text
from ...files.live_document import LiveDocument, LiveSnapshot, live_document, snapshot_of
from ...files.opening import content_hash, read_whole
from ...files.paths import locate
from ...files.state import file_state
from .permission import objections

if TYPE_CHECKING:
    from ...core.context import ToolUseContext
    from .input import NotebookEditInput


class FileMark(NamedTuple):
    """By which a file is taken to be the same for another look at it. A write itself always compares all bytes."""

    inode: int
    size: int
    changed_ns: int
    modified_ns: int


def file_mark(path: str) -> FileMark | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return FileMark(status.st_ino, status.st_size, status.st_ctime_ns, status.st_mtime_ns)


@dataclass(frozen=True)
class Judged:
    """A notebook at the moment at which a call was judged.

    Args:
        path: absolute.
        notebook: what it holds.
        mark: of the file; ``None`` for an open document.
        live: the open document, with what it held; ``None`` when the file is edited.
    """

    path: str
    notebook: NotebookDocument
    mark: FileMark | None = None
    live: tuple[LiveDocument, LiveSnapshot] | None = None

    @cached_property
    def content_hash(self) -> str:
        """The identity of what it holds, as it is noted for a reader."""
        if self.live is not None:
            return self.live[1].content_hash
        return content_hash(self.notebook.data)


async def judge(input: NotebookEditInput, context: ToolUseContext) -> Judged:
    """The notebook of this call, and keep it for the checks to come.

    Raises:
        ToolValidationError: there is none that can be edited.
        LiveDocumentError: it is open with unsaved changes where it cannot be reached.
    """
    return await judge_path(locate(input.notebook_path, context.cwd), context)


async def judge_path(path: str, context: ToolUseContext) -> Judged:
    """The same for the notebook at the absolute ``path``."""
    document = live_document(path, context)
    snapshot = None if document is None else await snapshot_of(document)
    if document is None or snapshot is None:
        return await anyio.to_thread.run_sync(judge_file, path, context)
    notebook = await anyio.to_thread.run_sync(open_notebook, path, snapshot.data)
    judged = Judged(path, notebook, live=(document, snapshot))
    file_state(context).judged.keep(context, judged)
    return judged


def judge_file(path: str, context: ToolUseContext) -> Judged:
    """The same for the file at ``path``. Blocks."""
    kept = kept_judgement(path, context)
    if kept is not None and kept.mark is not None and kept.mark == file_mark(path):
        return kept
    mark = file_mark(path)
    judged = Judged(path, open_notebook(path, read_whole(path)), mark)
    file_state(context).judged.keep(context, judged)
    return judged


def kept_judgement(path: str, context: ToolUseContext) -> Judged | None:
    """What :func:`judge` kept for this call, if it was about ``path``."""
    kept = file_state(context).judged.get(context.tool_use_id)
    return kept if isinstance(kept, Judged) and kept.path == path else None


def require_judged(kept: Judged, now: Judged, wishes: Sequence[CellEdit]) -> None:
    """Do nothing when the edits mean the same in what the notebook holds now as in what they were judged by.

    Raises:
        ToolValidationError: they may do something that nobody has judged.
    """
    names = {name for wish in wishes for name in (wish.cell_id, wish.after)}
    if any(is_positional(now.notebook, name) or is_positional(kept.notebook, name) for name in names):
        why = "a position such as cell-1 may mean another cell now"
    elif judged_sources(now.notebook, wishes) != judged_sources(kept.notebook, wishes):
        why = "a cell that would be replaced or deleted says something else now"
    elif set(objections(now.notebook, wishes)) - set(objections(kept.notebook, wishes)):
        why = "a cell has been marked as not to be changed"
    else:
        return
    message = (
        f"{now.path}: content changed since this call was judged, and {why}. Nothing was changed. Read it, then "
        "repeat the edit"
    )
    raise ToolValidationError(message, check_id="content-changed")


def judged_sources(notebook: NotebookDocument, wishes: Sequence[CellEdit]) -> Mapping[str, str]:
    """What the cells that would be replaced or deleted say, by their real ids."""
    names = {wish.cell_id for wish in wishes if wish.mode in ("replace", "delete")}
    cells = enumerate(own for own, _ in notebook.identities)
    return {own: source_text(notebook.cell(index)) for index, own in cells if own is not None and own in names}
