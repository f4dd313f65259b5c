"""What the words of a call become, for deny and ask rules: with the values that the same line gives to variables.

A variable that may hold one of several texts is read with each of them, one that nothing is known of as empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import chain, islice, product

from .braces import expand_braces, has_braces
from .parse import is_wild, spelling
from .parsed import TooComplex
from .printed import Look, fed_text, printed, printf
from .script import Node, Piece, Script, Word, nodes_below
from .wrappers import Argv

Values = Mapping[str, tuple[str, ...]]

MAX_READINGS = 12
"""Readings of one call, when variables may hold one of several texts."""

MAX_VALUES = 8
"""Texts that one variable is remembered with."""

_DECLARERS = frozenset({"declare", "export", "local", "readonly", "typeset", "let"})
_READERS = frozenset({"read", "mapfile", "readarray"})
_SETTERS = _DECLARERS | _READERS | {"set", "printf"}
_UNSET: Mapping[str, tuple[str, ...]] = {"IFS": (" ",), **dict.fromkeys(("@", "*", *"123456789"), ("",))}
"""What is in variables that nothing has set in the line: blanks, between which an unquoted word falls apart."""

_PARAMETER = re.compile(r"(!?)(\w+|[@*])(?:\[\w*[@*]?\])?(:?[-=+?]|%%?|##?|//?|:|,,?|\^\^?|@)?(.*)", re.DOTALL)


def readings(node: Node, values: Values, text: str) -> Iterator[tuple[Argv, frozenset[int]]]:
    """The words of a call with the positions of wildcards, once for every choice of what its variables hold."""
    plain = [word.literal for word in node.words if word.literal is not None and not has_braces(word)]
    if len(plain) == len(node.words):
        yield tuple(plain), frozenset([i for i, word in enumerate(node.words) if is_wild(word)])
        return
    choices = [_words_of(word, values, text) for word in node.words]
    unclear = [i for i, word in enumerate(node.words) if _is_unclear(word, values, text)]
    every = islice(product(*choices), MAX_READINGS)
    if unclear and len(unclear) < len(node.words):  # what is not known may also be nothing at all
        without = tuple(() if i in unclear else choice[0] for i, choice in enumerate(choices))
        every = chain(every, [without])
    for reading in every:
        argv: list[str] = []
        globs: set[int] = set()
        for word, parts in zip(node.words, reading, strict=True):
            if is_wild(word):
                globs.update(range(len(argv), len(argv) + len(parts)))
            argv.extend(parts)
        if argv:
            yield tuple(argv), frozenset(globs)


def _is_unclear(word: Word, values: Values, text: str) -> bool:
    return word.literal is None and all(not _options(piece, values, text) for piece in word.pieces)


def _words_of(word: Word, values: Values, text: str) -> list[tuple[str, ...]]:
    """What one word may become: each choice is the words that it splits into."""
    try:
        spelt = expand_braces(word)
    except TooComplex:
        spelt = [word.pieces]
    if len(spelt) > 1 or has_braces(word):
        return [tuple(next(_joined(pieces, values, text)) for pieces in spelt)]
    if word.literal is not None:
        return [(word.literal,)]
    quoted = all(piece.quoted and piece.value != "@" for piece in word.pieces)
    known = any(_options(piece, values, text) for piece in word.pieces)
    complete = all(_options(piece, values, text) for piece in word.pieces)
    found = [] if complete else [(spelling(word, text),)]
    for whole in islice(_joined(word.pieces, values, text), MAX_READINGS) if known else ():
        found.append((whole,) if quoted else tuple(whole.split()) or ("",))
    return list(dict.fromkeys(found))


def _joined(pieces: Iterable[Piece], values: Values, text: str) -> Iterator[str]:
    """Every text that these pieces may make together; a piece that is not known is left out."""
    yield from map("".join, product(*[_options(piece, values, text) or ("",) for piece in pieces]))


def texts_of(word: Word, values: Values, text: str) -> Iterator[str]:
    """The texts that a word becomes where nothing is split; none when a part of it is not known."""
    options = [_options(piece, values, text) for piece in word.pieces]
    if all(options):
        yield from islice(map("".join, product(*options)), MAX_VALUES)


def spellings_of(word: Word, values: Values, text: str) -> Iterator[str]:
    """Every text that a word may become; what is not known in it stands there as it is written."""
    for parts in _words_of(word, values, text):
        yield from parts


def look_of(values: Values, text: str) -> Look:
    """How :mod:`.printed` reads words: the first reading of each."""

    def argv(node: Node) -> Argv | None:
        return next(readings(node, values, text), ((), frozenset()))[0] or None

    def of_word(word: Word) -> str | None:
        return next(_joined(word.pieces, values, text), None)

    return Look(argv, of_word)


def _options(piece: Piece, values: Values, text: str) -> tuple[str, ...]:
    if piece.kind in ("bare", "text"):
        return (piece.value,)
    if piece.kind == "var":
        return values.get(piece.value, _UNSET.get(piece.value, ()))
    if piece.kind == "param":
        return parameter(piece.value, values)
    if piece.kind == "sub" and piece.script is not None:
        out = printed(piece.script, look_of(values, text))
        return () if out is None else (out.rstrip("\n"),)
    return ()


def parameter(inner: str, values: Values) -> tuple[str, ...]:
    """What ``${inner}`` may become; nothing when that is not known."""
    match = _PARAMETER.fullmatch(inner)
    if match is None:
        return ()
    indirect, name, operator, argument = match.groups()
    held = values.get(name, _UNSET.get(name, ()))
    if indirect:
        held = tuple(text for other in held for text in values.get(other, ()))
    argument = argument.translate(_UNQUOTE)
    if operator in (":-", "-", ":=", "="):
        return (*held, argument)
    if operator in (":+", "+"):
        return (argument, "")
    return tuple(_changed(text, operator or "", argument) for text in held)


_UNQUOTE = str.maketrans("", "", "'\"\\")


def _changed(text: str, operator: str, argument: str) -> str:
    kind = operator[:1]
    if kind in ("%", "#"):
        return _cut(text, operator, argument)
    if kind in (",", "^"):
        changed = text.lower() if kind == "," else text.upper()
        return changed if len(operator) == 2 else changed[:1] + text[1:]
    if kind == "/":
        old, _, new = argument.partition("/")
        return text.replace(old, new, -1 if operator == "//" else 1) if old else text
    if operator == ":" and re.fullmatch(r"\s*-?\d+(?::-?\d+)?", argument):
        start, _, length = argument.strip().partition(":")
        rest = text[int(start) :]
        return rest[: int(length)] if length else rest
    return text


def _cut(text: str, operator: str, pattern: str) -> str:
    """``text`` without the shortest or longest part that fits ``pattern`` at one end."""
    at_end, longest = operator[0] == "%", len(operator) == 2
    cuts = [i for i in range(len(text) + 1) if fnmatchcase(text[i:] if at_end else text[:i], pattern)]
    if not cuts:
        return text
    cut = min(cuts) if at_end == longest else max(cuts)
    return text[:cut] if at_end else text[cut:]


def values_of(script: Script, outer: Values) -> Values:
    """The texts that variables are set to anywhere in the line, on top of those of the line around it."""
    functions = {node.name for node in script.nodes if node.kind == "function"}
    if not any(_sets(node, functions) for node in script.nodes):
        return outer
    values = dict(outer)
    for _ in range(3):  # what is set by what is set before
        before = dict(values)
        for node in script.nodes:
            for name, texts in _set_by(node, functions, values, script.text):
                values[name] = tuple(dict.fromkeys((*values.get(name, ()), *texts)))[:MAX_VALUES]
        if before == values:
            break
    return values


def _sets(node: Node, functions: set[str]) -> bool:
    if node.assignments or node.kind == "for" or (node.redirects and node.kind != "call"):
        return True
    return node.kind == "call" and bool(node.words) and (node.words[0].literal in _SETTERS | functions)


def _set_by(node: Node, functions: set[str], values: Values, text: str) -> Iterator[tuple[str, Iterable[str]]]:
    for assignment in node.assignments:
        texts = tuple(texts_of(assignment.word, values, text))
        if assignment.appends:
            texts = tuple(old + new for old in values.get(assignment.name, ("",)) for new in texts)
        yield assignment.name, texts
    if node.kind == "for":
        words = [parts for word in node.words for parts in _words_of(word, values, text)]
        yield node.name, [part for parts in words for part in parts]
    elif node.kind == "pipeline":
        yield from _read_from_pipe(node, values, text)
    elif node.kind != "call":
        yield from _read_below(node, fed_text(node, look_of(values, text)))
    elif node.words and (name := node.words[0].literal) in _SETTERS | functions:
        for argv, _ in readings(node, values, text):
            yield from _set_by_call(name or "", argv, fed_text(node, look_of(values, text)), values)


def _set_by_call(name: str, argv: Argv, given: str | None, values: Values) -> Iterator[tuple[str, Iterable[str]]]:
    if name in _DECLARERS:
        for word in argv[1:]:
            variable, equals, value = word.partition("=")
            if equals:
                yield variable, values.get(value, ()) if argv[1] == "-n" else (value,)
    elif name in _READERS:
        yield from _read(argv, given)
    elif name == "printf":
        if argv[1:2] == ("-v",) and len(argv) > 3:
            yield argv[2], (printf(argv[3:]),)
    elif name != "set" or not argv[1:2] or argv[1] == "--" or not argv[1].startswith(("-", "+")):
        words = argv[2:] if argv[1:2] == ("--",) else argv[1:]
        yield from ((str(i), (word,)) for i, word in enumerate(words, start=1))
        yield from ((name, (" ".join(words),)) for name in "@*")


def _read(argv: Argv, given: str | None) -> Iterator[tuple[str, Iterable[str]]]:
    names = [word for word in argv[1:] if not word.startswith("-")] or ["REPLY"]
    for line in (given or "").splitlines()[:MAX_VALUES]:
        parts = line.split(None, len(names) - 1) if len(names) > 1 else [line]
        yield from ((name, (part,)) for name, part in zip(names, parts, strict=False))


def _read_from_pipe(node: Node, values: Values, text: str) -> Iterator[tuple[str, Iterable[str]]]:
    look, given = look_of(values, text), None
    for item in node.items:
        yield from _read_below(item, given)
        given = printed(item, look, given)


def _read_below(node: Node, given: str | None) -> Iterator[tuple[str, Iterable[str]]]:
    """What ``read`` anywhere in a command that is fed with a text sets."""
    if given is None:
        return
    for below in nodes_below(node):
        words = [word.literal or "" for word in below.words] if below.kind == "call" and not below.redirects else []
        if words and words[0] in _READERS:
            yield from _read(tuple(words), given)
