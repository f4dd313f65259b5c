"""Which tools a rule's name is about: a tool, its aliases, an MCP server, or a name with stars."""

from __future__ import annotations

import difflib

from ..core.context import RuleBehavior
from ..core.tool import Tool
from .patterns import compile_wildcard

KNOWN_NAMES = frozenset(
    "Agent AgentOutputTool AskUserQuestion Bash BashOutput Brief Cd Config CronCreate CronDelete CronList Edit "
    "EndConversation EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree FileEdit FileRead FileWrite Glob Grep "
    "InspectVariable KillBash KillShell LSP ListMcpResourcesTool Monitor MultiEdit NotebookEdit NotebookRead "
    "PowerShell REPL Read ReadMcpResourceTool RunCell ScheduleWakeup SendMessage Skill Sleep SyntheticOutput Task "
    "TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch WaitForMcpServers WebFetch "
    "WebSearch Workflow Write".split()
)
"""Names of tools that rules are written for, here or elsewhere; a tool of one's own may have any other."""

_BY_FOLDED = {name.casefold(): name for name in KNOWN_NAMES}

OLD_NAMES = {"Task": "Agent"}
"""Names of tools that rules in old settings still use."""


def meant_name(name: str, likeness: float = 0.8) -> str | None:
    """The known name that this one, which is none, is nearly."""
    if name in KNOWN_NAMES or name.startswith("mcp__"):
        return None
    near = difflib.get_close_matches(name.casefold(), _BY_FOLDED, n=1, cutoff=likeness)
    return _BY_FOLDED[near[0]] if near else None


def names_of(tool: Tool) -> tuple[str, ...]:
    """Every name by which a rule may call ``tool``."""
    names = dict.fromkeys((tool.name, *tool.aliases, *tool.rule_names))
    if tool.mcp_info:
        server, remote = (tool.mcp_info.get(key) for key in ("serverName", "toolName"))
        if server and remote:
            names[f"mcp__{server}__{remote}"] = None
    return tuple(names)


def name_matches(rule_name: str, tool: Tool, behavior: RuleBehavior) -> bool:
    """Whether a rule of this name and behaviour is about ``tool``."""
    wanted = OLD_NAMES.get(rule_name, rule_name)
    names = names_of(tool)
    if wanted in names:
        return True
    if "*" in wanted:
        return any(compile_wildcard(wanted).matches(name) for name in names)
    return wanted.startswith("mcp__") and _is_server_of(wanted, tool, names, behavior)


def _is_server_of(wanted: str, tool: Tool, names: tuple[str, ...], behavior: RuleBehavior) -> bool:
    server = (tool.mcp_info or {}).get("serverName")
    if server and behavior == "allow":  # a server's name may itself hold `__`: only the whole name gives rights
        return wanted == f"mcp__{server}"
    return any(name.startswith(f"{wanted}__") for name in names)
