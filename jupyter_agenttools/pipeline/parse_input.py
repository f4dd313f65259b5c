"""Stage 1: which tool is meant, and does the input fit its schema?"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import anyio.to_thread

from ..core.call import CallState
from ..core.cancel import Cancellation
from ..core.errors import InputValidationError, UnknownToolError
from ..core.names import INTERNAL_INPUT_FIELDS
from ..core.schema import parse_input
from ..core.tool import Tool, find_tool_by_name
from .environment import CallEnvironment, StageOutput


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    if why := env.withheld(state.tool_use.name):
        raise UnknownToolError(why, check_id="tool-not-offered")
    tool = find_tool_by_name(env.tools, state.tool_use.name)
    if tool is None:
        raise UnknownToolError(describe_unknown(state.tool_use.name, env.tools), check_id="unknown-tool")
    if state.problem:
        raise InputValidationError(f"{tool.name}: {state.problem}", check_id="input-unreadable")
    raw = state.tool_use.input
    if not isinstance(raw, Mapping):
        message = f"{tool.name}: the input is an object, not {type(raw).__name__}"
        raise InputValidationError(message, check_id="input-no-object")
    # An input that was approved as it is comes from whoever answered, and not from the model.
    reserved = () if state.approved is not None else tool.person_fields
    internal = INTERNAL_INPUT_FIELDS.union(reserved).intersection(raw)
    if internal:
        raw = {key: value for key, value in raw.items() if key not in internal}
    parsed = await _parsed(tool, raw, state.context.cancellation)
    reason = f"taken out, not for a model to fill: {', '.join(sorted(internal))}" if internal else ""
    return StageOutput(state.but(tool=tool, input=parsed), reason)


async def _parsed(tool: Tool, raw: Mapping[str, Any], cancellation: Cancellation) -> Any:
    """In a worker thread where a schema is foreign: it says how long the check takes."""
    if tool.input_model is not None:
        return parse_input(tool, raw)
    return await anyio.to_thread.run_sync(parse_input, tool, raw, cancellation, abandon_on_cancel=True)


def describe_unknown(name: str, tools: tuple[Tool, ...]) -> str:
    """The one line that says a tool does not exist, and which ones do."""
    names = [t.name for t in tools]
    near = difflib.get_close_matches(str(name), [*names, *(a for t in tools for a in t.aliases)], n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"no tool is named {name!r}.{hint} Tools: {', '.join(names)}."
