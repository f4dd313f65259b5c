"""What has to be said beside the pages that are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...files.encoding import visible
from ...media.pdf import PdfInfo
from .page_ranges import PageRange, listed, runs

MAX_TITLE_CHARS = 100


def pdf_notes(
    info: PdfInfo, ranges: Sequence[PageRange] | None, chosen: Sequence[int], shown: Sequence[int], stopped: str
) -> tuple[str, ...]:
    """One sentence for each thing that the pages alone do not show.

    Args:
        ranges: what was asked for. chosen: the pages that this means. shown: those that were read.
        stopped: why not all of them were.
    """
    return tuple(_notes(info, ranges, chosen, shown, stopped))


def _notes(
    info: PdfInfo, ranges: Sequence[PageRange] | None, chosen: Sequence[int], shown: Sequence[int], stopped: str
) -> Iterator[str]:
    if title := " ".join(visible(info.title).split()):
        yield f"title: {title[:MAX_TITLE_CHARS]}"
    if len(shown) < info.pages:
        yield _extent(info.pages, chosen, shown, stopped)
    if any((last or first) > info.pages for first, last in ranges or ()):
        yield f"the document ends with page {info.pages:,}"
    if info.encrypted:
        yield "the document is encrypted and opens without a password"
    if not info.ends:
        yield "the file has no end mark: it may be cut off, and what could be recovered is shown"


def _extent(total: int, chosen: Sequence[int], shown: Sequence[int], stopped: str) -> str:
    here = f"page{'' if len(shown) == 1 else 's'} {listed(shown)} of {total:,}"
    rest = chosen[len(shown) :]
    if rest:
        return f"{here}; {stopped}: continue with pages={listed(rest)}"
    if len(runs(shown)) == 1 and shown[-1] < total:
        first = shown[-1] + 1
        return f"{here}; continue with pages={listed(range(first, min(total, shown[-1] + len(shown)) + 1))}"
    return here
