"""Which rules have no effect, or another one than their text suggests?

Nothing is said of a rule that may well have an effect: a tool of a server that is not connected, a file that is still
to come, a command that nobody has typed yet.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from ..core.context import RuleBehavior, ToolUseContext
from ..core.errors import AgentToolsError
from ..core.names import BASH_TOOL_NAME
from ..core.tool import Tool
from .command_rule_check import command_problem, passes_too
from .cover_index import CoverIndex
from .domains import PREFIX
from .matchers import IGNORED_PATH_RULES, PATH_RULES
from .names import KNOWN_NAMES, OLD_NAMES, name_matches
from .params import PRIMARY_FIELDS
from .patterns import compile_wildcard
from .question import base_folder
from .rule_cover import COMMAND_NAMES, Ground, covers_rule, fixed_path
from .rules import PermissionRule

FindingKind = Literal["unknown-tool", "ignored", "never-matches", "shadowed", "no-such-path", "broad"]

_FIELD = re.compile(r"([A-Za-z_]\w*):(.*)", re.DOTALL)
_SHADOWED_BY: dict[RuleBehavior, tuple[RuleBehavior, ...]] = {
    "deny": ("deny",),
    "ask": ("deny", "ask"),
    "allow": ("deny", "ask", "allow"),
}


class PlacedRule(NamedTuple):
    """A rule with where it is written, e.g. ``/home/me/.claude/settings.json:12``, ``""`` for in the session."""

    rule: PermissionRule
    place: str = ""

    @property
    def label(self) -> str:
        return f"{self.rule.behavior} {self.rule.text} [{self.place or self.rule.source}]"


class Finding(NamedTuple):
    """What is the matter with a rule.

    Attributes:
        placed: the rule. kind: the stable name of the kind of fault.
        text: what it is, and what to write instead. by: the rule that stands in its way.
    """

    placed: PlacedRule
    kind: FindingKind
    text: str
    by: PlacedRule | None = None


def check_rules(
    rules: Sequence[PlacedRule],
    tools: Sequence[Tool],
    context: ToolUseContext,
    *,
    only: Sequence[PlacedRule] | None = None,
) -> tuple[Finding, ...]:
    """What is the matter with these rules? At most one finding for each, in their order.

    Args:
        rules: all that count, in any order. tools: every tool, also those that are denied.
        context: of the session whose rules they are. only: those of the rules of which something shall be said.
    """
    permission = context.permission
    ground = Ground(tools, base_folder(permission, context.cwd), dict(permission.rule_roots))
    check = _Check(rules, ground, context)
    asked = rules if only is None else only
    return tuple(finding for placed in asked if (finding := check.finding(placed)) is not None)


class _Check:
    def __init__(self, rules: Sequence[PlacedRule], ground: Ground, context: ToolUseContext) -> None:
        self._ground, self._context = ground, context
        self._places = {id(placed): at for at, placed in enumerate(rules)}
        self._by_behavior = {b: [placed for placed in rules if placed.rule.behavior == b] for b in _SHADOWED_BY}
        self._indexes: dict[str, CoverIndex] = {}
        self._tools = {name: tool for tool in reversed(ground.tools) for name in (tool.name, *tool.aliases)}
        self._names = KNOWN_NAMES.union(self._tools)
        self._tests: tuple[Callable[[PlacedRule], Finding | None], ...] = (
            self._unknown,
            self._ignored,
            self._field,
            self._specifier,
            self._command,
            self._shadowed,
            self._path,
        )

    def finding(self, placed: PlacedRule) -> Finding | None:
        for test in self._tests:
            try:
                if (found := test(placed)) is not None:
                    return found
            except (AgentToolsError, OSError, ValueError):
                continue  # of such a rule nothing can be said
        return None

    def _tool(self, rule: PermissionRule) -> Tool | None:
        """The tool of that very name."""
        return self._tools.get(OLD_NAMES.get(rule.tool_name, rule.tool_name))

    def _unknown(self, placed: PlacedRule) -> Finding | None:
        rule = placed.rule
        name = rule.tool_name
        if name in self._names or name.startswith("mcp__") or name in OLD_NAMES:
            return None
        if "*" in name:
            start = name.partition("*")[0]
            if "mcp__".startswith(start) or any(map(compile_wildcard(name).matches, self._names)):
                return None
            return Finding(placed, "unknown-tool", f"no tool has a name like {name}")
        if any(name_matches(name, tool, rule.behavior) for tool in self._ground.tools):
            return None
        folded = {known.casefold(): known for known in self._names}
        near = difflib.get_close_matches(name.casefold(), folded, n=1)
        hint = f"; did you mean {folded[near[0]]}?" if near else ""
        return Finding(placed, "unknown-tool", f"no tool is called {name}{hint}")

    def _ignored(self, placed: PlacedRule) -> Finding | None:
        rule = placed.rule
        if rule.behavior != "allow" or rule.specifier is None or rule.tool_name not in IGNORED_PATH_RULES:
            return None
        instead = "Edit" if rule.tool_name in ("Write", "NotebookEdit", "MultiEdit") else "Read"
        said = f"paths of {rule.tool_name} are governed by rules about {instead}: write {instead}({rule.specifier})"
        return Finding(placed, "ignored", said)

    def _field(self, placed: PlacedRule) -> Finding | None:
        rule = placed.rule
        match = _FIELD.fullmatch(rule.specifier or "")
        tool = self._tool(rule)
        if match is None or tool is None:
            return None
        field, value = match.groups()
        fields = tool.json_schema.get("properties", {})
        if rule.tool_name == "WebFetch" and field == "domain":
            return None
        if field in PRIMARY_FIELDS and field in fields:
            said = f"{field} is what rules about {rule.tool_name} are about anyway: write {rule.tool_name}({value})"
            return Finding(placed, "never-matches", said)
        if field in fields and rule.behavior == "allow":
            said = f"a rule about a field ({field}) counts for deny and ask only"
            return Finding(placed, "never-matches", said)
        by_name = tool.rule_family == "name" and tool.prepare_permission_matcher is None
        if by_name and fields and field not in fields:
            near = difflib.get_close_matches(field, fields, n=1)
            hint = f"; did you mean {near[0]}?" if near else f" ({', '.join(fields)})"
            return Finding(placed, "never-matches", f"{rule.tool_name} has no field {field}{hint}")
        return None

    def _specifier(self, placed: PlacedRule) -> Finding | None:
        rule = placed.rule
        text = rule.specifier
        if text is None:
            return None
        is_field = rule.behavior != "allow" and _FIELD.fullmatch(text) is not None
        if rule.tool_name == "WebFetch" and not text.lower().startswith(PREFIX) and not is_field:
            return Finding(placed, "never-matches", f"hosts are written WebFetch({PREFIX}example.org)")
        if rule.tool_name == "WebSearch" and not is_field:
            return Finding(placed, "never-matches", "WebSearch has nothing that a rule could be about: write WebSearch")
        if rule.tool_name.startswith("mcp__") and not is_field:
            said = f"tools of MCP servers have no text in parentheses: write {rule.tool_name}"
            return Finding(placed, "never-matches", said)
        tool = self._tool(rule)
        if tool is not None and tool.rule_family == "name" and tool.primary_field is None and not is_field:
            if tool.prepare_permission_matcher is None:
                said = f"{tool.name} has nothing that a rule could be about: write {tool.name}"
                return Finding(placed, "never-matches", said)
        return None

    def _command(self, placed: PlacedRule) -> Finding | None:
        tool = self._tool(placed.rule)
        if tool is None or tool.name != BASH_TOOL_NAME or placed.rule.specifier is None:
            return None
        problem = command_problem(placed.rule, tool, self._context)
        return None if problem is None else Finding(placed, "never-matches", problem)

    def _shadowed(self, placed: PlacedRule) -> Finding | None:
        for by in self._in_the_way(placed):
            if not covers_rule(by.rule, placed.rule, self._ground):
                continue
            same = by.rule.behavior == placed.rule.behavior
            if same and not self._adds_nothing(placed.rule, by.rule):
                continue
            if same and covers_rule(placed.rule, by.rule, self._ground) and self._before(placed, by):
                continue  # of two that say the same the first one is kept
            return Finding(placed, "shadowed", _said_of_shadow(placed.rule, by), by)
        return None

    def _adds_nothing(self, rule: PermissionRule, by: PermissionRule) -> bool:
        tool = self._tool(rule)
        if rule.behavior != "allow" or by.specifier is None or tool is None or tool.name not in COMMAND_NAMES:
            return True
        return tool.name == BASH_TOOL_NAME and passes_too(by, rule, tool, self._context)

    def _in_the_way(self, placed: PlacedRule) -> Iterator[PlacedRule]:
        """The rules that are looked at before this one; of its own kind those that are written in the same place."""
        for behavior in _SHADOWED_BY[placed.rule.behavior]:
            for by in self._likely(behavior, placed.rule):
                if by is not placed and (behavior != placed.rule.behavior or _file(by) == _file(placed)):
                    yield by

    def _likely(self, behavior: RuleBehavior, rule: PermissionRule) -> Iterator[PlacedRule]:
        """The rules of this behaviour that could cover ``rule``: every one that does, and few others."""
        rules = self._by_behavior[behavior]
        index = self._indexes.get(behavior)
        if index is None:
            index = self._indexes[behavior] = CoverIndex([placed.rule for placed in rules], self._ground)
        return (rules[at] for at in index.candidates(rule))

    def _before(self, one: PlacedRule, other: PlacedRule) -> bool:
        return self._places[id(one)] < self._places[id(other)]

    def _path(self, placed: PlacedRule) -> Finding | None:
        rule = placed.rule
        if rule.tool_name not in PATH_RULES or rule.specifier is None:
            return None
        fixed = fixed_path(rule, self._ground)
        if rule.specifier.startswith("/") and not rule.specifier.startswith("//"):
            first = "/" + rule.specifier.strip("/").split("/")[0]
            if first != "/" and os.path.isdir(first) and not os.path.lexists(fixed.start.rstrip("/") + first):
                said = f"`/` starts from {fixed.start}, where there is no {first[1:]}; a path from the root is written "
                return Finding(placed, "no-such-path", f"{said}{rule.tool_name}(/{rule.specifier})")
        if rule.behavior != "allow" or fixed.anywhere:
            return None
        folder = os.path.dirname(fixed.path) if fixed.whole else fixed.path
        if not os.path.isdir(folder):
            return Finding(placed, "no-such-path", f"there is no folder {folder}")
        return self._led_elsewhere(placed, fixed.path)

    def _led_elsewhere(self, placed: PlacedRule, path: str) -> Finding | None:
        """A rule of which the place that it names lies somewhere else, through a link: it has to name that too."""
        real = os.path.realpath(path)
        if real == path or not os.path.lexists(path) or real == os.path.normpath(path):
            return None
        there = placed.rule._replace(specifier="/" + real)
        if covers_rule(placed.rule, there, self._ground):
            return None
        if any(covers_rule(by.rule, there, self._ground) for by in self._likely("allow", there)):
            return None
        said = f"{path} leads to {real}, which no allow rule is about; a rule has to be about where a path leads"
        return Finding(placed, "no-such-path", said)


def _file(placed: PlacedRule) -> str:
    return placed.place.rpartition(":")[0] or placed.rule.source


def _said_of_shadow(rule: PermissionRule, by: PlacedRule) -> str:
    if by.rule.behavior == rule.behavior:
        return f"it adds nothing to {by.label}"
    if rule.tool_name == "Edit" and rule.behavior == "allow" and by.rule.tool_name != "Read":
        return f"it lets no edit pass, which {by.label} stands against; what it says of reading holds"
    what = "denies" if by.rule.behavior == "deny" else "asks about"
    return f"it has no effect: {by.label} {what} all that it is about"
