"""Characters that pass for others: a Cyrillic ``а`` in a Latin word, a slash that separates nothing, odd blanks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

_LETTERS: Mapping[str, str] = {
    **dict(zip("аеорсухіјѕһԁԛԝӏ", "aeopcyxijshdqwl", strict=True)),  # Cyrillic
    **dict(zip("АВЕКМНОРСТУХІЈЅԌԚԜӀ", "ABEKMHOPCTYXIJSGQWI", strict=True)),
    **dict(zip("ονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovABEZHIKMNOPTYX", strict=True)),  # Greek; the other small ones are told apart
    **dict(zip("օոսհցզյՏՕՍԼ", "onuhgqjSOUL", strict=True)),  # Armenian
    **dict(zip("ᎪᏴᏟᎠᎬᏀᎻᎥᏦᏞᎷᏢᏚᎢᏙᎳᏃ", "ABCDEGHiKLMPSTVWZ", strict=True)),  # Cherokee
    **dict(zip("ıɡɑ", "iga", strict=True)),
}
_SLASHES = "\u2044\u2215\u29f8\uff0f\u1735\u338e"
_BLANKS = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"

_WORD = re.compile(r"\w+")
_SLASH = re.compile(rf"(?<=[\w.~])[{_SLASHES}](?=[\w.~])")
_MAY_PASS = re.compile(rf"[^\W\x00-\x7f]|[{_SLASHES}]")
"""Without one of these, an arrow say, a text has nothing to spell out, and need not be taken apart into words."""
_BLANK = re.compile(f"[{_BLANKS}]")
_SMALL_OR_RAISED = re.compile("[\u00aa\u00b2\u00b3\u00b9\u00ba\u2070-\u209c]")
"""Digits and letters above and below the line, as in ``m²``: nobody takes them for those on it."""


class LookAlike(NamedTuple):
    """A character that passes for another: where it is, which it is, what it looks like, and the word it is in."""

    at: int
    char: str
    like: str
    word: str


@lru_cache(maxsize=4096)
def like_ascii(char: str) -> str:
    """The ASCII letter or digit that this character looks like, ``""`` for none."""
    known = _LETTERS.get(char)
    if known is not None:
        return known
    if char.isascii() or _SMALL_OR_RAISED.match(char):
        return ""
    plain = unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 and plain.isascii() and plain.isalnum() else ""


def spelled(text: str) -> str:
    """The text with each look-alike in a word of Latin letters, and each false slash, as ``‹а U+0430›``."""
    if text.isascii() or not _MAY_PASS.search(text):
        return text
    return _SLASH.sub(lambda m: _named(m.group()), _WORD.sub(_spelled_word, text))


def _spelled_word(match: re.Match[str]) -> str:
    word = match.group()
    if word.isascii() or not _has_latin(word):
        return word
    return "".join(_named(char) if like_ascii(char) else char for char in word)


def _has_latin(word: str) -> bool:
    return any(char.isascii() and char.isalpha() for char in word)


def _named(char: str) -> str:
    return f"‹{char} U+{ord(char):04X}›"


def look_alikes(text: str) -> Iterator[LookAlike]:
    """Every character that passes for an ASCII one: as in :func:`spelled`, and blanks that are none, and whole words
    made of look-alikes alone."""
    if text.isascii():
        return
    for match in _WORD.finditer(text):
        word = match.group()
        passing = [bool(like_ascii(char)) for char in word]
        if any(passing) and (_has_latin(word) or (all(passing) and len(word) > 1)):
            for at, char in enumerate(word):
                if like_ascii(char):
                    yield LookAlike(match.start() + at, char, like_ascii(char), word)
    for match in _SLASH.finditer(text):
        yield LookAlike(match.start(), match.group(), "/", match.group())
    for match in _BLANK.finditer(text):
        yield LookAlike(match.start(), match.group(), "a blank", "")


def name_of(char: str) -> str:
    """``U+0430 CYRILLIC SMALL LETTER A``."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'without a name')}"
