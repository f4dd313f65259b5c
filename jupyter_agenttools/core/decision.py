"""May a call run? The answer, and every step that led to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Behavior = Literal["allow", "ask", "deny"]
StepOutcome = Literal["allow", "ask", "deny", "passthrough", "skipped"]


class DecisionStep(NamedTuple):
    """One check of the gate: which it was, what it found and why.

    ``rule`` is the rule's text with its source, e.g. ``Bash(git *) [session]``, when a rule decided. ``spans`` says
    where in the input's main text it was found: characters ``[start, end)``.
    """

    check: str
    outcome: StepOutcome
    detail: str = ""
    rule: str | None = None
    spans: tuple[tuple[int, int], ...] = ()


class Decision(NamedTuple):
    """What the gate says about one call.

    Attributes:
        behavior: allow, ask or deny. After a prompt it is allow or deny.
        reason: one sentence for people and for the model.
        rule: the text of the rule that decided, if one did, e.g. ``Bash(git *)``.
        trace: every step in the order in which it was taken.
        decided_by: ``rule``, ``mode``, ``tool``, ``hook``, ``person``, ``prompter``, ``classifier``, ``schema`` or,
            when a path came to lead elsewhere, ``place``.
        suggestions: rules that would allow this very call without asking, best first.
        hardened: allowed although nobody was asked, as provably read-only: the tool must run in its safest form.
        together: all of the suggestions are needed to allow the call, not only one of them.
        only_person: with ``ask``: nobody but a person may answer, also no hook and no classifier.
    """

    behavior: Behavior
    reason: str = ""
    rule: str | None = None
    trace: tuple[DecisionStep, ...] = ()
    decided_by: str = ""
    suggestions: tuple[str, ...] = ()
    hardened: bool = False
    together: bool = False
    only_person: bool = False


@dataclass(frozen=True)
class PermissionResult:
    """A tool's own opinion of one input; ``passthrough`` is none at all, and the general system decides.

    Args:
        behavior: what the tool says. ``allow`` still loses against every deny and ask rule.
        reason: why, in one sentence.
        updated_input: a whole input to use instead, judged again from the schema on.
        suggestions: rules that would allow this call.
        check_id: the stable id of the check that spoke.
        hardened: with ``allow``: run in the tool's safest form.
        steps: what each of the tool's own checks found, for the trace.
        only_person: with ``ask``: nobody but a person may answer. Without it a hook for permission requests may, and
            in the mode auto its classifier.
    """

    behavior: Literal["allow", "ask", "deny", "passthrough"]
    reason: str = ""
    updated_input: Mapping[str, Any] | None = None
    suggestions: tuple[str, ...] = ()
    check_id: str = ""
    hardened: bool = False
    steps: tuple[DecisionStep, ...] = ()
    only_person: bool = False


PASSTHROUGH = PermissionResult("passthrough")
