"""Rules that name options: ``git push --force *`` is about ``git push origin --force`` as well.

For deny and ask rules: the order of options does not matter, ``-rf`` is ``-r -f``, and a short option is the long one
where both are known to be the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..patterns import Wildcard
from .wrappers import Argv, program_name

_CLUSTER = re.compile(r"-[A-Za-z]{1,4}")
_MIN_ABBREVIATION = 4
_LONG_WITH_ONE_DASH = frozenset("clang find gcc ffmpeg java openssl terraform".split())
"""Programs whose single dash begins a whole word."""

_FORCE = {"-f": "--force"}
_REMOVAL = {"-f": "--force", "-r": "--recursive", "-R": "--recursive", "-d": "--dir", "-i": "--interactive"}
_TREE = {"-R": "--recursive"}
_SAME: dict[str, dict[str, str]] = {
    "chmod": _TREE,
    "chown": _TREE,
    "chgrp": _TREE,
    "cp": {**_REMOVAL, "-a": "--archive"},
    "docker": {"-f": "--force", "-v": "--volume"},
    "git": {"-f": "--force", "-D": "--delete --force", "-d": "--delete", "-n": "--no-verify"},
    "ln": _FORCE,
    "mv": _FORCE,
    "npm": {"-f": "--force", "-g": "--global"},
    "pip": {"-U": "--upgrade"},
    "rm": _REMOVAL,
}


class OptionRule(NamedTuple):
    """The words and the options of a rule. ``open``: other words may follow."""

    words: Argv
    options: frozenset[str]
    open: bool


@lru_cache(maxsize=8192)
def option_rule(pattern: Wildcard) -> OptionRule | None:
    """The rule as words and options; ``None`` when it names no option or has a star in the middle."""
    is_prefix = pattern.boundary and len(pattern.pieces) == 1
    if not (is_prefix or pattern.exact):
        return None
    words = pattern.pieces[0].split()
    options = [word for word in words[1:] if word.startswith("-") and len(word) > 1]
    if not options or "--" in options or re.search(r"['\"\\$`|;&<>]", pattern.pieces[0]):
        return None
    name = program_name(words[0])
    plain = tuple(word for word in words if word not in options)
    return OptionRule(plain, _split(name, tuple(options)), is_prefix)


def names_options(rule: OptionRule, argv: Argv) -> bool:
    """Whether this call has the words of the rule in their order, and each of its options somewhere."""
    if argv[0] != rule.words[0]:
        return False
    end = argv.index("--") if "--" in argv else len(argv)
    given = tuple(word for word in argv[1:end] if word.startswith("-") and len(word) > 1)
    words = (argv[0], *(word for word in argv[1:end] if word not in given), *argv[end + 1 :])
    if words[: len(rule.words)] != rule.words or (not rule.open and len(words) != len(rule.words)):
        return False
    options = _split(argv[0], given)
    if not rule.open:
        return options == rule.options
    return all(option in options or _is_abbreviated(option, given) for option in rule.options)


def _split(name: str, options: Argv) -> frozenset[str]:
    """The options with clusters taken apart and short ones by their long names."""
    same = _SAME.get(name, {})
    found: set[str] = set()
    for option in options:
        parts = [option]
        if _CLUSTER.fullmatch(option) and name not in _LONG_WITH_ONE_DASH:
            parts = [f"-{letter}" for letter in option[1:]]
        for part in parts:
            found.update(same.get(part, part).split())
    return frozenset(found)


def _is_abbreviated(option: str, given: Argv) -> bool:
    return any(
        len(word) >= _MIN_ABBREVIATION and word.startswith("--") and option.startswith(word.partition("=")[0])
        for word in given
    )
