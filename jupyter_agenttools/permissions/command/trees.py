"""Whether everything below a folder stays inside, and whether its names are plain."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ..roots import is_inside
from .fields import Field
from .parsed import TooComplex

MAX_ENTRIES = 5_000
"""A tree with more entries than this is not looked through."""

_ODD_NAME = re.compile(r"[\s'\"\\]|^-")


def _entries(folder: str, field: Field) -> Iterator[os.DirEntry[str]]:
    pending, seen = [folder], 0
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                seen += 1
                if seen > MAX_ENTRIES:
                    said = f"more than {MAX_ENTRIES} entries to look through"
                    raise TooComplex("path", said, field.start, field.end)
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)


def check_links_stay(folder: str, roots: tuple[str, ...], field: Field) -> None:
    """Check that no link below ``folder`` leads out of ``roots``.

    Raises:
        TooComplex: one does, or there is too much to look through.
    """
    for entry in _entries(folder, field):
        if entry.is_symlink() and not is_inside(os.path.realpath(entry.path), roots):
            said = f"{entry.path} leads out of the working directories"
            raise TooComplex("path-outside", said, field.start, field.end)


def check_plain_names(folder: str, roots: tuple[str, ...], field: Field, wanted: re.Pattern[str] | None) -> None:
    """Check that a list of the files below ``folder`` can be taken apart at blanks and read without leading outside.

    Args:
        wanted: only entries whose names fit are in the list, ``None`` for all.

    Raises:
        TooComplex: a name with a blank, a quote or a leading dash; a link to the outside; too many entries.
    """
    for entry in _entries(folder, field):
        if wanted is not None and not wanted.fullmatch(entry.name):
            continue
        relative = os.path.relpath(entry.path, folder)
        if _ODD_NAME.search(relative):
            raise TooComplex("path", f"the name of {entry.path} is not plain", field.start, field.end)
        if entry.is_symlink() and not is_inside(os.path.realpath(entry.path), roots):
            raise TooComplex("path-outside", f"{entry.path} leads outside", field.start, field.end)
