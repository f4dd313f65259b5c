"""Which cells are meant by ``3-5, abc123, cell-0``?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.errors import ToolValidationError
from ...files.ipynb.addressing import POSITION

_RANGE = re.compile(r"([1-9][0-9]{0,8})?(?:\s*-\s*([1-9][0-9]{0,8})?)?")
MAX_NAMED = 30


def chosen(wanted: str, addresses: Sequence[str]) -> list[int]:
    """The positions (from 0) of the cells that are wanted, each once, in the order of the notebook.

    Args:
        wanted: ids, ``cell-N`` (from 0), numbers from 1 and ranges of them (``3``, ``2-5``, ``7-``), with commas.
        addresses: what each cell is called.

    Raises:
        ToolValidationError: there is no such cell (``cell-not-found``); says which there are.
    """
    found: set[int] = set()
    for word in filter(None, (part.strip() for part in wanted.split(","))):
        found.update(_positions(word, addresses))
    return sorted(found)


def _positions(word: str, addresses: Sequence[str]) -> Sequence[int]:
    by_id = [index for index, address in enumerate(addresses) if address == word]
    if by_id:
        return by_id
    if (at := POSITION.match(word)) is not None and int(at[1]) < len(addresses):
        return [int(at[1])]
    if word != "-" and (match := _RANGE.fullmatch(word)) is not None:
        first = int(match[1] or 1)
        last = int(match[2] or len(addresses)) if "-" in word else first
        if first <= last and first <= len(addresses):
            return range(first - 1, min(last, len(addresses)))
    names = ", ".join(addresses[:MAX_NAMED]) + (" …" if len(addresses) > MAX_NAMED else "")
    count = f"it has {len(addresses)}: {names}" if addresses else "it has none"
    raise ToolValidationError(f"the notebook has no cell {word!r}; {count}", check_id="cell-not-found")
