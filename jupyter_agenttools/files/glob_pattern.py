"""Which paths does a file name pattern match?

``*`` and ``?`` stay within one name, ``**`` as a whole name spans any number of folders, ``[abc]`` ``[!a-c]`` is one of
some characters, ``{a,b}`` is either text; after a backslash a character is itself. Names that begin with a dot are
matched like any other; case counts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from ..core.errors import ToolValidationError
from .braces import expand_braces
from .telling import quoted

MAX_PATTERN_CHARS = 4_096
"""No path that a file system takes is longer."""

MAX_KNOWN_NAMES = 4_096
ANY_FOLDERS = "**"
States = frozenset[tuple[int, int]]
"""Where a match has got to: which alternative, and how many of its names are matched."""

NameTest = Callable[[str], bool]
_MAGIC = re.compile(r"[*?\[{\\]")
_SPECIAL = re.compile(r"[*?\[\\]")


class FolderStates(NamedTuple):
    """What a pattern asks in a folder.

    Attributes:
        lasts: a file is matched when one of these holds for its name.
        deeper: where the match gets to in a sub-folder for whose name the test holds.
        always: where it gets to in every sub-folder.
    """

    lasts: tuple[NameTest, ...]
    deeper: tuple[tuple[NameTest, tuple[int, int]], ...]
    always: States


class GlobPattern:
    """A pattern of relative paths, matched name by name: a walk can leave out folders in which nothing can match.

    What ends in ``/`` is about folders and so matches no file.

    Raises:
        ToolValidationError: the pattern is not one, is too long, or climbs out with ``..``.
    """

    def __init__(self, pattern: str) -> None:
        require_pattern(pattern, "pattern")
        self.text = pattern
        named = [(text, names) for text in expand_braces(pattern) if (names := _names(text))]
        if not named:
            message = f"pattern {quoted(pattern)} matches no name; use e.g. **/*.py"
            raise ToolValidationError(message, check_id="glob-pattern")
        matchers = [([_name_matcher(name) for name in names], text.endswith("/")) for text, names in named]
        self._matchers = [tests for tests, is_folder in matchers if not is_folder]
        self._in_folder: dict[States, FolderStates] = {}

    def start(self) -> States:
        """Where a match begins: in the folder that is searched."""
        return self._spread((index, 0) for index in range(len(self._matchers)))

    def in_folder(self, states: States) -> FolderStates:
        """The same states as questions to the entries of a folder."""
        known = self._in_folder.get(states)
        if known is None:
            known = self._in_folder[states] = self._questions(states)
        return known

    def _questions(self, states: States) -> FolderStates:
        lasts: list[NameTest] = []
        deeper: list[tuple[NameTest, tuple[int, int]]] = []
        always: list[tuple[int, int]] = []
        for alternative, position in states:
            names = self._matchers[alternative]
            test, is_last = names[position], position == len(names) - 1
            if is_last:
                lasts.append(_is_any if test is None else test)
            if test is None:
                always.append((alternative, position))
            elif not is_last:
                deeper.append((test, (alternative, position + 1)))
        return FolderStates(tuple(lasts), tuple(deeper), self._spread(always))

    def enter(self, states: States, folder: str) -> States:
        """The states inside the sub-folder of that name; empty when nothing in there can match."""
        questions = self.in_folder(states)
        reached = [after for test, after in questions.deeper if test(folder)]
        return self._spread((*questions.always, *reached)) if reached else questions.always

    def matches(self, states: States, name: str) -> bool:
        """Whether a file of that name, in the folder of these states, is matched."""
        return any(test(name) for test in self.in_folder(states).lasts)

    def _spread(self, states: Iterable[tuple[int, int]]) -> States:
        """With each ``**`` also matching no folder at all."""
        reached: set[tuple[int, int]] = set()
        todo = list(states)
        while todo:
            alternative, position = todo.pop()
            if (alternative, position) in reached:
                continue
            reached.add((alternative, position))
            names = self._matchers[alternative]
            if names[position] is None and position + 1 < len(names):
                todo.append((alternative, position + 1))
        return frozenset(reached)


def require_pattern(text: str, field: str) -> None:
    """Do nothing for a text that can be a pattern of paths; quick for any text.

    Args:
        field: which field of a call it is, for the message.

    Raises:
        ToolValidationError: it is too long, or holds what no path can.
    """
    if len(text) > MAX_PATTERN_CHARS:
        message = f"`{field}` has {len(text):,} characters; at most {MAX_PATTERN_CHARS:,} make sense in a pattern"
        raise ToolValidationError(message, check_id="glob-too-long")
    if "\0" in text:
        message = f"`{field}` {quoted(text)} holds a NUL character, which no path can"
        raise ToolValidationError(message, check_id="glob-nul")
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        message = f"`{field}` {quoted(text)} holds half of a character (a lone surrogate), which no path can"
        raise ToolValidationError(message, check_id="glob-encoding") from error


def split_base(pattern: str) -> tuple[str, str]:
    """The leading folders of a pattern that are plain names, and the rest: ``src/a/*.py`` → ``src/a``, ``*.py``.

    An absolute pattern has an absolute base. The last name always stays in the rest.
    """
    names = pattern.split("/")
    last = len(pattern.rstrip("/").split("/")) - 1 if pattern.strip("/") else len(names) - 1
    count = next((i for i, name in enumerate(names[:last]) if _MAGIC.search(name)), last)
    base = "/".join(names[:count])
    return ("/" if not base and pattern.startswith("/") else base), "/".join(names[count:])


def _names(alternative: str) -> list[str]:
    names = [name for name in alternative.split("/") if name not in ("", ".")]
    if ".." in names:
        raise ToolValidationError(
            f"pattern {quoted(alternative)} holds `..`; give the folder to search in as `path` instead",
            check_id="glob-climbs",
        )
    return [name for i, name in enumerate(names) if not (name == ANY_FOLDERS and names[i - 1 : i] == [ANY_FOLDERS])]


@lru_cache(maxsize=MAX_KNOWN_NAMES)
def _name_matcher(name: str) -> NameTest | None:
    """A test of one name; ``None`` for ``**``. What is only a beginning or an end needs no regular expression."""
    if name == ANY_FOLDERS:
        return None
    if name.endswith("\\") and (len(name) - len(name.rstrip("\\"))) % 2:
        message = f"pattern {quoted(name)} ends in a backslash; a backslash itself is written \\\\"
        raise ToolValidationError(message, check_id="glob-pattern")
    plain = name.strip("*")
    if not plain:
        return _is_any
    if not _SPECIAL.search(plain) and (plain == name or name == "*" + plain):
        return name.__eq__ if plain == name else lambda tested: tested.endswith(plain)
    try:
        pattern = re.compile(name_regex(name) + r"\Z", re.DOTALL)
    except re.error as error:
        raise ToolValidationError(f"pattern {quoted(name)} cannot be read: {error}", check_id="glob-pattern") from error
    return lambda tested: pattern.match(tested) is not None


def _is_any(name: str) -> bool:
    return True


def name_regex(name: str) -> str:
    """The regular expression of one name of a pattern; it never reaches beyond a ``/``.

    The pattern between two stars is taken at its first place and never moved again (an atomic group): the first
    place leaves most for the rest, and without that a name could take time exponential in the number of stars."""
    fixed = [""]
    position = 0
    while position < len(name):
        character = name[position]
        end = name.find("]", position + 2) if character == "[" else -1
        if end > 0:
            fixed[-1] += _character_class(name[position + 1 : end])
            position = end
        elif character == "*":
            fixed.append("")
        elif character == "\\" and position + 1 < len(name):
            position += 1
            fixed[-1] += re.escape(name[position])
        else:
            fixed[-1] += "[^/]" if character == "?" else re.escape(character)
        position += 1
    first, *middle = fixed
    if not middle:
        return first
    *inner, last = middle
    return first + "".join(f"(?>[^/]*?{part})" for part in inner if part) + f"[^/]*{last}"


def _character_class(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    members = inside[1:] if negated else inside
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", members)
    return f"[^{escaped}/]" if negated else f"[{escaped}]"
