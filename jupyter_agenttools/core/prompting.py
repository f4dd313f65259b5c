"""Asking a person: the question and the answer as data, and who may give it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from .decision import Decision
from .views import ToolView

RuleScope = Literal["session", "localSettings", "projectSettings", "userSettings"]
"""Where an "always allow" rule is kept: this session, or a settings file."""


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
    """

    tool_use_id: str
    tool_name: str
    input: Mapping[str, Any]
    view: ToolView
    decision: Decision
    suggestions: tuple[str, ...] = ()
    scopes: tuple[RuleScope, ...] = ("session",)
    agent_id: str | None = None

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
    """

    behavior: Literal["allow", "deny"]
    message: str = ""
    updated_input: Mapping[str, Any] | None = None
    rule_updates: tuple[RuleUpdate, ...] = field(default=())
    answered_by: str = "person"


class Prompter(Protocol):
    """Somebody who can be asked."""

    async def ask(self, request: PermissionRequest) -> PermissionAnswer:
        """Answer one question. Several may be open at once. An exception counts as a denial."""
        ...
