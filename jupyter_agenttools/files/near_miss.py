"""A text that is not in a file as it was given: is something there that only looks like it?

Each kind of likeness is a way to rewrite texts that keeps their line ends, so that a place in the rewritten file is on
the same line as in the file itself. Nothing found here is ever used to change a file: it is told, with the real
characters, so that whoever asked can ask for what is there.
"""

from __future__ import annotations

import difflib
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby, islice
from typing import NamedTuple

MAX_SEARCHED_CHARS = 2_000_000
"""Longer texts are not searched for likenesses; it takes seconds."""

MAX_PLACES = 100
"""More of one kind are not looked for."""

_OF_CHARACTERS = frozenset("trailing-blanks indentation look-alikes unicode-form invisible blanks case several".split())

MAX_COMPARED_CHARS = 1_000
"""Of a line; comparing takes time with the square of it."""

MAX_DIFFERENCES = 8
MAX_COMPARED_LINES = 5_000

_LOOKALIKES = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′‵´`ʹʼʻ＇", "'"),
        **dict.fromkeys("“”„‟″‶«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys(
            "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
        ),
        **dict.fromkeys("×✕", "x"),
        **dict.fromkeys("⁄∕／", "/"),
        **dict.fromkeys("·•∙", "."),
        **{chr(0xFF01 + i): chr(0x21 + i) for i in range(94) if chr(0x21 + i) not in "\"'-/"},
        **dict(zip("аеорсухіјѕԁАВЕКМНОРСТХІЈЅ", "aeopcyxijsdABEKMHOPCTXIJS", strict=True)),
        **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo", strict=True)),
    }
)
_INVISIBLE = re.compile("[\u200b-\u200f\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufe00-\ufe0f\ufeff\u00ad]")
_TRAILING = re.compile(r"(?<![^\S\n])[^\S\n]++(?=\n|\Z)")
_LEADING = re.compile(r"^[^\S\n]+", re.MULTILINE)
_BLANKS = re.compile(r"[^\S\n]+")
_LINE_NUMBER = re.compile(r"^[ \t]*\d+(?:→|\t|: ?|\| ?)", re.MULTILINE)
_ESCAPE = re.compile(r"\\(?:([nrt\"'`$\\/])|u([0-9a-fA-F]{4}))")
_LINE_END = re.compile(r"\r\n|\r|\n")
_SENTINEL = "\x01"
"""Put behind a part of a line so that blanks at its end are not at the end of a line."""

_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


class Likeness(NamedTuple):
    """A way in which a text can be like another one.

    Attributes:
        id: stable. words: what differs. of_text: rewrites the text that is looked for. of_file: rewrites the file.
    """

    id: str
    words: str
    of_text: Callable[[str], str]
    of_file: Callable[[str], str]


class NearMiss(NamedTuple):
    """Places that are like the text.

    Attributes:
        id, words: the likeness. lines: where they begin, from 1, at most :data:`MAX_PLACES`.
        real: what the file holds at the first of them; nothing where that cannot be shown.
    """

    id: str
    words: str
    lines: tuple[int, ...]
    real: str

    @property
    def shows_characters(self) -> bool:
        """Whether it is single characters that differ, so that they can be told one by one."""
        return self.id in _OF_CHARACTERS


def _same(text: str) -> str:
    return text


def _without_numbers(text: str) -> str:
    return _LINE_NUMBER.sub("", text)


def _both(id: str, words: str, rewrite: Callable[[str], str]) -> Likeness:
    return Likeness(id, words, rewrite, rewrite)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[2], 16)) if found[2] else _ESCAPED.get(found[1], found[1]), text)


def _escaped(text: str) -> str:
    return text.replace("\n", "\\n").replace("\t", "\\t")


def _one_kind_of_end(text: str) -> str:
    return _LINE_END.sub("\n", text)


def _blanks_alike(text: str) -> str:
    return _BLANKS.sub(" ", _LEADING.sub("", _TRAILING.sub("", text)))


def _everything(text: str) -> str:
    plain = unicodedata.normalize("NFC", _INVISIBLE.sub("", text)).translate(_LOOKALIKES)
    return _blanks_alike(plain).casefold()


LIKENESSES = (
    Likeness("line-numbers", "the line numbers of a reading, which the file does not hold", _without_numbers, _same),
    _both("line-ends", "how lines end: there are CR characters (U+000D)", _one_kind_of_end),
    _both("trailing-blanks", "blanks at line ends", lambda t: _TRAILING.sub("", t)),
    _both("indentation", "blanks at line beginnings", lambda t: _LEADING.sub("", t)),
    _both("look-alikes", "characters that look alike", lambda t: t.translate(_LOOKALIKES)),
    _both("unicode-form", "composed against decomposed characters", lambda t: unicodedata.normalize("NFC", t)),
    _both("invisible", "characters that cannot be seen", lambda t: _INVISIBLE.sub("", t)),
    _both("blanks", "blanks", _blanks_alike),
    _both("case", "capital and small letters", str.lower),
    Likeness("escapes", "backslash escapes, which old_string spells out and the file does not", _unescaped, _same),
    Likeness(
        "escapes-in-file", "backslash escapes, which the file spells out and old_string does not", _escaped, _same
    ),
    Likeness(
        "entities", "references such as &lt;, which old_string spells out and the file does not", html.unescape, _same
    ),
    Likeness(
        "entities-in-file",
        "references such as &lt;, which the file spells out",
        partial(html.escape, quote=False),
        _same,
    ),
    _both("several", "several such things at once", _everything),
)


def near_misses(wanted: str, text: str) -> tuple[NearMiss, ...]:
    """The places of ``text`` that are like ``wanted``, each by the first kind of likeness that fits.

    Args:
        text: of the whole file, CR LF as it is there.
    """
    if len(text) > MAX_SEARCHED_CHARS:
        return ()
    told: set[int] = set()
    found: list[NearMiss] = []
    for likeness in LIKENESSES:
        miss = _near_miss(likeness, wanted, text) if likeness.id != "several" or not found else None
        if miss is not None and not told.issuperset(miss.lines):
            told.update(miss.lines)
            found.append(miss)
    return tuple(found)


def _near_miss(likeness: Likeness, wanted: str, text: str) -> NearMiss | None:
    needle = likeness.of_text(wanted)
    if not needle.strip() or (needle == wanted and likeness.of_file is _same):
        return None
    plain = text.replace("\r\n", "\n")
    rewritten = likeness.of_file(plain)
    first = rewritten.find(needle)
    if first < 0:
        return None
    lines = list(_lines_of(needle, rewritten, first))
    if likeness.id == "line-ends":
        ends = _LINE_END.findall(plain)
        return NearMiss(likeness.id, likeness.words, tuple(1 + ends[: line - 1].count("\n") for line in lines), "")
    if likeness.of_file is _same:
        return NearMiss(likeness.id, likeness.words, tuple(lines), needle)
    rows = plain.split("\n")[lines[0] - 1 : lines[0] + needle.count("\n")]
    end = first + len(needle) - rewritten.rfind("\n", 0, first + len(needle)) - 1
    rows[-1] = rows[-1][: _column(rows[-1], end, likeness.of_file, behind=True)]
    start = first - rewritten.rfind("\n", 0, first) - 1
    rows[0] = rows[0][_column(rows[0], start, likeness.of_file, behind=False) :]
    return NearMiss(likeness.id, likeness.words, tuple(lines), "\n".join(rows))


def _lines_of(needle: str, text: str, first: int) -> Iterator[int]:
    line, position, at = 1, 0, first
    for _ in range(MAX_PLACES):
        if at < 0:
            return
        line += text.count("\n", position, at)
        yield line
        position, at = at, text.find(needle, at + len(needle))


def _column(row: str, column: int, rewrite: Callable[[str], str], *, behind: bool) -> int:
    """Where in ``row`` the character is that stands at ``column`` once it is rewritten.

    Args:
        behind: behind all that became the characters before it, rather than in front of all that became this one.
    """
    lengths = (len(rewrite(row[:i] + _SENTINEL)) - 1 for i in range(min(len(row), MAX_COMPARED_CHARS) + 1))
    if behind:
        return max((i for i, length in enumerate(lengths) if length <= column), default=0)
    return next((i for i, length in enumerate(lengths) if length >= column), 0)


class Difference(NamedTuple):
    """What one text has, on a line counted from 0, where another one has something else; either may be empty."""

    line: int
    real: str
    wanted: str


def differences(wanted: str, real: str) -> tuple[Difference, ...]:
    """The first differences between ``wanted`` and ``real``, the place that is like it, in order.

    Nothing when they do not have the same number of lines.
    """
    expected, found = wanted.split("\n"), real.split("\n")
    if len(expected) != len(found):
        return ()
    pairs = enumerate(zip(expected, found, strict=True))
    different = (difference for line, pair in pairs for difference in _in_line(line, *pair))
    return tuple(islice(different, MAX_DIFFERENCES))


def _in_line(line: int, wanted: str, real: str) -> Iterator[Difference]:
    if wanted == real:
        return
    wanted, real = wanted[:MAX_COMPARED_CHARS], real[:MAX_COMPARED_CHARS]
    for tag, a1, a2, b1, b2 in difflib.SequenceMatcher(None, real, wanted, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Difference(line, real[a1:a2], wanted[b1:b2])


def closest_line(wanted: str, text: str) -> tuple[int, str] | None:
    """The line of ``text`` (from 1) that is most like the longest line of ``wanted``; ``None`` when none is."""
    line = max((part.strip() for part in wanted.split("\n")), key=len)
    if not line or len(text) > MAX_SEARCHED_CHARS:
        return None
    lines = text.split("\n")
    exact = next((number for number, candidate in enumerate(lines, 1) if line in candidate), None)
    if exact is not None:
        return exact, lines[exact - 1]
    near = difflib.get_close_matches(
        line, {part.strip()[:MAX_COMPARED_CHARS] for part in lines[:MAX_COMPARED_LINES]}, n=1, cutoff=0.6
    )
    number = next((n for n, candidate in enumerate(lines, 1) if near and candidate.strip() == near[0]), None)
    return None if number is None else (number, lines[number - 1])


def code_points(text: str) -> str:
    """The characters of ``text`` by number and name, e.g. ``“ (U+201C LEFT DOUBLE QUOTATION MARK)``; letters and digits
    of ASCII by themselves, and ``4 × U+0020 SPACE``."""
    return ", ".join(_code_points(char, len(list(same))) for char, same in groupby(text))


def _code_points(char: str, count: int) -> str:
    if char.isascii() and char.isalnum():
        return char * count
    name = unicodedata.name(char, {"\t": "TAB", "\n": "LINE FEED", "\r": "CARRIAGE RETURN"}.get(char, ""))
    number = f"U+{ord(char):04X}{f' {name}' if name else ''}"
    shown = char.isprintable() and not char.isspace() and not unicodedata.combining(char)
    return (f"{count} × " if count > 1 else "") + (f"{char} ({number})" if shown else number)
