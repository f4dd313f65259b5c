"""The coarse look at a text that was not understood: its words, wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from ..patterns import Wildcard
from .ansi_c import decode_ansi_c
from .same_program import plain_name
from .values import parameter
from .wrappers import program_name

_NOTHING = re.compile(r"\$\(\s*\)|``|\$(?=\")")
_ANSI_C = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_UNQUOTE = str.maketrans("", "", "'\"\\")
_WORD = re.compile(r"[\w./+@%-]+")
_SET = re.compile(r"(?<![\w$])(\w+)(?:\[\w*\])?\+?=\(?([^\s;&|()<>]*)")
_USED = re.compile(r"\$(?:\{([^{}]*)\}|(\w+))")


def without_quotes(text: str) -> str:
    """The text with joined lines joined, ``$'…'`` decoded and every quote and backslash taken away."""
    spelt = _ANSI_C.sub(lambda match: decode_ansi_c(match.group(1)) or match.group(1), text.replace("\\\n", ""))
    return _NOTHING.sub("", spelt).translate(_UNQUOTE)


def coarse_texts(text: str) -> Iterator[str]:
    """The spellings of ``text`` that are looked at: without quotes, as it is, and with its variables filled in."""
    plain = without_quotes(text)
    yield plain
    yield text
    held: dict[str, tuple[str, ...]] = {}
    for name, value in _SET.findall(plain):
        held[name] = (*held.get(name, ()), value)[:4]
    if held and "$" in plain:
        yield _USED.sub(lambda match: " ".join(parameter(match[1] or match[2] or "", held)), plain)


_MAX_PARTS = 40
_JOINS = (
    r";+&?|\|\|?&?|&&?|\n|(?<!\$)\{\s|\s\}|!\s"
    r"|(?<![\w$./-])(?:do|then|else|elif|if|while|until|in|time|coproc|function)(?=\s)"
)
_BORDERS = (re.compile(_JOINS), re.compile(r"\$\(\(?|[<>]\(|`|\)|\(|" + _JOINS))
_EXPANDED = re.compile(r"\$\{\w+(?:\[[^\]]*\])?:?[-=+?/#%]?/?")


def parts_of(text: str) -> Iterator[str]:
    """Stretches of ``text`` that could be commands of their own, where the whole was not understood."""
    joined = text.replace("\\\n", "")
    if joined != text:
        yield joined
        return
    found: dict[str, None] = {}
    for border, spelt in zip(_BORDERS, (text, _EXPANDED.sub(" ; ", text)), strict=True):
        for part in border.split(spelt):
            plain = part.strip(" \t\r\n}")
            for stretch in (plain, plain.strip("'\"")):
                if stretch and stretch != text:
                    found[stretch] = None
    yield from list(found)[:_MAX_PARTS]


def fires_coarsely(pattern: Wildcard, text: str) -> bool:
    """Whether every word of the rule stands somewhere in ``text``."""
    words = coarse_words(text)
    return all(_word_test(*wanted)(text, words) for wanted in _wanted(pattern))


@lru_cache(maxsize=16)
def coarse_words(text: str) -> frozenset[str]:
    """Every word of ``text``, programs also by the names that most systems know them by."""
    words = _WORD.findall(text)
    return frozenset((*words, *(plain_name(program_name(word)) for word in words)))


class Wanted(NamedTuple):
    """A word that a rule names, or the part of one that stands beside a star: there it is open."""

    word: str
    starts_open: bool
    ends_open: bool


def most_telling(pattern: Wildcard) -> Wanted | None:
    """What has to be found in a text for :func:`fires_coarsely`; of several the one that the fewest texts have."""
    return min(_wanted(pattern), key=lambda wanted: wanted.starts_open + wanted.ends_open, default=None)


@lru_cache(maxsize=8192)
def _wanted(pattern: Wildcard) -> tuple[Wanted, ...]:
    """What has to be found in a text for the rule to be about it: its words, and the parts of words beside a star."""
    found: list[Wanted] = []
    last = len(pattern.pieces) - 1
    for i, piece in enumerate(pattern.pieces):
        words = _WORD.findall(piece.translate(_UNQUOTE))
        for j, word in enumerate(words):
            starts_open = i > 0 and j == 0 and not piece.startswith(" ")
            ends_open = i < last and j == len(words) - 1 and not piece.endswith(" ")
            found.append(Wanted(word, starts_open, ends_open))
    return tuple(found)


def _word_test(word: str, starts_open: bool, ends_open: bool) -> Callable[[str, frozenset[str]], bool]:
    if starts_open and ends_open:
        return lambda text, words: word in text
    if starts_open:
        return lambda text, words: any(found.endswith(word) for found in words)
    if ends_open:
        return lambda text, words: any(found.startswith(word) for found in words)
    return lambda text, words: word in words
