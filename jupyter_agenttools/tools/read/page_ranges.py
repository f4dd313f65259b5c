"""Which pages does a text such as ``1-5`` or ``1,4-6,9-`` name?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...core.errors import ToolValidationError

MAX_PAGES = 20
"""Pages of one call; the field's limit."""

FIRST_PAGES = 10
"""Pages of a longer document that are read when none are named; the field's limit."""

FEW_PAGES = 5
"""Up to so many pages that are named are always shown as pictures too."""

FORMS = 'write them like "3", "1-5", "1,4-6" or "9-" (from 9 on)'
_PART = re.compile(r"([0-9]{1,9})(?:(-)([0-9]{1,9})?)?")
_DASHES = str.maketrans({"–": "-", "—": "-", "−": "-", "‐": "-", ";": ","})


class PageRange(NamedTuple):
    """Pages from ``first`` to ``last``, both included; ``None``: to the end."""

    first: int
    last: int | None


def parse_pages(text: str) -> tuple[PageRange, ...]:
    """The ranges of pages, in their order.

    Raises:
        ToolValidationError: the text names no pages, page 0, a range that runs backwards, or more than one call gives.
    """
    parts = text.translate(_DASHES).replace(" ", "").removesuffix(",").split(",")
    ranges = tuple(_range(text, part) for part in parts)
    asked = sum(last - first + 1 for first, last in ranges if last is not None)
    if asked > MAX_PAGES:
        raise _bad(
            f"{text!r} names {asked} pages; one call gives at most {MAX_PAGES}: ask for fewer, then for the rest"
        )
    return ranges


def _range(text: str, part: str) -> PageRange:
    found = _PART.fullmatch(part)
    if found is None:
        raise _bad(f"{text!r} does not name pages: {part!r} is no page and no range; {FORMS}")
    first, dash, end = found.groups()
    last = int(end) if end else None if dash else int(first)
    if int(first) < 1:
        raise _bad(f"{text!r} names page 0; pages are counted from 1")
    if last is not None and last < int(first):
        raise _bad(f"{text!r} does not name pages: {part} runs backwards; did you mean {last}-{first}?")
    return PageRange(int(first), last)


def chosen_pages(ranges: Sequence[PageRange] | None, total: int) -> tuple[int, ...]:
    """The numbers of the pages to read, each once, ascending, at most :data:`MAX_PAGES`.

    Args:
        ranges: what was asked for; ``None``: nothing in particular.
        total: how many pages the document has.

    Raises:
        ToolValidationError: none of them exists.
    """
    if ranges is None:
        return tuple(range(1, min(total, FIRST_PAGES) + 1))
    chosen: set[int] = set()
    for first, last in ranges:
        end = min(total, first + MAX_PAGES - 1 if last is None else last)
        chosen.update(range(first, end + 1))
    if not chosen:
        count = f"{total} page{'' if total == 1 else 's'}"
        raise _bad(f"page {ranges[0].first} is beyond the end: the document has {count}")
    return tuple(sorted(chosen)[:MAX_PAGES])


def runs(pages: Sequence[int]) -> list[tuple[int, int]]:
    """The first and the last page of each stretch without a gap; ``pages`` ascend."""
    found: list[tuple[int, int]] = []
    for page in pages:
        if found and page == found[-1][1] + 1:
            found[-1] = (found[-1][0], page)
        else:
            found.append((page, page))
    return found


def listed(pages: Sequence[int]) -> str:
    """The pages as such a text: ``1,4-6``."""
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs(pages))


def _bad(message: str) -> ToolValidationError:
    return ToolValidationError(f"pages: {message}", check_id="read-pages")
