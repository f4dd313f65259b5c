"""From all tools to the pool that a model sees: mode, deny rules, each tool's own veto, one fixed order."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.context import ToolOptions, ToolPermissionContext
from ..core.flags import ToolFlags, resolve_flags
from ..core.names import (
    ASK_USER_QUESTION_TOOL_NAME,
    BASH_TOOL_NAME,
    EDIT_TOOL_NAME,
    ENTER_PLAN_MODE_TOOL_NAME,
    EXIT_PLAN_MODE_TOOL_NAME,
    GLOB_TOOL_NAME,
    GREP_TOOL_NAME,
    NOTEBOOK_EDIT_TOOL_NAME,
    NOTEBOOK_READ_TOOL_NAME,
    POWERSHELL_TOOL_NAME,
    READ_TOOL_NAME,
    REPL_TOOL_NAME,
    TASK_OUTPUT_TOOL_NAME,
    WRITE_TOOL_NAME,
)
from ..core.tool import Tool
from ..permissions import filter_denied
from .base import get_all_base_tools, registered_tools

SIMPLE_TOOLS = frozenset({BASH_TOOL_NAME, READ_TOOL_NAME, EDIT_TOOL_NAME})
"""All there is in simple mode."""

REPL_ONLY_TOOLS = frozenset(
    {
        BASH_TOOL_NAME, EDIT_TOOL_NAME, GLOB_TOOL_NAME, GREP_TOOL_NAME, NOTEBOOK_EDIT_TOOL_NAME,
        NOTEBOOK_READ_TOOL_NAME, POWERSHELL_TOOL_NAME, READ_TOOL_NAME, WRITE_TOOL_NAME,
    }
)  # fmt: skip
"""The primitives: in REPL mode a model does not see them, and code that REPL runs calls them."""

NEVER_FOR_SUBAGENTS = frozenset(
    {
        ASK_USER_QUESTION_TOOL_NAME, ENTER_PLAN_MODE_TOOL_NAME, EXIT_PLAN_MODE_TOOL_NAME, TASK_OUTPUT_TOOL_NAME,
        "EndConversation", "ScheduleWakeup", "WaitForMcpServers", "Workflow",
    }
)  # fmt: skip
"""What only the agent may use that a person talks with (the documented list)."""


def get_tools(
    permission: ToolPermissionContext, options: ToolOptions | None = None, *, flags: ToolFlags | None = None
) -> tuple[Tool, ...]:
    """The built-in tools of this session, before MCP tools join: mode filter, deny filter, the hiding of primitives,
    each tool's own veto.

    Args:
        flags: of the session, as they were when it began; those of the environment when none are given.
    """
    flags = (options.flags if options is not None else resolve_flags()) if flags is None else flags
    options = options or ToolOptions(flags=flags)
    tools = registered_tools(get_all_base_tools(), flags)
    if flags.simple:
        tools = tuple(t for t in tools if t.name in SIMPLE_TOOLS)
    return tuple(t for t in _unhidden(filter_denied(tools, permission), permission, flags) if t.is_enabled(options))


def _unhidden(tools: tuple[Tool, ...], permission: ToolPermissionContext, flags: ToolFlags) -> tuple[Tool, ...]:
    """Without what REPL mode hides. Where REPL itself cannot be used nothing is hidden, or nothing would be left."""
    if not _may_run(REPL_TOOL_NAME, permission):
        return tuple(tool for tool in tools if tool.name != REPL_TOOL_NAME)
    if not flags.repl_mode or all(tool.name != REPL_TOOL_NAME for tool in tools):
        return tools
    return tuple(tool for tool in tools if tool.name not in REPL_ONLY_TOOLS)


def _may_run(name: str, permission: ToolPermissionContext) -> bool:
    """Whether a call that always asks can pass at all: somebody can be asked, or something already said yes."""
    if not permission.should_avoid_permission_prompts and permission.mode != "dontAsk":
        return True
    if permission.mode == "bypassPermissions" and permission.is_bypass_permissions_mode_available:
        return True
    rules = (rule for rules in permission.always_allow_rules.values() for rule in rules)
    return any(rule.strip() == name or rule.strip().startswith(f"{name}(") for rule in rules)


def hidden_tools(
    pool: Sequence[Tool], permission: ToolPermissionContext, flags: ToolFlags | None = None
) -> tuple[Tool, ...]:
    """The primitives that this pool hides behind REPL; what is denied outright is not among them."""
    shown = {tool.name for tool in pool}
    if not (flags or resolve_flags()).repl_mode or REPL_TOOL_NAME not in shown:
        return ()
    primitives = (tool for tool in get_all_base_tools() if tool.name in REPL_ONLY_TOOLS - shown)
    usable = tuple(tool for tool in primitives if tool.is_enabled(ToolOptions()))
    return tuple(sorted(filter_denied(usable, permission), key=lambda tool: tool.name))


def tools_for_subagent(tools: Sequence[Tool], permission: ToolPermissionContext) -> tuple[Tool, ...]:
    """Those of ``tools`` that a sub-agent may be given; one that plans may also put its plan before the person."""
    spared = {EXIT_PLAN_MODE_TOOL_NAME} if permission.mode == "plan" else set()
    return tuple(tool for tool in tools if tool.name not in NEVER_FOR_SUBAGENTS - spared)


def assemble_tool_pool(
    permission: ToolPermissionContext,
    mcp_tools: Sequence[Tool] = (),
    own_tools: Sequence[Tool] = (),
    *,
    flags: ToolFlags | None = None,
) -> tuple[Tool, ...]:
    """The pool in its one order: built-ins by name, then a person's own and MCP tools by name; a built-in name wins.

    The built-ins stay one unchanging prefix, so that a provider's prompt cache stays valid whatever joins later.
    """
    built_in = sorted(get_tools(permission, flags=flags), key=lambda t: t.name)
    taken = {t.name for t in (*built_in, *get_all_base_tools())}
    others = {t.name: t for t in filter_denied((*mcp_tools, *own_tools), permission) if t.name not in taken}
    return (*built_in, *(others[name] for name in sorted(others)))
