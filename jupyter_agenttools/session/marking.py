"""Words that are looked for in texts: what is found, and where exactly it stands.

One expression finds and marks, so that nothing is found that could not be marked in the very same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ..render.chars import visible

Span = tuple[int, int]


class Words:
    """The words of a query, each of which has to be found; case does not count.

    Args:
        query: as a person wrote it. Without a word in it everything is found, and nothing is marked.
    """

    def __init__(self, query: str) -> None:
        self.words = tuple(dict.fromkeys(visible(query).split()))
        self._patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in self.words]

    def __bool__(self) -> bool:
        return bool(self.words)

    def found_in(self, texts: Sequence[str]) -> bool:
        """Whether each word stands in one of the texts."""
        return all(any(pattern.search(text) for text in texts) for pattern in self._patterns)

    def spans(self, text: str) -> list[Span]:
        """Where any of them stands, in order; places that overlap are one."""
        places = sorted(match.span() for pattern in self._patterns for match in pattern.finditer(text))
        merged: list[Span] = []
        for start, end in places:
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged


def pieces(text: str, spans: Iterable[Span], start: int = 0, end: int | None = None) -> list[str]:
    """``text[start:end]`` cut where spans begin and end: plain, marked, plain, marked and so on; the first is plain."""
    last = len(text) if end is None else end
    inside = [(max(a, start), min(b, last)) for a, b in spans if a < last and b > start]
    cuts = [start, *(at for span in inside for at in span), last]
    return [text[a:b] for a, b in pairwise(cuts)]
