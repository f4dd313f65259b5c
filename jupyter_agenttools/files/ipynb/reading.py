"""A notebook file as a list of cells to read. Works from the file alone, for every format and for damaged metadata."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from ...core.errors import ToolValidationError
from ..budget import MAX_BYTES, exceeded
from ..encoding import text_format, visible
from ..telling import quoted
from .addressing import cell_address, source_text
from .document import FIRST_MINOR_WITH_IDS, json_problem
from .outputs import CellOutput, plain, read_attachments, read_output

OUTPUT_CHARS = 2_000
"""What one output may say when several cells are listed."""

LONE_OUTPUT_CHARS = 20_000
"""What one output may say when only its cell is asked for."""

CELL_OVERHEAD_BYTES = 60
MAX_PROBLEMS = 5


@dataclass(frozen=True)
class NotebookCell:
    """One cell.

    Args:
        index: its position, from 0.
        address: what to call it when editing: its id, or ``cell-N``.
        cell_type: ``code``, ``markdown``, ``raw`` …
        source: the whole source, line ends as LF.
        outputs: of a code cell, in order; before them the files attached to a Markdown cell.
        hidden_outputs: how many outputs there was no room for.
        execution_count: of the last run, ``None`` when it never ran.
        tags: from its metadata.
        crlf: the source in the file has CR LF line ends.
    """

    index: int
    address: str
    cell_type: str
    source: str
    outputs: tuple[CellOutput, ...] = ()
    hidden_outputs: int = 0
    execution_count: int | None = None
    tags: tuple[str, ...] = ()
    crlf: bool = False


@dataclass(frozen=True)
class NotebookListing:
    """Some cells of a notebook.

    Args:
        cells: those that were asked for.
        total_cells: of the whole notebook.
        language: of its code cells.
        notes: what is unusual about the file, one line each.
    """

    cells: tuple[NotebookCell, ...]
    total_cells: int
    language: str
    notes: tuple[str, ...] = ()


def list_notebook(path: str, data: bytes, offset: int = 1, limit: int | None = None) -> NotebookListing:
    """Up to ``limit`` cells from number ``offset`` (from 1) on, with their outputs cut to the room there is.

    Raises:
        ToolValidationError: these bytes are not a notebook; says what they are.
        MaxFileReadTokenExceededError: the sources alone are too much for one result.
    """
    return list_cells(path, data, lambda addresses: range(len(addresses))[offset - 1 :][:limit])


def list_cells(path: str, data: bytes, choose: Callable[[Sequence[str]], Iterable[int]]) -> NotebookListing:
    """The cells that ``choose`` wants, which is given what every cell is called, and returns positions from 0.

    Raises:
        as :func:`list_notebook`, and whatever ``choose`` raises.
    """
    notebook, notes = _parse(path, data)
    raw_cells = _cells_of(path, notebook)
    minor = notebook.get("nbformat_minor")
    addresses = [_address(index, cell) for index, cell in enumerate(raw_cells)]
    chosen = [(index, raw_cells[index]) for index in choose(addresses)]
    cells = [_read_source(index, cell) for index, cell in chosen]
    _require_fitting(path, cells, cells[0].index + 1 if cells else 1)
    room = MAX_BYTES - sum(_size(cell) for cell in cells)
    listed = tuple(_with_outputs(cells, [cell for _, cell in chosen], room))
    notes = (*notes, *_problems(notebook, raw_cells, minor), *_widget_state(notebook))
    return NotebookListing(listed, len(raw_cells), _language(notebook), notes)


def _parse(path: str, data: bytes) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    form, notes = text_format(data[:4]), ()
    raw = data[len(form.mark) :]
    try:
        text = raw.decode(form.encoding)
    except UnicodeDecodeError as error:
        text = raw.decode(form.encoding, "surrogateescape" if form.encoding == "utf-8" else "replace")
        line = raw.count(b"\n", 0, error.start) + 1
        notes = (
            f"the file is not valid {form.encoding} (first bad byte 0x{raw[error.start]:02x} in line {line} of the "
            "file); such bytes are shown as \\xNN, and NotebookEdit will refuse to edit it",
        )
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _not_a_notebook(path, json_problem(raw) or str(error)) from error
    if not isinstance(notebook, Mapping):
        raise _not_a_notebook(path, "it is JSON, but not an object")
    return notebook, notes


def _cells_of(path: str, notebook: Mapping[str, Any]) -> list[Any]:
    """The cells, of any format. Format 3 and older keep them in worksheets."""
    cells, sheets = notebook.get("cells"), notebook.get("worksheets")
    if cells is None and isinstance(sheets, list):
        inner = [sheet.get("cells") for sheet in sheets if isinstance(sheet, Mapping)]
        cells = [cell for part in inner if isinstance(part, list) for cell in part]
    if not isinstance(cells, list):
        found = "has no `cells`" if cells is None else f"has `cells` that are not a list ({type(cells).__name__})"
        raise _not_a_notebook(path, f"it is JSON, but {found}")
    return cells


def _not_a_notebook(path: str, why: str) -> ToolValidationError:
    message = f"{path} cannot be shown as a notebook: {why}. Read it with offset and limit to see its raw text"
    return ToolValidationError(message, check_id="notebook-unreadable")


def _address(index: int, cell: Any) -> str:
    own = cell.get("id") if isinstance(cell, Mapping) else None
    return visible(cell_address(index, own if isinstance(own, str) else None))


def _read_source(index: int, cell: Any) -> NotebookCell:
    if not isinstance(cell, Mapping):
        return NotebookCell(index, f"cell-{index}", "unknown", f"(not an object: {type(cell).__name__})")
    kind = plain(cell.get("cell_type")) or "unknown"
    source = source_text({"source": cell.get("source", cell.get("input"))})  # `input`: format 3
    if kind == "heading":
        source = "#" * _level(cell) + " " + source
    count = cell.get("execution_count", cell.get("prompt_number"))
    return NotebookCell(
        index,
        _address(index, cell),
        kind,
        visible(source.replace("\r\n", "\n")),
        execution_count=count if isinstance(count, int) else None,
        tags=_tags(cell),
        crlf="\r\n" in source,
    )


def _level(cell: Mapping[str, Any]) -> int:
    level = cell.get("level")
    return level if isinstance(level, int) and 1 <= level <= 6 else 1


def _tags(cell: Mapping[str, Any]) -> tuple[str, ...]:
    metadata = cell.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, Mapping) else None
    return tuple(plain(tag) for tag in tags) if isinstance(tags, list) else ()


def _size(cell: NotebookCell) -> int:
    return len(cell.source.encode()) + CELL_OVERHEAD_BYTES


def _require_fitting(path: str, cells: Sequence[NotebookCell], offset: int) -> None:
    used = 0
    for fitting, cell in enumerate(cells):
        used += _size(cell)
        if used > MAX_BYTES:
            what = f"the sources of cells {offset}-{offset + len(cells) - 1} (counted from 1)"
            raise exceeded(path, what, "cells", offset, fitting)


def _with_outputs(cells: Sequence[NotebookCell], raw: Sequence[Any], room: int) -> Iterator[NotebookCell]:
    """The cells with as much of their outputs as ``room`` bytes allow, the first ones first."""
    max_chars = LONE_OUTPUT_CHARS if len(cells) == 1 else OUTPUT_CHARS
    for cell, source in zip(cells, raw, strict=True):
        attached, outputs = read_attachments(source, max_chars), _raw_outputs(source)
        shown: list[CellOutput] = []
        for read in chain(attached, (read_output(output, max_chars) for output in outputs)):
            size = len(read.text.encode()) + sum(len(line) for line in read.media) + CELL_OVERHEAD_BYTES
            if size > room:
                break
            room -= size
            shown.append(read)
        yield replace(cell, outputs=tuple(shown), hidden_outputs=len(attached) + len(outputs) - len(shown))


def _raw_outputs(cell: Any) -> list[Any]:
    outputs = cell.get("outputs") if isinstance(cell, Mapping) else None
    return outputs if isinstance(outputs, list) else []


def _problems(notebook: Mapping[str, Any], cells: Sequence[Any], minor: Any) -> Iterator[str]:
    """What does not fit the format, in one line; nothing of it hinders reading."""
    major = notebook.get("nbformat")
    if not isinstance(major, int):
        yield "the file does not say which notebook format it has"
    elif major != 4:
        known = (
            "an old format; NotebookEdit needs format 4" if major < 4 else "not known here; shown as far as possible"
        )
        yield f"format {major}: {known}"
    with_ids = major == 4 and isinstance(minor, int) and minor >= FIRST_MINOR_WITH_IDS
    found = [problem for index, cell in enumerate(cells) for problem in _cell_problems(index, cell, major == 4)]
    if with_ids and any(isinstance(c, Mapping) and "id" not in c for c in cells):
        found.append("cells without ids, which this format requires; they are called cell-N here")
    if major == 4:
        found = [*_repeated_ids(cells), *found]
    if found:
        more = f" and {len(found) - MAX_PROBLEMS} more" if len(found) > MAX_PROBLEMS else ""
        yield f"not a valid notebook: {'; '.join(found[:MAX_PROBLEMS])}{more}"


def _repeated_ids(cells: Sequence[Any]) -> list[str]:
    """Which ids do several cells have?"""
    ids = [cell["id"] for cell in cells if isinstance(cell, Mapping) and isinstance(cell.get("id"), str)]
    return [
        f"{count} cells have the id {quoted(name)}, so call them cell-N, counted from 0"
        for name, count in Counter(ids).items()
        if count > 1
    ]


def _cell_problems(index: int, cell: Any, is_current: bool) -> Iterator[str]:
    if not isinstance(cell, Mapping):
        yield f"cell {index} is not an object"
        return
    if not isinstance(cell.get("metadata", {} if not is_current else None), Mapping):
        yield f"cell {index} has no metadata object"
    if is_current and cell.get("cell_type") == "code":
        missing = [key for key in ("outputs", "execution_count") if key not in cell]
        if missing:
            yield f"cell {index} has no {' and no '.join(missing)}"
    metadata = cell.get("metadata")
    if isinstance(metadata, Mapping) and not isinstance(metadata.get("tags", []), list):
        yield f"cell {index} has tags that are not a list"


def _widget_state(notebook: Mapping[str, Any]) -> Iterator[str]:
    metadata = notebook.get("metadata")
    widgets = metadata.get("widgets") if isinstance(metadata, Mapping) else None
    saved = widgets.get("application/vnd.jupyter.widget-state+json") if isinstance(widgets, Mapping) else None
    state = saved.get("state") if isinstance(saved, Mapping) else None
    if isinstance(state, Mapping):
        yield f"the state of {len(state)} saved widget models is not shown"


def _language(notebook: Mapping[str, Any]) -> str:
    metadata = notebook.get("metadata")
    for section, key in (("language_info", "name"), ("kernelspec", "language")):
        inner = metadata.get(section) if isinstance(metadata, Mapping) else None
        if isinstance(inner, Mapping) and isinstance(inner.get(key), str):
            return str(inner[key])
    return "python"
