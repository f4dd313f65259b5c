"""Which files do ignore files leave out? ``.gitignore`` and ``.git/info/exclude`` in a repository, ``.ignore`` and
``.rgignore`` anywhere.

Read as ripgrep reads them: as git does, but ``{a,b}`` in a pattern is either text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Literal, NamedTuple

VCS_FOLDERS = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".sl", "CVS"})
"""Where version control keeps its own files; never searched, unless they are named."""

IGNORE_FILES = (".rgignore", ".ignore", ".gitignore")
"""The stronger first: what one says is not asked of the next."""

MARKERS = frozenset({*IGNORE_FILES, ".git"})
"""Names in a folder that change which rules hold in it."""

MAX_IGNORE_BYTES = 1 << 20

_PROBE = "\x01"
"""Stands for any file in a folder."""


class _Group(NamedTuple):
    """Rules in a row that say the same.

    Attributes:
        ignores: what they say.
        names: plain names. name: a pattern of names. path: a pattern of paths below the ignore file's folder.
    """

    ignores: bool
    names: frozenset[str]
    name: re.Pattern[str] | None
    path: re.Pattern[str] | None


class IgnoreFile:
    """The rules of one ignore file, for files and for folders.

    Args:
        text: its content, one character for each byte: that is what ``?`` and ``[…]`` stand for, to git as well.
    """

    def __init__(self, text: str) -> None:
        rules = [rule for line in text.split("\n") if (rule := _rule(line)) is not None]
        self._for_folders = tuple(_groups(rules))
        self._for_files = tuple(_groups(rule for rule in rules if not rule.folders_only))

    def verdict(self, relative: str, name: str, is_folder: bool) -> bool | None:
        """Whether the entry is left out; ``None`` when no rule is about it.

        Args:
            relative: its path from the ignore file's folder. name: the last part of it.
        """
        relative, name = by_byte(relative), by_byte(name)
        for group in self._for_folders if is_folder else self._for_files:
            if name in group.names or (group.name is not None and group.name.match(name)):
                return group.ignores
            if group.path is not None and group.path.match(relative):
                return group.ignores
        return None

    def empties(self, relative: str) -> bool:
        """Whether a rule such as ``folder/*`` leaves out whatever is in the folder."""
        inside = by_byte(f"{relative}/{_PROBE}")
        for group in self._for_files:
            if group.path is not None and group.path.match(inside):
                return group.ignores
        return False


def by_byte(path: str) -> str:
    """A path with one character for each byte."""
    return path if path.isascii() else os.fsencode(path).decode("latin-1")


class _Rule(NamedTuple):
    ignores: bool
    folders_only: bool
    is_path: bool
    pattern: str


def _rule(line: str) -> _Rule | None:
    line = line.removesuffix("\r")
    if line.startswith("#"):
        return None
    if not line.endswith("\\ "):
        line = line.rstrip()
    ignores = not line.startswith("!")
    pattern = line if ignores else line[1:]
    if pattern.startswith(("\\!", "\\#")):
        pattern = pattern[1:]
    rooted = pattern.startswith("/")
    pattern = pattern[1:] if rooted else pattern
    folders_only = pattern.endswith("/")
    pattern = pattern[:-1] if folders_only else pattern
    if not pattern or pattern == "/":
        return None
    return _Rule(ignores, folders_only, rooted or "/" in pattern, pattern)


def _groups(rules: Iterable[_Rule]) -> Iterator[_Group]:
    """The rules as groups, the last one first: the last rule about an entry is the one that counts."""
    together: list[_Rule] = []
    for rule in reversed(list(rules)):
        if together and together[0].ignores != rule.ignores:
            yield _group(together)
            together = []
        together.append(rule)
    if together:
        yield _group(together)


_MAGIC = re.compile(r"[*?\[\]{}\\]")


def _group(rules: list[_Rule]) -> _Group:
    plain = frozenset(rule.pattern for rule in rules if not rule.is_path and not _MAGIC.search(rule.pattern))
    names = [rule.pattern for rule in rules if not rule.is_path and _MAGIC.search(rule.pattern)]
    paths = [rule.pattern for rule in rules if rule.is_path]
    return _Group(rules[0].ignores, plain, _any_of(names), _any_of(paths))


def _any_of(patterns: list[str]) -> re.Pattern[str] | None:
    readable = [regex for pattern in patterns if (regex := _regex(pattern)) is not None]
    return re.compile(rf"(?:{'|'.join(readable)})\Z", re.DOTALL) if readable else None


def _regex(pattern: str) -> str | None:
    """The pattern as a regular expression; ``None`` for one that cannot be read and so means nothing."""
    parts = pattern.split("/")
    built = ""
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        if part == "**":
            built += "[^/].*" if last and i else ".*" if last else "(?:.*/)?" if not i else "(?:[^/]*/)*"
            continue
        built += part_regex(part) + ("" if last else "/")
    try:
        re.compile(built)
    except re.error:
        return None
    return built


def part_regex(part: str) -> str:
    """The regular expression of one part of a path pattern."""
    built, depth, at = "", 0, 0
    while at < len(part):
        char = part[at]
        at += 1
        if char == "*":
            built += "" if built.endswith("[^/]*") else "[^/]*"
        elif char == "?":
            built += "[^/]"
        elif char == "\\" and at < len(part):
            built += re.escape(part[at])
            at += 1
        elif char == "[":
            end = part.find("]", at + 2 if part[at : at + 1] in ("!", "^") else at + 1)
            if end < 0:
                return "["  # no pattern at all
            built += _class(part[at:end])
            at = end + 1
        elif char == "{":
            built, depth = built + "(?:", depth + 1
        elif char == "}" and depth:
            built, depth = built + ")", depth - 1
        elif char == "," and depth:
            built += "|"
        else:
            built += re.escape(char)
    return built + "[" if depth else built  # a group that is never closed is no pattern


def _class(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    members = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside[1:] if negated else inside)
    return f"[{'^' if negated else ''}{members}]"


class _Check(NamedTuple):
    """One ignore file as it is asked: where relative paths begin in an absolute one."""

    file: IgnoreFile
    base: int


class IgnoreRules:
    """The rules that hold in one folder. Immutable.

    Args:
        checks: for each kind of ignore file, the nearest first; the last kind is ``.git/info/exclude``.
        in_repository: whether the rules of git count here.
    """

    def __init__(self, checks: tuple[tuple[_Check, ...], ...] = ((), (), (), ()), in_repository: bool = False) -> None:
        self._checks = checks
        self._in_order = tuple(check for kind in checks for check in kind)
        self.in_repository = in_repository

    @property
    def has_any(self) -> bool:
        return bool(self._in_order)

    def inside(self, folder: str, names: Collection[str]) -> IgnoreRules:
        """The rules that hold in the sub-folder at the absolute path ``folder``, which holds entries of these names."""
        present = MARKERS.intersection(names)
        if not present:
            return self
        base = len(folder.rstrip("/")) + 1
        kinds = [list(kind) for kind in self._checks]
        starts_repository = ".git" in present
        if starts_repository:
            exclude = _read(os.path.join(folder, ".git", "info", "exclude"))
            kinds[2:] = [[], [_Check(exclude, base)] if exclude else []]
        in_repository = starts_repository or self.in_repository
        for kind, name in enumerate(IGNORE_FILES):
            counts = name != ".gitignore" or in_repository
            if counts and name in present and (file := _read(os.path.join(folder, name))) is not None:
                kinds[kind].insert(0, _Check(file, base))
        return IgnoreRules(tuple(tuple(kind) for kind in kinds), in_repository)

    def ignores(self, path: str, name: str, is_folder: bool) -> bool:
        """Whether the entry of that name at the absolute ``path`` is left out (the folders above it are not asked)."""
        for file, base in self._in_order:
            verdict = file.verdict(path[base:], name, is_folder)
            if verdict is not None:
                return verdict
        return False

    def leaves_out_folder(self, folder: str) -> bool:
        """Whether the folder, or whatever is in it, is left out."""
        if self.ignores(folder, os.path.basename(folder), True):
            return True
        return any(file.empties(folder[base:]) for file, base in self._in_order)


Outer = Literal["all", "some", "none"]
"""How many of the rules from the folders above count."""


class RulesAt(NamedTuple):
    """The rules for a folder that was asked for by name.

    Attributes:
        rules: what holds in it.
        outer: how many of the rules from above it are among them.
    """

    rules: IgnoreRules
    outer: Outer


def rules_for(folder: str) -> RulesAt:
    """The rules that hold in the absolute ``folder``: none from above a folder that is itself left out, for whoever
    asks for such a folder by name wants to see it."""
    rules = IgnoreRules()
    outer: Outer = "all"
    for here in _ancestors(folder):
        if rules.leaves_out_folder(here):
            rules, outer = IgnoreRules(in_repository=rules.in_repository), "none"
        elif outer == "none" and rules.has_any:
            outer = "some"
        rules = rules.inside(here, markers_in(here))
    return RulesAt(rules, outer)


class LeftOut:
    """Whether entries below an absolute folder are left out, with all that holds in the folders on the way to them."""

    def __init__(self, root: str, rules: IgnoreRules) -> None:
        self._root = root
        self._rules: dict[str, IgnoreRules | None] = {"": rules}

    def holds(self, relative: str) -> bool:
        """Whether the file at this path below the root is left out."""
        folder, _, name = relative.rpartition("/")
        rules = self._inside(folder)
        return rules is None or rules.ignores(os.path.join(self._root, relative), name, False)

    def _inside(self, folder: str) -> IgnoreRules | None:
        """The rules in a folder below the root; ``None`` in one that is left out."""
        if folder not in self._rules:
            outer, _, name = folder.rpartition("/")
            rules, path = self._inside(outer), os.path.join(self._root, folder)
            out = rules is None or rules.ignores(path, name, True)
            self._rules[folder] = None if out or rules is None else rules.inside(path, markers_in(path))
        return self._rules[folder]


def markers_in(folder: str) -> list[str]:
    """Which of the names that change the rules are in the folder?"""
    return [name for name in MARKERS if os.path.lexists(os.path.join(folder, name))]


def _ancestors(folder: str) -> Iterator[str]:
    """``/``, and every folder on the way to ``folder``, which is the last."""
    here = "/"
    yield here
    for name in folder.split("/"):
        if name:
            here = os.path.join(here, name)
            yield here


def _read(path: str) -> IgnoreFile | None:
    try:
        with open(path, "rb", buffering=0, opener=_open_at_once) as file:
            data = file.read(MAX_IGNORE_BYTES) or b""
    except OSError:
        return None  # absent or unreadable: git has no rules from it either
    return IgnoreFile(data.removeprefix(b"\xef\xbb\xbf").decode("latin-1"))


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)  # a pipe of that name must not be waited for
