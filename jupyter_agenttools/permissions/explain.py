"""A decision in plain words."""

from __future__ import annotations

from ..core.decision import Decision

_MARKS = {"passthrough": "-", "skipped": "."}


def explain(decision: Decision) -> str:
    """The answer, each check on a line of its own in the order in which it was made, and what would allow the call."""
    width = max((len(step.check) for step in decision.trace), default=0)
    lines = [f"{decision.behavior}: {decision.reason}" if decision.reason else decision.behavior]
    for step in decision.trace:
        rule = f" <{step.rule}>" if step.rule and step.rule not in step.detail else ""
        lines.append(
            f"  {step.check:<{width}}  {_MARKS.get(step.outcome, step.outcome):<5}  {step.detail}{rule}".rstrip()
        )
    if decision.suggestions and decision.behavior != "allow":
        lines.append("  would allow it: " + ("  and  " if decision.together else "  or  ").join(decision.suggestions))
    return "\n".join(lines)
