"""Rules about reading or editing files, as those ask for them that know which file they touch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from ..core.context import RuleBehavior
from .path_index import PathIndex
from .paths import PathForms, PathPattern, compile_path_pattern
from .rules import PermissionRule

Access = Literal["read", "edit"]

MANY = 24
"""From so many rules on it costs less to look for those that could be about a path than to try them all."""


class PathRules:
    """The rules of one behaviour about one access, each with its pattern; ``None`` for a rule about every path.

    Args:
        rules: all rules of that behaviour, in their order.
        access: for ``read``, allow rules about editing count too; for ``edit``, deny rules about reading do.
        also: a tool whose rules about paths count too.

    Raises:
        RuleSyntaxError: a pattern cannot be read.
    """

    def __init__(self, rules: Sequence[PermissionRule], access: Access, behavior: RuleBehavior, also: str) -> None:
        own, other = ("Read", "Edit") if access == "read" else ("Edit", "Read")
        implied = (access, behavior) in (("read", "allow"), ("edit", "deny"))
        self.all: list[tuple[PermissionRule, PathPattern | None]] = [
            (rule, None if rule.specifier is None else compile_path_pattern(rule.specifier, behavior))
            for rule in rules
            if rule.tool_name in (own, also) or (implied and rule.tool_name == other and rule.specifier is not None)
        ]
        self._whole = [at for at, (_, pattern) in enumerate(self.all) if pattern is None]
        self._index: PathIndex | None = None

    def likely(self, path: PathForms) -> Iterator[tuple[PermissionRule, PathPattern | None]]:
        """Every rule that could be about ``path``, in their order; the others are not."""
        if len(self.all) < MANY:
            yield from self.all
            return
        if self._index is None:
            self._index = PathIndex([(at, pattern) for at, (_, pattern) in enumerate(self.all) if pattern is not None])
        for at in sorted((*self._whole, *self._index.candidates((path,)))):
            yield self.all[at]
