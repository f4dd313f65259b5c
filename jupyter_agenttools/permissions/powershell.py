"""Rules about PowerShell commands: aliases count as what they stand for, and case does not matter.

Read is only the plainest part of the language: programs with plain or quoted words, joined by ``;``, ``|``, ``&&``,
``||`` and line ends. Whatever else stands in a command (variables, blocks, calls, redirections), no allow rule covers
it, and deny and ask rules look at every word of it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from .command.running_options import runs_others
from .command.sub_commands import option_free, runner_calls
from .command.wrappers import WRAPPERS, inner_calls
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
        "get-wmiobject": "gwmi",
        "import-module": "ipmo",
        "invoke-command": "icm",
        "invoke-expression": "iex",
        "invoke-item": "ii",
        "invoke-restmethod": "irm",
        "invoke-webrequest": "iwr wget curl",
        "invoke-wmimethod": "iwmi",
        "move-item": "mv move mi",
        "new-alias": "nal",
        "new-item": "ni md mkdir",
        "new-psdrive": "ndr mount",
        "remove-item": "rm ri rd rmdir del erase",
        "remove-itemproperty": "rp",
        "remove-job": "rjb",
        "remove-module": "rmo",
        "remove-psdrive": "rdr",
        "remove-variable": "rv",
        "remove-wmiobject": "rwmi",
        "rename-item": "ren rni",
        "select-object": "select",
        "set-alias": "sal",
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
    "invoke-expression invoke-command invoke-cimmethod invoke-wmimethod invoke-item start-process start-job "
    "start-threadjob foreach-object where-object register-scheduledtask schtasks add-type import-module pwsh "
    "powershell cmd wsl wmic mshta rundll32 regsvr32 cscript wscript runas set-alias new-alias . &".split()
)
"""What runs other commands from its words: an allow rule has to spell such a call out."""

_WORD = re.compile(r"[A-Za-z0-9_./\\:*?+=^~%-]+")
_SEPARATOR = re.compile(r"&&|\|\||[;|\r\n]")
_BLANKS = re.compile(r"[ \t]+")
_DOUBLE = re.compile(r'"([^"$`\r\n“”„]*)"')
_SINGLE = re.compile(r"'([^'\r\n‘’‚‛]*)'")
_BETWEEN = re.compile(r"[;|&(){}\[\]\r\n,=@$]+")
_ENDS = re.compile(r"[;|&(){}\r\n]+")
_COMMENT = re.compile(r"<#.*?#>", re.DOTALL)
_QUOTES = re.compile("['\"\u2018\u2019\u201a\u201b\u201c\u201d\u201e]")
_DASHES = str.maketrans({"\u2013": "-", "\u2014": "-", "\u2015": "-"})
"""The language takes typographic dashes for plain ones."""

_ENCODED = re.compile(r"-e\w*\s+['\"]?([A-Za-z0-9+/]{8,}={0,2})", re.IGNORECASE)
_EXTENSION = re.compile(r"\.(?:exe|cmd|bat|com|ps1)\Z")
_CMDLET = re.compile(r"[a-z]+-[a-z]+")
_CHANGES_NAMES = re.compile(r"(?i:alias|function):.*")
_FIND_ACTIONS = re.compile(r"-(?:exec|ok|delete|fprint|fls).*", re.IGNORECASE)
_NAME = re.compile(r"[^\s;|&(){}\[\],='\"`@$]+")


MAX_WORDS = 60
"""Words of one stretch of a command from each of which a call is tried."""


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
        in_folder: the folder and other endings stay: what lies in one is not the system's program of that name.
    """
    name = word.lower()
    name = name.removesuffix(".exe") if in_folder else _EXTENSION.sub("", re.split(r"[/\\]", name)[-1])
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
        if _CHANGES_NAMES.fullmatch(words[-1]):  # a drive whose items are what names stand for
            return PowerShellCommand((), False)
        at, glued = word.end(), True
    calls += [tuple(words)] if words else []
    return PowerShellCommand(tuple(calls), True)


@lru_cache(maxsize=256)
def powershell_pattern(specifier: str, *, in_folder: bool = False) -> Wildcard:
    """The pattern of ``PowerShell(specifier)``; ``in_folder`` as in :func:`canonical_program`."""
    program, blank, rest = " ".join(specifier.split()).partition(" ")
    program = program.lower()
    is_plain = re.fullmatch(r"[\w.%?\\/-]+", program) is not None
    if not is_plain and (found := re.fullmatch(r"([\w.%-]+)(:\*|\*)", program)):
        program = canonical_program(found[1], in_folder=in_folder) + found[2]
    elif is_plain:
        program = canonical_program(program, in_folder=in_folder)
    return compile_wildcard(program + blank + _folded(program, rest, in_folder), word_boundary=True)


def _text(call: tuple[str, ...], *, in_folder: bool = False) -> str:
    program = canonical_program(call[0], in_folder=in_folder)
    return " ".join((program, _folded(program, " ".join(call[1:]), in_folder))).rstrip(" ")


def _folded(program: str, words: str, exact: bool) -> str:
    """The words in the case in which they are compared: an allow rule means ``git branch -d`` and not ``-D``."""
    return words if exact and not _CMDLET.match(program) else words.lower()


def powershell_fires(specifier: str, command: str) -> bool:
    """Whether a deny or ask rule is about any part of this command."""
    pattern = powershell_pattern(specifier)
    parsed = read_powershell(command)
    if any(pattern.matches(_text(call)) for written in parsed.calls for call in _every_call(written)):
        return True
    if any(powershell_fires(specifier, text) for text in _decoded(command)):
        return True
    simple_and_plain = parsed.is_simple and not any(_runs_text(call) for call in parsed.calls)
    return not simple_and_plain and any(pattern.matches(text) for text in _possible_texts(command))


def _every_call(call: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The call, those that it wraps, and each without the options in front of its sub-command."""
    named = (canonical_program(call[0]), *call[1:])
    for found in (call, *inner_calls(named), *runner_calls(named)):
        yield found
        yield from option_free((canonical_program(found[0]), *found[1:]))


def _decoded(command: str) -> Iterator[str]:
    """The commands that are given in base64 (``-EncodedCommand``)."""
    for match in _ENCODED.finditer(command.replace("`", "").translate(_DASHES)):
        try:
            text = base64.b64decode(match[1] + "=" * (-len(match[1]) % 4)).decode("utf-16-le")
        except ValueError:
            continue
        if text != command and len(text) < len(command):
            yield text


def _possible_texts(command: str) -> Iterator[str]:
    """Every stretch of a command that could be a call, whatever stands around it."""
    plain = _COMMENT.sub(" ", command.replace("`\r\n", " ").replace("`\n", " ").replace("`", "")).translate(_DASHES)
    bare = _QUOTES.sub("", plain)
    for text in (plain, bare, re.sub(r"\s*\+\s*", "", bare)):
        yield " ".join(text.lower().split())
        for part in _BETWEEN.split(text):
            yield from _tails(_NAME.findall(part))
        for part in _ENDS.split(text):
            yield from _tails(part.split())


def _tails(words: list[str]) -> Iterator[str]:
    """Every call that may begin at one of these words."""
    for start in range(min(len(words), MAX_WORDS)):
        call = tuple(words[start:])
        yield _text(call)
        yield from map(_text, option_free((canonical_program(call[0]), *call[1:])))


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
    text, name = _text(call, in_folder=True), canonical_program(call[0])
    acts = name == "find" and any(map(_FIND_ACTIONS.fullmatch, call))
    if _runs_text(call) or acts or (name in WRAPPERS and len(call) > 1):
        return lambda pattern: pattern.exact and pattern.pieces[0] == text
    return lambda pattern: pattern.matches(text) and not runs_others(name, call[1:], " ".join(pattern.pieces).split())


def suggest_powershell_rules(command: str, tool_name: str) -> tuple[str, ...]:
    """The rule that would allow exactly this command, and no other."""
    text = command.strip()
    return (format_rule(ParsedRule(tool_name, escape_wildcards(text))),) if text else ()
