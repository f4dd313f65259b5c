"""Which of many rules could be about a command: all others need not be tried.

What is found is more than what fits; a rule that is not found does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..heads import Heads
from ..patterns import Wildcard
from .coarse import coarse_words, most_telling
from .matching import allow_texts
from .option_sets import option_rule
from .parsed import SimpleCommand
from .spellings import Forms
from .wrappers import Argv, unwrap

_WILD = re.compile(r"[*?\[]")
_PLAIN_FIRST = re.compile(r"[\w./@%+:,-]+(?=[ \t]|\Z)", re.ASCII)


class FiringIndex:
    """For deny and ask rules: those that :func:`.matching.fires` may be true of."""

    def __init__(self, patterns: Sequence[tuple[int, Wildcard]]) -> None:
        self._heads = Heads(patterns)
        self._by_program: dict[str, list[int]] = {}
        self._coarse = _CoarseIndex(patterns)
        for at, pattern in patterns:
            if (named := option_rule(pattern)) is not None:
                self._by_program.setdefault(named.words[0], []).append(at)

    def candidates(self, forms: Forms) -> set[int]:
        found: set[int] = set()
        for text in (*forms.texts, forms.line):
            found.update(self._heads.fitting(text))
        has_wildcard = False
        for argv, globs in forms.calls:
            found.update(self._by_program.get(argv[0], ()))
            if globs:
                has_wildcard = True
                found.update(self._expanding(argv, globs))
        if forms.coarse is not None:
            found.update(self._coarse.candidates(forms.coarse))
        if self._heads.open:
            whole = None if has_wildcard else "\n".join((*forms.texts, forms.line))
            found.update(at for at, part in self._heads.open if whole is None or part in whole)
        return found

    def _expanding(self, argv: Argv, globs: frozenset[int]) -> Iterator[int]:
        """Those that fit a call whose text is only known up to its first wildcard."""
        at = min(globs)
        wild = _WILD.search(argv[at])
        known = " ".join((*argv[:at], argv[at][: wild.start()] if wild else argv[at]))
        yield from self._heads.fitting(known)
        yield from self._heads.beginning_with(known)


class _CoarseIndex:
    """Those that :func:`.coarse.fires_coarsely` may be true of, by one word that has to be there."""

    def __init__(self, patterns: Sequence[tuple[int, Wildcard]]) -> None:
        self._words: dict[str, list[int]] = {}
        self._starts: dict[str, list[int]] = {}
        self._ends: dict[str, list[int]] = {}
        self._inside: list[tuple[str, int]] = []
        self._always: list[int] = []
        for at, pattern in patterns:
            wanted = most_telling(pattern)
            if wanted is None:
                self._always.append(at)
            elif wanted.starts_open and wanted.ends_open:
                self._inside.append((wanted.word, at))
            else:
                by_word = self._ends if wanted.starts_open else self._starts if wanted.ends_open else self._words
                by_word.setdefault(wanted.word, []).append(at)
        self._start_lengths = {len(word) for word in self._starts}
        self._end_lengths = {len(word) for word in self._ends}

    def candidates(self, text: str) -> Iterator[int]:
        yield from self._always
        yield from (at for part, at in self._inside if part in text)
        for word in coarse_words(text):
            yield from self._words.get(word, ())
            for length in self._start_lengths:
                yield from self._starts.get(word[:length], ())
            for length in self._end_lengths:
                yield from self._ends.get(word[-length:], ())


class CoveringIndex:
    """For allow rules: those that :func:`.matching.covers` may be true of."""

    def __init__(self, patterns: Sequence[Wildcard]) -> None:
        self._heads = Heads((at, pattern) for at, pattern in enumerate(patterns) if not pattern.exact)
        self._by_program: dict[str, list[int]] = {}
        self._others = [at for at, _ in self._heads.open]
        for at, pattern in enumerate(patterns):
            if pattern.exact:
                first = _PLAIN_FIRST.match(pattern.pieces[0])
                (self._by_program.setdefault(first[0], []) if first else self._others).append(at)

    def candidates(self, call: SimpleCommand) -> list[int]:
        """Their numbers in order."""
        inner = unwrap(call)
        found = {*self._others, *self._by_program.get(call.argv[0], ()), *self._by_program.get(inner.argv[0], ())}
        for text in allow_texts(inner):
            found.update(self._heads.fitting(text))
        return sorted(found)
