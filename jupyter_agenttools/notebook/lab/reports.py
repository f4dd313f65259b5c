"""What a page may want to look at beyond the state: the rules, what is the matter with them, the plan, its history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from ...core.errors import UsageError
from ...core.plan_mode import plan_file_of
from ...render.chars import clip, visible
from .history import entry, history
from .messages import AskEntry, AskHistory, AskNothing, AskSessions
from .sessions import sessions
from .shelf import Shelf

if TYPE_CHECKING:
    from ...session import Session
    from ...session.policy import PolicyRule

RULES = 300
PLAN_CHARS = 20_000


def report(session: Session, name: str, args: Mapping[str, Any] | None = None, shelf: Shelf | None = None) -> Any:
    """The report of this name, as JSON data. For a worker thread: files are read.

    Args:
        args: what it needs to know. shelf: keeps what was read for the next report.

    Raises:
        UsageError: there is none, or the arguments are not those that it takes.
    """
    if name not in _REPORTS:
        raise UsageError(f"this kernel has no report {name!r}")
    takes, make = _REPORTS[name]
    try:
        asked = takes.model_validate(dict(args or {}))
    except ValidationError as problem:
        where = ", ".join(sorted({".".join(map(str, each["loc"])) for each in problem.errors()}))
        raise UsageError(f"the report {name!r} cannot be made with these arguments: {where}") from None
    return make(session, asked, shelf or Shelf())


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


def title_of(input: Mapping[str, Any]) -> str:
    """What a call is about: its first text."""
    return next((value for value in input.values() if isinstance(value, str)), "")


def _plain(make: Callable[[Session], Any]) -> tuple[type[BaseModel], Callable[..., Any]]:
    return AskNothing, lambda session, asked, shelf: make(session)


_REPORTS: Mapping[str, tuple[type[BaseModel], Callable[..., Any]]] = {
    "rules": _plain(_rules),
    "check": _plain(_check),
    "plan": _plain(_plan),
    "history": (AskHistory, history),
    "entry": (AskEntry, entry),
    "sessions": (AskSessions, sessions),
}
