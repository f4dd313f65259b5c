"""Notebooks that are open in JupyterLab or Notebook 7, for the tools that look at files and change them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...core.errors import ToolValidationError
from ...files.ipynb import edit_notebook, open_notebook
from ...files.live_document import LiveDocument, LiveDocumentError, LiveEdits, LiveReceipt, LiveSnapshot
from .changes import operations, source_of
from .channel import LabChannel, PageRefusedError, PageSilentError
from .pages import OpenIn, Pages

ANSWER_S = 5.0
"""A page answers within milliseconds, also with hundreds of cells; one that is being loaded takes seconds."""

SAVE_S = 30.0
TRIES = 3
"""So often is an edit worked out anew when a person typed meanwhile and the ids alone say which cells are meant."""

TWO_PAGES = (
    "it is open in {count} pages; only the one that came last was changed: saving it in another one would put the old "
    "text back. Close the others"
)


class LabDocuments:
    """Implements ``files.live_document.LiveDocuments``."""

    def __init__(self, channel: LabChannel, pages: Pages) -> None:
        self._channel, self._pages = channel, pages

    def find(self, path: str) -> LiveDocument | None:
        places = self._pages.open_in(path)
        return LabDocument(self._channel, self._pages, places) if places else None


class LabDocument:
    """One open notebook; see :class:`.LiveDocument`.

    Args:
        places: the pages in which it is open, the one to be asked first.
    """

    def __init__(self, channel: LabChannel, pages: Pages, places: list[OpenIn]) -> None:
        self._channel, self._pages, self._places = channel, pages, places
        self.path = places[0].path

    @property
    def dirty(self) -> bool:
        return any(place.document.dirty for place in self._places)

    async def snapshot(self) -> LiveSnapshot:
        told = await self._ask("snapshot", {})
        data = json.dumps(told["content"], ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
        return LiveSnapshot(data, str(told["revision"]), bool(told["dirty"]))

    async def apply(self, wish: LiveEdits) -> LiveReceipt:
        for attempt in range(TRIES):
            snapshot = await self.snapshot()
            self._require_as_judged(snapshot, wish)
            document = open_notebook(self.path, snapshot.data)
            edited = edit_notebook(document, wish.edits, wish.policy)
            before, after = _cells(snapshot.data), _cells(edited.data)
            todo = operations(before, after)
            if not todo:
                return LiveReceipt(edited.cells, snapshot.revision, edited.notes)
            try:
                told = await self._ask("apply", {"operations": todo, "revision": snapshot.revision})
            except PageRefusedError as refusal:
                if refusal.kind == "content-changed" and attempt + 1 < TRIES:
                    continue
                raise self._changed() if refusal.kind == "content-changed" else _failed(refusal) from refusal
            return LiveReceipt(edited.cells, str(told["revision"]), (*edited.notes, *self._warnings()))
        raise self._changed()

    async def save(self) -> None:
        await self._ask("save", {}, SAVE_S)

    def _require_as_judged(self, snapshot: LiveSnapshot, wish: LiveEdits) -> None:
        """Do nothing while the document is what the wish was made for."""
        if wish.revision is not None and wish.revision != snapshot.revision:
            raise self._changed()
        if wish.sources:
            now = {cell["id"]: source_of(cell) for cell in _cells(snapshot.data)}
            if any(now.get(id) != source for id, source in wish.sources.items()):
                raise self._changed()

    def _changed(self) -> ToolValidationError:
        message = f"{self.path} was changed in the open document meanwhile: read it again, then edit. Nothing was changed"
        return ToolValidationError(message, check_id="content-changed")

    def _warnings(self) -> tuple[str, ...]:
        apart = [place for place in self._places if not place.document.shared]
        return (TWO_PAGES.format(count=len(apart)),) if len(apart) > 1 else ()

    async def _ask(self, op: str, args: Mapping[str, Any], timeout_s: float = ANSWER_S) -> Any:
        place = self._places[0]
        try:
            return await self._channel.request(place.client, op, {**args, "path": place.document.path}, timeout_s)
        except PageSilentError as silence:
            raise LiveDocumentError(str(silence), check_id="page-silent") from silence
        except PageRefusedError as refusal:
            if refusal.kind == "content-changed":
                raise
            raise _failed(refusal) from refusal


def _failed(refusal: PageRefusedError) -> LiveDocumentError:
    return LiveDocumentError(f"the page says: {refusal}", check_id=refusal.kind)


def _cells(data: bytes) -> list[dict[str, Any]]:
    return json.loads(data)["cells"]
