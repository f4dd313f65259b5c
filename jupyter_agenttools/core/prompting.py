"""Asking a person: the question and the answer as data, and who may give it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from .decision import Decision
from .permission_updates import PermissionUpdate, RuleScope
from .views import ToolView

PromptForm = Literal["approval", "plan", "questions"]
"""How a question is put: may this call run; is this plan good; or questions of the model with choices.

Plan and questions are answered by an ``allow`` whose ``updated_input`` carries what the person chose, and whose
``updates`` the mode that a plan is carried out in; or by a ``deny`` with a message.
"""

BY_RULES = "rules"
"""``PermissionAnswer.answered_by`` of an answer that no person gave: the rights have changed, and decide by now."""


@dataclass(frozen=True)
class RuleUpdate:
    """A rule that the person wants kept: its text, exactly as shown, and where."""

    rule: str
    destination: RuleScope = "session"
    behavior: Literal["allow", "ask", "deny"] = "allow"


@dataclass(frozen=True)
class PermissionRequest:
    """One question to a person: may this call run?

    Args:
        tool_use_id: the key of the question; exactly one answer counts.
        tool_name: the tool's own name.
        input: the whole input that would run, plain JSON.
        view: how the tool shows this input (command, diff …).
        decision: the gate's ``ask`` with its reason and trace.
        suggestions: rules that would allow this very call, best first.
        scopes: where the person may keep a rule.
        agent_id: the sub-agent that asks, or ``None``.
        form: how it is put; the tool says which.
        judge_again: what the gate says to this call now, ``None`` where rights do not change while it is asked about.
            Whoever finds that nobody needs to be asked any more answers as :data:`BY_RULES`.
    """

    tool_use_id: str
    tool_name: str
    input: Mapping[str, Any]
    view: ToolView
    decision: Decision
    suggestions: tuple[str, ...] = ()
    scopes: tuple[RuleScope, ...] = ("session",)
    agent_id: str | None = None
    form: PromptForm = "approval"
    judge_again: Callable[[], Awaitable[Decision]] | None = field(default=None, compare=False, repr=False)

    @property
    def offered(self) -> tuple[str, ...]:
        """What "always allow" keeps when nothing else is typed: the best rule, or all where all are needed."""
        return self.suggestions if self.decision.together else self.suggestions[:1]


@dataclass(frozen=True)
class PermissionAnswer:
    """What the person (or whoever answers in their place) said.

    Args:
        behavior: allow or deny.
        message: with deny: the reason, told to the model.
        updated_input: with allow: the whole input as the person edited it; it is judged again.
        rule_updates: rules to keep.
        answered_by: ``widget``, ``stdin``, ``allow-list``, ``callable``, ``nobody`` …
        updates: other changes of the rights, such as the mode that a plan is carried out in. When one of them cannot be
            made none is, and the call is denied.
        interrupt: with deny: the turn ends as well, and what else it asks or runs is stopped.
    """

    behavior: Literal["allow", "deny"]
    message: str = ""
    updated_input: Mapping[str, Any] | None = None
    rule_updates: tuple[RuleUpdate, ...] = field(default=())
    answered_by: str = "person"
    updates: tuple[PermissionUpdate, ...] = ()
    interrupt: bool = False


BY_PAGE = "JupyterLab"
"""``PermissionAnswer.answered_by`` of an answer that a person gave in a page outside of the card: in a toast, the side
panel, the toolbar of the cell, or by a key."""

_PERSON = {
    "person": "",
    "widget": "",
    "stdin": "",
    BY_PAGE: " (outside of the card)",
    "%agent approve": " (%agent approve)",
    "%agent deny": " (%agent deny)",
}
"""By which ways a person answers, and what is said of the way."""


def who_answered(answered_by: str, person: str = "you") -> str:
    """By whom an answer is, in words: ``you (outside of the card)``, ``allow-list``.

    Args:
        answered_by: as in :class:`PermissionAnswer`.
        person: how whoever reads it calls the person.
    """
    return f"{person}{_PERSON[answered_by]}" if answered_by in _PERSON else answered_by


class Prompter(Protocol):
    """Somebody who can be asked."""

    async def ask(self, request: PermissionRequest) -> PermissionAnswer:
        """Answer one question. Several may be open at once. An exception counts as a denial."""
        ...
