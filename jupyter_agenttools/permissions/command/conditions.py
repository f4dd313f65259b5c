"""``test``, ``[`` and ``[[``: which of their questions only look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .fields import Field
from .parsed import TooComplex
from .places import Places, ReadPath
from .script import Word
from .state import Unknown, Value, kind_of

_FILE_TESTS = frozenset(f"-{letter}" for letter in "abcdefghkprsuwxLNOGS")
_TEXT_TESTS = frozenset({"-n", "-z", "-t"})
_COMPARISONS = frozenset({"=", "==", "!=", "<", ">", "=~"})
_NUMBERS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_FILE_PAIRS = frozenset({"-nt", "-ot", "-ef"})
_JOINTS = frozenset({"-a", "-o", "&&", "||", "(", ")"})


def check_test(fields: Sequence[Field], places: Places, start: int, end: int) -> Iterator[ReadPath]:
    """What ``test`` with these words looks at.

    Raises:
        TooComplex: a question that may run something (``-v``), or one whose words are not known.
    """
    for field in fields:
        if field.pattern is not None or field.many or field.process:
            raise TooComplex("glob", "an unquoted text that may become several words in a test", field.start, field.end)
    words: list[Field] = list(fields)
    if any(field.unknown is not None for field in fields):
        if any(field.unknown is None and field.text in _JOINTS for field in fields):
            raise TooComplex("test", "a joined test with a text that is not known", start, end)
        yield from _primary(words, places, start, end)
        return
    part: list[Field] = []
    for i, field in enumerate(words):
        middle = len(part) == 1 or (len(part) == 2 and part[0].text == "!")
        is_operand = middle and i + 1 < len(words) and part[-1].text in _FILE_TESTS | _TEXT_TESTS
        if field.text in _JOINTS and not is_operand:
            yield from _primary(part, places, start, end)
            part = []
        else:
            part.append(field)
    yield from _primary(part, places, start, end)


def _primary(words: list[Field], places: Places, start: int, end: int) -> Iterator[ReadPath]:
    while len(words) > 1 and words[0].text == "!" and words[0].unknown is None:
        words = words[1:]
    known = [field.text if field.unknown is None else None for field in words]
    if len(words) <= 1:
        return
    if len(words) == 2 and known[0] in _TEXT_TESTS:
        return
    if len(words) == 2 and known[0] in _FILE_TESTS:
        yield from places.read(words[1], "names" if known[0] in ("-L", "-h") else "paths")
    elif len(words) == 3 and known[1] in _COMPARISONS | _NUMBERS:
        return
    elif len(words) == 3 and known[1] in _FILE_PAIRS:
        yield from places.read(words[0])
        yield from places.read(words[2])
    else:
        raise TooComplex("test", "a question that is not followed", start, end)


def check_double_bracket(words: Sequence[tuple[Word, Value]], places: Places) -> Iterator[ReadPath]:
    """What ``[[ … ]]`` with these words looks at. Operators count only where they are written in so many letters.

    Raises:
        TooComplex: as :func:`check_test`; also a comparison of numbers that may be any text, which would be evaluated.
    """
    part: list[tuple[Word, Value]] = []
    for word, value in words:
        if word.literal in ("&&", "||", "(", ")") and word.pieces[0].kind == "bare":
            yield from _double_primary(part, places)
            part = []
        else:
            part.append((word, value))
    yield from _double_primary(part, places)


def _double_primary(words: list[tuple[Word, Value]], places: Places) -> Iterator[ReadPath]:
    while len(words) > 1 and words[0][0].literal == "!":
        words = words[1:]
    if len(words) <= 1:
        return
    first, middle = words[0][0].literal, words[1][0].literal
    if len(words) == 2 and first in _TEXT_TESTS:
        return
    if len(words) == 2 and first in _FILE_TESTS:
        yield from places.read(_as_field(*words[1]), "names" if first in ("-L", "-h") else "paths")
    elif len(words) == 3 and middle in _COMPARISONS:
        return
    elif len(words) == 3 and middle in _NUMBERS:
        for word, value in (words[0], words[2]):
            if kind_of(value) != "number":
                raise TooComplex("test", "a text that would be evaluated as a number", word.start, word.end)
    elif len(words) == 3 and middle in _FILE_PAIRS:
        yield from places.read(_as_field(*words[0]))
        yield from places.read(_as_field(*words[2]))
    else:
        raise TooComplex("test", "a question that is not followed", words[0][0].start, words[-1][0].end)


def _as_field(word: Word, value: Value) -> Field:
    if isinstance(value, Unknown):
        return Field("", word.start, word.end, unknown=value)
    return Field(value, word.start, word.end)
