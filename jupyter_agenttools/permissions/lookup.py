"""Rules about paths, for tools that touch more paths than the one that the gate sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from ..core.context import RuleBehavior, ToolPermissionContext
from .paths import PathPattern, compile_path_pattern, path_forms
from .question import base_folder
from .rules import PermissionRule
from .table import table_of

Access = Literal["read", "edit"]


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
    for rule, pattern in _path_rules(permission, access, behavior):
        root = permission.rule_roots.get(rule.source, base)
        if pattern is None or pattern.matches(path_forms(path, cwd), source_root=root, cwd=base):
            return rule.label
    return None


def path_filter(permission: ToolPermissionContext, *, cwd: str) -> Callable[[str], bool] | None:
    """A test for "a deny or ask rule keeps this path from being read", ``None`` when there is no such rule at all.

    For tools that find files: what a rule guards must not show up in a search that nobody was asked about.

    Raises:
        RuleSyntaxError: a rule's path pattern cannot be read.
    """
    base = base_folder(permission, cwd)
    tests = [
        (pattern, permission.rule_roots.get(rule.source, base))
        for behavior in ("deny", "ask")
        for rule, pattern in _path_rules(permission, "read", behavior)
        if pattern is not None
    ]
    if not tests:
        return None

    def is_kept(path: str) -> bool:
        forms = path_forms(path, cwd)
        return any(pattern.matches(forms, source_root=root, cwd=base) for pattern, root in tests)

    return is_kept


def _path_rules(
    permission: ToolPermissionContext, access: Access, behavior: RuleBehavior
) -> list[tuple[PermissionRule, PathPattern | None]]:
    """The rules with their patterns, ``None`` for one about every path."""
    own, other = ("Read", "Edit") if access == "read" else ("Edit", "Read")
    implied = (access, behavior) in (("read", "allow"), ("edit", "deny"))
    return [
        (rule, None if rule.specifier is None else compile_path_pattern(rule.specifier, behavior))
        for rule in table_of(permission).rules[behavior]
        if rule.tool_name == own or (implied and rule.tool_name == other and rule.specifier is not None)
    ]
