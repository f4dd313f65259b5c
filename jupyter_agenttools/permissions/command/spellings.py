"""Every spelling of the calls of a command line that deny and ask rules look at.

Generous where the allowing side is strict: wrappers are taken off both ways, variables that are set in the same line
are filled in, texts that a shell will read are read, and what is not understood is looked at word by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from shlex import quote
from typing import NamedTuple

from .coarse import coarse_texts, parts_of, without_quotes
from .parse import understand
from .parsed import TooComplex
from .printed import fed_text, printed
from .program_signs import RUNNING_VARIABLE, may_run, reads_words, shell_text, texts_in_words
from .reader import read_script
from .same_program import has_one_name, other_calls, plain_name
from .script import Node, Script, nodes_below
from .sub_commands import option_free, runner_calls
from .values import Values, look_of, readings, spellings_of, texts_of, values_of
from .wrappers import MAX_INNER_CALLS, SHELLS, Argv, inner_calls, program_name

_MAX_DEPTH = 4
_MAX_LINES = 60
"""Texts inside of one line that are read as lines of their own."""

_NOTHING: Values = {}
_MAX_FILES = 6
"""Words of a shell's call that may be the file that it reads."""

_COPIERS = frozenset({"cp", "install", "ln", "mv"})
_NAMERS = _COPIERS | {"alias", "hash", "tee"}
_FED = SHELLS | {".", "source", "parallel", "at", "batch", "ssh", "su", "runuser", "newgrp", "crontab", "eval", "sudo"}
"""What reads commands from its standard input."""

_SCHEDULE = re.compile(r"^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+", re.MULTILINE)


class Forms(NamedTuple):
    """A command line in every spelling that deny and ask rules look at.

    Attributes:
        calls: each call in it, wrappers and texts inside of it followed, as ``(argv, positions of wildcards)``.
        texts: those calls as text. line: the whole line, blanks squeezed.
        coarse: text without quotes and backslashes wherever something was not understood, ``None`` if nothing was.
        targets: what redirections open: the operator and the file, in every reading.
    """

    calls: tuple[tuple[Argv, frozenset[int]], ...]
    texts: frozenset[str]
    line: str
    coarse: str | None
    targets: tuple[tuple[str, str], ...] = ()


@lru_cache(maxsize=256)
def forms_of(command: str) -> Forms:
    """Every spelling of ``command`` that a deny rule is compared with."""
    finder = _Finder()
    finder.add_line(command, 0, _NOTHING)
    texts = set(_written(command))
    for argv, _ in finder.calls:
        texts.update(_texts_of(argv))
    coarse = "\n".join(finder.coarse) if finder.coarse else None
    return Forms(tuple(finder.calls), frozenset(texts), " ".join(command.split()), coarse, tuple(finder.targets))


def _written(command: str) -> Iterator[str]:
    """Each call as it stands there, one blank between words."""
    try:
        script = understand(command)
    except TooComplex:
        return
    for node in script.calls:
        yield " ".join([command[word.start : word.end] for word in node.words])


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
        self.targets: list[tuple[str, str]] = []
        self.seen: set[Argv] = set()
        self.lines: set[str] = set()
        self.written: dict[str, str] = {}
        self.copies: dict[str, Argv] = {}

    def add_line(self, text: str, depth: int, outer: Values) -> None:
        if text in self.lines or not text.strip():
            return
        self.lines.add(text)
        script = self.read(text, depth)
        if script is None:
            return
        values = values_of(script, outer)
        for node in script.calls:
            self.note_files(node, script, values)
        for node in script.nodes:
            for redirect in node.redirects:
                if redirect.body is None and redirect.operator != "<<<":
                    found = spellings_of(redirect.target, values, text)
                    self.targets.extend((redirect.operator, target) for target in found)
            if node.kind == "call":
                self.add_call(node, script, values, depth)
            elif node.kind == "pipeline":
                self.add_piped(node, script, values, depth)
            elif node.redirects and (given := fed_text(node, look_of(values, text))) is not None:
                self.feed(node, given, script, values, depth)

    def read(self, text: str, depth: int) -> Script | None:
        """The tree of a line. One that only the first reader understands is looked at in both ways."""
        if depth > _MAX_DEPTH or len(self.lines) > _MAX_LINES:
            self.coarse.extend(coarse_texts(text))
            return None
        try:
            return understand(text)
        except TooComplex as found:
            if found.check_id != "empty":
                self.coarse.extend(coarse_texts(text))
        try:
            return read_script(text)
        except (TooComplex, RecursionError):
            for part in parts_of(text):
                self.add_line(part, depth + 1, _NOTHING)
            return None

    def add_call(self, node: Node, script: Script, values: Values, depth: int) -> None:
        for assignment in node.assignments if node.words else ():
            if RUNNING_VARIABLE.fullmatch(assignment.name):
                for value in texts_of(assignment.word, values, script.text):
                    self.add_line(value, depth + 1, values)
        if not node.words:
            return
        given = fed_text(node, look_of(values, script.text)) if node.redirects else None
        for argv, globs in readings(node, values, script.text):
            self.add_argv(argv, globs, depth, values)
            if given is not None:
                self.add_fed(argv, given, depth, values)
        if node.redirects or any(word.literal is None for word in node.words):
            self.add_files(node, script, values, depth)

    def add_argv(self, argv: Argv, globs: frozenset[int], depth: int, values: Values) -> None:
        """One call, the calls that it wraps, and the command lines in its words."""
        if argv in self.seen or not argv:
            return
        self.seen.add(argv)
        if len(self.seen) > MAX_INNER_CALLS:
            self.coarse.append(" ".join(argv))
            return
        self.calls.append((argv, globs))
        name = argv[0]
        if _is_ordinary(name) and name not in self.copies and not self.written:
            if len(argv) > 2 and argv[1].startswith("-"):
                for other in option_free(argv):
                    self.add_argv(other, _shifted(globs, len(argv) - len(other)), depth, values)
            return
        for other in self.other_names(argv):
            self.add_argv(other, _shifted(globs, len(argv) - len(other)), depth, values)
        for inner in (*inner_calls(argv), *runner_calls(argv)):
            at = _position(inner, argv)
            own = _assigned(argv[:at])
            self.add_argv(inner, _shifted(globs, at), depth, {**values, **own} if own else values)
        self.add_texts(argv, depth, values)

    def note_files(self, node: Node, script: Script, values: Values) -> None:
        """What the line itself writes to a file, and by which other name it makes a program reachable."""
        name = node.words[0].literal if node.words else None
        if not node.redirects and name not in _NAMERS:
            return
        if name in _COPIERS or (name == "hash" and node.words[1:2] and node.words[1].literal == "-p"):
            words = [word for word in look_of(values, script.text).argv(node) or () if not word.startswith("-")]
            if len(words) == 3:
                self.copies[program_name(words[2])] = (program_name(words[1]),)
        elif name == "alias":
            pairs = [(word.literal or "").partition("=") for word in node.words[1:]]
            self.copies.update((alias, tuple(value.split())) for alias, _, value in pairs if value.split())
        targets = [r.target.literal for r in node.redirects if r.operator in (">", ">>", ">|")]
        targets += [word.literal for word in node.words[1:]] if name == "tee" else []
        given = printed(node, look_of(values, script.text)) if any(targets) else None
        if given is not None:
            self.written.update((program_name(target), given) for target in targets if target)

    def other_names(self, argv: Argv) -> Iterator[Argv]:
        name = program_name(argv[0])
        if name != argv[0]:
            yield (name, *argv[1:])
        if (
            "=" in name and name.partition("=")[0].isidentifier() and len(argv) > 1
        ):  # behind a program that runs a shell
            yield argv[1:]
        yield from other_calls(argv)
        yield from option_free(argv)
        if name in self.copies:
            yield (*self.copies[name], *argv[1:])

    def add_texts(self, argv: Argv, depth: int, values: Values) -> None:
        name = plain_name(program_name(argv[0]))
        for word in argv[1:]:
            if may_run(name, word):
                plain = without_quotes(word)
                self.coarse.append(plain.replace("/", " ") if name == "sed" else plain)
        for line in texts_in_words(name, argv):
            for text in _option_values(line):
                self.add_line(text, depth + 1, values)
        if name in SHELLS and (script := shell_text(argv)) is not None:
            self.add_line(script.text, depth + 1, {**values, **script.parameters})
        for word in argv[: _MAX_FILES if name in _FED else 1] if self.written else ():
            if given := self.written.get(program_name(word)):
                self.add_line(given, depth + 1, values)

    def add_piped(self, node: Node, script: Script, values: Values, depth: int) -> None:
        """What is printed into a pipe that something which reads commands takes them from."""
        look, given = look_of(values, script.text), None
        for item in node.items:
            if given is not None:
                self.feed(item, given, script, values, depth)
            elif item is not node.items[0] and _runs_input(item):
                self.coarse.append(without_quotes(script.text[node.start : item.start]))
            given = printed(item, look, given)

    def feed(self, node: Node, given: str, script: Script, values: Values, depth: int) -> None:
        for below in nodes_below(node):
            if below.kind == "call" and below.words:
                for argv, _ in readings(below, values, script.text):
                    self.add_fed(argv, given, depth, values)

    def add_fed(self, argv: Argv, given: str, depth: int, values: Values) -> None:
        """A text that this call, or one that it wraps, reads from its standard input."""
        for call in (argv, *inner_calls(argv), *runner_calls(argv)):
            name = plain_name(program_name(call[0]))
            if name in _FED:
                self.add_line(_SCHEDULE.sub("", given) if name == "crontab" else given, depth + 1, values)
            elif may_run(name, given):
                self.coarse.append(without_quotes(given))
            if name == "xargs":
                for inner in inner_calls(call):
                    self.add_argv(_with_input(inner, given), frozenset(), depth, values)

    def add_files(self, node: Node, script: Script, values: Values, depth: int) -> None:
        """What ``<(…)`` prints for a shell."""
        look = look_of(values, script.text)
        argv = look.argv(node) or ("",)
        for word in (*node.words, *(redirect.target for redirect in node.redirects)):
            for piece in word.pieces:
                if piece.kind == "proc" and piece.script is not None:
                    given = printed(piece.script, look)
                    if given is not None:
                        self.add_fed(argv, given, depth, values)


@lru_cache(maxsize=1_024)
def _is_ordinary(name: str) -> bool:
    """Whether a program has no second name and runs nothing that its words say: most calls are looked at no further."""
    return has_one_name(name) and not reads_words(name)


def _runs_input(node: Node) -> bool:
    """Whether a call in ``node`` reads commands from its standard input."""
    names = (below.words[0].literal for below in nodes_below(node) if below.kind == "call" and below.words)
    return any(plain_name(program_name(name)) in _FED for name in names if name)


def _assigned(words: Argv) -> Values:
    """What the words of ``env A=1 …`` set."""
    pairs = (word.partition("=") for word in words[1:] if "=" in word)
    return {name: (value,) for name, _, value in pairs if name.isidentifier()}


def _position(inner: Argv, argv: Argv) -> int:
    """Where ``inner`` begins in ``argv``; as far behind as can be when it is no part of it."""
    last = len(argv) - len(inner)
    return next((at for at in range(last, 0, -1) if argv[at : at + len(inner)] == inner), max(last, 0))


def _shifted(globs: frozenset[int], by: int) -> frozenset[int]:
    """The positions of wildcards in a call that lacks ``by`` words at its beginning."""
    return frozenset(i - by for i in globs if i >= by) if by else globs


def _with_input(inner: Argv, given: str) -> Argv:
    """The call of ``xargs`` with the words that it reads."""
    words = given.split()
    for sign in ("{}", "%"):
        if any(sign in word for word in inner):
            return tuple(word.replace(sign, given.strip()) for word in inner)
    return (*inner, *words)


def _option_values(word: str) -> Iterator[str]:
    """``word`` and, when it is an option, the value that may be written in the same word (``-S'rm x'``)."""
    yield word
    if word.startswith("--") and "=" in word:
        yield word.partition("=")[2]
    elif word.startswith("-") and len(word) > 2:
        yield word[2:]
