"""Why an edit cannot be done, in words from which the next attempt can be made right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...core.errors import ToolValidationError
from ...core.names import BASH_TOOL_NAME, GREP_TOOL_NAME, NOTEBOOK_EDIT_TOOL_NAME, READ_TOOL_NAME, WRITE_TOOL_NAME
from ...files.encoding import TextFormat, decode_visibly
from ...files.feeds import Feeds
from ...files.matching import Match
from ...files.near_miss import (
    MAX_PLACES,
    MAX_SEARCHED_CHARS,
    NearMiss,
    closest_line,
    code_points,
    differences,
    near_misses,
)

MAX_LISTED = 10
MAX_SEARCHED_BYTES = 4 * MAX_SEARCHED_CHARS
MAX_QUOTED_CHARS = 200
MAX_COUNTED = 1_000
"""More places than this are not counted out."""


def refusal(check_id: str, message: str) -> ToolValidationError:
    return ToolValidationError(message, check_id=check_id)


def notebook(path: str) -> ToolValidationError:
    return refusal(
        "edit-notebook",
        f"{path} is a notebook; as text its cells are escaped JSON, which a replacement easily breaks. Nothing was "
        f"changed. Change its cells with {NOTEBOOK_EDIT_TOOL_NAME}",
    )


def same() -> ToolValidationError:
    return refusal("edit-same", "old_string and new_string are the same, so nothing would change")


def holds_nul() -> ToolValidationError:
    return refusal("edit-nul", "new_string holds a NUL character (U+0000), which makes a text file unreadable as text")


def exists(path: str) -> ToolValidationError:
    return refusal(
        "edit-file-exists",
        f"{path} exists and is not empty. An empty old_string only makes a new file. {READ_TOOL_NAME} it and say in "
        f"old_string what to replace, or replace the whole file with {WRITE_TOOL_NAME}",
    )


def binary(path: str, kind: str) -> ToolValidationError:
    return refusal(
        "file-binary", f"{path} is {kind}, not text; change it with a program for that format, through {BASH_TOOL_NAME}"
    )


def too_large(path: str, size: int) -> ToolValidationError:
    return refusal("file-too-large", f"{path} would have {size:,} bytes after this, more than a file may have here")


def removes_mark(path: str, form: TextFormat) -> ToolValidationError:
    return refusal(
        "edit-removes-mark",
        f"this would take the byte order mark from {path}, without which nobody can tell that it is {form.encoding}. "
        f"Nothing was changed. Begin new_string with U+FEFF too, or convert the file with {BASH_TOOL_NAME} (iconv)",
    )


def no_change(path: str) -> ToolValidationError:
    return refusal(
        "edit-same",
        f"nothing in {path} would change: old_string and new_string differ only in how they write line ends, and line "
        f"ends follow the file. To convert a file's line ends use {BASH_TOOL_NAME} (sed -i 's/\\r$//')",
    )


def not_unique(path: str, data: bytes, form: TextFormat, matches: Sequence[Match]) -> ToolValidationError:
    """The refusal of a text that is there more than once. ``matches``: at most one more than is counted."""
    feeds, lines, line, position = Feeds(data, form), [], 1, 0
    for match in matches[:MAX_LISTED]:
        line += feeds.count(position, match.start)
        position = match.start
        lines.append(line)
    count = f"{len(matches):,}" if len(matches) <= MAX_COUNTED else f"more than {MAX_COUNTED:,}"
    overlap = " (some overlap)" if any(later.start < match.end for match, later in pairwise(matches)) else ""
    return refusal(
        "edit-not-unique",
        f"old_string is in {path} {count} times{overlap}: {listed(lines, len(matches))}. Nothing was changed. Make "
        "it longer, with text from the lines around the one place that is meant, or set replace_all=true to change all",
    )


def not_found(path: str, data: bytes, form: TextFormat, wanted: str) -> ToolValidationError:
    """The refusal of a text that is not there, with everything that is there and looks like it."""
    head = f"old_string is not in {path}. It must be there exactly; nothing was changed."
    if len(data) > MAX_SEARCHED_BYTES:
        advice = f"The file is too long to look for something like it; {GREP_TOOL_NAME} it for a part of the text."
        return refusal("edit-not-found", f"{head} {advice}")
    text, decodes = decode_visibly(data, form)
    return refusal("edit-not-found", "\n".join([head, *_explained(path, text, decodes, wanted)]))


def _explained(path: str, text: str, decodes: bool, wanted: str) -> Iterator[str]:
    if not decodes and wanted in text:
        yield (
            "It spells \\xNN where the file holds single bytes that are no text in its encoding; those cannot be given "
            "in old_string. Choose a part without them."
        )
        return
    misses = near_misses(wanted, text)
    if misses:
        yield from (f"- {_told(miss, wanted)}" for miss in misses)
        yield "Copy the characters that are really there."
    elif (near := closest_line(wanted, text)) is not None:
        yield f"The nearest line is {near[0]}: {_quoted(near[1])}. {READ_TOOL_NAME} that place again and copy from it."
    else:
        yield f"Nothing like it was found. {READ_TOOL_NAME} {path} again, or look for it in other files."


def _told(miss: NearMiss, wanted: str) -> str:
    count = len(miss.lines)
    number = f"{count} or more" if count == MAX_PLACES else str(count)
    places = f"{number} place{' differs' if count == 1 else 's differ'} only in {miss.words}"
    words = f"{places} ({listed(miss.lines, count)})"
    found = "; ".join(
        f"line {miss.lines[0] + d.line} of the file has {code_points(d.real) or 'nothing'} where old_string has "
        f"{code_points(d.wanted) or 'nothing'}"
        for d in (differences(wanted, miss.real) if miss.shows_characters else ())
    )
    if found:
        return f"{words}: {found}."
    return f"{words}: the file has {_quoted(miss.real)}." if miss.real else f"{words}."


def _quoted(text: str) -> str:
    text = "".join(char if char == "\n" or char.isprintable() else repr(char)[1:-1] for char in text)
    shown = text if len(text) <= MAX_QUOTED_CHARS else f"{text[:MAX_QUOTED_CHARS]}…"
    return f"`{shown}`"


def listed(lines: Sequence[int], total: int) -> str:
    """``line 3``, or ``lines 3, 7, 12 and 5 more``."""
    shown = ", ".join(f"{line:,}" for line in lines[:MAX_LISTED])
    more = f" and {total - MAX_LISTED:,} more" if total > MAX_LISTED else ""
    return f"line{'' if total == 1 else 's'} {shown}{more}"
