"""The settings of a session while it lasts: read again when they changed, without losing what was chosen in it."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import anyio

from ..core.context import AdditionalWorkingDirectory, RuleBehavior, RuleSource, ToolPermissionContext
from ..core.events import SettingsEvent
from ..settings import Fingerprint, LoadedSettings, SettingsWatcher, fingerprint, read_origin
from .rights import as_loaded

if TYPE_CHECKING:
    from .session import Session


class ConfigChange(NamedTuple):
    """A settings file that changed, came or went while a session runs."""

    source: RuleSource
    path: Path


class SettingsKeeper:
    """The settings of one session.

    Args:
        settings: as they were read for it. session: the session, whose rights change with them.

    Attributes:
        current: the settings that count now.
    """

    def __init__(self, settings: LoadedSettings, session: Session) -> None:
        self.current = settings
        self._session = session
        self._seen = settings.fingerprint
        self._lock = threading.RLock()
        self._watcher: SettingsWatcher | None = None

    def watch(self) -> None:
        """Let changes on disk count as they happen, from now on until :meth:`close`. Does nothing without files."""
        if self._watcher is None and self.current.origin.places is not None:
            self._watcher = SettingsWatcher(self.current.origin, _Looking(weakref.ref(self)))
            weakref.finalize(self, self._watcher.close)

    def close(self) -> None:
        """Stop watching."""
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.close()

    def set(self, settings: Mapping[str, Any] | LoadedSettings | None) -> LoadedSettings:
        """Let these settings count, or those that are on disk now.

        Raises:
            SettingsError: they cannot be used; nothing was changed.
        """
        with self._lock:
            origin = self.current.origin
            new = read_origin(origin) if settings is None else as_loaded(settings, origin.cwd)
            self._take(new)
            return new

    def is_stale(self) -> bool:
        """Whether a file has changed since it was read."""
        return fingerprint(path for path, *_ in self._seen) != self._seen

    async def refresh(self) -> None:
        """When somebody watches: let what is on disk now count. Quick when nothing has changed.

        Hooks may refuse a change; what takes rights away counts while they think.
        """
        if self._watcher is None:
            return
        with self._lock:
            if not self.is_stale():
                return
            before = self._seen
            new = read_origin(self.current.origin)
            self._seen = new.fingerprint
            changes = _changes(before, new)
            if not self._session.hook_events.set.has("ConfigChange"):
                self._take(new)
                self._tell(changes, new.notes)
                return
            self._session.modify_state(
                lambda state: replace(state, permission=_tightened(state.permission, new.permission))
            )
        await self._ask_hooks(changes, new)

    async def rights_now(self) -> ToolPermissionContext:
        """The session's rights, with what is on disk now."""
        await self.refresh()
        return self._session.state.permission

    async def _ask_hooks(self, changes: tuple[ConfigChange, ...], new: LoadedSettings) -> None:
        asked = self._session.hook_events.refusal_of_change
        refused = [why for change in changes if (why := await asked(change)) is not None]
        managed = any(change.source == "managed" for change in changes)
        with self._lock:
            if self._seen != new.fingerprint:
                return  # there is a later change, which has this one in it
            counts = self.current if refused and not managed else new
            self._take(counts, seen=self._seen)
        self._tell(changes, new.notes if counts is new else (f"the change does not count: {refused[0]}",))

    def _take(self, new: LoadedSettings, seen: Fingerprint | None = None) -> None:
        old, self.current = self.current, new
        self._seen = new.fingerprint if seen is None else seen
        self._session.modify_state(lambda state: replace(state, permission=carried_over(state.permission, old, new)))

    def _tell(self, changes: Sequence[ConfigChange], notes: tuple[str, ...]) -> None:
        if changes:
            paths = tuple(str(change.path) for change in changes)
            self._session.observers.emit("on_settings", SettingsEvent(paths, notes))


class _Looking(NamedTuple):
    """What the watcher calls; it does not keep a session that nobody has any more."""

    keeper: weakref.ref[SettingsKeeper]

    def __call__(self) -> None:
        if (keeper := self.keeper()) is not None and keeper.is_stale():
            anyio.run(keeper.refresh)


def _changes(before: Fingerprint, new: LoadedSettings) -> tuple[ConfigChange, ...]:
    """The files whose stamps differ. The record of approvals is none of them."""
    sources = {str(file.path): file.source for file in new.origin.files()}
    differing = {stamp[0] for stamp in set(before) ^ set(new.fingerprint)}
    return tuple(ConfigChange(source, Path(path)) for path, source in sources.items() if path in differing)


def _tightened(now: ToolPermissionContext, new: ToolPermissionContext) -> ToolPermissionContext:
    """The rights as they are, with the deny and ask rules that have come."""
    for behavior in ("deny", "ask"):
        for source, rules in new.rules(behavior).items():
            for rule in rules:
                now = now.with_rule(behavior, source, rule)
    return now


def carried_over(now: ToolPermissionContext, old: LoadedSettings, new: LoadedSettings) -> ToolPermissionContext:
    """The rights under ``new`` of a session that began under ``old`` and has come to ``now``.

    What the session itself has added or taken away stays so: its rules, its folders, its mode. Everything from files is
    as the files are now.
    """
    base, fresh = old.permission, new.permission
    rules = {f"always_{behavior}_rules": _rules(behavior, base, now, fresh) for behavior in get_args(RuleBehavior)}
    if new.managed_rules_only:
        rules["always_allow_rules"] = {s: r for s, r in fresh.always_allow_rules.items() if s == "managed"}
    mode = fresh.mode if now.mode == base.mode or now.mode in new.forbidden_modes else now.mode
    available = fresh.is_bypass_permissions_mode_available
    if now.is_bypass_permissions_mode_available != base.is_bypass_permissions_mode_available:
        available = now.is_bypass_permissions_mode_available and "bypassPermissions" not in new.forbidden_modes
    return replace(
        now,
        **rules,
        mode=mode,
        is_bypass_permissions_mode_available=available,
        additional_working_directories=_directories(base, now, fresh),
        rule_roots=fresh.rule_roots,
    )


def _rules(
    behavior: RuleBehavior, base: ToolPermissionContext, now: ToolPermissionContext, fresh: ToolPermissionContext
) -> dict[RuleSource, tuple[str, ...]]:
    began, has, begins = (rights.rules(behavior).get("session", ()) for rights in (base, now, fresh))
    kept = [rule for rule in begins if rule in has or rule not in began]
    own = tuple(dict.fromkeys((*kept, *(rule for rule in has if rule not in began))))
    others = {source: rules for source, rules in fresh.rules(behavior).items() if source != "session"}
    return {**others, "session": own} if own else others


def _directories(
    base: ToolPermissionContext, now: ToolPermissionContext, fresh: ToolPermissionContext
) -> dict[str, AdditionalWorkingDirectory]:
    began = base.additional_working_directories
    has = now.additional_working_directories
    added = {path: folder for path, folder in has.items() if folder.source == "session" and path not in began}
    gone = {path for path, folder in began.items() if folder.source == "session" and path not in has}
    return {
        **{path: folder for path, folder in fresh.additional_working_directories.items() if path not in gone},
        **added,
    }
