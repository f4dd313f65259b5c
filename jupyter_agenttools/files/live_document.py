"""Notebooks that are open in a front end: what an edit goes to first, so that nobody's unsaved work is lost.

A front end that knows which documents are open gives the session a :class:`LiveDocuments`. A document is only ever
changed by the ids of its cells, in one step of its own: nothing that was looked up before an ``await`` is relied on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

import anyio.from_thread

from ..core.context import OutputPolicy
from ..core.errors import ToolError
from .ipynb.edit import CellEdit, EditedCell

if TYPE_CHECKING:
    from ..core.context import ToolUseContext


LIVE_HASH = "open document "
"""Before the revision of an open document, where the hash of a file would stand in what a reader knows of a path."""


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
    """

    edits: Sequence[CellEdit]
    policy: OutputPolicy
    revision: str | None = None
    sources: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


class LiveReceipt(NamedTuple):
    """What an open document did.

    Attributes:
        cells: what came of each edit.
        revision: of the document now.
        notes: what a reader should know beside that.
    """

    cells: tuple[EditedCell, ...]
    revision: str
    notes: tuple[str, ...] = ()


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
