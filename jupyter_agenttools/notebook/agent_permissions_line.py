"""What does the text after ``%agent permissions`` ask for?"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from ..core.context import PermissionMode
from ..core.errors import UsageError
from ..core.permission_updates import RuleScope

PermissionAction = Literal["show", "check", "allow", "ask", "deny", "remove", "mode", "add-dir", "remove-dir", "reload"]

PERMISSION_ACTIONS: Mapping[PermissionAction, str] = {
    "check": "rules that never match, are shadowed or broad, or say something else than they seem to",
    "allow": "add an allow rule",
    "ask": "add an ask rule",
    "deny": "add a deny rule",
    "remove": "take a rule away",
    "mode": "change the permission mode",
    "add-dir": "let tools work in one more folder",
    "remove-dir": "take such a folder away",
    "reload": "let the settings files count as they are now, also where a hook refused a change",
}
PERMISSION_VALUES: Mapping[str, str] = {
    "allow": "RULE",
    "ask": "RULE",
    "deny": "RULE",
    "remove": "RULE",
    "mode": "MODE",
    "add-dir": "PATH",
    "remove-dir": "PATH",
}
SCOPES: Mapping[str, RuleScope] = {
    "session": "session",
    "local": "localSettings",
    "project": "projectSettings",
    "user": "userSettings",
}
SCOPE_OPTION = "--scope"
MODES: tuple[str, ...] = get_args(PermissionMode)

_SCOPE = re.compile(r"(?:(?<=\s)|^)--scope(?:=|\s+|$)(\S*)")


@dataclass(frozen=True)
class AgentPermissions:
    """Look at the policy, or change one thing in it.

    Args:
        action: what to do. subject: the rule, mode or folder; ``""`` to show the mode.
        scope: where the change is kept; ``None`` when nothing was said.
    """

    action: PermissionAction = "show"
    subject: str = ""
    scope: RuleScope | None = None


def parse_permissions(text: str, magic: str = "%agent permissions") -> AgentPermissions:
    """What is asked for.

    Raises:
        UsageError: an unknown word or scope, or something is missing.
    """
    word, _, rest = text.strip().partition(" ")
    if not word:
        return AgentPermissions()
    if word == "show" or word not in get_args(PermissionAction):
        near = difflib.get_close_matches(word, PERMISSION_ACTIONS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"{magic}: {word!r} is none of {', '.join(PERMISSION_ACTIONS)}{hint}")
    subject, scope = _with_scope(rest, f"{magic} {word}")
    if word in ("check", "reload"):
        if subject or scope:
            raise UsageError(f"{magic} {word}: takes nothing after it, got {rest.strip()!r}")
        return AgentPermissions(word)  # type: ignore[arg-type]
    if not subject:
        raise UsageError(f"{magic} {word}: write {word} {PERMISSION_VALUES[word]} [{SCOPE_OPTION} {_scopes()}]")
    return AgentPermissions(word, subject, scope)  # type: ignore[arg-type]


def parse_mode(text: str) -> AgentPermissions:
    """What ``%agent mode`` asks for. Raises as :func:`parse_permissions`."""
    subject, scope = _with_scope(text, "%agent mode")
    return AgentPermissions("mode", subject, scope)


def _with_scope(text: str, where: str) -> tuple[str, RuleScope | None]:
    """The text without its ``--scope``, which stands before or behind it, and the scope."""
    text = text.strip()
    found = [match for match in _SCOPE.finditer(text) if match.start() == 0 or match.end() == len(text)]
    if not found:
        return _unquoted(text), None
    if len(found) > 1:
        raise UsageError(f"{where}: {SCOPE_OPTION} stands there twice")
    (match,) = found
    if match.group(1) not in SCOPES:
        raise UsageError(f"{where}: {SCOPE_OPTION} is one of {_scopes()}, got {match.group(1)!r}")
    return _unquoted((text[: match.start()] + text[match.end() :]).strip()), SCOPES[match.group(1)]


def _unquoted(text: str) -> str:
    """A rule that was put in quotes out of habit; nothing here takes them away as a shell does."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\"`" and text[0] not in text[1:-1]
    return text[1:-1].strip() if quoted else text


def _scopes() -> str:
    return " | ".join(SCOPES)
