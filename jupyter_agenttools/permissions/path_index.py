"""Which of many path rules could be about a path: all others need not be tried.

What is found is more than what fits; a rule that is not found does not fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .paths import PathForms, PathPattern, Reach, below


class PathIndex:
    """Patterns by a part that every path which they match has: a name, the end of one, or its beginning."""

    def __init__(self, patterns: Sequence[tuple[int, PathPattern]]) -> None:
        self._names: dict[str, list[int]] = {}
        self._ends: dict[str, list[int]] = {}
        self._starts: dict[str, list[int]] = {}
        self._others: list[int] = []
        uses = Counter(part for _, pattern in patterns for part in set(pattern.parts))
        for at, pattern in patterns:
            telling = min(reversed(pattern.parts), key=lambda part: uses[part], default="")
            before, star, after = telling.partition("*")
            if not star and before:
                self._names.setdefault(before, []).append(at)
            elif after:
                self._ends.setdefault(after, []).append(at)
            elif before:
                self._starts.setdefault(before, []).append(at)
            else:
                self._others.append(at)
        self._end_lengths = sorted({len(end) for end in self._ends})
        self._start_lengths = sorted({len(start) for start in self._starts})

    def candidates(self, paths: Iterable[PathForms]) -> set[int]:
        found = set(self._others)
        for part in {part for forms in paths for form in forms for part in form.split("/")}:
            found.update(self._names.get(part, ()))
            for length in self._end_lengths:
                found.update(self._ends.get(part[-length:], ()))
            for length in self._start_lengths:
                found.update(self._starts.get(part[:length], ()))
        return found


class ReachIndex:
    """Patterns by where they start and the first folder that they name from there on."""

    def __init__(self, reaches: Sequence[tuple[int, Reach]]) -> None:
        self._groups: dict[tuple[str, int, str | None], tuple[Reach, dict[str, list[int]]]] = {}
        for at, reach in reaches:
            key = (reach.pattern.anchor, reach.pattern.up, reach.source_root)
            _, by_folder = self._groups.setdefault(key, (reach, {}))
            by_folder.setdefault(reach.pattern.literal.partition("/")[0], []).append(at)

    def candidates(self, trees: Iterable[str], base: str) -> set[int]:
        """Those that may be about something below one of the folders ``trees``."""
        found: set[int] = set()
        for tree in trees:
            for reach, by_folder in self._groups.values():
                for start in reach.pattern.starts(reach.source_root or base, base):
                    if (rest := below(tree, start)) is not None and rest:
                        found.update(by_folder.get(rest.partition("/")[0], ()), by_folder.get("", ()))
                    elif rest is not None or below(start, tree) is not None:
                        found.update(*by_folder.values())
        return found
