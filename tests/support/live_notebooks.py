"""Notebooks that are open in a front end of this very process: a model of cells with unsaved changes and undo.

Written on the model alone, without the code that splices files, so that each holds the other to account.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import io
import json
import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio.lowlevel

from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.files.ipynb import CellEdit, EditedCell
from jupyter_agenttools.files.live_document import LiveDocumentError, LiveEdits, LiveReceipt, LiveRun, LiveSnapshot


def joined(source: Any) -> str:
    return source if isinstance(source, str) else "".join(source)


class OpenNotebook:
    """One open notebook. A person types with :meth:`type_in`; every cell has an id, as in JupyterLab.

    Attributes:
        dirty: something is not saved.
        answers: whether the front end still does. answers_late: it takes an edit and then says nothing more.
        history: what was there before each step, for undo.
        waits_for_caller: its kernel is the one whose cell waits. names: what the cells that were run have defined.
    """

    def __init__(self, file: Path) -> None:
        self.path = os.path.realpath(file)
        self.content: dict[str, Any] = json.loads(file.read_text())
        for cell in self.cells:
            cell.setdefault("id", uuid.uuid4().hex[:8])
        self.dirty = False
        self.answers, self.answers_late = True, False
        self.history: list[dict[str, Any]] = []
        self.waits_for_caller = False
        self.names: dict[str, Any] = {}

    @property
    def cells(self) -> list[dict[str, Any]]:
        return self.content["cells"]

    @property
    def sources(self) -> list[str]:
        return [joined(cell["source"]) for cell in self.cells]

    @property
    def revision(self) -> str:
        told = [(cell["id"], cell["cell_type"], joined(cell["source"])) for cell in self.cells]
        return hashlib.sha256(repr(told).encode()).hexdigest()

    def type_in(self, index: int, source: str) -> None:
        self.cells[index]["source"] = source
        self.dirty = True

    def insert_by_hand(self, index: int, source: str) -> None:
        self.cells.insert(index, self._new("code", source))
        self.dirty = True

    def undo(self) -> None:
        self.content = self.history.pop()

    async def snapshot(self) -> LiveSnapshot:
        await self._reach()
        return LiveSnapshot(json.dumps(self.content).encode(), self.revision, self.dirty)

    async def save(self) -> None:
        await self._reach()
        self._write()

    def _write(self) -> None:
        Path(self.path).write_text(json.dumps(self.content, indent=1) + "\n")
        self.dirty = False

    async def run(self, cells: Mapping[str, str], timeout_ms: int) -> LiveRun:
        await self._reach()
        if any(joined(self.cells[self._index(name)]["source"]) != source for name, source in cells.items()):
            raise ToolValidationError(f"{self.path}: content changed", check_id="content-changed")
        finished: list[str] = []
        for name in cells:
            finished.append(name)
            if not self._execute(self.cells[self._index(name)]):
                break
        failed = any(output["output_type"] == "error" for output in self.cells[self._index(finished[-1])]["outputs"])
        positions = tuple(self._index(name) for name in finished)
        begun = json.dumps({**self.content, "cells": [self.cells[index] for index in positions]}).encode()
        end = "failed" if failed else "done"
        return LiveRun(end, tuple(finished), finished[-1] if failed else "", begun, positions)

    def _execute(self, cell: dict[str, Any]) -> bool:
        said = io.StringIO()
        cell["outputs"] = []
        try:
            with contextlib.redirect_stdout(said):
                exec(joined(cell["source"]), self.names)
        except Exception as error:
            name, value = type(error).__name__, str(error)
            cell["outputs"] = [
                {"output_type": "error", "ename": name, "evalue": value, "traceback": [f"{name}: {value}"]}
            ]
        if said.getvalue():
            cell["outputs"].insert(0, {"output_type": "stream", "name": "stdout", "text": said.getvalue()})
        return not any(output["output_type"] == "error" for output in cell["outputs"])

    async def apply(self, wish: LiveEdits) -> LiveReceipt:
        await self._reach()
        if wish.revision not in (None, self.revision):
            raise ToolValidationError(f"{self.path}: content changed", check_id="content-changed")
        for name, source in wish.sources.items():
            if self._find(name) is None or joined(self.cells[self._index(name)]["source"]) != source:
                raise ToolValidationError(f"{self.path}: content changed in cell {name}", check_id="content-changed")
        before = copy.deepcopy(self.content)
        made: list[str] = []
        try:
            done = tuple(self._edit(edit, wish, made) for edit in wish.edits)
        except ToolValidationError:
            self.content = before
            raise
        self.history.append(before)
        self.dirty = True
        if self.answers_late:
            raise LiveDocumentError("the connection was lost")
        return LiveReceipt(done, self.revision)

    async def _reach(self) -> None:
        await anyio.lowlevel.checkpoint()
        if not self.answers:
            raise LiveDocumentError("the browser tab is asleep")

    def _find(self, name: str) -> int | None:
        return next((i for i, cell in enumerate(self.cells) if cell["id"] == name), None)

    def _index(self, name: str) -> int:
        index = self._find(name)
        if index is None and name.startswith("cell-"):
            index = int(name[5:])
        if index is None or index >= len(self.cells):
            raise ToolValidationError(f"{self.path} has no cell {name!r}", check_id="cell-unknown")
        return index

    def _edit(self, edit: CellEdit, wish: LiveEdits, made: list[str]) -> EditedCell:
        def real(name: str | None) -> str | None:
            return made[int(name[4:]) - 1] if name and name.startswith("new-") else name

        if edit.mode == "insert":
            cell = self._new(edit.cell_type or "code", edit.new_source)
            index = 0 if edit.cell_id is None else self._index(str(real(edit.cell_id))) + 1
            self.cells.insert(index, cell)
            made.append(cell["id"])
            return EditedCell("insert", index, cell["id"], cell["cell_type"], None, edit.new_source)
        index = self._index(str(real(edit.cell_id)))
        cell = self.cells[index]
        old, cleared = joined(cell["source"]), False
        if edit.mode == "delete":
            del self.cells[index]
            return EditedCell("delete", index, cell["id"], cell["cell_type"], old, "")
        if edit.mode == "move":
            del self.cells[index]
            index = 0 if edit.after is None else self._index(str(real(edit.after))) + 1
            self.cells.insert(index, cell)
            return EditedCell("move", index, cell["id"], cell["cell_type"], old, old)
        if edit.new_source != old and cell["cell_type"] == "code" and wish.policy == "clear":
            cleared = bool(cell["outputs"]) or cell["execution_count"] is not None
            cell.update(outputs=[], execution_count=None)
        changed = edit.new_source != old
        cell["source"] = edit.new_source
        return EditedCell("replace", index, cell["id"], cell["cell_type"], old, edit.new_source, changed, cleared)

    def _new(self, kind: str, source: str) -> dict[str, Any]:
        cell: dict[str, Any] = {"cell_type": kind, "id": uuid.uuid4().hex[:8], "metadata": {}, "source": source}
        return {**cell, "outputs": [], "execution_count": None} if kind == "code" else cell


class OpenNotebooks:
    """All that are open, as a front end would know them."""

    def __init__(self, *notebooks: OpenNotebook) -> None:
        self._open = {notebook.path: notebook for notebook in notebooks}

    def open(self, notebook: OpenNotebook) -> None:
        self._open[notebook.path] = notebook

    def find(self, path: str) -> OpenNotebook | None:
        return self._open.get(path)

    def close(self, notebook: OpenNotebook) -> None:
        del self._open[notebook.path]
