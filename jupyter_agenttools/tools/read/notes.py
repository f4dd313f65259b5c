"""What has to be said beside the lines that are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...files.content import Content
from ...files.window import TextWindow

MAX_LISTED = 10


def window_notes(window: TextWindow, content: Content) -> Iterator[str]:
    """One sentence for each thing that the lines alone do not show."""
    yield from _extent(window)
    unended = window.last_line == content.index.total_lines > content.index.newlines
    if window.crlf:
        all_of_them = window.crlf == len(window.lines) - unended
        yield f"{'the lines' if all_of_them else f'{window.crlf} of these lines'} end in CR LF"
    if unended and window.lines:
        yield "the last line has no line end"
    if window.undecodable:
        yield (
            f"bytes that are not {content.form.name} are shown as \\xNN, in {_listed(window.undecodable)}; "
            "the file itself holds the single bytes"
        )
    if not content.decodes:
        yield f"some of the file is not {content.form.name}; such bytes are shown as \\xNN"
    if window.odd:
        yield f"NUL characters, or CR inside of a line, in {_listed(window.odd)}"
    if content.index.holes:
        yield f"{content.index.holes:,} bytes of the file were never written and read as NUL characters"
    if window.cut:
        cut = _listed([number for number, _ in window.cut])
        yield f"{cut} cut: use Bash (cut -c) or Grep (with -o) to see more of a long line"
    if content.form.name != "utf-8":
        yield f"encoding: {content.form.described}"


def _extent(window: TextWindow) -> Iterator[str]:
    total = window.total_lines
    if not total:
        yield "the file exists and is empty"
    elif not window.lines:
        yield f"line {window.first_line} is beyond the end: the file has {total:,} line{'' if total == 1 else 's'}"
    elif not window.is_whole:
        more = f"; continue with offset={window.last_line + 1}" if window.last_line < total else ", up to the end"
        yield f"lines {window.first_line}-{window.last_line} of {total:,}{more}"


def _listed(numbers: Sequence[int]) -> str:
    more = f" and {len(numbers) - MAX_LISTED} more" if len(numbers) > MAX_LISTED else ""
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers[:MAX_LISTED]))}{more}"
