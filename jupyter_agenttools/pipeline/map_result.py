"""Stage 9: the output becomes the block that the model reads, no bigger than it may be."""

from __future__ import annotations

from dataclasses import replace

from ..core.blocks import TextBlock, ToolResultBlock
from ..core.call import CallState
from ..results import clip, messages_with_sound_images, with_sound_images
from .environment import CallEnvironment, StageOutput

MAX_CONTEXT_CHARS = 10_000
"""What one hook may add to a result."""


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    assert state.tool is not None and state.result is not None
    if state.context.cancellation.cancelled:  # after the tool had done its work: its result is told, and the stop too
        state = state.but(result=replace(state.result, interrupted=True))
        assert state.result is not None
    block = state.tool.map_tool_result(state.result.data, state.tool_use.id)
    if block.tool_use_id != state.tool_use.id:
        block = replace(block, tool_use_id=state.tool_use.id)
    if state.result.is_error and not block.is_error:
        block = replace(block, is_error=True)
    block, checked = await with_sound_images(block, state.context.cancellation)
    block, fitted = await env.store.fit(block, state.tool.max_result_size_chars)
    block = with_context(block, (*state.pre_hooks.additional_context, *state.post_hooks.additional_context))
    reason = "; ".join(filter(None, (checked, fitted)))
    return StageOutput((await _with_sound_messages(state)).but(block=block), reason)


async def _with_sound_messages(state: CallState) -> CallState:
    assert state.result is not None
    messages = await messages_with_sound_images(state.result.new_messages, state.context.cancellation)
    if messages is state.result.new_messages:
        return state
    return state.but(result=replace(state.result, new_messages=messages))


def with_context(block: ToolResultBlock, texts: tuple[str, ...]) -> ToolResultBlock:
    """The block with what hooks want the model to know, after the tool's own words."""
    if not texts:
        return block
    added = "\n".join(f"[hook] {clip(text, MAX_CONTEXT_CHARS)}" for text in texts)
    if isinstance(block.content, str):
        return replace(block, content=f"{block.content}\n\n{added}")
    return replace(block, content=(*block.content, TextBlock(added)))
