"""How IPython shows our values when a person evaluates one."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import groupby
from typing import TYPE_CHECKING, Any

from .shown import ShownValues

if TYPE_CHECKING:
    from ..core.decision import Decision, DecisionStep
    from ..core.outcome import Outcome
    from ..core.updates import TurnEnded
    from ..session import UndoReport


OUTCOME = "jupyter_agenttools.core.outcome.Outcome"
DECISION = "jupyter_agenttools.core.decision.Decision"
TURN_ENDED = "jupyter_agenttools.core.updates.TurnEnded"
UNDO_REPORT = "jupyter_agenttools.files.history.report.UndoReport"

FOLDED_STEPS = 3
"""From so many neighbours on that say the same, steps share a line."""
PLACE_CHARS = 60
NAMED_PLACES = 4


def register_formatters(shell: Any, shown: ShownValues) -> Callable[[], None]:
    """Teach the shell to show our values; ``_`` and ``Out`` hold them either way. Returns the undo.

    The types are given by name, so that nothing has to be imported for it.
    """
    formatter = shell.display_formatter

    def unless_shown(value: Any) -> None:
        if not shown.take(value):
            raise NotImplementedError  # the formatter's own way of saying: let the next one do it

    added = [
        *(
            (formatter.ipython_display_formatter, kind, unless_shown)
            for kind in (OUTCOME, DECISION, TURN_ENDED, UNDO_REPORT)
        ),
        (formatter.mimebundle_formatter, OUTCOME, outcome_bundle),
        (formatter.mimebundle_formatter, TURN_ENDED, turn_bundle),
        (formatter.mimebundle_formatter, UNDO_REPORT, undo_bundle),
        (formatter.formatters["text/plain"], DECISION, _print_decision),
    ]
    for each, kind, function in added:
        each.for_type(kind, function)

    def undo() -> None:
        for each, kind, _ in added:
            each.pop(kind, None)

    return undo


def outcome_bundle(outcome: Outcome, **_: Any) -> dict[str, Any]:
    from ..render import call_record

    return call_record(outcome)


def turn_bundle(ended: TurnEnded, **_: Any) -> dict[str, Any]:
    from ..render import turn_record

    return turn_record([], ended)


def undo_bundle(report: UndoReport, **_: Any) -> dict[str, Any]:
    from ..render import view_bundle
    from ..session import undo_view

    return view_bundle(undo_view(report, os.getcwd()))


def _print_decision(decision: Decision, printer: Any, cycle: bool) -> None:
    printer.text(decision_text(decision))


def decision_text(decision: Decision, command: str = "") -> str:
    """What the gate decided and every step of why, for a person.

    Args:
        command: what was judged, from which the places are shown that a step is about.
    """
    lines = [f"{decision.behavior}: {decision.reason or 'no reason was given'}"]
    lines += [f"  by the rule {decision.rule}"] if decision.rule else []
    lines += ["  runs hardened: as provably read-only"] if decision.hardened else []
    number = 1
    for alike in _runs(decision):
        last = number + len(alike) - 1
        if len(alike) < FOLDED_STEPS:
            lines += [f"  {n}. {_step_words(step, decision, command)}" for n, step in enumerate(alike, number)]
        else:
            names = ", ".join(step.check for step in alike)
            lines.append(f"  {number}-{last}. {alike[0].outcome} - {alike[0].detail}: {names}")
        number = last + 1
    unsaid = [rule for rule in decision.suggestions if rule not in decision.reason]
    if decision.behavior == "ask" and unsaid:
        lines.append("  would be allowed by: " + (" and " if decision.together else ", ").join(unsaid))
    return "\n".join(lines)


def _runs(decision: Decision) -> list[list[DecisionStep]]:
    """The steps, with neighbours together that say exactly the same."""
    same = groupby(decision.trace, lambda step: (step.outcome, step.detail, step.rule, step.spans))
    return [list(steps) for _, steps in same]


def _step_words(step: DecisionStep, decision: Decision, command: str) -> str:
    from ..render.chars import one_line

    told = "" if step.detail == decision.reason else step.detail  # the first line says it already
    places = ", ".join(one_line(repr(command[start:end]), PLACE_CHARS) for start, end in step.spans[:NAMED_PLACES])
    where = f"[at {places}]" if places and command else ""
    detail = "  ".join(filter(None, (told, where, f"[{step.rule}]" if step.rule else "")))
    return f"{step.check}: {step.outcome}" + (f" - {detail}" if detail else "")
