"""Whether a rule is about a shell command.

Allow rules have to cover every call of a command that was understood completely (:mod:`.coverage`). Deny and ask rules
fire when any call that can be found in it fits, however it is spelt, and for a text that was not understood on a coarse
look at its words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from shlex import quote

from ..patterns import Wildcard, compile_wildcard
from .assignments import is_safe_env
from .parse import parse_command
from .parsed import SimpleCommand
from .spellings import forms_of
from .wrappers import SHELLS, WRAPPERS, Argv, program_name, unwrap

_FIND_ACTIONS = re.compile(r"-exec|-execdir|-ok|-okdir|-delete|-fprint.*|-fls|-files0-from")
_JOINS = re.compile(r"[|;&<>$`(]")
_WORD = re.compile(r"[\w./+@%-]+")
_UNQUOTE = str.maketrans("", "", "'\"\\")


def compile_command_pattern(specifier: str) -> Wildcard:
    """The pattern of ``Bash(specifier)``."""
    return compile_wildcard(specifier.lstrip(" \t\n"), word_boundary=True)


def has_safe_env(command: SimpleCommand) -> bool:
    """Whether every assignment before the program is one that cannot change what the program is or does."""
    return all(is_safe_env(name, value) for name, value in command.env)


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
    if name == "find" and (inner.dynamic or any(_FIND_ACTIONS.fullmatch(word) for word in inner.argv)):
        return False
    if 0 in inner.dynamic or 0 in inner.globs:
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
    spelt = (program_name(argv[0]), *argv[1:])
    pairs = list(zip(literal, argv, spelt, strict=False))
    return all(
        want in (got, short) or (i in globs and (fnmatchcase(want, got) or fnmatchcase(want, short)))
        for i, (want, got, short) in enumerate(pairs)
    )


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
