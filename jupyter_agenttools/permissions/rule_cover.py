"""Is everything that one rule is about something that another one is about too?

Only a certain yes is a yes: where it cannot be told from the two texts, the answer is no.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..core.context import RuleBehavior
from ..core.tool import Tool
from .command.matching import compile_command_pattern
from .domains import PREFIX, domain_matches
from .matchers import PATH_RULES, always, matcher_for
from .names import OLD_NAMES, name_matches
from .params import split_param
from .paths import PathForms, compile_path_pattern
from .patterns import Wildcard, compile_wildcard
from .rules import PermissionRule

COMMAND_NAMES = frozenset({"Bash", "Monitor", "PowerShell"})
_MAGIC = re.compile(r"[*?\[\\]")
SOMETHING = "\0"
"""Stands for whatever a star of the narrower rule may stand for: only a star of the wider one takes it."""


class Ground(NamedTuple):
    """What rules are compared on.

    Attributes:
        tools: the tools there are. base: what relative paths start from.
        roots: for each source, what ``/path`` starts from.
    """

    tools: Sequence[Tool]
    base: str
    roots: dict[str, str]


def covers_rule(wide: PermissionRule, narrow: PermissionRule, ground: Ground) -> bool:
    """Whether ``wide`` is certainly about every call that ``narrow`` is about."""
    if wide.specifier is None:
        return _covers_tools(wide, narrow, ground)
    if narrow.specifier is None or not _same_subject(wide, narrow):
        return False
    name = OLD_NAMES.get(narrow.tool_name, narrow.tool_name)
    if name in PATH_RULES:
        return _covers_paths(wide, narrow, ground)
    if wide.specifier == narrow.specifier:
        return True
    if name in COMMAND_NAMES:
        return _covers_text(compile_command_pattern(wide.specifier), compile_command_pattern(narrow.specifier))
    if name == "WebFetch":
        return _covers_domain(wide.specifier, narrow.specifier)
    if split_param(wide.specifier) or split_param(narrow.specifier):
        return False
    return _covers_text(
        compile_wildcard(wide.specifier, word_boundary=True), compile_wildcard(narrow.specifier, word_boundary=True)
    )


def _covers_tools(wide: PermissionRule, narrow: PermissionRule, ground: Ground) -> bool:
    """Whether a rule about whole tools is about every tool that the other one is about."""
    one, other = (OLD_NAMES.get(rule.tool_name, rule.tool_name) for rule in (wide, narrow))
    if one == other or compile_wildcard(one).matches(other.replace("*", SOMETHING)):
        return True
    if one.startswith("mcp__") and other.startswith(f"{one.removesuffix('__*')}__") and "*" not in one[:-1]:
        return one.count("__") == 1 or one.endswith("__*")
    named = [tool for tool in ground.tools if name_matches(narrow.tool_name, tool, narrow.behavior)]
    return bool(named) and all(matcher_for(wide, tool, None) is always for tool in named)


def _same_subject(wide: PermissionRule, narrow: PermissionRule) -> bool:
    one, other = (OLD_NAMES.get(rule.tool_name, rule.tool_name) for rule in (wide, narrow))
    if one == other:
        return True
    read_blocks_edit = (one, other, wide.behavior) == ("Read", "Edit", "deny")
    edit_implies_read = (one, other, wide.behavior, narrow.behavior) == ("Edit", "Read", "allow", "allow")
    return read_blocks_edit or edit_implies_read


def _covers_text(wide: Wildcard, narrow: Wildcard) -> bool:
    """Whether every text that fits ``narrow`` fits ``wide``."""
    if not narrow.boundary:
        return wide.matches(SOMETHING.join(narrow.pieces))
    start = SOMETHING.join(narrow.pieces)
    return wide.matches(start) and wide.matches(f"{start} {SOMETHING}")


def _covers_domain(wide: str, narrow: str) -> bool:
    if not (wide.lower().startswith(PREFIX) and narrow.lower().startswith(PREFIX)):
        return False
    one, other = (text[len(PREFIX) :].strip().rstrip(".").lower() for text in (wide, narrow))
    if one == "*":
        return True
    if "*" not in other:
        return domain_matches(one, other)
    return one == other or (one.startswith("*.") and other.startswith("*.") and other.endswith(one[1:]))


class FixedPath(NamedTuple):
    """The part of a path rule in which nothing is left open.

    Attributes:
        start: where the rule starts from. path: as far as it says exactly where, from there on.
        whole: the path is all that it says. anywhere: it may begin at any depth below the start.
        name: of a rule that is a single plain name at any depth, that name.
    """

    start: str
    path: str
    whole: bool
    anywhere: bool
    name: str = ""


def fixed_path(rule: PermissionRule, ground: Ground, behavior: RuleBehavior = "allow") -> FixedPath:
    """The fixed part of a rule about reading or editing, read as one of this behaviour.

    Raises:
        RuleSyntaxError: its path cannot be read.
    """
    assert rule.specifier is not None
    text = rule.specifier
    pattern = compile_path_pattern(text, "allow")
    source = ground.roots.get(rule.source, ground.base)
    home = os.path.expanduser("~") if pattern.anchor == "home" else ""
    start = {"root": "/", "home": home, "source": source, "cwd": ground.base}[pattern.anchor]
    for _ in range(pattern.up):
        start = os.path.dirname(start)
    parts = [part for part in text.removeprefix("~").split("/") if part not in ("", ".", "..")]
    from_start = text.startswith(("/", "./", "~")) or pattern.up > 0
    bare = not from_start and "/" not in text.rstrip("/")
    single_folder = behavior != "allow" and not from_start and len(parts) == 2 and parts[1] == "**"
    anywhere = bare or single_folder or parts[:1] == ["**"]
    plain: list[str] = []
    for part in parts:
        if _MAGIC.search(part):
            break
        plain.append(part)
    whole = len(plain) == len(parts)
    name = parts[0] if bare and whole and parts else ""
    path = start if anywhere else os.path.join(start, *plain)
    return FixedPath(start, path, whole and not anywhere, anywhere, name)


def _covers_paths(wide: PermissionRule, narrow: PermissionRule, ground: Ground) -> bool:
    assert wide.specifier is not None
    if wide.specifier == narrow.specifier and fixed_path(wide, ground).start == fixed_path(narrow, ground).start:
        return (wide.behavior, narrow.behavior) != ("allow", "deny")
    pattern = compile_path_pattern(wide.specifier, wide.behavior)
    source = ground.roots.get(wide.source, ground.base)

    def is_about(path: str) -> bool:
        return pattern.matches(PathForms(path, path), source_root=source, cwd=ground.base)

    return all(map(is_about, about_paths(narrow, ground)))


def about_paths(rule: PermissionRule, ground: Ground) -> Iterator[str]:
    """Paths that a rule about reading or editing is about: whoever is about all of them is about all that it is about.

    Raises:
        RuleSyntaxError: its path cannot be read.
    """
    fixed = fixed_path(rule, ground, rule.behavior)
    if rule.behavior != "allow" and fixed.anywhere:
        fixed = fixed._replace(path="/", start="/")  # such a rule reaches out of the folder that it is written for
    if fixed.name:
        yield from (os.path.join(fixed.start, *["\x01"] * depth, fixed.name) for depth in range(4))
    else:
        yield fixed.path
