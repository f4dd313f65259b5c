"""Whether everything below a folder stays inside, and whether its names are plain."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..look import current_look
from ..roots import is_inside
from .fields import Field
from .parsed import TooComplex

if TYPE_CHECKING:
    from .find_branches import Found

MAX_ENTRIES = 5_000
"""A tree with more entries than this is not looked through."""


def _entries(folder: str, field: Field, flat: bool = False) -> Iterator[os.DirEntry[str]]:
    pending, seen = [folder], 0
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                seen += 1
                if seen > MAX_ENTRIES:
                    said = f"more than {MAX_ENTRIES} entries to look through"
                    raise TooComplex("path", said, field.start, field.end)
                yield entry
                if not flat and entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)


def check_links_stay(folder: str, roots: tuple[str, ...], field: Field) -> None:
    """Check that no link below ``folder`` leads out of ``roots``.

    Raises:
        TooComplex: one does, or there is too much to look through.
    """
    current_look().once(("links", folder, roots), lambda: _check_links(folder, roots, field))


def _check_links(folder: str, roots: tuple[str, ...], field: Field) -> None:
    for entry in _entries(folder, field):
        if entry.is_symlink() and not is_inside(os.path.realpath(entry.path), roots):
            said = f"{entry.path} leads out of the working directories"
            raise TooComplex("path-outside", said, field.start, field.end)


class Names(NamedTuple):
    """How plain names have to be so that a list of them can be taken apart again.

    Attributes:
        odd: what no path may hold; ``None`` when they are taken apart in a way that no name defeats.
    """

    odd: re.Pattern[str] | None

    def check(self, shown: str, field: Field) -> None:
        """Check one path as it is printed.

        Raises:
            TooComplex: it is not plain.
        """
        if self.odd is not None and self.odd.search(shown):
            raise TooComplex("path", f"the name of {shown} is not plain", field.start, field.end)

    def look_through(self, folder: str, roots: tuple[str, ...], field: Field, found: Found, flat: bool) -> bool:
        """Check every path below ``folder`` that is in the list.

        Args:
            found: what is known of those that are. flat: only what stands in the folder itself.

        Returns:
            whether a link to a folder outside may be among them.

        Raises:
            TooComplex: a name that is not plain; a link to a file outside; too many entries.
        """
        if found.only_files and self.odd is None:
            return False
        key = ("look_through", self, folder, roots, found, flat)
        return current_look().once(key, lambda: self._look_through(folder, roots, field, found, flat))

    def _look_through(self, folder: str, roots: tuple[str, ...], field: Field, found: Found, flat: bool) -> bool:
        folders, start = False, len(folder.rstrip("/")) + 1
        for entry in _entries(folder, field, flat):
            if found.names is not None and not any(name.fullmatch(entry.name) for name in found.names):
                continue
            self.check(entry.path[start:], field)
            if found.only_files or not entry.is_symlink() or is_inside(os.path.realpath(entry.path), roots):
                continue
            if not os.path.isdir(entry.path):
                raise TooComplex("path-outside", f"{entry.path} leads outside", field.start, field.end)
            folders = True
        return folders


AT_NULS = Names(None)
BARE_AT_NULS = Names(re.compile(r"^[-@+]"))
"""The same where a name is printed without a folder in front, so that it could begin like an option."""

AT_BLANKS = Names(re.compile(r"[\s'\"\\]|^[-@+]"))
"""As ``xargs`` takes them apart."""

BY_THE_SHELL = Names(re.compile(r"[\s'\"\\*?\[]|^[-@+]"))
"""As the shell takes them apart, also where wildcards are looked for in them."""
