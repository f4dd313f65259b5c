"""Calls of the Bash tool, one after the other, with the state that they hand on; no pipeline around them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jupyter_agenttools.core import (
    Cancellation,
    ContextState,
    ToolOptions,
    ToolPermissionContext,
    ToolResult,
    ToolUseContext,
)
from jupyter_agenttools.core.context import create_subagent_context
from jupyter_agenttools.core.schema import parse_input
from jupyter_agenttools.tools.bash import BashOutput, BashProgress, bash_tool


@dataclass
class BashCall:
    """One call that is over: its result, what the model reads, and the progress that came."""

    result: ToolResult[BashOutput]
    text: str
    progress: list[BashProgress]

    @property
    def output(self) -> BashOutput:
        return self.result.data


class BashSession:
    """The shared state of several calls.

    Args:
        folder: holds the session's files; the working directory is ``folder/work``.
        env: the session's ``env`` setting.
    """

    def __init__(self, folder: Path, env: Mapping[str, str] | None = None) -> None:
        self.work = folder / "work"
        self.work.mkdir(exist_ok=True)
        permission = ToolPermissionContext(rule_roots={"session": str(self.work)})
        self.state = ContextState(permission, str(self.work))
        self.options = ToolOptions(env=dict(env or {}))
        self.dir = folder / "session"
        self.calls = 0

    def context(self, **fields: Any) -> ToolUseContext:
        self.calls += 1
        return ToolUseContext(f"call_{self.calls}", self.state, self.options, self.dir, Cancellation(), **fields)

    async def __call__(
        self,
        command: str,
        *,
        hardened: bool = False,
        sub_agent: bool = False,
        cancellation: Cancellation | None = None,
        on_progress: Callable[[BashProgress], None] = lambda payload: None,
        **fields: Any,
    ) -> BashCall:
        seen: list[BashProgress] = []
        lock = threading.Lock()

        def report(payload: BashProgress) -> None:
            with lock:
                seen.append(payload)
            on_progress(payload)

        context = self.context(hardened=hardened, on_progress=report)
        if cancellation is not None:
            context = replace(context, cancellation=cancellation)
        if sub_agent:
            context = create_subagent_context(context, agent_id="a1", agent_type="general")
        result = await bash_tool.call(parse_input(bash_tool, {"command": command, **fields}), context)
        if result.context_modifier is not None:
            self.state = result.context_modifier(self.state)
        block = bash_tool.map_tool_result(result.data, context.tool_use_id)
        assert block.is_error is result.is_error
        return BashCall(result, block.text, seen)
