"""Which files a word leads to, and whether they lie inside the working directories."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from ..look import Look
from ..roots import is_inside
from .fields import GAP, Field
from .links import follow, is_system
from .parsed import TooComplex
from .state import Unknown
from .wildcards import STAR, whole_regex

Role = Literal["paths", "files", "contents", "names"]
"""How a path is used: read, folders too; read and no folder; read, and nothing of a folder, which the program refuses;
only named, a link at its end not followed."""

MAX_GLOB_ENTRIES = 5_000
"""Entries of folders that are looked through for the hits of one wildcard."""

_WILD = re.compile(r"(?<!\\)(?:\\\\)*[*?\[]")
_UNESCAPE = re.compile(r"\\(.)", re.DOTALL)


class ReadPath(NamedTuple):
    """A path that a command reads.

    Attributes:
        path: absolute, with its links followed.
        given: absolute, as it is written.
        whole_tree: everything below it is read too.
    """

    path: str
    given: str
    whole_tree: bool = False


class Places(NamedTuple):
    """Where paths start and may lead.

    Attributes:
        roots: the working directories, links followed; ``None`` when paths are not looked at.
        directories: the directories that relative paths may start from.
        known: what this decision has seen of the file system already.
    """

    roots: tuple[str, ...] | None
    directories: tuple[str, ...]
    known: Look | None = None

    def read(self, field: Field, role: Role = "paths", tree: bool = False) -> Iterator[ReadPath]:
        """Every path that one word may lead to.

        Raises:
            TooComplex: one of them leads out of the roots, or is not known.
        """
        if field.process:
            return
        if field.unknown is not None:
            yield from self._listed(field, field.unknown, role, tree)
            return
        if field.pattern is None:
            yield from self.inside(field.text, field, role, tree)
            return
        for directory in self.directories:
            for hit in self.hits(field, directory):
                # What a wildcard finds and is only named is the entry itself, also behind `*/`.
                named = hit.rstrip("/") if role == "names" and not tree else hit
                if role == "contents" and self.is_link_to_folder(hit, directory):
                    continue
                yield from self._inside_from(named or hit, directory, field, role, tree)

    def _listed(self, field: Field, path: Unknown, role: Role, tree: bool) -> Iterator[ReadPath]:
        """A path that another program printed and that was looked at then."""
        is_whole = path.kind == "path" and field.text == GAP and path.directories == self.directories
        if not is_whole or (path.folders and (tree or role not in ("contents", "names"))):
            raise TooComplex("path", "a path that is not known beforehand", field.start, field.end)
        yield from path.reads

    def is_link_to_folder(self, path: str, directory: str) -> bool:
        """Whether it is a link that ends at a folder: of that, a program that only opens files reads nothing."""
        whole = os.path.join(directory, path)
        return self.roots is not None and os.path.islink(whole) and os.path.isdir(whole)

    def inside(self, text: str, field: Field, role: Role = "paths", tree: bool = False) -> Iterator[ReadPath]:
        for directory in self.directories:
            yield from self._inside_from(text, directory, field, role, tree)

    def _inside_from(self, text: str, directory: str, field: Field, role: Role, tree: bool) -> Iterator[ReadPath]:
        span = (field.start, field.end)
        given = os.path.normpath(os.path.join(directory, text))
        if self.roots is None:
            yield ReadPath(given, given, tree)
            return
        if "\0" in text:
            raise TooComplex("path", "a path with a NUL", *span)
        path = (_named if role == "names" else follow)(text, directory, self.known)
        if path == "/dev/null":
            yield ReadPath(path, given)
            return
        if not is_inside(path, self.roots):
            raise TooComplex("path-outside", f"`{text}` leads to {path}, outside of the working directories", *span)
        if is_system(path, self.roots) or (tree and path == "/"):
            raise TooComplex("path-system", f"`{text}` is not an ordinary file", *span)
        if role == "files" and (self.known or Look()).is_folder(path):
            raise TooComplex("path-folder", f"`{text}` is a folder", *span)
        yield ReadPath(path, given, tree)

    def single(self, field: Field) -> Field | None:
        """The one word that a wildcard becomes wherever the line may be; ``None`` when there may be several."""
        if field.pattern is None:
            return field
        found = {tuple(self.hits(field, directory)) for directory in self.directories}
        if len(found) != 1 or len(hits := found.pop()) != 1:
            return None
        return Field(hits[0], field.start, field.end)

    def hits(self, field: Field, directory: str) -> list[str]:
        """What a file name wildcard expands to from one directory; the pattern itself when nothing fits.

        Raises:
            TooComplex: folders outside of the roots would be listed, there is too much to look through, or a hit would
                be read as an option.
        """
        assert field.pattern is not None
        if self.roots is None:
            return [field.text]
        found = _Search(self.roots, directory, field, self.known).run()
        return found or [field.text]


def _named(text: str, directory: str, known: Look | None) -> str:
    """Where a path leads when a link at its very end is not followed."""
    head, _, last = text.rpartition("/")
    if last in ("", ".", ".."):
        return follow(text, directory, known)
    folder = follow(head or ("/" if text.startswith("/") else "."), directory, known)
    return os.path.join(folder, last)


class _Search:
    """One expansion of a wildcard, folder by folder."""

    def __init__(self, roots: tuple[str, ...], directory: str, field: Field, known: Look | None) -> None:
        self.roots, self.directory, self.field, self.known = roots, directory, field, known
        self.looked = 0

    def fault(self, check_id: str, reason: str) -> TooComplex:
        return TooComplex(check_id, f"`{self.field.text}`: {reason}", self.field.start, self.field.end)

    def run(self) -> list[str]:
        pattern = self.field.pattern or ""
        parts = pattern.split("/")
        bases = ["/"] if pattern.startswith("/") else [""]
        searched = False
        for i, part in enumerate(parts):
            last = i == len(parts) - 1
            if not part:
                bases = bases if i == 0 else [base + "/" if not base.endswith("/") else base for base in bases]
            elif _WILD.search(part):
                bases = [hit for base in bases for hit in self.fitting(base, part, last)]
                searched = True
            else:
                plain = _UNESCAPE.sub(r"\1", part)
                bases = [_joined(base, plain) for base in bases]
                if searched:  # what stands before the first wildcard is checked, also when it is not there
                    bases = [base for base in bases if os.path.lexists(os.path.join(self.directory, base))]
        for hit in bases:
            if hit.startswith("-"):
                raise self.fault("glob", f"it matches `{hit}`, which would be read as an option")
        return bases

    def fitting(self, base: str, part: str, last: bool) -> Iterator[str]:
        folder = follow(base or ".", self.directory, self.known)
        if not is_inside(folder, self.roots):
            raise self.fault("path-outside", f"it lists {folder}, outside of the working directories")
        if is_system(folder, self.roots):
            raise self.fault("path-system", f"it lists {folder}, which is no ordinary folder")
        if not os.path.isdir(folder):
            return
        regex = _component(part)
        if regex is None:
            raise self.fault("glob", "a class of characters that is not followed")
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries]
        self.looked += len(names)
        if self.looked > MAX_GLOB_ENTRIES:
            raise self.fault("glob", f"more than {MAX_GLOB_ENTRIES} entries to look through")
        # `.*` fits the folder itself and the one above as well, as older releases of the shell have it.
        dots = (".", "..") if part.startswith((".", "\\.")) else ()
        for name in (*names, *dots):
            if (not name.startswith(".") or part.startswith((".", "\\."))) and regex.fullmatch(name):
                path = _joined(base, name)
                if last or os.path.isdir(os.path.join(self.directory, path)):
                    yield path


def _joined(base: str, name: str) -> str:
    return f"{base}{name}" if not base or base.endswith("/") else f"{base}/{name}"


@lru_cache(maxsize=256)
def _component(part: str) -> re.Pattern[str] | None:
    """The pattern of one part of a path, ``None`` when it holds something that is not followed."""
    built: list[str] = []
    at = 0
    while at < len(part):
        char = part[at]
        at += 1
        if char == "\\" and at < len(part):
            built.append(re.escape(part[at]))
            at += 1
        elif char == "*":
            built.append(STAR)
        elif char == "?":
            built.append(".")
        elif char == "[":
            close = part.find("]", at + 2 if part[at : at + 1] in ("!", "^") else at + 1)
            body = part[at:close] if close > 0 else ""
            if close < 0 or not re.fullmatch(r"[!^]?[\w., +@%-]+", body):
                return None
            built.append(f"[{'^' + body[1:] if body[0] in '!^' else body}]")
            at = close + 1
        else:
            built.append(re.escape(char))
    try:
        return re.compile(whole_regex(built), re.DOTALL)
    except re.error:
        return None
