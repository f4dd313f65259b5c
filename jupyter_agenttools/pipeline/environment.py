"""What the stages of a call work with, beside the call's own state."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from ..core.call import CallState, HookEffects
from ..core.context import ToolPermissionContext
from ..core.decision import Decision
from ..core.errors import InterruptedToolError, UsageError
from ..core.events import Observers, StageStatus
from ..core.permission_updates import PermissionUpdate
from ..core.prompting import Prompter, RuleScope, RuleUpdate
from ..core.stepping import Stepper
from ..core.tool import Tool
from ..hooks import Hook, HookEvent, HookSet
from ..results import ResultStore
from .auto_mode import AutoClassifier


class Classifier(Protocol):
    """A judge that starts early, so that its verdict is there when the gate wants it."""

    def start(self, text: str, state: CallState) -> Any:
        """Begin to judge ``text``; returns a handle that the gate can await."""
        ...


async def refuse_updates(updates: Sequence[Any]) -> None:
    raise UsageError("nothing here can change the rights")


@dataclass(frozen=True)
class CallEnvironment:
    """Everything around one call that its stages may use.

    Args:
        tools: the assembled pool, where names are looked up.
        hooks: the hooks of the session.
        observers: who is told.
        prompter: who is asked.
        store: where big results go.
        apply_rules: keeps rules that a person wants kept; raises a ``UsageError`` when it cannot.
        rule_scopes: where a person may keep a rule.
        stepper: somebody who walks through the call, or ``None``.
        classifier: an early judge, or ``None``.
        auto_classifier: who says yes in the mode ``auto``; without one everything asks there.
        hook_payload: fields that every hook input carries (session id, transcript path …).
        tell_person: given an event, a call's id and what hooks said: shows what is for a person.
        fire_later: tells these hooks of an event while nobody waits.
        apply_hook_updates: changes the rights as a hook asks, in the form of the wire; raises a ``UsageError`` when it
            cannot.
        apply_updates: changes the rights as a person's answer says; raises a ``UsageError`` when it cannot.
        rights_now: the session's rights at this moment, ``None`` where they do not change while a call runs.
        hooks_now: the session's hooks at this moment, ``None`` where they do not change either.
        withheld: why whoever asks may not call what has this name, ``""`` when they may.
    """

    tools: tuple[Tool, ...]
    hooks: HookSet
    observers: Observers
    prompter: Prompter
    store: ResultStore
    apply_rules: Callable[[tuple[RuleUpdate, ...]], Awaitable[None]]
    rule_scopes: tuple[RuleScope, ...] = ("session",)
    stepper: Stepper | None = None
    classifier: Classifier | None = None
    hook_payload: Callable[[], Mapping[str, Any]] = dict
    tell_person: Callable[[HookEvent, str, HookEffects], None] = lambda event, tool_use_id, effects: None
    fire_later: Callable[[HookEvent, Mapping[str, Any], Sequence[Hook]], None] = lambda event, payload, hooks: None
    apply_hook_updates: Callable[[Sequence[Mapping[str, Any]]], Awaitable[None]] = refuse_updates
    rights_now: Callable[[], Awaitable[ToolPermissionContext]] | None = None
    auto_classifier: AutoClassifier | None = None
    apply_updates: Callable[[Sequence[PermissionUpdate]], Awaitable[None]] = refuse_updates
    hooks_now: Callable[[], HookSet] | None = None
    withheld: Callable[[str], str] = lambda name: ""

    @property
    def guards(self) -> HookSet:
        """The hooks that have their say before a call, by the settings that count at this moment."""
        return self.hooks if self.hooks_now is None else self.hooks_now()


Cut = Literal["stopped", "limit"]
"""Why a stage was cut off: somebody stopped the call, or a time limit was reached."""


def interrupted(state: CallState) -> InterruptedToolError:
    """The error of a call that somebody stopped."""
    return InterruptedToolError(f"stopped: {state.context.cancellation.reason}")


class StageOutput(NamedTuple):
    """What a stage returns: the state it leaves, how it went, and which rule, hook or check acted."""

    state: CallState
    reason: str = ""
    status: StageStatus = "ok"


class Rejudge(Exception):
    """The call starts again at its first stage, for example because a person changed the input.

    Args:
        input: the whole new input.
        approved: the approval that the person gave to exactly this input, if one was given.
        why: what records say of it.
        rights: those that count from now on, ``None`` for those that it began with.
    """

    def __init__(
        self,
        input: Mapping[str, Any],
        approved: Decision | None = None,
        why: str = "the person edited the input; it is judged again",
        rights: ToolPermissionContext | None = None,
    ) -> None:
        super().__init__(why)
        self.input = input
        self.approved = approved
        self.why = why
        self.rights = rights
