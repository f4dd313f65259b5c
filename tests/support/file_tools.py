"""Calling a file tool the way the pipeline does, without rights: parse, validate, call, map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_agenttools.core import (
    Cancellation,
    ContextState,
    Message,
    Tool,
    ToolOptions,
    ToolPermissionContext,
    ToolUseContext,
)
from jupyter_agenttools.core.blocks import new_tool_use_id
from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.core.schema import parse_input
from jupyter_agenttools.files import FileStateCache


@dataclass
class Workspace:
    """A working directory and one reader's memory of what it read."""

    cwd: Path
    state: FileStateCache = field(default_factory=FileStateCache)
    env: Mapping[str, str] = field(default_factory=dict)
    messages: Sequence[Message] = ()
    agent_id: str | None = None
    cancellation: Cancellation = field(default_factory=Cancellation)

    def context(self) -> ToolUseContext:
        return ToolUseContext(
            new_tool_use_id(),
            ContextState(ToolPermissionContext(), str(self.cwd)),
            ToolOptions(env=self.env),
            self.cwd / ".session",
            self.cancellation,
            read_file_state=self.state,
            messages=tuple(self.messages),
            agent_id=self.agent_id,
        )

    async def use(self, tool: Tool, **fields: Any) -> Any:
        """The output of one call.

        Raises:
            ToolError: what the tool refuses, at whichever stage.
        """
        return (await self.use_in(self.context(), tool, fields))[0]

    async def text(self, tool: Tool, **fields: Any) -> str:
        """What the model reads of one call."""
        return (await self.use_in(self.context(), tool, fields))[1]

    async def use_in(self, context: ToolUseContext, tool: Tool, fields: Mapping[str, Any]) -> tuple[Any, str]:
        input = parse_input(tool, fields)
        if tool.validate_input is not None:
            verdict = await tool.validate_input(input, context)
            if not verdict.result:
                raise ToolValidationError(verdict.message, check_id=verdict.check_id)
        result = await tool.call(input, context)
        return result.data, tool.map_tool_result(result.data, context.tool_use_id).text
