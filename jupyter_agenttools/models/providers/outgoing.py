"""Our conversation as pydantic-ai's messages and parameters."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...core.blocks import Block, ImageBlock, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUse
from ...core.context import ToolOptions
from ...core.immutable import thaw
from ...core.tool import Tool
from ..protocol import ModelRequest
from .signatures import Keepsake

if TYPE_CHECKING:
    from pydantic_ai import messages as wire
    from pydantic_ai.models import Model as WireModel
    from pydantic_ai.models import ModelRequestParameters

_NOTHING = "(nothing)"
"""Stands for a text that is empty: providers refuse an empty one."""


def wire_messages(request: ModelRequest, system: str) -> list[wire.ModelMessage]:
    """The conversation, neighbouring messages of one speaker as one.

    Args:
        system: who is asked; what only another provider can use stays out.
    """
    from pydantic_ai import messages as wire

    names = {use.id: use.name for message in request.messages for use in message.tool_uses}
    sent: list[wire.ModelMessage] = []
    for role, blocks in _speeches(request.messages):
        if role == "assistant":
            parts = list(_answer_parts(blocks, system))
            sent.append(wire.ModelResponse(parts=parts or [wire.TextPart(_NOTHING)]))
        else:
            sent.append(wire.ModelRequest(parts=list(_request_parts(blocks, names))))
    last = next((message for message in reversed(sent) if isinstance(message, wire.ModelRequest)), None)
    if last is not None and request.system:
        last.instructions = request.system
    return sent


def wire_parameters(request: ModelRequest, model: WireModel) -> ModelRequestParameters:
    """The tools, in the order of the pool, and what the answer must look like."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    tools = [_tool_definition(tool) for tool in request.tools]
    if request.output_schema is None or not model.profile.get("supports_json_schema_output", False):
        return ModelRequestParameters(function_tools=tools)
    wanted = OutputObjectDefinition(json_schema=thaw(request.output_schema), name="answer")
    return ModelRequestParameters(
        function_tools=tools, output_mode="native", output_object=wanted, allow_text_output=True
    )


def _tool_definition(tool: Tool) -> Any:
    from pydantic_ai.tools import ToolDefinition

    return ToolDefinition(
        name=tool.name,
        parameters_json_schema=thaw(tool.json_schema),
        description=tool.description(None, ToolOptions()),
        strict=True if tool.strict else None,
    )


def _speeches(messages: Sequence[Message]) -> Iterator[tuple[str, list[Block]]]:
    """Who says what, in turns."""
    role, blocks = "", list[Block]()
    for message in messages:
        if message.role != role:
            if blocks:
                yield role, blocks
            role, blocks = message.role, []
        blocks.extend(message.content)
    if blocks:
        yield role, blocks


def _request_parts(blocks: Sequence[Block], names: Mapping[str, str]) -> Iterator[Any]:
    """Results of calls first, as every provider wants them, then what the person says."""
    from pydantic_ai import messages as wire

    for block in blocks:
        if isinstance(block, ToolResultBlock):
            yield wire.ToolReturnPart(
                tool_name=names.get(block.tool_use_id, "unknown"),
                content=_result_content(block),
                tool_call_id=block.tool_use_id,
                outcome="failed" if block.is_error else "success",
            )
    said = [_content(block) for block in blocks if isinstance(block, (TextBlock, ImageBlock))]
    if said:
        yield wire.UserPromptPart(content=said[0] if len(said) == 1 and isinstance(said[0], str) else said)


def _result_content(block: ToolResultBlock) -> Any:
    if isinstance(block.content, str):
        return block.content or _NOTHING
    if all(isinstance(each, TextBlock) for each in block.content):
        return block.text or _NOTHING
    return [_content(each) for each in block.content]


def _content(block: TextBlock | ImageBlock) -> Any:
    from pydantic_ai.messages import BinaryContent

    if isinstance(block, TextBlock):
        return block.text or _NOTHING
    return BinaryContent(base64.b64decode(block.source["data"]), media_type=block.source["media_type"])


def _answer_parts(blocks: Sequence[Block], system: str) -> Iterator[Any]:
    from pydantic_ai import messages as wire

    kept: dict[str, Keepsake] = {}
    for block in blocks:
        if isinstance(block, TextBlock) and block.text:
            yield wire.TextPart(block.text)
        elif isinstance(block, ThinkingBlock) and block.signature:
            keepsake = Keepsake.from_text(block.signature) or Keepsake(system, block.signature)
            if keepsake.provider != system:
                continue
            if keepsake.tool_use_id:
                kept[keepsake.tool_use_id] = keepsake
            else:
                yield _thinking_part(block.thinking, keepsake)
        elif isinstance(block, ToolUse):
            yield _call_part(block, kept.get(block.id))


def _thinking_part(text: str, keepsake: Keepsake) -> wire.ThinkingPart:
    from pydantic_ai import messages as wire

    return wire.ThinkingPart(
        text,
        id=keepsake.id,
        signature=keepsake.signature,
        provider_name=keepsake.provider,
        provider_details=keepsake.details or None,
    )


def _call_part(use: ToolUse, keepsake: Keepsake | None) -> wire.ToolCallPart:
    from pydantic_ai import messages as wire

    part = wire.ToolCallPart(tool_name=use.name, args=thaw(use.input), tool_call_id=use.id)
    if keepsake is not None:
        part.provider_name, part.provider_details = keepsake.provider, keepsake.details
    return part
