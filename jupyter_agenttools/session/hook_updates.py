"""Changes of the rights that a PermissionRequest hook asks for, in the form of the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.errors import UsageError
from ..core.permission_updates import PermissionUpdate, RemoveRules, ReplaceRules, SetMode
from ..permissions.wire_updates import update_from_json

if TYPE_CHECKING:
    from .session import Session

NEVER_BY_A_HOOK: frozenset[str] = frozenset({"bypassPermissions", "auto"})
"""Modes that only a person chooses."""


async def apply_hook_updates(session: Session, updates: Sequence[Mapping[str, Any]]) -> None:
    """Carry them out: all of them, or none.

    Raises:
        UsageError: one of them cannot be read, cannot be made, or is of a kind that hooks cannot ask for.
    """
    made = [update_from_json(update) for update in updates]
    for update in made:
        _check(update)
    await session.update_permissions(made)


def _check(update: PermissionUpdate) -> None:
    if isinstance(update, SetMode):
        if update.mode in NEVER_BY_A_HOOK:
            raise UsageError(f"setMode: a hook cannot choose the mode {update.mode!r}")
        if update.destination != "session":
            raise UsageError("setMode: a hook chooses the mode of the session, and of nothing else")
    if isinstance(update, (RemoveRules, ReplaceRules)) and update.behavior != "allow":
        raise UsageError(f"a hook cannot take away {update.behavior} rules")
