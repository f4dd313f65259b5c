"""Which cell of which notebook runs now, so that a record of another one is never taken for its own?"""

from __future__ import annotations

import json
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .cell import current_cell
from .cell_records import Bundle, fingerprint_of, record_of
from .own_notebook import NotebookFile, read_notebook
from .transform import cell_magic

_FILE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What a cell's id looks like in a file; a front end may have names of its own for cells."""


@dataclass(frozen=True)
class CellPlace:
    """The cell that runs.

    Args:
        notebook: the real path of its notebook.
        cell_id: its id there, ``""`` where the front end sends none.
        nth: where there is no id and several cells have this text: how many of them ran before. A program that runs
            notebooks sends no ids, and runs cells in their order.
        fingerprint: of what its text asks for.
        cells: the cell as the notebook's file has it, now and when the kernel began; none where it does not have it.
    """

    notebook: str
    cell_id: str
    nth: int
    fingerprint: str
    cells: tuple[Mapping[str, Any], ...] = ()

    @property
    def bundles(self) -> list[Bundle]:
        """What the file holds as records of this cell for this text."""
        outputs = (output for cell in self.cells for output in _list(cell, "outputs"))
        bundles = (_joined(output.get("data")) for output in outputs)
        return [each for each in bundles if (record := record_of(each)) and record.fingerprint == self.fingerprint]

    @property
    def saved_at(self) -> float:
        """When the notebook was saved last, seconds since 1970."""
        try:
            return os.stat(self.notebook).st_mtime
        except OSError:
            return 0.0


class CellCounter:
    """Finds the place of the cell that runs, and counts the cells of the same text that have no id. Thread-safe.

    Args:
        at_start: the notebook when the kernel began.
    """

    def __init__(self, at_start: NotebookFile | None = None) -> None:
        self._lock = threading.Lock()
        self._ran: Counter[str] = Counter()
        self._path = at_start.path if at_start is not None else ""
        self._at_start = _cells(at_start) if at_start is not None else ()

    def place(self, shell: Any, own_notebook: Callable[[], str], more: str = "") -> CellPlace | None:
        """The cell that runs, ``None`` where it is not a whole ``%%agent`` cell of a notebook that is known.

        Args:
            shell: IPython's shell. own_notebook: gives the real path of the notebook of this cell.
            more: what the cell's text does not hold itself, see :func:`.fingerprint_of`.
        """
        if getattr(shell, "kernel", None) is None:
            return None
        source = str((shell.get_parent() or {}).get("content", {}).get("code", ""))
        magic = cell_magic(source)
        path = own_notebook() if magic is not None and magic.name == "agent" else ""
        if magic is None or not path:
            return None
        cell_id = current_cell(shell).cell_id
        cell_id = cell_id if _FILE_ID.fullmatch(cell_id) else ""
        now = _cells(read_notebook(path))
        nth = self._count(source) if not cell_id and sum(map(_has_source(source), now)) > 1 else 0
        found = [_found(cells, cell_id, source) for cells in (now, self._at_start if path == self._path else ())]
        cells = tuple(alike[nth] for alike in found if nth < len(alike))
        return CellPlace(path, cell_id, nth, fingerprint_of(magic.line, magic.body, more), cells)

    def _count(self, source: str) -> int:
        """How many cells of this text ran before this one."""
        with self._lock:
            self._ran[source] += 1
            return self._ran[source] - 1


def _found(cells: Sequence[Mapping[str, Any]], cell_id: str, source: str) -> list[Mapping[str, Any]]:
    """The cells of a file that may be this one: by its id, and by its text where there is none.

    The cells of a file before format 4.5 have no ids, and what a page calls them holds for that page alone. Of several
    with this text it cannot be told which one it runs.
    """
    if not cell_id:
        return list(filter(_has_source(source), cells))
    if any("id" in cell for cell in cells):
        return [cell for cell in cells if cell.get("id") == cell_id]
    alike = list(filter(_has_source(source), cells))
    return alike if len(alike) == 1 else []


def _cells(notebook: NotebookFile) -> Sequence[Mapping[str, Any]]:
    """The cells of a notebook; none where it is no JSON (a notebook that is kept as text)."""
    try:
        return _list(json.loads(notebook.data or b"{}"), "cells")
    except (ValueError, RecursionError):
        return ()


def _has_source(source: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda cell: _joined_text(cell.get("source")) == source


def _joined(data: Any) -> dict[str, Any]:
    """An output's data with each text in one piece: a file may hold it as a list of lines."""
    if not isinstance(data, Mapping):
        return {}
    return {
        mime: _joined_text(value) if isinstance(value, list) and not mime.endswith("json") else value
        for mime, value in data.items()
    }


def _joined_text(value: Any) -> str:
    """A text that a file holds in one piece or as lines; anything else there is no text."""
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))


def _list(value: Any, key: str) -> list[Mapping[str, Any]]:
    found = value.get(key) if isinstance(value, Mapping) else None
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []
