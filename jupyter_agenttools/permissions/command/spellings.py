"""Every spelling of the calls of a command line that deny and ask rules look at.

Generous where the allowing side is strict: wrappers are taken off both ways, variables that are set in the same line
are filled in, texts that a shell will read are read, and what is not understood is looked at word by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice, product
from shlex import quote
from typing import NamedTuple

from .ansi_c import decode_ansi_c
from .braces import expand_braces, has_braces
from .parse import is_wild, spelling, understand
from .parsed import TooComplex
from .script import Node, Piece, Script, Word, nodes_below
from .wrappers import (
    INTERPRETERS,
    MAX_INNER_CALLS,
    SHELLS,
    TEXT_RUNNERS,
    WRAPPERS,
    Argv,
    inner_calls,
    option_free,
    program_name,
)

_MAX_DEPTH = 4
_MAX_READINGS = 12
"""Readings of one call, when variables may hold one of several texts."""

_ANSI_C = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_UNQUOTE = str.maketrans("", "", "'\"\\")
_PRINTERS = frozenset({"echo", "printf"})


class Forms(NamedTuple):
    """A command line in every spelling that deny and ask rules look at.

    Attributes:
        calls: each call in it, wrappers and texts inside of it followed, as ``(argv, positions of wildcards)``.
        texts: those calls as text. line: the whole line, blanks squeezed.
        coarse: text without quotes and backslashes wherever something was not understood, ``None`` if nothing was.
    """

    calls: tuple[tuple[Argv, frozenset[int]], ...]
    texts: frozenset[str]
    line: str
    coarse: str | None


@lru_cache(maxsize=256)
def forms_of(command: str) -> Forms:
    """Every spelling of ``command`` that a deny rule is compared with."""
    finder = _Finder()
    finder.add_line(command, 0)
    texts = set(_written(command))
    for argv, _ in finder.calls:
        texts.update(_call_texts(argv))
    coarse = "\n".join(finder.coarse) if finder.coarse else None
    return Forms(tuple(finder.calls), frozenset(texts), " ".join(command.split()), coarse)


def _written(command: str) -> Iterator[str]:
    """Each call as it stands there, one blank between words."""
    try:
        script = understand(command)
    except TooComplex:
        return
    for node in script.calls:
        yield " ".join([command[word.start : word.end] for word in node.words])


def _call_texts(argv: Argv) -> Iterator[str]:
    name = program_name(argv[0])
    yield from _texts_of(argv)
    if name != argv[0]:
        argv = (name, *argv[1:])
        yield from _texts_of(argv)
    for spelt in option_free(argv):
        yield from _texts_of(spelt)


def _texts_of(words: Argv) -> Iterator[str]:
    text = " ".join(words)
    yield text
    if text.count(" ") != len(words) - 1 or not _NEEDS_NO_QUOTES.fullmatch(text):
        yield " ".join(map(quote, words))


_NEEDS_NO_QUOTES = re.compile(r"[\w@%+=:,./ -]+", re.ASCII)


class _Finder:
    """Collects the calls of a line; what it does not understand it hands to the coarse look."""

    def __init__(self) -> None:
        self.calls: list[tuple[Argv, frozenset[int]]] = []
        self.coarse: list[str] = []
        self.seen: set[Argv] = set()

    def add_line(self, text: str, depth: int) -> None:
        try:
            script = understand(text) if depth <= _MAX_DEPTH else None
        except TooComplex:
            script = None
        if script is None:
            self.coarse.extend((without_quotes(text), text))
            return
        values = _assigned(script)
        for node in script.nodes:
            if node.kind == "call" and node.words:
                for argv, globs in _readings(node, values, script.text):
                    self.calls.append((argv, globs))
                    self.add_inner(argv, globs, depth)
                    self.add_fed(node, argv, depth)
            elif node.kind == "pipeline":
                self.add_piped(node, depth)

    def add_inner(self, argv: Argv, globs: frozenset[int], depth: int) -> None:
        if argv in self.seen:
            return
        self.seen.add(argv)
        if len(self.seen) > MAX_INNER_CALLS:
            self.coarse.append(" ".join(argv))
            return
        for inner in inner_calls(argv):
            skipped = len(argv) - len(inner)
            left = frozenset(i - skipped for i in globs if i >= skipped)
            self.calls.append((inner, left))
            self.add_inner(inner, left, depth)
        self.add_texts(argv, depth)

    def add_texts(self, argv: Argv, depth: int) -> None:
        name = program_name(argv[0])
        if name in INTERPRETERS:
            self.coarse.extend(map(without_quotes, argv[1:]))
        elif name == "git":  # an alias that starts with `!` is a command line
            self.coarse.extend(without_quotes(word) for word in argv[1:] if "!" in word)
        if name in ("alias", "hash"):
            lines = [word.partition("=")[2] or word for word in argv[1:]]
        elif name in TEXT_RUNNERS:
            lines = [*argv[1:], " ".join(argv[1:])]
        else:
            lines = [word for word in argv[1:] if " " in word] if name in WRAPPERS else []
        for line in lines:
            for text in _option_values(line):
                self.add_line(text, depth + 1)

    def add_fed(self, node: Node, argv: Argv, depth: int) -> None:
        """Texts that a shell reads from a here-document, a here-string or a pipe of its own."""
        feeds = node.redirects or any(word.literal is None for word in node.words)
        if not feeds or not _reads_commands(argv):
            return
        for redirect in node.redirects:
            if redirect.body is not None:
                self.add_line("".join(piece.value for piece in redirect.body.pieces), depth + 1)
            elif redirect.operator == "<<<":
                self.add_line("".join(piece.value for piece in redirect.target.pieces), depth + 1)
        for word in (*node.words, *(redirect.target for redirect in node.redirects)):
            for piece in word.pieces:
                if piece.kind == "proc" and piece.script is not None:
                    self.add_printed(piece.script, depth)

    def add_piped(self, node: Node, depth: int) -> None:
        """What is printed into a pipe that a shell reads from."""
        for i, item in enumerate(node.items[1:], start=1):
            words = tuple(word.literal or "" for word in item.words)
            if words and _reads_commands(words):
                for before in node.items[:i]:
                    self.add_printed(before, depth)

    def add_printed(self, script: Node, depth: int) -> None:
        for node in nodes_below(script):
            words = [word.literal or "" for word in node.words]
            if words[:1] and words[0] in _PRINTERS:
                text = " ".join(words[1:])
                self.add_line(text.replace("\\n", "\n"), depth + 1)
                for word in words[1:]:
                    self.add_line(word, depth + 1)
            for redirect in node.redirects:
                if redirect.body is not None:
                    self.add_line("".join(piece.value for piece in redirect.body.pieces), depth + 1)
                elif redirect.operator == "<<<":
                    self.add_line("".join(piece.value for piece in redirect.target.pieces), depth + 1)


def _reads_commands(argv: Argv) -> bool:
    """Whether this call, or one that it wraps, is a shell or reads a script."""
    names = [program_name(argv[0]), *(program_name(inner[0]) for inner in inner_calls(argv) if inner)]
    return any(name in SHELLS or name in (".", "source", "parallel", "at", "batch", "xargs") for name in names)


def _assigned(script: Script) -> dict[str, tuple[str, ...]]:
    """The plain texts that variables are set to anywhere in the line."""
    values: dict[str, list[str]] = {}
    for node in script.nodes:
        for assignment in node.assignments:
            text = _constant(assignment.word)
            if text is not None:
                values.setdefault(assignment.name, []).append(text)
        if node.kind == "for":
            texts = (_constant(word) for word in node.words)
            values.setdefault(node.name, []).extend(text for text in texts if text is not None)
        elif node.kind == "call" and node.words and node.words[0].literal in _DECLARERS:
            for word in node.words[1:]:
                name, equals, value = (word.literal or "").partition("=")
                if equals:
                    values.setdefault(name, []).append(value)
    return {name: tuple(dict.fromkeys(texts)) for name, texts in values.items()}


_DECLARERS = frozenset({"declare", "export", "local", "readonly", "typeset", "let"})


def _constant(word: Word) -> str | None:
    """The text of a word that is the same whenever the line runs; ``$(echo x)`` counts."""
    parts = []
    for piece in word.pieces:
        if piece.kind in ("bare", "text"):
            parts.append(piece.value)
        elif piece.kind == "sub" and (printed := _printed(piece)) is not None:
            parts.append(printed)
        else:
            return None
    return "".join(parts)


def _printed(piece: Piece) -> str | None:
    script = piece.script
    if script is None or len(script.items) != 1 or script.items[0].kind != "call":
        return None
    words = [word.literal for word in script.items[0].words]
    if not words or words[0] not in _PRINTERS or any(word is None for word in words):
        return None
    known = [word for word in words[1:] if word is not None and not re.fullmatch(r"-[neE]+|%s(?:\\n)?", word)]
    return " ".join(known)


def _readings(node: Node, values: dict[str, tuple[str, ...]], text: str) -> Iterator[tuple[Argv, frozenset[int]]]:
    """The words of a call, once for every choice of what its variables hold."""
    if all(word.literal is not None and not has_braces(word) for word in node.words):
        wild = frozenset([i for i, word in enumerate(node.words) if is_wild(word)])
        yield tuple([word.literal or "" for word in node.words]), wild
        return
    choices = [_words_of(word, values, text) for word in node.words]
    unclear = [i for i, word in enumerate(node.words) if word.literal is None and len(choices[i]) == 1]
    readings = islice(product(*choices), _MAX_READINGS)
    if unclear and len(unclear) < len(node.words):  # what is not known may also be nothing at all
        without = tuple(() if i in unclear else choice[0] for i, choice in enumerate(choices))
        readings = chain(readings, [without])
    for reading in readings:
        argv: list[str] = []
        globs: set[int] = set()
        for word, parts in zip(node.words, reading, strict=True):
            if is_wild(word):
                globs.update(range(len(argv), len(argv) + len(parts)))
            argv.extend(parts)
        if argv:
            yield tuple(argv), frozenset(globs)


def _words_of(word: Word, values: dict[str, tuple[str, ...]], text: str) -> list[tuple[str, ...]]:
    """What one word may become: each choice is the words that it splits into."""
    try:
        spelt = expand_braces(word)
    except TooComplex:
        spelt = [word.pieces]
    if len(spelt) > 1:
        flat = tuple(_joined(pieces, values) or spelling(word, text) for pieces in spelt)
        return [flat]
    literal = word.literal
    if literal is not None:
        return [(literal,)]
    choices = [_options(piece, values) for piece in word.pieces]
    if any(not options for options in choices):
        return [(spelling(word, text),)]
    found: list[tuple[str, ...]] = []
    for parts in islice(product(*choices), _MAX_READINGS):
        whole = "".join(parts)
        quoted = all(piece.quoted for piece in word.pieces)
        found.append((whole,) if quoted else tuple(whole.split()) or ("",))
    return found


def _joined(pieces: Iterable[Piece], values: dict[str, tuple[str, ...]]) -> str | None:
    parts = [_options(piece, values) for piece in pieces]
    return None if any(not options for options in parts) else "".join(options[0] for options in parts)


def _options(piece: Piece, values: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    if piece.kind in ("bare", "text"):
        return (piece.value,)
    if piece.kind == "var":
        # One that is not set in the line is empty, or holds what nobody can know here: read as empty.
        return values.get(piece.value, ("",) if piece.value in ("@", "*", "1", "2", "IFS") else ())
    if piece.kind == "sub":
        printed = _printed(piece)
        return () if printed is None else (printed,)
    return ()


def _option_values(word: str) -> Iterator[str]:
    """``word`` and, when it is an option, the value that may be written in the same word (``-S'rm x'``)."""
    yield word
    if word.startswith("--") and "=" in word:
        yield word.partition("=")[2]
    elif word.startswith("-") and len(word) > 2:
        yield word[2:]


def without_quotes(text: str) -> str:
    """The text with joined lines joined, ``$'…'`` decoded and every quote and backslash taken away."""
    spelt = _ANSI_C.sub(lambda match: decode_ansi_c(match.group(1)) or match.group(1), text.replace("\\\n", ""))
    return spelt.translate(_UNQUOTE)
