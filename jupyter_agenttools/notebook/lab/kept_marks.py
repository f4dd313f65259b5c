"""Which changes of open notebooks has nobody looked through yet?

The page that made them knows (see ``changes/ledger.ts``). It tells the kernel what happens to its marks, which keeps
that for the session, tells every other page, and those that come later.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

FORM = 1
"""Of the data, as in ``changes/kept.ts``; another one is not kept."""

LIMIT_CHARS = 1_000_000
"""Of one notebook, as JSON; what was changed first is left out first."""

NOTEBOOKS = 50
"""Those that were changed last."""

NOTE = "{path}: {count} of the cells that were changed before will not be marked after a reload of the page"

Message = dict[str, Any]


class _Entry(NamedTuple):
    """What happened to a cell last. Of two, the one with the higher stamp counts."""

    stamp: tuple[int, str]
    data: dict[str, Any]
    order: str
    chars: int


class _Marks:
    """The entries of one notebook by their cells, and the orders of cells that they name."""

    def __init__(self) -> None:
        self.entries: dict[str, _Entry] = {}
        self.orders: dict[str, list[str]] = {}

    def merge(self, entries: list[_Entry], orders: dict[str, list[str]]) -> None:
        for entry in entries:
            known = self.entries.get(entry.data["cell"])
            if known is None or entry.stamp > known.stamp:
                self.entries[entry.data["cell"]] = entry
        self.orders.update(orders)

    def shrink(self, limit: int) -> int:
        """Let the first ones go until the rest is within ``limit`` characters. Says how many marks went."""
        sizes = {key: len(json.dumps(order)) for key, order in self.orders.items()}
        room, gone = limit, 0
        kept: dict[str, _Entry] = {}
        named: set[str] = set()
        for entry in sorted(self.entries.values(), key=lambda entry: entry.stamp, reverse=True):
            needed = entry.chars + (0 if entry.order in named else sizes.get(entry.order, 0))
            if needed <= room:
                room -= needed
                kept[entry.data["cell"]] = entry
                named.add(entry.order)
            else:
                gone += entry.data["mark"] is not None
        self.entries = kept
        self.orders = {key: order for key, order in self.orders.items() if key in named}
        return gone

    @property
    def data(self) -> dict[str, Any]:
        return {"form": FORM, "orders": self.orders, "entries": [entry.data for entry in self.entries.values()]}


class KeptMarks:
    """By the path that pages have for a notebook. Thread-safe; nothing of it blocks."""

    def __init__(self, limit_chars: int = LIMIT_CHARS) -> None:
        self._limit_chars = limit_chars
        self._lock = threading.Lock()
        self._kept: dict[str, _Marks] = {}

    def take(self, message: Message) -> list[Message]:
        """Keep what a page says, and give what is to be told to all of them."""
        path, was, data = message.get("path"), message.get("was"), message.get("marks")
        if not isinstance(path, str):
            return []
        with self._lock:
            if data is None:
                self._kept.pop(path, None)
                return []
            if isinstance(was, str) and was in self._kept:
                self._kept[path] = self._kept.pop(was)
            read = _read(data)
            return [] if read is None or not read[0] else self._keep(path, *read)

    def _keep(self, path: str, entries: list[_Entry], orders: dict[str, list[str]]) -> list[Message]:
        marks = self._kept.pop(path, None) or _Marks()
        marks.merge(entries, orders)
        self._kept[path] = marks  # the last one now
        while len(self._kept) > NOTEBOOKS:
            del self._kept[next(iter(self._kept))]
        gone = marks.shrink(self._limit_chars)
        news = {"form": FORM, "orders": orders, "entries": [entry.data for entry in entries]}
        notes = [{"type": "notice", "text": NOTE.format(path=path, count=gone)}] if gone else []
        return [{"type": "marks", "path": path, "marks": news}, *notes]

    def of(self, paths: Iterable[str]) -> list[Message]:
        """What is to be told to a page that has these notebooks."""
        with self._lock:
            kept = {path: self._kept[path].data for path in paths if path in self._kept}
        return [{"type": "marks", "path": path, "marks": data} for path, data in kept.items()]


def _read(data: Any) -> tuple[list[_Entry], dict[str, list[str]]] | None:
    """What a page said, as far as it can be kept; the page that hears it again checks all of it."""
    if not isinstance(data, dict) or data.get("form") != FORM:
        return None
    told, named = data.get("entries"), data.get("orders")
    entries = [entry for each in told if (entry := _entry(each))] if isinstance(told, list) else []
    orders = {key: order for key, order in named.items() if isinstance(order, list)} if isinstance(named, dict) else {}
    return entries, orders


def _entry(data: Any) -> _Entry | None:
    if not isinstance(data, dict) or "mark" not in data:
        return None
    cell, number, by, mark = data.get("cell"), data.get("number"), data.get("by"), data["mark"]
    if not isinstance(cell, str) or type(number) is not int or not isinstance(by, str):
        return None
    was = mark.get("was") if isinstance(mark, dict) else None
    order = was.get("order") if isinstance(was, dict) else None
    return _Entry((number, by), data, order if isinstance(order, str) else "", len(json.dumps(data)))
