"""How IPython shows our values when a person evaluates one."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .shown import ShownValues

if TYPE_CHECKING:
    from ..core.decision import Decision
    from ..core.outcome import Outcome
    from ..core.updates import TurnEnded
    from ..session import UndoReport


OUTCOME = "jupyter_agenttools.core.outcome.Outcome"
DECISION = "jupyter_agenttools.core.decision.Decision"
TURN_ENDED = "jupyter_agenttools.core.updates.TurnEnded"
UNDO_REPORT = "jupyter_agenttools.files.history.report.UndoReport"


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


def decision_text(decision: Decision) -> str:
    """What the gate decided and every step of why, for a person."""
    lines = [f"{decision.behavior}: {decision.reason or 'no reason was given'}"]
    lines += [f"  by the rule {decision.rule}"] if decision.rule else []
    lines += ["  runs hardened: as provably read-only"] if decision.hardened else []
    for number, step in enumerate(decision.trace, 1):
        told = "" if step.detail == decision.reason else step.detail  # the first line says it already
        detail = "  ".join(filter(None, (told, f"[{step.rule}]" if step.rule else "")))
        lines.append(f"  {number}. {step.check}: {step.outcome}" + (f" - {detail}" if detail else ""))
    unsaid = [rule for rule in decision.suggestions if rule not in decision.reason]
    if decision.behavior == "ask" and unsaid:
        lines.append("  would be allowed by: " + ", ".join(unsaid))
    return "\n".join(lines)
