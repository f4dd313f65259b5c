"""Notebooks that are open in JupyterLab or Notebook 7, for the tools that look at files and change them."""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio.to_thread

from ...core.errors import ToolValidationError
from ...files.ipynb import edit_notebook, open_notebook
from ...files.ipynb.document import FIRST_MINOR_WITH_IDS
from ...files.live_document import (
    OWN_KERNEL,
    LiveDocument,
    LiveDocumentError,
    LiveEdits,
    LiveReceipt,
    LiveRun,
    LiveSnapshot,
)
from .changes import operations, source_of
from .channel import LabChannel, PageRefusedError, PageSilentError
from .pages import OpenIn, Pages

ANSWER_S = 4.5
"""A page answers within milliseconds, also with hundreds of cells; one that is being loaded takes seconds."""

QUIET_S = 0.3
"""A page that did not answer in that time, and was not heard of since, is hardly there; one call asks several times."""

SAVE_S = 30.0
RUN_GRACE_S = 10.0
"""Beyond the time that cells may take: the page itself says that they took longer."""

TRIES = 3
"""So often is an edit worked out anew when a person typed meanwhile and the ids alone say which cells are meant."""

STALE = (
    "its file was changed by something else since the document was opened or saved: the older text that the open "
    "document has was edited. Tell the person, who has to choose before saving: to save it would write over the file, "
    "to reload it would drop this edit"
)

FILE_TIME_S = 0.5
"""The application itself takes a file whose time differs by less for the same one."""

TWO_PAGES = (
    "it is open in {count} pages; only the one that came last was changed: saving it in another one would put the old "
    "text back. Close the others"
)


class LabDocuments:
    """Implements ``files.live_document.LiveDocuments``.

    Args:
        is_cell_running: whether a cell of this kernel runs now.
    """

    def __init__(self, channel: LabChannel, pages: Pages, is_cell_running: Callable[[], bool]) -> None:
        self._channel, self._pages, self._is_cell_running = channel, pages, is_cell_running

    def find(self, path: str) -> LiveDocument | None:
        places = self._pages.open_in(path)
        return LabDocument(self._channel, self._pages, places, self._is_cell_running) if places else None


class LabDocument:
    """One open notebook; see :class:`.LiveDocument`.

    Args:
        places: the pages in which it is open, the one to be asked first.
        is_cell_running: whether a cell of this kernel runs now.
    """

    def __init__(
        self, channel: LabChannel, pages: Pages, places: list[OpenIn], is_cell_running: Callable[[], bool]
    ) -> None:
        self._channel, self._pages = channel, pages
        self._places, self._is_cell_running = places, is_cell_running
        self.path = places[0].path

    @property
    def dirty(self) -> bool:
        return any(place.document.dirty for place in self._pages.open_in(self.path))  # one may be closed by now

    async def snapshot(self) -> LiveSnapshot:
        return _snapshot(await self._look())

    async def _look(self) -> dict[str, Any]:
        return await self._ask("snapshot", {})

    async def apply(self, wish: LiveEdits) -> LiveReceipt:
        for attempt in range(TRIES):
            told = await self._look()
            snapshot = _snapshot(told)
            self._require_as_judged(snapshot, wish)
            stale = await anyio.to_thread.run_sync(_is_stale, self.path, snapshot, told["fileTime"])
            document = open_notebook(self.path, snapshot.data)
            edited = edit_notebook(document, wish.edits, wish.policy)
            before, after = _cells(snapshot.data), _cells(edited.data)
            todo = operations(before, after)
            if not todo:
                return LiveReceipt(edited.cells, snapshot.revision, edited.notes)
            try:
                request = {"operations": todo, "revision": snapshot.revision, "turn": wish.turn}
                told = await self._ask("apply", request)
            except PageRefusedError as refusal:
                if refusal.kind == "content-changed" and attempt + 1 < TRIES:
                    continue
                raise self._changed() if refusal.kind == "content-changed" else _failed(refusal) from refusal
            notes, saved = (*edited.notes, *([STALE] if stale else []), *self._warnings()), False
            if told.get("save") is True:
                saved, problem = await self._save_after()
                notes = (*notes, *problem)
            return LiveReceipt(edited.cells, str(told["revision"]), notes, saved)
        raise self._changed()

    async def _save_after(self) -> tuple[bool, tuple[str, ...]]:
        """The edit was made, whatever comes of saving it."""
        try:
            await self.save()
        except LiveDocumentError as problem:
            return False, (f"it could not be saved: {problem.message}",)
        return True, ()

    @property
    def waits_for_caller(self) -> bool:
        return self._places[0].is_own and self._is_cell_running()

    async def run(self, cells: Mapping[str, str], timeout_ms: int) -> LiveRun:
        place = self._places[0]
        if self.waits_for_caller:
            raise LiveDocumentError(OWN_KERNEL.format(path=self.path), check_id="run-in-own-kernel")
        run = uuid.uuid4().hex
        wanted = [{"id": id, "source": source} for id, source in cells.items()]
        args = {"run": run, "cells": wanted, "timeoutMs": timeout_ms}
        try:
            told = await self._ask("run", args, timeout_ms / 1000 + RUN_GRACE_S)
        except PageRefusedError as refusal:
            raise self._changed() from refusal
        except asyncio.CancelledError:
            self._stop(place.client, run)
            raise
        except LiveDocumentError as problem:
            self._stop(place.client, run)
            if problem.check_id != "page-silent":
                raise
            message = f"{problem.message}; a cell that had begun there may still be running"
            raise LiveDocumentError(message, check_id="page-silent") from problem
        data = json.dumps(told["content"], ensure_ascii=False).encode("utf-8", "surrogatepass")
        return LiveRun(told["end"], tuple(told["finished"]), str(told["last"]), data, tuple(told["positions"]))

    def _stop(self, client: str, run: str) -> None:
        """Nothing of a call lives on after it."""
        stop = {"type": "request", "id": uuid.uuid4().hex, "to": client, "op": "stop-run"}
        self._channel.tell({**stop, "args": {"run": run}})

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
        message = (
            f"{self.path} was changed in the open document meanwhile: read it again, then edit. Nothing was changed"
        )
        return ToolValidationError(message, check_id="content-changed")

    def _warnings(self) -> tuple[str, ...]:
        apart = [place for place in self._places if not place.document.shared]
        return (TWO_PAGES.format(count=len(apart)),) if len(apart) > 1 else ()

    async def _ask(self, op: str, args: Mapping[str, Any], timeout_s: float | None = None) -> Any:
        place = self._places[0]
        limit_s = timeout_s or (QUIET_S if self._channel.is_quiet(place.client) else ANSWER_S)
        try:
            return await self._channel.request(place.client, op, {**args, "path": place.document.path}, limit_s)
        except PageSilentError as silence:
            raise LiveDocumentError(str(silence), check_id="page-silent") from silence
        except PageRefusedError as refusal:
            if refusal.kind == "content-changed":
                raise
            raise _failed(refusal) from refusal


def _is_stale(path: str, snapshot: LiveSnapshot, file_time: str | None) -> bool:
    """Whether the file is not the one that was opened or saved in the page. One that says the same as a document
    without unsaved changes was only touched."""
    try:
        then = datetime.fromisoformat(str(file_time).replace("Z", "+00:00")).timestamp()
        if os.stat(path).st_mtime <= then + FILE_TIME_S:
            return False
        return snapshot.dirty or _told(Path(path).read_bytes()) != _told(snapshot.data)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False  # no file yet, or none that could be compared


def _told(data: bytes) -> list[tuple[str, str]]:
    return [(cell["cell_type"], source_of(cell)) for cell in _cells(data)]


def _failed(refusal: PageRefusedError) -> LiveDocumentError:
    return LiveDocumentError(f"the page says: {refusal}", check_id=refusal.kind)


def _snapshot(told: Mapping[str, Any]) -> LiveSnapshot:
    data = json.dumps(_with_ids(told["content"], told["ids"]), ensure_ascii=False).encode("utf-8", "surrogatepass")
    return LiveSnapshot(data, str(told["revision"]), bool(told["dirty"]))


def _with_ids(content: dict[str, Any], ids: list[str]) -> dict[str, Any]:
    """The content with the ids that its cells have in the page. In a file they are there from format 4.5 on, so it is
    taken for such a one; the page saves it in its own format again."""
    minor = max(content["nbformat_minor"], FIRST_MINOR_WITH_IDS)
    cells = [{**cell, "id": id} for cell, id in zip(content["cells"], ids, strict=True)]
    return {**content, "cells": cells, "nbformat_minor": minor}


def _cells(data: bytes) -> list[dict[str, Any]]:
    return json.loads(data)["cells"]
