"""Notebooks that are open in a front end: what an edit goes to first, so that nobody's unsaved work is lost.

A front end that knows which documents are open gives the session a :class:`LiveDocuments`. A document is only ever
changed by the ids of its cells, in one step of its own: nothing that was looked up before an ``await`` is relied on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import anyio.from_thread

from ..core.context import OutputPolicy
from ..core.errors import ToolError
from .ipynb.edit import CellEdit, EditedCell

if TYPE_CHECKING:
    from ..core.context import ToolUseContext


LIVE_HASH = "open document "
"""Before the revision of an open document, where the hash of a file would stand in what a reader knows of a path."""

OWN_KERNEL = (
    "the cells of {path} run in the very kernel whose running cell waits for this call: they could only begin when it "
    "is over, and it would never be. Nothing was run. Ask the person to run them, or run the code with another tool"
)
"""Why a cell cannot be run that could only begin after the one which waits for it."""


class LiveDocumentError(ToolError):
    """An open document did not answer, or did not do what was asked."""

    kind = "LiveDocumentError"
    retryable = True


class LiveSnapshot(NamedTuple):
    """What an open document holds at one moment.

    Attributes:
        data: the notebook as JSON, as it would be saved; its cells carry the ids that they have in the front end.
        revision: the identity of its cells, their order, types and sources: it changes when one of these does.
        dirty: whether anything of it is not saved.
    """

    data: bytes
    revision: str
    dirty: bool

    @property
    def content_hash(self) -> str:
        """The identity of this content among those that a reader knows."""
        return LIVE_HASH + self.revision


@dataclass(frozen=True)
class LiveEdits:
    """What is wished of an open document: all of it in one step, or nothing.

    Args:
        edits: made one after the other, as :func:`.ipynb.edit_notebook` does.
        policy: what happens to the outputs of a code cell whose source changes.
        revision: refuse unless the document is still at it; ``None`` when the ids alone say which cells are meant.
        sources: what cells must still say, by id, for anything to be done: what a person approved a change of.
        turn: the turn that they are part of; what a turn changed can be taken back at once.
    """

    edits: Sequence[CellEdit]
    policy: OutputPolicy
    revision: str | None = None
    sources: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    turn: str = ""


class LiveReceipt(NamedTuple):
    """What an open document did.

    Attributes:
        cells: what came of each edit.
        revision: of the document now.
        notes: what a reader should know beside that.
        saved: whether it was saved after that, as a person wants it there.
    """

    cells: tuple[EditedCell, ...]
    revision: str
    notes: tuple[str, ...] = ()
    saved: bool = False


RunEnd = Literal["done", "failed", "timeout", "stuck", "busy", "queued", "kernel-died", "cancelled", "changed"]
"""How running some cells ended. ``timeout``: the last one took longer than it may, and was interrupted. ``stuck``: it
was, and goes on all the same. ``busy``: the kernel was busy all the time, nothing was begun. ``queued``: the kernel has
taken the cell and not begun with it; it is interrupted when it begins. ``cancelled``: a person stopped it. ``changed``:
the cell was edited or deleted before its turn."""


class LiveRun(NamedTuple):
    """What came of running cells.

    Attributes:
        end: how it ended.
        finished: the ids of the cells that were run to their end, in order; one that failed is among them.
        last: the cell at which it ended, ``""`` when all were run.
        data: a notebook with nothing but the cells that were begun, with their outputs, as JSON.
        positions: of these cells in the document, from 0.
    """

    end: RunEnd
    finished: tuple[str, ...]
    last: str
    data: bytes
    positions: tuple[int, ...]

    @property
    def begun(self) -> frozenset[str]:
        """The ids of the cells that were begun."""
        return frozenset(str(cell.get("id")) for cell in json.loads(self.data)["cells"])


class LiveDocument(Protocol):
    """One notebook that is open in a front end."""

    @property
    def path(self) -> str:
        """Its file, absolute and with links resolved."""

    @property
    def dirty(self) -> bool:
        """Whether anything of it is not saved, as far as is known without asking the front end."""

    async def snapshot(self) -> LiveSnapshot:
        """What it holds now.

        Raises:
            LiveDocumentError: the front end does not answer.
        """

    async def apply(self, wish: LiveEdits) -> LiveReceipt:
        """Do what is wished, as one step that a person can undo.

        Raises:
            ToolValidationError: no such cell, or the document is not what the wish was made for (``content-changed``);
                nothing was changed.
            LiveDocumentError: the front end does not answer; it may or may not have done it.
        """

    @property
    def waits_for_caller(self) -> bool:
        """Whether its cells could only run after a cell that runs now and may be waiting for the caller."""

    async def run(self, cells: Mapping[str, str], timeout_ms: int) -> LiveRun:
        """Run cells in order, up to the first that fails.

        Args:
            cells: their ids, and what each must still say.
            timeout_ms: how long they may take, all of them; what runs then is interrupted.

        Raises:
            ToolValidationError: no such cell, or one says something else (``content-changed``); nothing was run.
            LiveDocumentError: it :attr:`waits_for_caller` (``run-in-own-kernel``), there is no kernel, or the front
                end does not answer.
        """

    async def save(self) -> None:
        """Write it to its file.

        Raises:
            LiveDocumentError: the front end does not answer or could not save.
        """


class LiveDocuments(Protocol):
    """Who knows which notebooks are open."""

    def find(self, path: str) -> LiveDocument | None:
        """The open document of the file at the absolute ``path``, links resolved. Any thread; never blocks."""


def live_document(path: str, context: ToolUseContext) -> LiveDocument | None:
    """The open document of the file at ``path``, ``None`` when it is not open or nobody can tell."""
    documents: LiveDocuments | None = context.live_documents
    return None if documents is None else documents.find(os.path.realpath(path))


async def snapshot_of(document: LiveDocument) -> LiveSnapshot | None:
    """What ``document`` holds, ``None`` when it cannot be reached but has nothing unsaved: its file says the same.

    Raises:
        LiveDocumentError: it cannot be reached and has unsaved changes.
    """
    try:
        return await document.snapshot()
    except LiveDocumentError as silence:
        if not document.dirty:
            return None
        message = (
            f"{document.path} is open with unsaved changes in a front end that does not answer ({silence.message}). "
            "Nothing was changed, as one of the two versions would be lost. Save or close it there, then try again"
        )
        raise LiveDocumentError(message, check_id="live-unreachable") from silence


def opened_content(path: str, context: ToolUseContext) -> LiveSnapshot | None:
    """What a reader of the notebook at ``path`` is to be shown in place of its file; ``None`` when it is not open.

    Blocks; for worker threads only.

    Raises:
        LiveDocumentError: it is open with unsaved changes and cannot be reached.
    """
    document = live_document(path, context)
    return None if document is None else anyio.from_thread.run(snapshot_of, document)
