"""What a call of a session can see that begins now, and what its stages work with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..core.blocks import Message, ToolUse
from ..core.cancel import Cancellation
from ..core.context import CanUseTool, ToolUseContext, run_inline
from ..core.events import ProgressEvent
from ..core.outcome import Outcome
from ..core.stepping import Stepper
from ..core.tool import Tool
from ..models import token_counter
from ..pipeline import CallEnvironment
from ..results import ResultStore
from .call_running import CallTerms, run_calls

if TYPE_CHECKING:
    from .session import Session


def make_call_context(
    session: Session, tool_use_id: str, cancellation: Cancellation, parent: Message | None, terms: CallTerms
) -> ToolUseContext:
    """The context of one call.

    Args:
        cancellation: stops the call. parent: the message that asks, as far as it is there.
        terms: what holds for this call and those that it makes itself.
    """
    observers = session.observers
    caller = partial(_caller, session, terms)
    return ToolUseContext(
        tool_use_id=tool_use_id,
        state=session.state,
        options=session.options,
        session_dir=session.dir,
        cancellation=cancellation,
        read_file_state=session.read_file_state,
        file_history=terms.files,
        live_documents=session.live_documents,
        interpreter=session.interpreter,
        own_notebook=session.own_notebook,
        outcomes=lambda: tuple(session.outcomes),
        jobs=session.jobs,
        content_replacement_state=session.conversation.replacements,
        messages=_conversation(session, parent) if terms.agent_id is None else (),
        agent_id=terms.agent_id,
        agent_type=terms.agent_type,
        prevent_cwd_changes=terms.agent_id is not None,
        parent_message=parent,
        on_file=lambda event: observers.emit("on_file", event),
        count_tokens=token_counter(terms.model or session.model),
        on_progress=lambda data: observers.emit("on_progress", ProgressEvent(tool_use_id, data)),
        can_use_tool=caller(terms.agent_id, terms.agent_type, cancellation),
        can_use_tool_as=caller,
        run_on_main=session.run_on_main or run_inline,
    )


def _conversation(session: Session, parent: Message | None) -> tuple[Message, ...]:
    """What was said so far. The message that asks enters the conversation with the results of its calls."""
    return session.messages if parent is None else (*session.messages, parent)


def _caller(
    session: Session, terms: CallTerms, agent_id: str | None, agent_type: str | None, cancellation: Cancellation
) -> CanUseTool:
    """What runs other calls from inside of a call: on the same terms, stopped by ``cancellation``."""

    async def can_use_tool(name: str, input: Mapping[str, Any]) -> Outcome:
        inner = replace(terms, stepper=None, agent_id=agent_id, agent_type=agent_type, cancellation=cancellation)
        (outcome,) = await run_calls(session, [ToolUse(name, input)], inner)
        return outcome

    return can_use_tool


def make_environment(
    session: Session, tools: tuple[Tool, ...], store: ResultStore, stepper: Stepper | None
) -> CallEnvironment:
    """What the stages of a call work with.

    Args:
        tools: where names are looked up. store: where big results go. stepper: somebody who walks through the call.
    """
    return CallEnvironment(
        tools=tools,
        observers=session.observers,
        prompter=session.prompter,
        store=store,
        **session.rights.for_calls(),
        stepper=stepper,
        classifier=session.classifier,
        **session.hook_events.for_calls(),
    )
