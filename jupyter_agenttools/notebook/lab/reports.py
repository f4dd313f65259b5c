"""What a page may want to look at beyond the state: the rules, what is the matter with them, the plan, past calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import UsageError
from ...core.plan_mode import plan_file_of
from ...render.chars import clip, one_line, visible

if TYPE_CHECKING:
    from ...session import Session
    from ...session.policy import PolicyRule

RULES = 300
CALLS = 200
TITLE_CHARS = 200
RESULT_CHARS = 1_000
PLAN_CHARS = 20_000


def report(session: Session, name: str) -> Any:
    """The report of this name, as JSON data.

    Raises:
        UsageError: there is none.
    """
    make = _REPORTS.get(name)
    if make is None:
        raise UsageError(f"this kernel has no report {name!r}")
    return make(session)


def plan_path(session: Session) -> str:
    """The file that holds the plan while the session is in plan mode, ``""`` otherwise."""
    return plan_file_of(session.dir, session.options) if session.state.permission.mode == "plan" else ""


def _rules(session: Session) -> dict[str, Any]:
    from ...session.policy import policy_rules

    rules = policy_rules(session)
    folders = [session.cwd, *session.state.permission.additional_working_directories]
    return {"rules": [_rule(rule) for rule in rules[:RULES]], "total": len(rules), "folders": folders}


def _rule(rule: PolicyRule) -> dict[str, Any]:
    placed = rule.placed
    return {
        "behavior": placed.rule.behavior,
        "text": visible(placed.rule.text),
        "from": placed.place or placed.rule.source,
        "note": rule.note,
        "session": placed.rule.source == "session" and rule.counts,
    }


def _check(session: Session) -> dict[str, Any]:
    from ...render.text import view_text
    from ...session.policy_view import checked_view

    return {"text": view_text(checked_view(session))}


def _plan(session: Session) -> dict[str, Any]:
    path = plan_path(session)
    try:
        text = Path(path).read_text(errors="replace") if path else ""
    except OSError:
        text = ""
    return {"path": path, "text": clip(visible(text), PLAN_CHARS)}


def _calls(session: Session) -> dict[str, Any]:
    """The last calls, the latest first: all of what is searched is in here, and nothing else is shown."""
    last = list(session.outcomes)[-CALLS:]
    calls = [
        {
            "id": outcome.tool_use.id,
            "tool": one_line(outcome.tool_use.name, TITLE_CHARS),
            "status": outcome.status,
            "title": one_line(title_of(outcome.tool_use.input), TITLE_CHARS),
            "text": clip(visible(outcome.text), RESULT_CHARS),
        }
        for outcome in reversed(last)
    ]
    return {"calls": calls, "total": len(session.outcomes)}


def title_of(input: Mapping[str, Any]) -> str:
    """What a call is about: its first text."""
    return next((value for value in input.values() if isinstance(value, str)), "")


_REPORTS: Mapping[str, Callable[[Session], Any]] = {"rules": _rules, "check": _check, "plan": _plan, "calls": _calls}
