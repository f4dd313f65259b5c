"""Trying a hook out: it really runs, on a call that was given or recorded, and nothing comes of what it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.blocks import ToolUse
from ..core.call import CallState
from ..core.cancel import Cancellation
from ..core.errors import ToolError, UsageError
from ..core.outcome import Outcome
from ..hooks import BLOCKABLE, EVENTS, TOLD, TOOL_EVENTS, Answer, HookEvent, encode
from ..pipeline import CallEnvironment, hook_payload, observe, parse_input
from .hook_layers import KnownHook

if TYPE_CHECKING:
    from .session import Session

SAMPLES: Mapping[HookEvent, Mapping[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "SessionEnd": {"reason": "other"},
    "UserPromptSubmit": {"prompt": "A prompt to try the hook with."},
    "Notification": {"message": "A message to try the hook with.", "notification_type": "permission_prompt"},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "Done."},
    "StopFailure": {"error": "unknown", "error_details": "a failure to try the hook with"},
    "SubagentStart": {"agent_id": "agent_1", "agent_type": "general-purpose"},
    "SubagentStop": {"agent_id": "agent_1", "agent_type": "general-purpose", "stop_hook_active": False},
    "TaskCreated": {"task_id": "bash_1", "task_subject": "a task to try the hook with"},
    "TaskCompleted": {"task_id": "bash_1", "task_subject": "a task to try the hook with"},
    "ConfigChange": {"source": "project_settings", "file_path": "settings.json"},
    "FileChanged": {"file_path": "file.txt", "event": "change"},
    "PreCompact": {"trigger": "manual", "custom_instructions": ""},
    "PostCompact": {"trigger": "manual", "compact_summary": "A summary to try the hook with."},
    "PostToolBatch": {"tool_calls": []},
}
"""What an event is said to be when nobody says."""


class HookTrial(NamedTuple):
    """One hook, tried.

    Attributes:
        known: the hook. number: its place in the list of hooks, from 1 on.
        stdin: the event that it was, or would have been, told of.
        answer: what came of it; ``None`` when it was not run.
        skipped: why it was not.
        effect: what would come of its answer.
    """

    known: KnownHook
    number: int
    stdin: bytes
    answer: Answer | None = None
    skipped: str = ""
    effect: str = ""


class TrialCall(NamedTuple):
    """The call that hooks are tried on.

    Attributes:
        state: as hooks would see it.
        outcome: of a recorded call.
    """

    state: CallState
    outcome: Outcome | None = None


async def try_hooks(
    session: Session, selector: str, tool: str = "", input: Mapping[str, Any] | None = None, call_id: str = ""
) -> list[HookTrial]:
    """Run the hooks that ``selector`` means, and say what would come of it.

    Args:
        selector: a number of the list of hooks, a name or its beginning, or an event.
        tool, input: the call, for hooks of calls; for other events ``input`` holds fields of the event.
        call_id: of a recorded call instead, or its beginning; without either the last call of the session.

    Raises:
        UsageError: no such hook, call or tool; or an input that does not fit.
    """
    chosen = _chosen(session, selector)
    needs_call = any(known.hook.event in TOOL_EVENTS for _, known in chosen)
    environment = session.call_environment()
    call = await _call(session, environment, tool, input, call_id) if needs_call else None
    return [await _try(session, environment, number, known, call, input or {}) for number, known in chosen]


def _chosen(session: Session, selector: str) -> list[tuple[int, KnownHook]]:
    numbered = list(enumerate(session.hook_events.known, 1))
    if selector.isdecimal():
        found = [(number, known) for number, known in numbered if number == int(selector)]
    elif selector in EVENTS:
        found = [(number, known) for number, known in numbered if known.hook.event == selector]
    else:
        found = [(number, known) for number, known in numbered if known.hook.name.startswith(selector)]
    if not found:
        raise UsageError(f"no hook is meant by {selector!r}; %agent hooks lists them with their numbers")
    return found


async def _call(
    session: Session, environment: CallEnvironment, tool: str, input: Mapping[str, Any] | None, call_id: str
) -> TrialCall:
    if tool:
        use = ToolUse(tool, input or {})
        state = CallState(use, session.call_context(use.id, Cancellation()))
        try:
            for stage in (parse_input, observe):
                state = (await stage.run(state, environment)).state
        except ToolError as problem:
            raise UsageError(f"this call cannot be tried: {problem}") from problem
        return TrialCall(state)
    outcomes = [each for each in session.outcomes if each.events and each.events[-1].after.observed is not None]
    if call_id:
        outcomes = [each for each in outcomes if call_id in (each.tool_use.id, each.tool_use.id[-len(call_id) :])]
    if not outcomes:
        what = f"no recorded call has the id {call_id}" if call_id else "this session has no call to try it on"
        raise UsageError(f'{what}; give one: TOOL {{…}}, e.g. Bash {{"command": "ls"}}')
    return TrialCall(outcomes[-1].events[-1].after, outcomes[-1])


async def _try(
    session: Session,
    environment: CallEnvironment,
    number: int,
    known: KnownHook,
    call: TrialCall | None,
    given: Mapping[str, Any],
) -> HookTrial:
    hook, hooks = known.hook, session.hook_events.set.replaced([known.hook])
    if hook.event in TOOL_EVENTS:
        assert call is not None
        fields = _call_fields(hook.event, call, environment)
        meets = bool(hooks.matching(hook.event, call.state))
    else:
        fields = {**session.hook_events.payload(), **SAMPLES.get(hook.event, {}), **given}
        meets = bool(hooks.matching_event(hook.event, fields))
    data = {"hook_event_name": hook.event, **fields}
    trial = HookTrial(known, number, encode(data))
    if known.off:
        return trial._replace(skipped=f"it does not run: {known.off}")
    if not meets:
        return trial._replace(skipped="this event does not meet its matcher or its `if`")
    (answer,) = await hooks.answers([hook], data)
    return trial._replace(answer=answer, effect=effect_of(answer))


def _call_fields(event: HookEvent, call: TrialCall, environment: CallEnvironment) -> dict[str, Any]:
    fields = hook_payload.call_payload(call.state, environment, with_id=event != "PermissionRequest")
    outcome = call.outcome
    if event == "PostToolUse":
        fields["tool_response"] = hook_payload.plain(outcome.output) if outcome is not None else {}
    elif event == "PostToolUseFailure":
        fields |= {"error": outcome.text if outcome is not None else "", "is_interrupt": False}
    elif event == "PermissionDenied":
        fields["reason"] = outcome.text if outcome is not None else ""
    return fields


def effect_of(answer: Answer) -> str:
    """What would come of this answer, in one sentence."""
    event, output = answer.hook.event, answer.output
    parts = []
    if output.behavior == "deny":
        parts.append(_block_words(event, output.reason))
    elif output.behavior in ("ask", "defer"):
        parts.append(f"a person would be asked: {output.reason or output.behavior}")
    elif output.behavior == "allow":
        parts.append("it would be allowed, unless a deny or ask rule is about it")
    if output.stop is not None:
        parts.append(f"the turn would end: {output.stop}")
    if output.updated_input is not None:
        parts.append("its input would be replaced, and judged again")
    if output.updated_output is not None:
        parts.append("its output would be replaced")
    if output.additional_context and output.behavior != "deny":
        parts.append("the model would be told something")
    if output.message:
        parts.append("the person would be told something")
    return "; ".join(parts) or "nothing: it would go on"


def _block_words(event: HookEvent, reason: str) -> str:
    if event in TOLD:
        return f"the model would be told: {reason}"
    if event == "Stop":
        return f"the turn would not end: {reason}"
    return f"it would be blocked: {reason}" if event in BLOCKABLE or event == "PermissionRequest" else "nothing"
