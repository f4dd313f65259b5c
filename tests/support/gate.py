"""Small tools and contexts for tests of the gate."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jupyter_agenttools.core import (
    Cancellation,
    ContextState,
    Decision,
    HookEffects,
    Tool,
    ToolOptions,
    ToolPermissionContext,
    ToolUseContext,
    build_tool,
)
from jupyter_agenttools.permissions import build_permission_context, decide


async def _call(input: Any, context: ToolUseContext) -> str:
    raise AssertionError("the gate must not run a tool")


def make_tool(name: str, **definition: Any) -> Tool:
    return build_tool(name=name, call=_call, **definition)


def path_of(observed: Mapping[str, Any]) -> str | None:
    return observed.get("file_path") or observed.get("path")


def make_bash(**definition: Any) -> Tool:
    return make_tool("Bash", rule_family="command", primary_field="command", **definition)


BASH = make_bash()
READ = make_tool("Read", rule_family="read", get_path=path_of, is_read_only=True)
GREP = make_tool("Grep", rule_family="read", rule_names=("Read",), get_path=path_of, is_read_only=True)
WRITE = make_tool("Write", rule_family="edit", rule_names=("Edit",), get_path=path_of)
FETCH = make_tool("WebFetch", rule_family="domain", is_read_only=True)
PLAIN = make_tool("Plain")
LOOK = make_tool("Look", is_read_only=True)


def context_of(permission: ToolPermissionContext, cwd: Path | str, **state: Any) -> ToolUseContext:
    return ToolUseContext(
        tool_use_id="toolu_test",
        state=ContextState(permission, str(cwd), **state),
        options=ToolOptions(),
        session_dir=Path(cwd) / "session",
        cancellation=Cancellation(),
    )


def permission_of(cwd: Path | str, **permissions: Any) -> ToolPermissionContext:
    return build_permission_context({"permissions": permissions}, cwd=str(cwd))


async def ask_gate(
    tool: Tool,
    observed: Mapping[str, Any],
    cwd: Path | str,
    *,
    hook: HookEffects | None = None,
    permission: ToolPermissionContext | None = None,
    **permissions: Any,
) -> Decision:
    """The gate's answer under rules in the settings schema (``allow=[…], deny=[…], defaultMode=…``)."""
    context = context_of(permission or permission_of(cwd, **permissions), cwd)
    return await decide(tool, observed, observed, context, hook or HookEffects())
