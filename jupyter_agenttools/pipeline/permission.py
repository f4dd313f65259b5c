"""Stage 6: may it run? The gate decides; where it says ask, a person does."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import anyio
import anyio.to_thread

from ..core import default_views
from ..core.call import CallState
from ..core.context import ToolPermissionContext, ToolUseContext
from ..core.decision import Decision, DecisionStep
from ..core.errors import InterruptedToolError, PermissionDeniedError, UsageError
from ..core.faults import faults
from ..core.permission_updates import AddRules
from ..core.prompting import BY_RULES, PermissionAnswer, PermissionRequest, who_answered
from ..core.views import CodeBlockView, ToolView
from ..permissions import decide
from .auto_mode import with_auto_mode
from .classifiers import with_classifier
from .environment import CallEnvironment, Rejudge, StageOutput
from .guards import Guards
from .observe import plain_input
from .permission_hooks import consult


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    place = _place(state)
    judged = await judge(state)
    decision = await with_classifier(judged, state.speculation)
    decision = await with_auto_mode(state, decision, env.auto_classifier)
    if decision.behavior == "ask" and (denied := _nobody_to_ask(state, decision)) is not None:
        decision = denied
    if decision.behavior == "ask" and state.approved is not None:
        decision = _approved(decision, state.approved)
    ends_turn = ""
    if decision.behavior == "ask" and env.hooks.has("PermissionRequest"):

        async def judge_again(changed: CallState) -> Decision:
            nonlocal place
            place = _place(changed)
            return await judge(changed)

        state, decision, ends_turn = await consult(state, env, decision, judge_again)
    if decision.behavior == "ask":
        decision = await _ask(state, env, decision)
    waited = judged.behavior == "ask" or bool(state.pre_hooks.runs) or state.speculation is not None
    if decision.behavior == "allow" and waited and (denied := await _denied_meanwhile(state, env)) is not None:
        decision = denied
    if decision.behavior == "allow" and (now := _place(state)) != place:
        decision = _moved(decision, place, now)
    if decision.behavior != "allow":
        raise Denied(decision, ends_turn)
    context = await _in_present_mode(state, env)
    if context is not state.context or (decision.hardened, place) != (context.hardened, context.judged_place):
        context = replace(context, hardened=decision.hardened, judged_place=place)
    return StageOutput(state.but(decision=decision, context=context), decision.reason)


async def _in_present_mode(state: CallState, env: CallEnvironment) -> ToolUseContext:
    """What the call can see; of a plan, with the mode that was chosen with the approval."""
    context = state.context
    if state.tool is None or state.tool.prompt_form != "plan" or env.rights_now is None:
        return context
    rights = replace(context.permission, mode=(await env.rights_now()).mode)
    return replace(context, state=replace(context.state, permission=rights))


def _place(state: CallState) -> str | None:
    """Where the path of the call leads to now, links followed; ``None`` for a call without one."""
    assert state.tool is not None and state.observed is not None
    path = state.tool.get_path(state.observed)
    if path is None:
        return None
    try:
        return os.path.realpath(os.path.join(state.context.cwd, path))
    except (OSError, ValueError):
        return os.fspath(path)


def _moved(allowed: Decision, place: str | None, now: str | None) -> Decision:
    """The denial of a call whose path came to lead elsewhere after it was judged: nobody allowed that place."""
    reason = f"since it was judged, the path has come to lead to {now} instead of {place}; nothing was done"
    step = DecisionStep("place", "deny", reason)
    return allowed._replace(behavior="deny", reason=reason, rule=None, decided_by="place", trace=(*allowed.trace, step))


async def judge(state: CallState) -> Decision:
    """What does the gate say about this state? Asks nobody."""
    assert state.tool is not None and state.observed is not None
    return await decide(state.tool, state.input, state.observed, state.context, state.pre_hooks)


async def _denied_meanwhile(state: CallState, env: CallEnvironment) -> Decision | None:
    """The denial of a call by a rule that came after the call began, for example while a person was asked about it, or
    because plan mode did."""
    if env.rights_now is None:
        return None
    context, rights = state.context, await env.rights_now()
    if rights is context.permission:
        return None
    began, now = context.permission.always_deny_rules, rights.always_deny_rules
    mode = "plan" if rights.mode == "plan" else context.permission.mode
    if now == began and mode == context.permission.mode:
        return None
    both = {source: (*began.get(source, ()), *now.get(source, ())) for source in {**began, **now}}
    permission = replace(context.permission, always_deny_rules=both, mode=mode)
    decision = await judge(state.but(context=replace(context, state=replace(context.state, permission=permission))))
    return decision if decision.behavior == "deny" else None


def _nobody_to_ask(state: CallState, decision: Decision) -> Decision | None:
    """What a classifier wants asked, or does not approve, is denied where nobody can be asked."""
    permission = state.context.permission
    if decision.decided_by not in ("", "tool", "classifier"):
        return None
    if permission.mode != "dontAsk" and not permission.should_avoid_permission_prompts:
        return None
    return decision._replace(behavior="deny", reason=f"nobody can be asked here: {decision.reason}")


class Denied(PermissionDeniedError):
    """A denial that carries its decision, so that the record can show every step of why.

    ``ends_turn`` says why the turn has to end too, ``""`` when it goes on.
    """

    def __init__(self, decision: Decision, ends_turn: str = "") -> None:
        super().__init__(decision.reason, check_id="gate")
        self.decision = decision
        self.ends_turn = ends_turn


def _approved(asked: Decision, approved: Decision) -> Decision:
    step = DecisionStep("person", "allow", "approved this very input while editing it")
    return approved._replace(trace=(*asked.trace, step))


async def _ask(state: CallState, env: CallEnvironment, asked: Decision) -> Decision:
    assert state.tool is not None
    guards = Guards(state, env)
    request = PermissionRequest(
        tool_use_id=state.tool_use.id,
        tool_name=state.tool.name,
        input=_shown_input(state),
        view=marked(await _view_for(state), asked),
        decision=asked,
        suggestions=asked.suggestions,
        scopes=env.rule_scopes,
        agent_id=state.context.agent_id,
        form=state.tool.prompt_form,
        judge_again=None if env.rights_now is None else lambda: _judge_now(state, env, guards),
    )
    env.observers.emit("on_permission_request", request)
    answer = await _answer(state, env, request)
    env.observers.emit("on_permission_answer", request, answer)
    if answer.answered_by == BY_RULES:
        if guards.changed:
            raise guards.again(await _rights_now(env))
        now = await _judge_now(state, env, guards)
        return await _ask(state, env, now) if now.behavior == "ask" else now
    decision = await _decision_of(answer, request, plain_input(state.input), env)
    if decision.behavior == "allow":
        rights = await _rights_now(env)  # first: it takes up what is on disk, and a new guard may be there
        if guards.changed:
            raise guards.again(rights, decision)
    if answer.interrupt and decision.behavior == "deny":
        # Nothing may be awaited from here to the end of the stage: this call is denied and not interrupted.
        state.context.cancellation.cancel_all(TURN_STOPPED)
        raise Denied(decision, TURN_STOPPED)
    return decision


def _shown_input(state: CallState) -> dict[str, Any]:
    """The whole input that would run; of a plan and of questions what a person answers to, wherever it comes from."""
    assert state.tool is not None and state.observed is not None
    return plain_input(state.input) if state.tool.prompt_form == "approval" else plain_input(state.observed)


async def _rights_now(env: CallEnvironment) -> ToolPermissionContext | None:
    return None if env.rights_now is None else await env.rights_now()


async def _judge_now(state: CallState, env: CallEnvironment, guards: Guards) -> Decision:
    """What the gate says under the session's rights at this moment, and to what its hooks say now."""
    if env.rights_now is None:
        return await judge(state)
    context = state.context
    rights = replace(context.state, permission=await env.rights_now())
    return await judge(await guards.heard(state.but(context=replace(context, state=rights))))


async def _view_for(state: CallState) -> ToolView:
    """What the person sees of the call.

    A preview may read files, so it is made in a worker thread. Anything else is made at once: questions of calls that
    run together then come up in the order of the calls.
    """
    assert state.tool is not None
    if state.tool.preview is None:
        return _view_of(state)
    return await anyio.to_thread.run_sync(_view_of, state)


def _view_of(state: CallState) -> ToolView:
    tool = state.tool
    assert tool is not None and state.observed is not None
    try:
        if tool.preview is not None:
            return tool.preview(state.input, state.context)
        return tool.render_tool_use(state.observed, "verbose")
    except faults() as fault:  # a person must be able to judge the call even when its renderer is broken
        view = default_views.tool_use(tool.name, state.observed, "verbose")
        return ToolView(f"{view.title} (its own view failed: {type(fault).__name__})", view.badges, view.blocks)


def marked(view: ToolView, decision: Decision) -> ToolView:
    """The view with those places underlined that the checks which asked point at."""
    spans = sorted({span for step in decision.trace if step.outcome == "ask" for span in step.spans})
    if not spans:
        return view
    blocks = tuple(
        replace(block, marks=tuple(_marks(block.text, spans)))
        if isinstance(block, CodeBlockView) and block.language == "bash"
        else block
        for block in view.blocks
    )
    return replace(view, blocks=blocks)


def _marks(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Places in a text, counted from its beginning, as marks in its lines."""
    at = 0
    for number, line in enumerate(text.split("\n")):
        for start, end in spans:
            first, last = max(start - at, 0), min(end - at, len(line))
            if first < last:
                yield number, first, last
        at += len(line) + 1


async def _answer(state: CallState, env: CallEnvironment, request: PermissionRequest) -> PermissionAnswer:
    """Somebody's answer. A fault while asking, or what is no answer, is a denial; only a stop is passed on."""
    try:
        answer = await env.prompter.ask(request)
        if not isinstance(answer, PermissionAnswer) or answer.behavior not in ("allow", "deny"):
            raise TypeError(f"{answer!r} is no PermissionAnswer with the behavior `allow` or `deny`")
        return answer
    except (anyio.get_cancelled_exc_class(), InterruptedToolError):  # of the call, or of the question where it is asked
        answer = PermissionAnswer("deny", state.context.cancellation.reason, answered_by="interrupt")
        env.observers.emit("on_permission_answer", request, answer)
        raise
    except faults() as fault:
        return PermissionAnswer("deny", f"asking failed: {type(fault).__name__}: {fault}", answered_by="nobody")


async def _decision_of(
    answer: PermissionAnswer, request: PermissionRequest, judged: Mapping[str, Any], env: CallEnvironment
) -> Decision:
    """What the answer means for the call. ``judged`` is its input; the one in ``request`` was out of our hands."""
    asked = request.decision
    step = DecisionStep("person" if answer.answered_by != "nobody" else "prompter", answer.behavior, _words(answer))
    decided_by = "prompter" if answer.answered_by in ("nobody", "allow-list", "deny") else "person"
    decision = Decision(answer.behavior, _words(answer), None, (*asked.trace, step), decided_by, asked.suggestions)
    if answer.behavior == "allow":
        try:
            await _apply(answer, env)
        except UsageError as problem:
            what = "the rights could not be changed" if answer.updates else "the rule could not be kept"
            return decision._replace(behavior="deny", reason=f"{what}: {problem}")
        if _edited(answer.updated_input, judged):
            raise Rejudge(answer.updated_input or {}, decision)
    return decision


TURN_STOPPED = "the person stopped the turn"


async def _apply(answer: PermissionAnswer, env: CallEnvironment) -> None:
    """Make the changes of the rights that an answer comes with: all of them, or a ``UsageError`` and none."""
    if answer.updates:
        rules = (AddRules((u.rule,), u.behavior, u.destination) for u in answer.rule_updates)
        await env.apply_updates((*rules, *answer.updates))
    else:
        await env.apply_rules(answer.rule_updates)


def _edited(updated: Mapping[str, Any] | None, shown: Mapping[str, Any]) -> bool:
    return updated is not None and dict(updated) != dict(shown)


def _words(answer: PermissionAnswer) -> str:
    """The answer in one sentence, for the record and for the model."""
    who = who_answered(answer.answered_by, "the person")
    if answer.behavior == "allow":
        kept = "".join(f"; rule kept: {u.rule} ({u.destination})" for u in answer.rule_updates)
        return f"allowed by {who}{kept}"
    return answer.message or f"denied by {who}" + (", who stopped the turn" if answer.interrupt else "")
