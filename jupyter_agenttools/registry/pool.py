"""From all tools to the pool that a model sees: mode, deny rules, each tool's own veto, one fixed order."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..core.context import ToolOptions, ToolPermissionContext
from ..core.names import (
    ASK_USER_QUESTION_TOOL_NAME,
    BASH_TOOL_NAME,
    EDIT_TOOL_NAME,
    ENTER_PLAN_MODE_TOOL_NAME,
    EXIT_PLAN_MODE_TOOL_NAME,
    READ_TOOL_NAME,
    TASK_OUTPUT_TOOL_NAME,
)
from ..core.tool import Tool
from ..permissions import filter_denied
from .base import get_all_base_tools

SIMPLE_TOOLS = frozenset({BASH_TOOL_NAME, READ_TOOL_NAME, EDIT_TOOL_NAME})
"""All there is in simple mode."""

NEVER_FOR_SUBAGENTS = frozenset(
    {
        ASK_USER_QUESTION_TOOL_NAME, ENTER_PLAN_MODE_TOOL_NAME, EXIT_PLAN_MODE_TOOL_NAME, TASK_OUTPUT_TOOL_NAME,
        "EndConversation", "ScheduleWakeup", "WaitForMcpServers", "Workflow",
    }
)  # fmt: skip
"""What only the agent may use that a person talks with (the documented list)."""


def is_env_truthy(name: str) -> bool:
    """Whether an environment variable is set to something that means yes."""
    return os.environ.get(name, "").strip().lower() in ("1", "true", "yes", "on")


def get_tools(permission: ToolPermissionContext, options: ToolOptions | None = None) -> tuple[Tool, ...]:
    """The built-in tools of this session, before MCP tools join: mode filter, deny filter, each tool's own veto."""
    options = options or ToolOptions()
    tools = get_all_base_tools()
    if is_env_truthy("CLAUDE_CODE_SIMPLE") or is_env_truthy("JUPYTER_AGENTTOOLS_SIMPLE"):
        tools = tuple(t for t in tools if t.name in SIMPLE_TOOLS)
    return tuple(t for t in filter_denied(tools, permission) if t.is_enabled(options))


def tools_for_subagent(tools: Sequence[Tool], permission: ToolPermissionContext) -> tuple[Tool, ...]:
    """Those of ``tools`` that a sub-agent may be given; one that plans may also put its plan before the person."""
    spared = {EXIT_PLAN_MODE_TOOL_NAME} if permission.mode == "plan" else set()
    return tuple(tool for tool in tools if tool.name not in NEVER_FOR_SUBAGENTS - spared)


def assemble_tool_pool(
    permission: ToolPermissionContext, mcp_tools: Sequence[Tool] = (), own_tools: Sequence[Tool] = ()
) -> tuple[Tool, ...]:
    """The pool in its one order: built-ins by name, then a person's own and MCP tools by name; a built-in name wins.

    The built-ins stay one unchanging prefix, so that a provider's prompt cache stays valid whatever joins later.
    """
    built_in = sorted(get_tools(permission), key=lambda t: t.name)
    taken = {t.name for t in built_in}
    others = {t.name: t for t in filter_denied((*mcp_tools, *own_tools), permission) if t.name not in taken}
    return (*built_in, *(others[name] for name in sorted(others)))
