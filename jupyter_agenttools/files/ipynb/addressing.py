"""Which cell is meant?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.errors import ToolValidationError
from .document import NotebookDocument

MAX_LISTED = 40
_POSITION = re.compile(r"cell-(\d{1,9})\Z")


def cell_address(index: int, own_id: str | None) -> str:
    """How a cell is called: by its id, or by its position (from 0) where it has none."""
    return own_id or f"cell-{index}"


def find_cell(document: NotebookDocument, address: str) -> int:
    """The index of the cell that ``address`` means: a real id first, then ``cell-N``, then Colab's id in the metadata.

    Raises:
        ToolValidationError: no cell or several; says which there are.
    """
    own = [index for index, (cell_id, _) in enumerate(document.identities) if cell_id == address]
    if len(own) > 1:
        names = ", ".join(f"cell-{index}" for index in own)
        message = (
            f"{document.path}: {len(own)} cells have the id {address!r}. Say which one by its position: {names} "
            "(cell-N counts from 0)"
        )
        raise ToolValidationError(message, check_id="cell-ambiguous")
    if own:
        return own[0]
    position = _POSITION.match(address)
    if position and int(position[1]) < len(document.cells):
        return int(position[1])
    colab = [index for index, (_, colab_id) in enumerate(document.identities) if colab_id == address]
    if len(colab) == 1:
        return colab[0]
    raise ToolValidationError(_unknown(document, address), check_id="cell-unknown")


def is_positional(document: NotebookDocument, address: str) -> bool:
    """Whether ``address`` only holds while no cell before it comes or goes."""
    return all(cell_id != address for cell_id, _ in document.identities) and _POSITION.match(address) is not None


def _unknown(document: NotebookDocument, address: str) -> str:
    names = [cell_address(index, cell_id) for index, (cell_id, _) in enumerate(document.identities)]
    if not names:
        return f"{document.path} has no cells yet. Use edit_mode=insert without a cell_id to add the first one"
    shown = address if len(address) <= 80 else address[:79] + "…"
    return f"{document.path} has no cell {shown!r}.{_by_source(document, address)} Its cells are: {_listed(names)}"


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


def source_text(cell: dict[str, object]) -> str:
    """The source of a decoded cell as one text; ``""`` when it has none that can be read."""
    source = cell.get("source")
    if isinstance(source, str):
        return source
    return "".join(part for part in source if isinstance(part, str)) if isinstance(source, list) else ""
