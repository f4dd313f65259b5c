"""Whether a rule is about a shell command.

Allow rules have to cover every call of a command that was understood completely (:mod:`.coverage`). Deny and ask rules
fire when any call that can be found in it fits, however it is spelt, and for a text that was not understood on a coarse
look at its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from shlex import quote

from ..patterns import Wildcard, compile_wildcard
from .assignments import is_safe_env
from .coarse import fires_coarsely
from .glob_fit import could_match
from .option_sets import names_options, option_rule
from .parse import parse_command
from .parsed import SimpleCommand
from .running_options import runs_others
from .spellings import forms_of
from .wrappers import SHELLS, WRAPPERS, program_name, unwrap

_FIND_ACTIONS = re.compile(r"-exec|-execdir|-ok|-okdir|-delete|-fprint.*|-fls|-files0-from")
_ACTION_NAMES = ("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls")
_JOINS = re.compile(r"[|;&<>$`(]")


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
    if name == "find" and (inner.dynamic or any(map(_FIND_ACTIONS.fullmatch, inner.argv)) or _may_become_action(inner)):
        return False
    if 0 in inner.dynamic or 0 in inner.globs:
        return False
    if name == "git" and 1 in inner.dynamic | inner.globs:
        return False
    if runs_others(name, inner.argv[1:], " ".join(pattern.pieces).split()):
        return False
    return any(pattern.matches(text) for text in allow_texts(inner))


def _may_become_action(command: SimpleCommand) -> bool:
    """Whether a wildcard could find a file that is called like an action of ``find``."""
    from fnmatch import fnmatchcase

    return any(fnmatchcase(action, command.argv[i]) for i in command.globs for action in _ACTION_NAMES)


_PLAIN_WORDS = re.compile(r"[\w./@%+:,-]+(?: [\w./@%+:,-]+)*", re.ASCII)
"""A text that can be no other call than the one of these words."""


def _is_exactly(text: str, command: SimpleCommand) -> bool:
    if _PLAIN_WORDS.fullmatch(text):  # most rules need not be parsed to be told apart from the call
        words = tuple(text.split(" "))
        if words != command.argv and words != unwrap(command).argv:
            return False
    rule = parse_command(text)
    if rule.kind != "simple" or len(rule.commands) != 1 or rule.operators:
        return False
    wanted = rule.commands[0]._replace(raw=())
    if wanted == command._replace(raw=()):
        return True
    return has_safe_env(command) and wanted == unwrap(command)._replace(raw=(), env=())


def allow_texts(command: SimpleCommand) -> Iterator[str]:
    """The texts of a call, wrappers taken off, one of which an allow rule with a star has to match."""
    if not any("\\ " in raw or "\\\t" in raw for raw in command.raw):
        yield command.text
    yield " ".join(word if i in command.globs else quote(word) for i, word in enumerate(command.argv))


def whole_text(command: str) -> str:
    """What an allow rule without a star has to be to allow this very command line, understood or not."""
    return command.lstrip(" \t\n")


def fires(pattern: Wildcard, command: str) -> bool:
    """Whether a deny or ask rule with this pattern is about any part of this command line."""
    forms = forms_of(command)
    head = pattern.pieces[0]
    for text in forms.texts:
        if text.startswith(head) and pattern.matches(text):
            return True
    # A star must not reach from one call into the next, unless the rule itself is about how calls are joined.
    if pattern.matches(forms.line) and any(map(_JOINS.search, pattern.pieces)):
        return True
    named = option_rule(pattern)
    for argv, globs in forms.calls:
        if named is not None and names_options(named, argv):
            return True
        if globs and could_match(pattern, argv, globs):
            return True
    return forms.coarse is not None and fires_coarsely(pattern, forms.coarse)
