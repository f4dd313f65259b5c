"""Rules about PowerShell commands: aliases count as what they stand for, and case does not matter.

Read is only the plainest part of the language: programs with plain or quoted words, joined by ``;``, ``|``, ``&&``,
``||`` and line ends. Whatever else stands in a command (variables, blocks, calls, redirections), no allow rule covers
it, and deny and ask rules look at every word of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from .patterns import Wildcard, compile_wildcard, escape_wildcards
from .rules import ParsedRule, PermissionRule, format_rule

_ALIASES = {
    alias: name
    for name, aliases in {
        "add-content": "ac",
        "clear-content": "clc",
        "copy-item": "cp copy cpi",
        "foreach-object": "% foreach",
        "get-childitem": "ls dir gci",
        "get-command": "gcm",
        "get-content": "cat gc type",
        "get-item": "gi",
        "get-itemproperty": "gp",
        "get-location": "pwd gl",
        "get-process": "ps gps",
        "get-service": "gsv",
        "invoke-command": "icm",
        "invoke-expression": "iex",
        "invoke-item": "ii",
        "invoke-restmethod": "irm",
        "invoke-webrequest": "iwr wget curl",
        "move-item": "mv move mi",
        "new-item": "ni md mkdir",
        "remove-item": "rm ri rd rmdir del erase",
        "remove-itemproperty": "rp",
        "rename-item": "ren rni",
        "select-object": "select",
        "set-content": "sc",
        "set-item": "si",
        "set-itemproperty": "sp",
        "set-location": "cd sl chdir",
        "set-variable": "sv set",
        "sort-object": "sort",
        "start-job": "sajb",
        "start-process": "start saps",
        "start-sleep": "sleep",
        "stop-process": "kill spps",
        "stop-service": "spsv",
        "tee-object": "tee",
        "where-object": "? where",
        "write-output": "echo write",
    }.items()
    for alias in aliases.split()
}

_RUNS_TEXT = frozenset(
    "invoke-expression invoke-command start-process start-job foreach-object where-object pwsh powershell cmd bash sh "
    "set-alias new-alias . &".split()
)
"""What runs other commands from its words: an allow rule has to spell such a call out."""

_WORD = re.compile(r"[A-Za-z0-9_./\\:*?+=^~%-]+")
_SEPARATOR = re.compile(r"&&|\|\||[;|\r\n]")
_BLANKS = re.compile(r"[ \t]+")
_DOUBLE = re.compile(r'"([^"$`\r\n“”„]*)"')
_SINGLE = re.compile(r"'([^'\r\n‘’‚‛]*)'")
_BETWEEN = re.compile(r"[;|&(){}\[\]\r\n,=@$]+")
_NAME = re.compile(r"[^\s;|&(){}\[\],='\"`@$]+")


class PowerShellCommand(NamedTuple):
    """A command as far as it was understood.

    Attributes:
        calls: the words of each call; empty when something was not understood.
        is_simple: whether ``calls`` is everything that would run.
    """

    calls: tuple[tuple[str, ...], ...]
    is_simple: bool


def canonical_program(word: str, *, in_folder: bool = False) -> str:
    """The name that rules know a program by: lower case, no folder, no module, no ``.exe``, no alias.

    Args:
        in_folder: the folder stays: what lies in one is not the system's program of that name.
    """
    name = word.lower()
    name = (name if in_folder else re.split(r"[/\\]", name)[-1]).removesuffix(".exe")
    return _ALIASES.get(name, name)


@lru_cache(maxsize=256)
def read_powershell(command: str) -> PowerShellCommand:
    """Which programs does this command run, with which words? Never raises."""
    calls: list[tuple[str, ...]] = []
    words: list[str] = []
    at, glued = 0, False
    while at < len(command):
        if blanks := _BLANKS.match(command, at):
            at, glued = blanks.end(), False
            continue
        if separator := _SEPARATOR.match(command, at):
            calls += [tuple(words)] if words else []
            words, at, glued = [], separator.end(), False
            continue
        word = _WORD.match(command, at) or _DOUBLE.match(command, at) or _SINGLE.match(command, at)
        if word is None or glued:  # quotes in the middle of a word follow rules of their own
            return PowerShellCommand((), False)
        is_quoted = command[at] in "'\""
        if is_quoted and not words:  # a text, which is printed and not run
            return PowerShellCommand((), False)
        words.append(word[1] if is_quoted else word[0])
        at, glued = word.end(), True
    calls += [tuple(words)] if words else []
    return PowerShellCommand(tuple(calls), True)


@lru_cache(maxsize=256)
def powershell_pattern(specifier: str, *, in_folder: bool = False) -> Wildcard:
    """The pattern of ``PowerShell(specifier)``; ``in_folder`` as in :func:`canonical_program`."""
    text = " ".join(specifier.lower().split())
    program, blank, rest = text.partition(" ")
    is_plain = re.fullmatch(r"[\w.%?\\/-]+", program) is not None
    if not is_plain and (found := re.fullmatch(r"([\w.%-]+)(:\*|\*)", program)):
        program = canonical_program(found[1], in_folder=in_folder) + found[2]
    elif is_plain:
        program = canonical_program(program, in_folder=in_folder)
    return compile_wildcard(program + blank + rest, word_boundary=True)


def _text(call: tuple[str, ...], *, in_folder: bool = False) -> str:
    return " ".join((canonical_program(call[0], in_folder=in_folder), *call[1:])).lower()


def powershell_fires(specifier: str, command: str) -> bool:
    """Whether a deny or ask rule is about any part of this command."""
    pattern = powershell_pattern(specifier)
    parsed = read_powershell(command)
    if any(pattern.matches(_text(call)) for call in parsed.calls):
        return True
    simple_and_plain = parsed.is_simple and not any(_runs_text(call) for call in parsed.calls)
    return not simple_and_plain and any(pattern.matches(text) for text in _possible_texts(command))


def _possible_texts(command: str) -> Iterator[str]:
    """Every stretch of a command that could be a call, whatever stands around it."""
    plain = command.replace("`\r\n", " ").replace("`\n", " ").replace("`", "")
    for text in (plain, re.sub(r"['\"]", "", plain), re.sub(r"['\"+]|\s*\+\s*", "", plain)):
        yield " ".join(text.lower().split())
        for part in _BETWEEN.split(text):
            words = _NAME.findall(part)
            for start in range(len(words)):
                yield _text(tuple(words[start:]))


def powershell_coverage(
    command: str, rules: tuple[tuple[str, PermissionRule], ...]
) -> tuple[tuple[PermissionRule, ...], str]:
    """Which allow rules cover the whole command: those rules, or none and the first call that no rule covers.

    Args:
        rules: allow rules with their specifiers.
    """
    for specifier, rule in rules:
        exact = compile_wildcard(specifier)
        if exact.exact and exact.pieces[0] == command.strip():
            return (rule,), ""
    parsed = read_powershell(command)
    if not parsed.is_simple or not parsed.calls:
        return (), command
    used: dict[PermissionRule, None] = {}
    for call in parsed.calls:
        covers = _covers(call)
        found = next((rule for specifier, rule in rules if covers(powershell_pattern(specifier, in_folder=True))), None)
        if found is None:
            return (), " ".join(call)
        used[found] = None
    return tuple(used), ""


def _runs_text(call: tuple[str, ...]) -> bool:
    return canonical_program(call[0]) in _RUNS_TEXT


def _covers(call: tuple[str, ...]) -> Callable[[Wildcard], bool]:
    text = _text(call, in_folder=True)
    if _runs_text(call):
        return lambda pattern: pattern.exact and pattern.pieces[0] == text
    return lambda pattern: pattern.matches(text)


def suggest_powershell_rules(command: str, tool_name: str) -> tuple[str, ...]:
    """The rule that would allow exactly this command, and no other."""
    text = command.strip()
    return (format_rule(ParsedRule(tool_name, escape_wildcards(text))),) if text else ()
