"""What has to be done to an open notebook so that it becomes what an edit made of it?

The front end carries out a few simple operations (see ``live/operations.ts``). What an edit means is worked out here,
on a snapshot, by the same code that edits files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Cell = dict[str, Any]
Operation = dict[str, Any]


def source_of(cell: Cell) -> str:
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def operations(before: Sequence[Cell], after: Sequence[Cell]) -> list[Operation]:
    """The operations that turn the cells ``before`` into ``after``; both have an id in every cell, each once."""
    kept = {cell["id"] for cell in after}
    made: list[Operation] = [{"op": "delete", "cell": cell["id"]} for cell in before if cell["id"] not in kept]
    old = {cell["id"]: cell for cell in before}
    order = [cell["id"] for cell in before if cell["id"] in kept]
    for index, cell in enumerate(after):
        id = cell["id"]
        if id not in old:
            made.append({"op": "insert", "index": index, "content": {**cell, "source": source_of(cell)}})
            order.insert(index, id)
            continue
        if order[index] != id:
            made.append({"op": "move", "cell": id, "index": index})
            order.remove(id)
            order.insert(index, id)
        made += _changes(old[id], cell)
    return made


def _changes(before: Cell, after: Cell) -> list[Operation]:
    id, source = after["id"], source_of(after)
    if before["cell_type"] != after["cell_type"]:
        return [{"op": "retype", "cell": id, "to": after["cell_type"], "source": source}]
    made: list[Operation] = []
    if source_of(before) != source:
        made.append({"op": "source", "cell": id, "source": source})
    if before.get("outputs") and not after.get("outputs"):
        made.append({"op": "clear", "cell": id})
    return made
