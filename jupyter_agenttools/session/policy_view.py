"""The policy of a session as a person sees it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..core.views import Badge, ColumnKind, TableBlockView, TextBlockView, Tone, ToolView, ViewBlock
from ..permissions.rule_check import Finding
from .policy import PolicyRule, check_policy, policy_rules

if TYPE_CHECKING:
    from .session import Session

CHECKED_AT_ONCE = 1_000
"""Rules that are checked when they are only to be shown; more of them take seconds."""

_SOURCES = {
    "managed": "managed",
    "commandLine": "command line",
    "session": "session",
    "localSettings": "local",
    "projectSettings": "project",
    "userSettings": "user",
}
_MODES = {
    "default": "what no rule allows asks",
    "acceptEdits": "edits in the working directories, and making, copying and moving files there, need no question",
    "plan": "only reading, until a plan is approved",
    "auto": "a classifier says yes where no rule wants a person",
    "dontAsk": "what would ask is denied",
    "bypassPermissions": "almost nothing asks: only deny and ask rules, protected places and critical removals",
}
_TONES: dict[str, Tone] = {"bypassPermissions": "warning", "auto": "warning", "acceptEdits": "info", "plan": "info"}
_RULE_KINDS: tuple[ColumnKind, ...] = ("text", "code", "text", "code", "text")


def policy_view(session: Session) -> ToolView:
    """The mode, the folders, every rule in the order in which they are looked at, and what to know of them."""
    permission = session.state.permission
    rules = policy_rules(session)
    findings = check_policy(session) if len(rules) <= CHECKED_AT_ONCE else ()
    notes = {(f.placed.rule, f.placed.place): f.kind for f in findings}
    blocks: list[ViewBlock] = [
        TextBlockView(f"mode {permission.mode}: {_MODES[permission.mode]}"),
        TableBlockView(("folder", "from"), tuple(_folders(session)), "working directories", ("code", "text")),
    ]
    if rules:
        rows = tuple(_row(rule, notes.get((rule.placed.rule, rule.placed.place), "")) for rule in rules)
        blocks.append(TableBlockView(("", "rule", "from", "written in", "notes"), rows, "rules", _RULE_KINDS))
    else:
        blocks.append(TextBlockView("rules: none"))
    if findings or len(rules) > CHECKED_AT_ONCE:
        blocks.append(TextBlockView("`%agent permissions check` says more of the notes.", markdown=True))
    blocks += [TextBlockView(note, tone="warning") for note in _notes(session)]
    badges = (Badge(permission.mode, _TONES.get(permission.mode, "neutral")), Badge(_count(len(rules), "rule")))
    return ToolView("Permissions", badges, tuple(blocks))


def findings_view(findings: Sequence[Finding], checked: int, unused: Sequence[PolicyRule] = ()) -> ToolView:
    """What is the matter with which rule, and why.

    Args:
        checked: how many rules were looked at. unused: those beside them that do not count.
    """
    odd = len({(finding.placed.rule, finding.placed.place) for finding in findings})
    counting = _count(checked, "rule") + ((" that counts" if checked == 1 else " that count") if unused else "")
    found = f"{odd} of {counting} with notes" if odd else f"{counting}, nothing found"
    badges = [Badge(found, "warning" if odd else "ok")]
    if unused:
        badges.append(Badge(f"{_count(len(unused), 'more rule')} not used", "warning"))
    lines = [_line(finding) for finding in findings] + [_unused_line(rule) for rule in unused]
    return ToolView("Permissions, checked", tuple(badges), tuple(map(TextBlockView, lines)))


def checked_view(session: Session) -> ToolView:
    """What is the matter with the rules of a session, and which of them do not count."""
    rules = policy_rules(session)
    unused = [rule for rule in rules if not rule.counts]
    return findings_view(check_policy(session), len(rules) - len(unused), unused)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _line(finding: Finding) -> str:
    rule, place = finding.placed.rule, finding.placed.place or _SOURCES[finding.placed.rule.source]
    return f"{rule.behavior} {rule.text} [{place}] – {finding.kind.replace('-', ' ')}: {finding.text}"


def _unused_line(rule: PolicyRule) -> str:
    made = rule.placed.rule
    return f"{made.behavior} {made.text} [{rule.placed.place or _SOURCES[made.source]}] – {rule.note}"


def _folders(session: Session) -> Iterator[tuple[str, str]]:
    base = session.state.permission.rule_roots.get("session", session.cwd)
    yield base, "where the session began"
    if session.cwd != base:
        yield session.cwd, "where commands run now (no working directory by that)"
    for path, folder in session.state.permission.additional_working_directories.items():
        yield path, _SOURCES[folder.source]


def _row(rule: PolicyRule, kind: str) -> tuple[str, ...]:
    made = rule.placed.rule
    note = "; ".join(filter(None, (rule.note, kind.replace("-", " "))))
    return made.behavior, made.text, _SOURCES[made.source], rule.placed.place, note


def _notes(session: Session) -> Iterator[str]:
    yield from session.settings.notes
    if session.state.permission.mode == "auto" and session.auto_classifier is None:
        yield "this session has no classifier, so the mode auto asks as the mode default does"
