"""What a call of a session can see that begins now."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..core.blocks import Message, ToolUse
from ..core.cancel import Cancellation
from ..core.context import ToolUseContext
from ..core.events import ProgressEvent
from ..core.outcome import Outcome
from ..files.history import FileTurn
from ..models import Model, token_counter

if TYPE_CHECKING:
    from .session import Session

RunTools = Callable[[Sequence[ToolUse]], AsyncGenerator[Outcome, None]]


def make_call_context(
    session: Session,
    tool_use_id: str,
    cancellation: Cancellation,
    run_tools: RunTools,
    *,
    parent: Message | None,
    model: Model | None,
    files: FileTurn | None,
) -> ToolUseContext:
    """The context of one call.

    Args:
        cancellation: stops the call. run_tools: runs others from inside of it.
        parent: the message that asked. model: who is asked in this turn. files: keeps what files held before it.
    """
    observers = session.observers

    async def can_use_tool(name: str, input: Mapping[str, Any]) -> Outcome:
        (outcome,) = [o async for o in run_tools([ToolUse(name, input)])]
        return outcome

    context = ToolUseContext(
        tool_use_id=tool_use_id,
        state=session.state,
        options=session.options,
        session_dir=session.dir,
        cancellation=cancellation,
        read_file_state=session.read_file_state,
        file_history=files,
        live_documents=session.live_documents,
        jobs=session.jobs,
        messages=session.messages,
        parent_message=parent,
        on_file=lambda event: observers.emit("on_file", event),
        count_tokens=token_counter(model or session.model),
        on_progress=lambda data: observers.emit("on_progress", ProgressEvent(tool_use_id, data)),
        can_use_tool=can_use_tool,
    )
    return replace(context, run_on_main=session.run_on_main) if session.run_on_main else context
