"""What has to be done to an open notebook so that it becomes what an edit made of it?

The front end carries out a few simple operations (see ``live/operations.ts``). What an edit means is worked out here,
on a snapshot, by the same code that edits files.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

Cell = dict[str, Any]
Operation = dict[str, Any]


def source_of(cell: Cell) -> str:
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def operations(before: Sequence[Cell], after: Sequence[Cell]) -> list[Operation]:
    """The operations that turn the cells ``before`` into ``after``; both have an id in every cell, each once.

    No more cells are moved than have to be.
    """
    kept = {cell["id"] for cell in after}
    made: list[Operation] = [{"op": "delete", "cell": cell["id"]} for cell in before if cell["id"] not in kept]
    old = {cell["id"]: cell for cell in before}
    order = [cell["id"] for cell in before if cell["id"] in kept]
    staying = _staying(order, [cell["id"] for cell in after if cell["id"] in old])
    index = -1
    for cell in after:
        id = cell["id"]
        if id in staying:
            index = order.index(id, index + 1)
        elif id not in old:
            index += 1
            order.insert(index, id)
            made.append({"op": "insert", "index": index, "content": {**cell, "source": source_of(cell)}})
        else:
            was = order.index(id)
            del order[was]
            index += 0 if was <= index else 1
            order.insert(index, id)
            made.append({"op": "move", "cell": id, "index": index})
        if id in old:
            made += _changes(old[id], cell)
    return made


def _staying(before: Sequence[str], after: Sequence[str]) -> set[str]:
    """The most of these ids that can stay where they are while the others are moved: the longest rising sequence of
    their old positions, found by laying them out in piles."""
    position = {id: at for at, id in enumerate(before)}
    tops: list[int] = []
    ids: list[str] = []
    below: dict[str, str | None] = {}
    for id in after:
        pile = bisect_left(tops, position[id])
        below[id] = ids[pile - 1] if pile else None
        tops[pile : pile + 1], ids[pile : pile + 1] = [position[id]], [id]
    found: set[str] = set()
    at = ids[-1] if ids else None
    while at is not None:
        found.add(at)
        at = below[at]
    return found


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
