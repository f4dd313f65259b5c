"""``%agent permissions`` and ``%agent mode``: the policy of the session, and changing it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from ..core.context import RuleBehavior
from ..core.errors import UsageError
from ..core.permission_updates import (
    AddDirectories,
    AddRules,
    PermissionUpdate,
    RemoveDirectories,
    RemoveRules,
    RuleScope,
    SetMode,
)
from ..permissions import parse_rule
from ..permissions.rule_meaning import rule_meaning
from ..permissions.rules import format_rule
from ..permissions.wire_updates import read_mode
from ..session.policy import check_policy, policy_rules
from ..session.policy_view import checked_view, findings_view, policy_view
from ..session.session_rights import folder_of
from .agent_permissions_line import SCOPES, AgentPermissions
from .note import lines_bundle, note_bundle
from .output import show
from .plan import Plan

if TYPE_CHECKING:
    from ..core.views import ToolView
    from ..session import Session
    from .runtime import Runtime


def permissions_plan(runtime: Runtime, asked: AgentPermissions) -> Plan:
    """Show the policy, check it, or change one thing in it.

    Raises:
        UsageError: it cannot be changed so, and nothing was.
    """
    from ..render import view_bundle

    session = runtime.session
    if asked.action == "show":
        show(view_bundle(policy_view(session)))
        return None
    if asked.action == "check":
        show(view_bundle(checked_view(session)))
        return None
    if asked.action == "reload":
        loaded = session.reload_settings()
        show(lines_bundle(["the settings files count as they are now", *loaded.notes]))
        return None
    if asked.action == "mode" and not asked.subject:
        show(note_bundle(f"mode: {session.state.permission.mode}"))
        return None
    updates = updates_for(session, asked)
    run = runtime.new_run(lambda: session.update_permissions(updates))
    yield run
    runtime.result_of(run)
    show(note_bundle(said_of(updates, session)))
    if isinstance(updates[0], AddRules) and (wrong := _wrong_with(session, updates[0])):
        show(view_bundle(wrong))
    return None


def updates_for(session: Session, asked: AgentPermissions) -> tuple[PermissionUpdate, ...]:
    """The changes that the line asks for.

    Raises:
        UsageError: a rule or mode that cannot be read, or something to take away that is not there.
    """
    scope: RuleScope = asked.scope or "session"
    match asked.action:
        case "allow" | "ask" | "deny":
            return (AddRules((asked.subject,), asked.action, scope),)
        case "mode":
            return (SetMode(read_mode(asked.subject), scope),)
        case "add-dir":
            return (AddDirectories((asked.subject,), scope),)
        case "remove-dir":
            _check_added(session, asked.subject, scope)
            return (RemoveDirectories((asked.subject,), scope),)
        case _:
            return _removals(session, asked)


def _removals(session: Session, asked: AgentPermissions) -> tuple[PermissionUpdate, ...]:
    """Taking the rule away where it is; with several places only where the person said.

    Raises:
        UsageError: it is nowhere, or nobody said in which of several places.
    """
    text = format_rule(parse_rule(asked.subject))
    meant = rule_meaning(text)
    rules = [each.placed.rule for each in policy_rules(session) if rule_meaning(each.placed.rule.text) == meant]
    places = dict.fromkeys((rule.behavior, rule.source) for rule in rules)
    found: list[tuple[RuleBehavior, RuleScope]] = [each for each in places if each[1] in get_args(RuleScope)]  # type: ignore[misc]
    elsewhere = [f"{behavior} [{source}]" for behavior, source in places if source not in get_args(RuleScope)]
    wanted = [each for each in found if asked.scope in (None, each[1])]
    if not wanted:
        where = ", ".join((*(f"{behavior} [{source}]" for behavior, source in found), *elsewhere))
        there = f"; it is there as {where}" if where else "; %agent permissions lists the rules"
        raise UsageError(f"%agent permissions remove: there is no rule {text} that could be taken away{there}")
    if len({scope for _, scope in wanted}) > 1:
        places = ", ".join(f"{behavior} [{scope}]" for behavior, scope in wanted)
        raise UsageError(f"%agent permissions remove: {text} is in several places ({places}); say --scope")
    return tuple(RemoveRules((text,), behavior, scope) for behavior, scope in wanted)


def _check_added(session: Session, subject: str, scope: RuleScope) -> None:
    """Raises:
    UsageError: the folder is none of those that were added there.
    """
    folder, added = folder_of(subject, cwd=session.cwd), session.state.permission.additional_working_directories
    lists = (layer.data.get("permissions") or {} for layer in session.settings.layers if layer.source == scope)
    written = (str(text) for each in lists for text in each.get("additionalDirectories") or ())
    base = session.state.permission.rule_roots.get("session", session.cwd)
    if (folder in added and added[folder].source == scope) or folder in {folder_of(t, cwd=base) for t in written}:
        return
    names = {source: name for name, source in SCOPES.items()}
    there = ", ".join(f"{path} [{names.get(each.source, each.source)}]" for path, each in added.items())  # type: ignore[call-overload]
    raise UsageError(
        f"%agent permissions remove-dir: {folder} is no folder that was added in the scope {names[scope]}; "
        + (f"there are {there}" if there else "none was added")
    )


def said_of(updates: Sequence[PermissionUpdate], session: Session) -> str:
    """What was changed, in a line."""
    said = "; ".join(_said(update, session) for update in updates)
    return f"{said}{_waits(updates, session)}"


def _waits(updates: Sequence[PermissionUpdate], session: Session) -> str:
    """What does not count where it was written, because nobody has approved the file."""
    wider = {
        update.destination
        for update in updates
        if isinstance(update, AddDirectories) or (isinstance(update, AddRules) and update.behavior == "allow")
    }
    if all(layer.trusted or layer.source not in wider for layer in session.settings.layers):
        return ""
    return (
        "; nobody has approved that file, so what stands there does not count before %agent trust; "
        "this session keeps it meanwhile"
    )


def _said(update: PermissionUpdate, session: Session) -> str:
    where = _where(update.destination, session)
    if isinstance(update, SetMode):
        kept = "" if update.destination == "session" else f"; sessions begin in it from now on ({where})"
        return f"mode: {session.state.permission.mode}{kept}"
    if isinstance(update, AddDirectories):
        return f"working directory: {', '.join(update.directories)} ({where})"
    if isinstance(update, RemoveDirectories):
        return f"no working directory any more: {', '.join(update.directories)} ({where})"
    rules = ", ".join(update.rules)
    verb = "taken away" if isinstance(update, RemoveRules) else "kept"
    return f"{update.behavior} rule {verb}: {rules} ({where})"


def _where(scope: RuleScope, session: Session) -> str:
    if scope == "session":
        return "this session"
    from ..settings import settings_file_of

    return str(settings_file_of(scope, session.settings.origin.cwd))


def _wrong_with(session: Session, added: AddRules) -> ToolView | None:
    """What is the matter with rules that were just added, as far as it can be told."""
    texts = {format_rule(parse_rule(rule)) for rule in added.rules}
    findings = check_policy(session, lambda rule: rule.behavior == added.behavior and rule.text in texts)
    return findings_view(findings, len(texts)) if findings else None
