"""Which paths does a file name pattern match?

``*`` and ``?`` stay within one name, ``**`` as a whole name spans any number of folders, ``[abc]`` ``[!a-c]`` is one of
some characters, ``{a,b}`` is either text. Names that begin with a dot are matched like any other; case counts.
"""

from __future__ import annotations

import re
from functools import cache

from ..core.errors import ToolValidationError

MAX_ALTERNATIVES = 500
"""``{…}`` groups multiply; more than this is a mistake."""

ANY_FOLDERS = "**"
States = frozenset[tuple[int, int]]
"""Where a match has got to: which alternative, and how many of its names are matched."""

_MAGIC = re.compile(r"[*?\[{]")


class GlobPattern:
    """A pattern of relative paths, matched name by name: a walk can leave out folders in which nothing can match.

    Raises:
        ToolValidationError: the pattern is not one, or climbs out with ``..``.
    """

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        alternatives = [_names(alternative) for alternative in expand_braces(pattern)]
        self._matchers = [[_name_matcher(name) for name in names] for names in alternatives if names]
        if not self._matchers:
            raise ToolValidationError(f"pattern {pattern!r} matches no name; use e.g. **/*.py", check_id="glob-pattern")

    def start(self) -> States:
        """Where a match begins: in the folder that is searched."""
        return self._spread((index, 0) for index in range(len(self._matchers)))

    def enter(self, states: States, folder: str) -> States:
        """The states inside the sub-folder of that name; empty when nothing in there can match."""
        after: set[tuple[int, int]] = set()
        for alternative, position in states:
            names = self._matchers[alternative]
            matcher = names[position]
            if matcher is None:
                after.add((alternative, position))
            elif position + 1 < len(names) and matcher.match(folder):
                after.add((alternative, position + 1))
        return self._spread(after)

    def matches(self, states: States, name: str) -> bool:
        """Whether a file of that name, in the folder of these states, is matched."""
        for alternative, position in states:
            names = self._matchers[alternative]
            if position == len(names) - 1 and (names[position] is None or names[position].match(name)):
                return True
        return False

    def _spread(self, states: object) -> States:
        """With each ``**`` also matching no folder at all."""
        reached: set[tuple[int, int]] = set()
        todo = list(states)  # type: ignore[call-overload]
        while todo:
            alternative, position = todo.pop()
            if (alternative, position) in reached:
                continue
            reached.add((alternative, position))
            names = self._matchers[alternative]
            if names[position] is None and position + 1 < len(names):
                todo.append((alternative, position + 1))
        return frozenset(reached)


def split_base(pattern: str) -> tuple[str, str]:
    """The leading folders of a pattern that are plain names, and the rest: ``src/a/*.py`` → ``src/a``, ``*.py``.

    An absolute pattern has an absolute base. The last name always stays in the rest.
    """
    names = pattern.split("/")
    count = next((i for i, name in enumerate(names[:-1]) if _MAGIC.search(name)), len(names) - 1)
    base = "/".join(names[:count])
    return ("/" if not base and pattern.startswith("/") else base), "/".join(names[count:])


def _names(alternative: str) -> list[str]:
    names = [name for name in alternative.split("/") if name not in ("", ".")]
    if ".." in names:
        raise ToolValidationError(
            f"pattern {alternative!r} holds `..`; give the folder to search in as `path` instead",
            check_id="glob-climbs",
        )
    return [name for i, name in enumerate(names) if not (name == ANY_FOLDERS and names[i - 1 : i] == [ANY_FOLDERS])]


@cache
def _name_matcher(name: str) -> re.Pattern[str] | None:
    """A compiled matcher of one name; ``None`` for ``**``."""
    if name == ANY_FOLDERS:
        return None
    try:
        return re.compile(_regex(name), re.DOTALL)
    except re.error as error:
        raise ToolValidationError(f"pattern {name!r} cannot be read: {error}", check_id="glob-pattern") from error


def _regex(name: str) -> str:
    """The pattern between two stars is taken at its first place and never moved again (an atomic group): the first
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
        else:
            fixed[-1] += "." if character == "?" else re.escape(character)
        position += 1
    first, *middle = fixed
    if not middle:
        return first + r"\Z"
    *inner, last = middle
    return first + "".join(f"(?>.*?{part})" for part in inner if part) + f".*{last}\\Z"


def _character_class(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    members = inside[1:] if negated else inside
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", members)
    return f"[{'^' if negated else ''}{escaped}]"


def expand_braces(pattern: str) -> list[str]:
    """Every pattern that ``{a,b}`` groups stand for. A group without a comma, or never closed, is plain text.

    Raises:
        ToolValidationError: there are more than :data:`MAX_ALTERNATIVES`.
    """
    done: list[str] = []
    todo = [("", pattern)]
    while todo:
        before, rest = todo.pop()
        group = _first_group(rest)
        if group is None:
            done.append(before + rest)
        else:
            start, end, options = group
            todo += [(before + rest[:start], option + rest[end:]) for option in reversed(options)]
        if len(done) + len(todo) > MAX_ALTERNATIVES:
            message = f"pattern {pattern!r} stands for more than {MAX_ALTERNATIVES} patterns; use fewer {{…}} groups"
            raise ToolValidationError(message, check_id="glob-too-many")
    return done


def _first_group(text: str) -> tuple[int, int, list[str]] | None:
    """Start, end and options of the first ``{…,…}``."""
    start = text.find("{")
    while start >= 0:
        options, depth, begin = [], 0, start + 1
        for position in range(start, len(text)):
            character = text[position]
            if character == "{":
                depth += 1
            elif character == "," and depth == 1:
                options.append(text[begin:position])
                begin = position + 1
            elif character == "}":
                depth -= 1
                if depth == 0:
                    if options:
                        return start, position + 1, [*options, text[begin:position]]
                    break
        start = text.find("{", start + 1)
    return None
