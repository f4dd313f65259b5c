"""The mode ``auto``: a classifier says yes in a person's place, where no rule and no guard wants a person."""

from __future__ import annotations

import json
from typing import NamedTuple, Protocol

import anyio

from ..core.blocks import Message
from ..core.call import CallState
from ..core.decision import Decision, DecisionStep
from ..core.faults import faults
from ..core.immutable import thaw
from ..permissions.modes import needs_person

AUTO_TIMEOUT_S = 20.0
"""A classifier that has not answered by then counts as failed: a person is asked."""


class AutoQuestion(NamedTuple):
    """What a classifier is shown of a call.

    Attributes:
        tool_name: the tool. text: what the tool itself says of the call, else its input as JSON.
        cwd: where it would run. messages: the conversation so far. agent_id: the sub-agent that calls, if one does.
    """

    tool_name: str
    text: str
    cwd: str
    messages: tuple[Message, ...] = ()
    agent_id: str | None = None


class Approval(NamedTuple):
    """What a classifier says: whether the call may run without a person, and why."""

    approved: bool
    reason: str = ""


class AutoClassifier(Protocol):
    """Somebody who says yes or no in a person's place, usually a model with a policy."""

    async def approve(self, question: AutoQuestion) -> Approval:
        """May this call run? An exception, or anything that is no :class:`Approval`, counts as no answer."""
        ...


async def with_auto_mode(state: CallState, asked: Decision, classifier: AutoClassifier | None) -> Decision:
    """The decision after the classifier had its say; the same one outside of the mode ``auto``.

    What a rule, a hook or a protected place wants a person for stays with the person, and so do a tool's own question
    that only a person may answer, and everything when the classifier fails or says no.
    """
    if state.context.permission.mode != "auto" or asked.behavior != "ask":
        return asked
    if asked.only_person or asked.decided_by not in ("", "tool"):
        return asked
    assert state.tool is not None
    if classifier is None:
        return _noted(asked, "skipped", "the mode auto has no classifier here")
    if needs_person(state.tool, state.input):
        return asked
    approval, failure = await _ask(classifier, _question(state))
    if approval is None:
        return _noted(asked, "ask", failure)
    if approval.approved is not True:
        return _noted(asked, "ask", f"the classifier of the mode auto does not approve: {approval.reason}".rstrip(": "))
    reason = f"the classifier of the mode auto approves: {approval.reason}".rstrip(": ")
    step = DecisionStep("auto_mode", "allow", reason)
    return Decision("allow", reason, None, (*asked.trace, step), "classifier", asked.suggestions)


def _question(state: CallState) -> AutoQuestion:
    tool, context = state.tool, state.context
    assert tool is not None and state.observed is not None
    whole = json.dumps(thaw(state.observed), ensure_ascii=False, default=repr)
    text = tool.to_auto_classifier_input(state.input) or whole
    return AutoQuestion(tool.name, text, context.cwd, context.messages, context.agent_id)


async def _ask(classifier: AutoClassifier, question: AutoQuestion) -> tuple[Approval | None, str]:
    """The classifier's answer, or why there is none."""
    answer: object = None
    try:
        with anyio.move_on_after(AUTO_TIMEOUT_S) as limit:
            answer = await classifier.approve(question)
    except faults() as fault:
        return None, f"the classifier of the mode auto failed: {type(fault).__name__}"
    if limit.cancelled_caught:
        return None, f"the classifier of the mode auto did not answer within {AUTO_TIMEOUT_S:g} s"
    if not isinstance(answer, Approval):
        return None, f"the classifier of the mode auto gave no usable answer ({type(answer).__name__})"
    return answer, ""


def _noted(asked: Decision, outcome: str, detail: str) -> Decision:
    return asked._replace(trace=(*asked.trace, DecisionStep("auto_mode", outcome, detail)))  # type: ignore[arg-type]
