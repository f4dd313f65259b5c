"""What hooks are told of one call, in the field names of the wire."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..core.call import CallState
from ..core.events import describe
from .environment import CallEnvironment


def call_payload(state: CallState, env: CallEnvironment, *, with_id: bool = True) -> dict[str, Any]:
    """The fields of every event of a call.

    Args:
        with_id: with ``tool_use_id``, which one event does not have.
    """
    tool, context = state.tool, state.context
    assert tool is not None
    payload = {**env.hook_payload(), "tool_name": tool.name, "tool_input": state.observed}
    if with_id:
        payload["tool_use_id"] = state.tool_use.id
    if context.agent_id is not None:
        payload["agent_id"], payload["agent_type"] = context.agent_id, context.agent_type
    return payload


def plain(value: Any) -> Any:
    """An output of a tool as JSON data, with every field that has a value."""
    if dataclasses.is_dataclass(value) and not isinstance(value, (type, Mapping)):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {name: plain(item) for name, item in fields.items() if item is not None}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return describe(value)
