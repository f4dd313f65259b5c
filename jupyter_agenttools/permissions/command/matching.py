"""Whether a rule is about a shell command.

Allow rules have to cover every call of a command that was understood completely. Deny and ask rules fire when any call
that can be found in it fits, however it is spelt, and for a text that was not understood on a coarse look at its words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from shlex import quote
from typing import NamedTuple

from ..patterns import Wildcard, compile_wildcard
from ..rules import PermissionRule
from .parsed import ParsedCommand, SimpleCommand
from .tokens import parse_command
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
    unwrap,
)

SAFE_ENV_VARS = frozenset(
    "GOEXPERIMENT GOOS GOARCH CGO_ENABLED GO111MODULE RUST_BACKTRACE RUST_LOG NODE_ENV "
    "PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE LANG LANGUAGE LC_ALL LC_CTYPE LC_TIME CHARSET "
    "TERM COLORTERM NO_COLOR FORCE_COLOR TZ".split()
)
"""Variables that may be set before a command without a rule having to say so."""

_SAFE_ENV_VALUE = re.compile(r"(?!/|.*\.\.)[\w.@+:,=/-]*", re.ASCII)
_FIND_ACTIONS = re.compile(r"-exec|-execdir|-ok|-okdir|-delete|-fprint.*|-fls|-files0-from")
_MAX_DEPTH = 4
_ANSI_C = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ANSI_C_ESCAPE = re.compile(
    r"\\(?:(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.DOTALL
)
_JOINS = re.compile(r"[|;&<>$`(]")
_WORD = re.compile(r"[\w./+@%-]+")
_UNQUOTE = str.maketrans("", "", "'\"\\")


def compile_command_pattern(specifier: str) -> Wildcard:
    """The pattern of ``Bash(specifier)``."""
    return compile_wildcard(specifier.lstrip(" \t\n"), word_boundary=True)


def has_safe_env(command: SimpleCommand) -> bool:
    """Whether every assignment before the program is one that cannot change what the program is or does."""
    return all(name in SAFE_ENV_VARS and _SAFE_ENV_VALUE.fullmatch(value) for name, value in command.env)


def covers(pattern: Wildcard, command: SimpleCommand) -> bool:
    """Whether an allow rule with this pattern is enough for this one call."""
    if pattern.exact:
        return _is_exactly(pattern.pieces[0], command)
    if not has_safe_env(command):
        return False
    inner = unwrap(command)
    name = program_name(inner.argv[0])
    if name in WRAPPERS and name not in SHELLS and inner.argv[1:]:
        return False
    if name == "find" and any(_FIND_ACTIONS.fullmatch(word) for word in inner.argv):
        return False
    return any(pattern.matches(text) for text in _allow_texts(inner))


def _is_exactly(text: str, command: SimpleCommand) -> bool:
    rule = parse_command(text)
    if rule.kind != "simple" or len(rule.commands) != 1 or rule.operators:
        return False
    wanted = rule.commands[0]._replace(raw=())
    if wanted == command._replace(raw=()):
        return True
    return has_safe_env(command) and wanted == unwrap(command)._replace(raw=(), env=())


def _allow_texts(command: SimpleCommand) -> Iterator[str]:
    if not any("\\ " in raw or "\\\t" in raw for raw in command.raw):
        yield command.text
    yield " ".join(word if i in command.globs else quote(word) for i, word in enumerate(command.argv))


def covers_whole(pattern: Wildcard, command: str) -> bool:
    """Whether an allow rule spells out this very command line, understood or not."""
    return pattern.exact and pattern.pieces[0] == command.lstrip(" \t\n")


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
    texts = {call.text for call in parse_command(command).commands}
    for argv, _ in finder.calls:
        texts.update(_call_texts(argv))
    coarse = "\n".join(finder.coarse) if finder.coarse else None
    return Forms(tuple(finder.calls), frozenset(texts), " ".join(command.split()), coarse)


def _call_texts(argv: Argv) -> Iterator[str]:
    for words in (argv, (program_name(argv[0]), *argv[1:])):
        for spelt in (words, *option_free(words)):
            yield " ".join(spelt)
            yield " ".join(map(quote, spelt))


class _Finder:
    """Collects the calls of a line; what it does not understand it hands to the coarse look."""

    def __init__(self) -> None:
        self.calls: list[tuple[Argv, frozenset[int]]] = []
        self.coarse: list[str] = []
        self.seen: set[Argv] = set()

    def add_line(self, text: str, depth: int) -> None:
        parsed = parse_command(text)
        if parsed.kind != "simple" or depth > _MAX_DEPTH:
            self.coarse.extend((_without_quotes(text), text))
            return
        for command in parsed.commands:
            self.calls.append((command.argv, command.globs))
            self.add_inner(command.argv, depth)

    def add_inner(self, argv: Argv, depth: int) -> None:
        if argv in self.seen:
            return
        self.seen.add(argv)
        if len(self.seen) > MAX_INNER_CALLS:
            self.coarse.append(" ".join(argv))
            return
        for inner in inner_calls(argv):
            self.calls.append((inner, frozenset()))
            self.add_inner(inner, depth)
        self.add_texts(argv, depth)

    def add_texts(self, argv: Argv, depth: int) -> None:
        name = program_name(argv[0])
        if name in INTERPRETERS:
            self.coarse.extend(map(_without_quotes, argv[1:]))
        elif name == "git":  # an alias that starts with `!` is a command line
            self.coarse.extend(_without_quotes(word) for word in argv[1:] if "!" in word)
        if name in TEXT_RUNNERS:
            lines = [*argv[1:], " ".join(argv[1:])]
        else:
            lines = [word for word in argv[1:] if " " in word] if name in WRAPPERS else []
        for line in lines:
            for text in _option_values(line):
                self.add_line(text, depth + 1)


def _option_values(word: str) -> Iterator[str]:
    """``word`` and, when it is an option, the value that may be written in the same word (``-S'rm x'``)."""
    yield word
    if word.startswith("--") and "=" in word:
        yield word.partition("=")[2]
    elif word.startswith("-") and len(word) > 2:
        yield word[2:]


def _without_quotes(text: str) -> str:
    spelt = _ANSI_C.sub(_decode_ansi_c, text.replace("\\\n", ""))
    return spelt.translate(_UNQUOTE)


def _decode_ansi_c(match: re.Match[str]) -> str:
    return _ANSI_C_ESCAPE.sub(_decode_escape, match.group(1))


def _decode_escape(match: re.Match[str]) -> str:
    hexadecimal, octal, letter = match.groups()
    if letter is not None:
        return {"n": "\n", "t": "\t"}.get(letter, letter)
    code = int(hexadecimal[1:], 16) if hexadecimal else int(octal, 8)
    return chr(code) if code < 0x110000 else ""


def fires(pattern: Wildcard, command: str) -> bool:
    """Whether a deny or ask rule with this pattern is about any part of this command line."""
    forms = forms_of(command)
    if any(pattern.matches(text) for text in forms.texts):
        return True
    # A star must not reach from one call into the next, unless the rule itself is about how calls are joined.
    if any(map(_JOINS.search, pattern.pieces)) and pattern.matches(forms.line):
        return True
    if any(globs and _could_expand_to(pattern, argv, globs) for argv, globs in forms.calls):
        return True
    return forms.coarse is not None and _fires_coarsely(pattern, forms.coarse)


def _could_expand_to(pattern: Wildcard, argv: Argv, globs: frozenset[int]) -> bool:
    """Whether file name wildcards could turn the first words into those that the rule names."""
    from fnmatch import fnmatchcase

    literal = pattern.pieces[0].split()
    if not literal or len(argv) < len(literal):
        return False
    pairs = list(zip(literal, argv, strict=False))
    return all(want == got or (i in globs and fnmatchcase(want, got)) for i, (want, got) in enumerate(pairs))


def _fires_coarsely(pattern: Wildcard, text: str) -> bool:
    words = set(_WORD.findall(text))
    words.update(program_name(word) for word in tuple(words))
    return all(test(text, words) for test in _coarse_tests(pattern))


@lru_cache(maxsize=512)
def _coarse_tests(pattern: Wildcard) -> tuple[Callable[[str, set[str]], bool], ...]:
    """What has to be found in a text for the rule to be about it: its words, and the parts of words beside a star."""
    tests: list[Callable[[str, set[str]], bool]] = []
    last = len(pattern.pieces) - 1
    for i, piece in enumerate(pattern.pieces):
        words = _WORD.findall(piece.translate(_UNQUOTE))
        for j, word in enumerate(words):
            starts_open = i > 0 and j == 0 and not piece.startswith(" ")
            ends_open = i < last and j == len(words) - 1 and not piece.endswith(" ")
            tests.append(_word_test(word, starts_open, ends_open))
    return tuple(tests)


def _word_test(word: str, starts_open: bool, ends_open: bool) -> Callable[[str, set[str]], bool]:
    if starts_open and ends_open:
        return lambda text, words: word in text
    if starts_open:
        return lambda text, words: any(found.endswith(word) for found in words)
    if ends_open:
        return lambda text, words: any(found.startswith(word) for found in words)
    return lambda text, words: word in words


class Coverage(NamedTuple):
    """What allow rules say of a command line.

    Attributes:
        covered: every call is covered.
        rules: the rules that cover it, each once, in order.
        missing: with ``covered`` false: the first call that nothing covers, as it is written.
    """

    covered: bool
    rules: tuple[PermissionRule, ...] = ()
    missing: str = ""


def coverage(
    command: str,
    parsed: ParsedCommand,
    rules: tuple[tuple[Wildcard, PermissionRule], ...],
    is_harmless: Callable[[SimpleCommand], bool],
) -> Coverage:
    """Do these allow rules cover the whole command line?

    Args:
        command: the line; parsed: what it runs.
        rules: the allow rules with their patterns.
        is_harmless: whether a call needs no rule because it provably only reads.
    """
    for pattern, rule in rules:
        if covers_whole(pattern, command):
            return Coverage(True, (rule,))
    if parsed.kind != "simple":
        return Coverage(False, missing=command)
    used: dict[PermissionRule, None] = {}
    for call in parsed.commands:
        found = next((rule for pattern, rule in rules if covers(pattern, call)), None)
        if found is not None:
            used[found] = None
        elif not is_harmless(call):
            return Coverage(False, missing=call.text)
    return Coverage(bool(used), tuple(used))
