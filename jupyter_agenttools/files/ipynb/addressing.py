"""Which cell is meant?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Any, NamedTuple

from ...core.errors import ToolValidationError
from ..encoding import visible
from .document import NotebookDocument

MAX_LISTED = 40
POSITION = re.compile(r"cell-(0|[1-9][0-9]{0,8})\Z")
"""A cell by its position, from 0."""

MADE = re.compile(r"new-([1-9][0-9]{0,8})\Z")
"""A cell that an earlier edit of the same call has put in: ``new-1`` is the first one of them."""


class Found(NamedTuple):
    """The cell that an address means.

    Attributes:
        index: its position, from 0.
        note: what a reader should know about how it was found, or ``""``.
    """

    index: int
    note: str = ""


class Whereabouts:
    """Where the cells of a notebook are while edits are made in it one after the other.

    ``cell-N`` means the cell that was number N before the first edit: whoever writes several edits at once has seen
    that notebook and no other.
    """

    def __init__(self, count: int) -> None:
        self._cells: list[int | str] = list(range(count))
        self._original = count
        self._made = 0

    def insert(self, index: int) -> None:
        self._made += 1
        self._cells.insert(index, f"new-{self._made}")

    def delete(self, index: int) -> None:
        del self._cells[index]

    def move(self, index: int, new_index: int) -> None:
        self._cells.insert(new_index, self._cells.pop(index))

    def mark(self, index: int) -> int | str:
        """Something by which the cell at ``index`` is found again, wherever it will be."""
        return self._cells[index]

    def find(self, mark: int | str) -> int | None:
        """Where that cell is now, ``None`` when it has been deleted."""
        return self._cells.index(mark) if mark in self._cells else None

    def knows(self, mark: int | str) -> bool:
        """Whether there ever was such a cell."""
        if isinstance(mark, int):
            return mark < self._original
        return int(mark[4:]) <= self._made

    def remaining(self) -> list[int]:
        """The first positions of those cells that are still there."""
        return [before for before in self._cells if isinstance(before, int)]

    def shifted(self) -> list[int]:
        """The first positions of those cells that are somewhere else now."""
        return [before for now, before in enumerate(self._cells) if isinstance(before, int) and before != now]


def cell_address(index: int, own_id: str | None) -> str:
    """How a cell is called: by its id, or by its position (from 0) where it has none."""
    return own_id or f"cell-{index}"


def find_cell(document: NotebookDocument, address: str, whereabouts: Whereabouts | None = None) -> Found:
    """The cell that ``address`` means: a real id first, then ``new-N`` and ``cell-N``, then Colab's id.

    Args:
        whereabouts: what earlier edits of the same call have done; ``None`` when there were none.

    Raises:
        ToolValidationError: no cell or several; says which there are, and where.
    """
    places = whereabouts or Whereabouts(len(document.cells))
    mark = _mark(address)
    own = [index for index, (cell_id, _) in enumerate(document.identities) if cell_id == address]
    if isinstance(mark, str) and own and places.knows(mark):
        own = [*own, *(index for index in [places.find(mark)] if index is not None)]
    if len(own) > 1:
        raise _ambiguous(document, address, own, "the id")
    if own:
        return Found(own[0], _also_a_position(document, own[0], mark, places))
    if mark is not None and places.knows(mark):
        return Found(_present(document, address, mark, places))
    plain = unescape(address)
    if plain != address and any(plain in names for names in document.identities):
        return find_cell(document, plain, whereabouts)  # reading shows quotes and brackets of an id escaped
    return Found(_by_metadata(document, address))


def _mark(address: str) -> int | str | None:
    position = POSITION.match(address)
    if position:
        return int(position[1])
    return address if MADE.match(address) else None


def _present(document: NotebookDocument, address: str, mark: int | str, places: Whereabouts) -> int:
    index = places.find(mark)
    if index is None:
        message = f"{document.path}: {address} was deleted by an earlier edit of this call"
        raise ToolValidationError(message, check_id="cell-deleted")
    return index


def _also_a_position(document: NotebookDocument, index: int, mark: int | str | None, places: Whereabouts) -> str:
    """A note when a real id looks like the position of another cell."""
    other = places.find(mark) if isinstance(mark, int) and places.knows(mark) else None
    if other is None or other == index:
        return ""
    name = document.identities[other][0]
    called = f", which is called {name}" if name else ""
    return f"cell-{mark} is the id of the cell at position {index}; the cell at position {other}{called} was not meant"


def _by_metadata(document: NotebookDocument, address: str) -> int:
    """By the id that Colab keeps in the metadata."""
    colab = [index for index, (_, colab_id) in enumerate(document.identities) if colab_id == address]
    if len(colab) > 1:
        raise _ambiguous(document, address, colab, "in their metadata the id")
    if colab:
        return colab[0]
    raise ToolValidationError(_unknown(document, address), check_id="cell-unknown")


def _ambiguous(document: NotebookDocument, address: str, indexes: Sequence[int], what: str) -> ToolValidationError:
    names = ", ".join(f"cell-{index}{_glimpse(document, index)}" for index in indexes[:MAX_LISTED])
    more = f" and {len(indexes) - MAX_LISTED} more" if len(indexes) > MAX_LISTED else ""
    message = (
        f"{document.path}: {len(indexes)} cells have {what} {address!r}. Say which one by its position, counted from "
        f"0: {names}{more}"
    )
    return ToolValidationError(message, check_id="cell-ambiguous")


def _glimpse(document: NotebookDocument, index: int) -> str:
    line = next((line.strip() for line in source_text(document.cell(index)).splitlines() if line.strip()), "")
    return f" ({visible(line[:30])}{'…' if len(line) > 30 else ''})" if line else " (empty)"


def is_positional(document: NotebookDocument, address: str | None) -> bool:
    """Whether ``address`` only holds while no cell before it comes or goes."""
    if address is None or POSITION.match(address) is None:
        return False
    return all(cell_id != address for cell_id, _ in document.identities)


def _unknown(document: NotebookDocument, address: str) -> str:
    names = [visible(cell_address(index, cell_id)) for index, (cell_id, _) in enumerate(document.identities)]
    if not names:
        return f"{document.path} has no cells yet. Use edit_mode=insert without a cell_id to add the first one"
    shown = address if len(address) <= 80 else address[:79] + "…"
    hint = _by_source(document, address)
    if address.isdecimal() and int(address) < len(names):
        hint = f" To mean a position (counted from 0), write cell-{int(address)}."
    return f"{document.path} has no cell {shown!r}.{hint} Its cells are: {_listed(names)}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return ", ".join(names[:MAX_LISTED]) + more


def _by_source(document: NotebookDocument, address: str) -> str:
    """A hint when somebody gave a cell's source in place of its id."""
    wanted = address.strip()
    same = [i for i in range(len(document.cells)) if wanted and source_text(document.cell(i)).strip() == wanted]
    if len(same) != 1:
        return ""
    name = cell_address(same[0], document.identities[same[0]][0])
    return f" That text is the source of cell {name!r}: give the id, not the source."


def source_text(cell: dict[str, Any]) -> str:
    """The source of a decoded cell as one text; ``""`` when it has none that can be read."""
    source = cell.get("source")
    if isinstance(source, str):
        return source
    return "".join(part for part in source if isinstance(part, str)) if isinstance(source, list) else ""
