"""The regular files below a folder. Links are not followed, so a walk cannot go in circles or leave the folder."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .ignore import MARKERS, VCS_FOLDERS, IgnoreRules, rules_for


class NameFilter(NamedTuple):
    """Which relative paths are wanted?

    Attributes:
        wanted: for each condition its alternatives; one alternative of each has to match. No condition: every path.
        unwanted: paths that are not wanted in any case.
    """

    wanted: tuple[re.Pattern[str], ...] = ()
    unwanted: re.Pattern[str] | None = None

    @classmethod
    def from_texts(cls, wanted: list[str], unwanted: str) -> NameFilter:
        compiled = tuple(re.compile(text, re.DOTALL) for text in wanted)
        return cls(compiled, re.compile(unwanted, re.DOTALL) if unwanted else None)

    def fits(self, relative: str) -> bool:
        if self.unwanted is not None and self.unwanted.fullmatch(relative):
            return False
        return all(pattern.fullmatch(relative) for pattern in self.wanted)


class Walk:
    """One walk below the absolute folder ``root``.

    Args:
        names: which files are wanted.
        respect_ignore: leave out what ignore files leave out.
        on_error: told the relative path of a folder that cannot be listed, and why.
    """

    def __init__(
        self, root: str, names: NameFilter, *, respect_ignore: bool, on_error: Callable[[str, OSError], None]
    ) -> None:
        self._root = root.rstrip("/") + "/"
        self._names = names
        self._rules = rules_for(root).rules if respect_ignore else None
        self._on_error = on_error

    def files(self) -> Iterator[str]:
        """The wanted files, relative to the root."""
        todo: list[tuple[str, IgnoreRules | None]] = [("", None)]
        while todo:
            folder, outer = todo.pop()
            listing = self._list(folder)
            rules = self._rules_in(folder, outer, listing.markers)
            yield from self._wanted(folder, listing.files, rules)
            for name in listing.folders:
                relative = folder + name
                if name in VCS_FOLDERS or (rules and rules.ignores(self._root + relative, name, True)):
                    continue
                todo.append((relative + "/", rules))

    def _rules_in(self, folder: str, outer: IgnoreRules | None, markers: list[str]) -> IgnoreRules | None:
        if not folder:
            return self._rules
        return outer.inside(self._root + folder, markers) if outer and markers else outer

    def _wanted(self, folder: str, names: list[str], rules: IgnoreRules | None) -> Iterator[str]:
        fits = self._names.fits if self._names != NameFilter() else None
        asked = rules is not None and rules.has_any
        for name in names:
            relative = folder + name
            if fits is not None and not fits(relative):
                continue
            if not asked or not rules.ignores(self._root + relative, name, False):
                yield relative

    def _list(self, folder: str) -> _Listing:
        listing = _Listing([], [], [])
        try:
            with os.scandir(self._root + folder) as entries:
                for entry in entries:
                    if entry.is_file(follow_symlinks=False):
                        listing.files.append(entry.name)
                    elif entry.is_dir(follow_symlinks=False):
                        listing.folders.append(entry.name)
                    if entry.name in MARKERS:
                        listing.markers.append(entry.name)
        except OSError as error:
            self._on_error(folder, error)
        return listing


class _Listing(NamedTuple):
    """A folder: its regular files, its folders, and which names decide what is left out."""

    files: list[str]
    folders: list[str]
    markers: list[str]
