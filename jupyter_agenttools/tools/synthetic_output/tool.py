"""The tool that takes the final answer of one query, made for its schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.cancel import Cancellation
from ...core.decision import PermissionResult
from ...core.immutable import freeze, thaw
from ...core.names import SYNTHETIC_OUTPUT_TOOL_NAME
from ...core.result import ToolResult
from ...core.tool import Tool
from ...core.views import Density, JsonBlockView, ToolView
from .schema import WRAPPED, check_output_schema, input_schema, is_object_schema

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

DESCRIPTION = "Hand over the final answer as data in the form that is asked for."
PROMPT = """\
- The answer of this task is data, not prose: when you have it, call this tool once, with the whole of it.
- What does not fit the schema is refused, with every place that is wrong: mend them all and call it again.
- After it was taken end your turn; no summary is needed."""
TAKEN = "The output fits the schema and was taken. End your turn now."
NAME = "Output"


@dataclass(frozen=True)
class SyntheticOutput:
    """The answer: frozen JSON data that fits the schema."""

    value: Any


def create_synthetic_output_tool(schema: Mapping[str, Any], cancellation: Cancellation | None = None) -> Tool:
    """The tool that takes data of this schema. It is in the pool of a query that asks for it, and nowhere else.
    Waits and raises as :func:`check_output_schema`."""
    check_output_schema(schema, cancellation)
    is_object = is_object_schema(schema)

    def value_of(input: Mapping[str, Any]) -> Any:
        return input if is_object else input.get(WRAPPED)

    async def call(input: Mapping[str, Any], context: ToolUseContext) -> ToolResult[SyntheticOutput]:
        value = freeze(value_of(input))
        return ToolResult(SyntheticOutput(value), structured_output=value)

    return build_tool(
        name=SYNTHETIC_OUTPUT_TOOL_NAME,
        call=call,
        input_json_schema=freeze(input_schema(schema)),
        description=DESCRIPTION,
        prompt=PROMPT,
        search_hint="the final answer as data",
        map_tool_result=lambda output, tool_use_id: ToolResultBlock(tool_use_id, TAKEN),
        check_permissions=_always,
        is_read_only=True,
        is_concurrency_safe=True,
        user_facing_name=lambda input: NAME,
        render_tool_use=_render_tool_use,
        render_result=_render_result,
        get_activity_description=lambda input: "Handing over the answer",
    )


async def _always(input: Any, context: ToolUseContext) -> PermissionResult:
    """It hands over what the model says anyway."""
    return PermissionResult("allow", "it only hands over the answer", check_id="output-only")


def _render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    return ToolView(NAME, blocks=() if density == "condensed" else (JsonBlockView(thaw(input)),))


def _render_result(output: SyntheticOutput, density: Density) -> ToolView:
    return ToolView(NAME, blocks=() if density == "condensed" else (JsonBlockView(thaw(output.value)),))
