"""Rules about paths, for tools that touch more paths than the one that the gate sees."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..core.context import RuleBehavior, ToolPermissionContext
from ..core.errors import RuleSyntaxError
from .path_rules import Access
from .paths import PathForms, path_forms
from .question import base_folder, working_directories
from .roots import is_inside, resolve
from .table import table_of


def matching_rule_for_path(
    path: str, permission: ToolPermissionContext, *, cwd: str, access: Access, behavior: RuleBehavior
) -> str | None:
    """The first rule of this behaviour about reading or editing ``path``, with its source; ``None`` when there is none.

    Args:
        path: absolute, or relative to ``cwd``. Links are followed.
        access: for ``read``, allow rules about editing count too; for ``edit``, deny rules about reading do.

    Raises:
        RuleSyntaxError: a rule's path pattern cannot be read.
    """
    base = base_folder(permission, cwd)
    rules = table_of(permission).path_rules(access, behavior)
    if not rules.all:
        return None
    forms = path_forms(path, cwd)
    for rule, pattern in rules.likely(forms):
        root = permission.rule_roots.get(rule.source, base)
        if pattern is None or pattern.matches(forms, source_root=root, cwd=base):
            return rule.label
    return None


def may_look(permission: ToolPermissionContext, path: str, *, cwd: str) -> bool:
    """Whether a call may tell what is at ``path`` before anybody was asked: in the working directories, and no deny or
    ask rule about reading is in the way. A rule that cannot be read is in the way of everything.
    """
    try:
        is_kept = path_filter(permission, cwd=cwd)
    except RuleSyntaxError:
        return False
    inside = is_inside(resolve(path, cwd), working_directories(permission, cwd))
    return inside and (is_kept is None or not is_kept(path))


def path_filter(
    permission: ToolPermissionContext, *, cwd: str, tool_name: str = "Read"
) -> Callable[[str], bool] | None:
    """A test for "a deny or ask rule keeps this path from being read", ``None`` when there is no such rule at all.

    For tools that find files: what a rule guards must not show up in a search that nobody was asked about.

    Args:
        tool_name: the tool that finds them; rules of its own count beside those about Read.

    Raises:
        RuleSyntaxError: a rule's path pattern cannot be read.
    """
    tests = _keeping_tests(permission, cwd, tool_name)
    if not tests:
        return None

    def is_kept(path: str) -> bool:
        forms = path_forms(path, cwd)
        return any(test(forms) for test in tests)

    return is_kept


def tree_filter(
    permission: ToolPermissionContext, *, cwd: str, root: str, tool_name: str = "Read"
) -> Callable[[str], bool] | None:
    """As :func:`path_filter`, for paths relative to the absolute folder ``root`` with no link on the way to them: so
    none has to be followed for each.

    Raises:
        RuleSyntaxError: a rule's path pattern cannot be read.
    """
    tests = _keeping_tests(permission, cwd, tool_name)
    if not tests:
        return None
    given, resolved = (form.rstrip("/") + "/" for form in path_forms(root, cwd))

    def is_kept(relative: str) -> bool:
        forms = PathForms(given + relative, resolved + relative)
        return any(test(forms) for test in tests)

    return is_kept


_NAME_RULE = re.compile(r"([\w.\-]+)(?:/\*\*)?|\*\*/([\w.\-]+)", re.ASCII)


def hidden_names(permission: ToolPermissionContext) -> tuple[str, ...]:
    """Names that no file or folder has, at any depth, of which something may be read without asking.

    What a search need not even look into; only rules that are as plain as that are among them.
    """
    found = []
    for behavior in ("deny", "ask"):
        for rule in table_of(permission).rules[behavior]:
            plain = _NAME_RULE.fullmatch(rule.specifier or "") if rule.tool_name == "Read" else None
            if plain is not None and (name := plain[1] or plain[2]) not in (".", ".."):
                found.append(name)
    return tuple(dict.fromkeys(found))


def _keeping_tests(permission: ToolPermissionContext, cwd: str, tool_name: str) -> list[Callable[[PathForms], bool]]:
    """The tests of deny and ask rules about reading."""
    base = base_folder(permission, cwd)
    return [
        pattern.test(source_root=permission.rule_roots.get(rule.source, base), cwd=base)
        for behavior in ("deny", "ask")
        for rule, pattern in table_of(permission).path_rules("read", behavior, tool_name).all
        if pattern is not None
    ]
