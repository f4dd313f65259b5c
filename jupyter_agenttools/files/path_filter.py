"""From the ``glob`` and ``type`` of a search to which paths it is about."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..core.errors import ToolValidationError
from .braces import MAX_EXPANDED_CHARS, expand_braces
from .file_types import name_patterns_of
from .glob_pattern import ANY_FOLDERS, GlobPattern, name_regex, require_pattern
from .telling import quoted

MAX_PATTERNS = 2_000
"""Of one list of globs, with their ``{…}`` groups written out."""

_GLOB_SIGN = re.compile(r"[*?\[{]")
_BLANKS = re.compile(r"(?<!\\)\s+")


class PathFilter(NamedTuple):
    """Which relative paths are wanted, as regular expressions for whole paths.

    Attributes:
        wanted: each has to match.
        unwanted: must not match; ``""`` for none.
        names: patterns of file names of which each wanted path has one; none when nothing is known. Never more than a
            hint for an engine.
    """

    wanted: tuple[str, ...] = ()
    unwanted: str = ""
    names: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        return not self.wanted and not self.unwanted


def path_filter_of(glob: str | None, type_name: str | None) -> PathFilter:
    """Which paths below the searched folder are meant?

    Args:
        glob: patterns, separated by commas or blanks. One without ``/`` is about names at any depth, one with ``/``
            about paths from the searched folder on; one that begins with ``!`` leaves files out.
        type_name: a type of files.

    Raises:
        ToolValidationError: a pattern that is none, or an unknown type.
    """
    if glob is not None:
        require_pattern(glob, "glob")
    globs = split_globs(glob) if glob is not None else []
    keep = [text for text in globs if not text.startswith("!")]
    drop = [text[1:] for text in globs if text.startswith("!")]
    type_names = name_patterns_of(type_name) if type_name is not None else ()
    wanted = tuple(_any_of(texts) for texts in (keep, list(type_names)) if texts)
    return PathFilter(wanted, _any_of(drop) if drop else "", type_names or _names_of(keep))


def split_globs(text: str) -> list[str]:
    """The patterns of a list. A comma between braces separates nothing, and blanks only where every part is a
    pattern."""
    parts, start, depth, is_escaped = [], 0, 0, False
    for at, char in enumerate(text):
        is_escaped = not is_escaped and text[at - 1 : at] == "\\"
        depth += (char == "{") - (char == "}" and depth > 0)
        if char == "," and depth == 0 and not is_escaped:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    words = [word for part in parts for word in _words(part.strip())]
    globs = [word for word in words if word]
    if not globs or any(word == "!" for word in globs):
        raise ToolValidationError(f"`glob` {quoted(text)} holds no pattern; give e.g. *.py", check_id="grep-glob")
    return globs


def _words(part: str) -> list[str]:
    words = [word for word in _BLANKS.split(part) if word]
    return words if all(_GLOB_SIGN.search(word) for word in words) else [part]


def _any_of(globs: list[str]) -> str:
    """A regular expression of every path that one of the patterns means."""
    return "|".join(f"(?:{_path_regex(one)})" for one in _written_out(globs))


def _written_out(globs: list[str]) -> list[str]:
    """Each pattern that these stand for."""
    written, chars = [], 0
    for glob in globs:
        some = expand_braces(_anchored(glob))
        written += some
        chars += sum(map(len, some))
        if len(written) > MAX_PATTERNS or chars > MAX_EXPANDED_CHARS:
            message = "`glob` stands for too many patterns; use fewer of them, or fewer {…} groups"
            raise ToolValidationError(message, check_id="glob-too-many")
    return written


def _anchored(glob: str) -> str:
    inner = glob.rstrip("/")
    if "/" not in inner:
        return f"**/{inner}/**" if glob.endswith("/") else f"**/{inner}"
    return f"{glob}**" if glob.endswith("/") else glob


def _path_regex(pattern: str) -> str:
    GlobPattern(pattern)  # the one place that says what no pattern is
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    built = ""
    for i, name in enumerate(names):
        last = i == len(names) - 1
        if name == ANY_FOLDERS:
            built += "(?:[^/]+/)*" + ("[^/]+" if last else "")
        else:
            built += name_regex(name) + ("" if last else "/")
    return built


def _names_of(globs: list[str]) -> tuple[str, ...]:
    """The last part of each pattern, if that says something of each."""
    names = []
    for one in _written_out(globs):
        name = one.rpartition("/")[2]
        if name.strip("*") == "" or set(name) & set("?[]{}\\!,"):
            return ()
        names.append(name)
    return tuple(dict.fromkeys(names))
