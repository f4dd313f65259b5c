"""The rights of a session while it lasts: what a person, an answer or a hook changes in them, and where it is kept."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from ..core.context import ContextState
from ..core.errors import SettingsError, UsageError
from ..core.permission_updates import (
    AddDirectories,
    AddRules,
    PermissionUpdate,
    RemoveDirectories,
    RemoveRules,
    ReplaceRules,
    RuleScope,
    RulesUpdate,
    SetMode,
    apply_updates,
)
from ..core.plan_mode import with_mode
from ..permissions.paths import compile_path_pattern
from ..permissions.rule_meaning import rule_meaning
from ..permissions.rules import make_rule
from ..permissions.wire_updates import read_mode

if TYPE_CHECKING:
    from ..settings import SavedFile
    from .reloading import SettingsKeeper
    from .session import Session

_PATH_TOOLS = frozenset({"Read", "Edit"})


class SessionRights:
    """Changes the rights of one session: all of the changes that are asked for together, or none."""

    def __init__(self, session: Session, settings: SettingsKeeper) -> None:
        self._session, self._settings = session, settings

    def for_calls(self) -> dict[str, Any]:
        """What the environment of a call holds of this."""
        session = self._session
        return {
            "apply_rules": session.keep_rules,
            "apply_updates": session.update_permissions,
            "rule_scopes": () if session.settings.managed_rules_only else session.rule_scopes,
            "auto_classifier": session.auto_classifier,
            "rights_now": self._settings.rights_now,
        }

    def set_mode(self, mode: str) -> None:
        """Let this be the mode of the session from the next call on.

        Raises:
            UsageError: no such mode, or one that is not available here.
        """
        self._change([self.checked(SetMode(read_mode(mode)))])

    async def apply(self, updates: Iterable[PermissionUpdate]) -> None:
        """Make these changes, in the session and in the settings files that they name.

        Raises:
            UsageError: one of them cannot be made: a rule that cannot be read, a mode that is not available, a place
                that this session does not offer. SettingsError: a file cannot be changed.
        """
        checked = [self.checked(update) for update in updates]
        kept: dict[RuleScope, list[PermissionUpdate]] = {}
        for update in checked:
            if update.destination != "session":
                kept.setdefault(update.destination, []).append(update)
        if kept:
            saved = await anyio.to_thread.run_sync(_save, kept, self._session.settings.origin.cwd)
            await self._settings.after_saving(saved)
        self._change([self._here(update) for update in checked if not self._counts_already(update)])

    def checked(self, update: PermissionUpdate) -> PermissionUpdate:
        """The change in the form in which it is made.

        Raises:
            UsageError: it cannot be made here.
        """
        session = self._session
        is_own = update.destination == "session" and isinstance(update, (SetMode, AddDirectories, RemoveDirectories))
        if not is_own and update.destination not in session.rule_scopes:
            offered = ", ".join(session.rule_scopes) or "nothing"
            raise UsageError(f"this session keeps rules in: {offered}; not in {update.destination}")
        if isinstance(update, SetMode):
            self._check_mode(update)
            return update
        if isinstance(update, (AddDirectories, RemoveDirectories)):
            return self._checked_folders(update)
        if isinstance(update, (AddRules, ReplaceRules)) and update.behavior == "allow":
            if session.settings.managed_rules_only:
                raise UsageError("only the managed settings of this machine may allow calls; the rule was not kept")
        return _checked_rules(update)

    def _check_mode(self, update: SetMode) -> None:
        mode, session = update.mode, self._session
        if mode in session.settings.forbidden_modes:
            raise UsageError(f"the settings forbid the mode {mode}")
        available = session.state.permission.is_bypass_permissions_mode_available
        if mode == "bypassPermissions" and not available:
            raise UsageError(
                "the mode bypassPermissions is not available in this session: it has to be the `defaultMode` of your "
                "own settings when the session begins"
            )
        if mode == "auto" and session.auto_classifier is None:
            raise UsageError(
                "the mode auto needs a classifier that says yes in your place, and this session has none: "
                "give it one, session.auto_classifier = …"
            )
        if mode in ("auto", "bypassPermissions") and update.destination in ("projectSettings", "localSettings"):
            raise UsageError(f"the mode {mode} is not kept in the settings of a project")

    def _checked_folders(self, update: AddDirectories | RemoveDirectories) -> PermissionUpdate:
        cwd = self._session.cwd
        folders = tuple(folder_of(path, cwd=cwd) for path in update.directories)
        if isinstance(update, AddDirectories):
            for folder in folders:
                if not os.path.isdir(folder):
                    raise UsageError(f"{folder} is no folder; nothing was added")
                if os.path.realpath(folder) == "/":
                    raise UsageError("the root of the file system cannot be a working directory")
        return replace(update, directories=folders)

    def _here(self, update: PermissionUpdate) -> PermissionUpdate:
        """The change in the session's own rights. What a file that nobody has approved says counts in the session
        alone, and so does a mode. A rule is taken away however it is spelt there."""
        if isinstance(update, SetMode):
            return replace(update, destination="session")
        if isinstance(update, RemoveRules):
            meant = set(map(rule_meaning, update.rules))
            there = self._session.state.permission.rules(update.behavior).get(update.destination, ())
            return replace(update, rules=tuple(rule for rule in there if rule_meaning(rule) in meant))
        if self._session.settings.origin.places is None or not isinstance(update, (AddRules, AddDirectories)):
            return update
        return replace(update, destination="session")

    def _counts_already(self, update: PermissionUpdate) -> bool:
        """Whether reading the settings again has made the change."""
        if update.destination == "session" or self._session.settings.origin.places is None:
            return False
        if isinstance(update, (ReplaceRules, RemoveRules, RemoveDirectories)):
            return True
        permission = self._session.state.permission
        if isinstance(update, AddRules):
            counting = permission.rules(update.behavior).get(update.destination, ())
            return set(map(rule_meaning, update.rules)) <= set(map(rule_meaning, counting))
        if isinstance(update, AddDirectories):
            return permission.additional_working_directories.keys() >= set(update.directories)
        return False

    def _change(self, updates: Sequence[PermissionUpdate]) -> None:
        if updates:
            self._session.modify_state(partial(_changed, updates=updates))


def _changed(state: ContextState, updates: Sequence[PermissionUpdate]) -> ContextState:
    for update in updates:
        if isinstance(update, SetMode):
            state = with_mode(state, update.mode)
        else:
            state = replace(state, permission=apply_updates(state.permission, [update]))
    return state


def _checked_rules(update: RulesUpdate) -> RulesUpdate:
    """The same change with its rules as contexts hold them.

    Raises:
        RuleSyntaxError: one cannot be read, or says what a rule of this behaviour may not say.
    """
    if isinstance(update, RemoveRules):
        return replace(update, rules=tuple(_rule_text(text) for text in update.rules))
    made = [make_rule(text, update.destination, update.behavior) for text in update.rules]
    for rule in made:
        if rule.tool_name in _PATH_TOOLS and rule.specifier is not None:
            compile_path_pattern(rule.specifier, update.behavior)
    return replace(update, rules=tuple(rule.text for rule in made))


def _save(kept: Mapping[RuleScope, Sequence[PermissionUpdate]], cwd: str) -> Sequence[SavedFile]:
    from ..settings import edit_files

    edits = {destination: partial(_edits, updates=updates, cwd=cwd) for destination, updates in kept.items()}
    try:
        return edit_files(cwd, edits)
    except OSError as error:
        raise SettingsError(f"the change cannot be written: {error}") from error


def _edits(settings: Mapping[str, Any], updates: Sequence[PermissionUpdate], cwd: str) -> list[Any]:
    """The changes as those of a file that holds ``settings``. What is taken away is taken away however it is spelt
    there."""
    from ..settings import AddItems, PutValue, RemoveItems

    edits: list[Any] = []
    permissions = settings.get("permissions")
    written = permissions if isinstance(permissions, Mapping) else {}
    for update in updates:
        if isinstance(update, SetMode):
            edits.append(PutValue(("permissions", "defaultMode"), update.mode))
            continue
        if isinstance(update, (AddDirectories, RemoveDirectories)):
            key, items, same = "additionalDirectories", update.directories, partial(folder_of, cwd=cwd)
        else:
            key, items, same = update.behavior, update.rules, rule_meaning
        path = ("permissions", key)
        there = {text: same(text) for text in _list(written.get(key)) if isinstance(text, str)}
        wanted = {same(item) for item in items}
        if isinstance(update, ReplaceRules):
            edits += [RemoveItems(path, tuple(text for text, meant in there.items() if meant not in wanted))]
        if isinstance(update, (RemoveRules, RemoveDirectories)):
            edits.append(RemoveItems(path, tuple(text for text, meant in there.items() if meant in wanted)))
        else:
            edits.append(AddItems(path, tuple(item for item in items if same(item) not in there.values())))
    return edits


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()


def _rule_text(text: str) -> str:
    try:
        return make_rule(text, "session", "ask").text
    except UsageError:
        return text


def folder_of(text: str, *, cwd: str) -> str:
    """The absolute folder that a person means by ``text``."""
    folder = os.path.normpath(os.path.join(cwd, os.path.expanduser(text)))
    return folder[1:] if folder.startswith("//") else folder  # POSIX keeps two slashes at the beginning apart
