"""The settings of a session while it lasts: read again when they changed, without losing what was chosen in it."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import anyio

from ..core.context import (
    AdditionalWorkingDirectory,
    ContextState,
    RuleBehavior,
    RuleSource,
    ToolPermissionContext,
)
from ..core.errors import SettingsError
from ..core.events import SettingsEvent
from ..settings import (
    Contents,
    FileContent,
    LoadedSettings,
    SavedFile,
    SettingsFile,
    SettingsOrigin,
    SettingsWatcher,
    fingerprint,
    read_contents,
    settings_in,
)
from .rights import as_loaded

if TYPE_CHECKING:
    from .session import Session


class ConfigChange(NamedTuple):
    """A settings file that changed, came or went while a session runs."""

    source: RuleSource
    path: Path


_PENDING = "a ConfigChange hook is asked about it"
_SOURCES: tuple[RuleSource, ...] = ("userSettings", "projectSettings", "localSettings", "commandLine", "managed")
"""Whose files there are, weakest first."""


class SettingsKeeper:
    """The settings of one session.

    A change that a ConfigChange hook refuses is held back: of that file counts what counted before, whatever else is
    read again, until the file changes once more and the hook lets it pass, or a person calls :meth:`reload`. While the
    hook thinks the file is held back too, but for the deny and ask rules in it.

    Args:
        settings: as they were read for it. session: the session, whose rights change with them.

    Attributes:
        current: the settings that count now.
    """

    def __init__(self, settings: LoadedSettings, session: Session) -> None:
        self.current = settings
        self._session = session
        self._disk = settings.contents
        self._held: dict[SettingsFile, FileContent] = {}
        self._questions: dict[SettingsFile, FileContent] = {}
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

    def reload(self, settings: Mapping[str, Any] | LoadedSettings | None, *, also_refused: bool) -> LoadedSettings:
        """Let these settings count, or those that are on disk now.

        Args:
            also_refused: also what a hook refused before, or was not asked about yet. Otherwise it stays held back.

        Raises:
            SettingsError: they cannot be used; nothing was changed.
        """
        with self._lock:
            new = self.current if settings is None else as_loaded(settings, self.current.origin.cwd)
            disk = read_contents(new.origin) if settings is None else new.contents
            if also_refused:
                released = [file for file in self._held if file in disk.files]
                self._take_up(disk, ())
                self._held.clear()
                self._questions.clear()
                self._take(new.origin)
                said = tuple(f"{file.path} counts as it is now, although a hook refused it" for file in released)
                self._tell(released, said)
            else:
                self._take_up(disk, ())
                self._take(new.origin)
            return self.current

    async def after_saving(self, saved: Sequence[SavedFile]) -> None:
        """Let count what this session has just written into its settings files, and ask about whatever else changed."""
        with self._lock:
            self._look(saved)
        await self._ask()

    def is_stale(self) -> bool:
        """Whether a file has changed since it was read."""
        seen = self._disk.fingerprint
        return fingerprint(path for path, *_ in seen) != seen

    async def refresh(self) -> None:
        """When somebody watches: let what is on disk now count. Quick when nothing has changed.

        Hooks may refuse a change; what takes rights away counts while they think.
        """
        if self._watcher is not None:
            with self._lock:
                if self.is_stale():
                    self._look()
        if self._questions:
            await self._ask()

    async def rights_now(self) -> ToolPermissionContext:
        """The session's rights, with what is on disk now."""
        await self.refresh()
        return self._session.state.permission

    def _look(self, saved: Sequence[SavedFile] = ()) -> None:
        """Take up what is on disk now. What no hook has to be asked about is told at once."""
        changes = self._take_up(read_contents(self.current.origin), saved)
        self._take(self.current.origin)
        self._tell([file for file in changes if file not in self._questions], self.current.notes)

    def _take_up(self, disk: Contents, saved: Sequence[SavedFile]) -> list[SettingsFile]:
        """Remember what is on disk now, and hold back what hooks are to be asked about. The files that changed other
        than by ``saved``."""
        ours = {os.path.realpath(file.path): file for file in saved}
        asks = self._session.hook_events.set.has("ConfigChange")
        changes = []
        for file in dict.fromkeys((*self._disk.files, *disk.files)):
            known, now = self._disk.of(file), disk.of(file)
            if known.is_same(now):
                continue
            mine = ours.get(os.path.realpath(file.path))
            counting = _with_ours(self._held.get(file, known), mine)
            if mine is not None and (known.data, now.data) == (mine.before, mine.after):
                if file in self._held:
                    self._held[file] = counting
                    if counting.held == _PENDING:
                        self._questions[file] = now
                continue
            changes.append(file)
            if asks:
                self._questions[file] = now
            if asks and file.source != "managed":  # an administrator's change counts whatever hooks say
                self._held[file] = counting._replace(held=_PENDING)
            else:
                self._held.pop(file, None)
        self._disk = disk
        return changes

    def _take(self, origin: SettingsOrigin) -> None:
        """Let what is on disk count, but for the files that are held back."""
        contents = replace(self._disk, files=_in_order({**self._disk.files, **self._held}))
        old, new = self.current, settings_in(origin, contents)
        thinking = any(content.held == _PENDING for content in self._held.values())
        tighter = settings_in(origin, self._disk).permission if thinking else None

        def changed(state: ContextState) -> ContextState:
            permission = carried_over(state.permission, old, new)
            return replace(state, permission=permission if tighter is None else _tightened(permission, tighter))

        self.current = new
        self._session.modify_state(changed)

    async def _ask(self) -> None:
        """Ask the hooks about the changes that nobody has asked them about yet, until there are none."""
        refusal = self._session.hook_events.refusal_of_change
        while questions := self._take_questions():
            try:
                answers = {file: await refusal(ConfigChange(file.source, file.path)) for file in questions}
            except BaseException:
                with self._lock:
                    self._questions = {**questions, **self._questions}  # whoever comes next asks
                raise
            with self._lock:
                for file, why in answers.items():
                    if file in self._held and self._disk.of(file).is_same(questions[file]):
                        self._answered(file, why)
                self._take(self.current.origin)
                self._tell(list(questions), self.current.notes)

    def _take_questions(self) -> dict[SettingsFile, FileContent]:
        with self._lock:
            questions, self._questions = self._questions, {}
            return questions

    def _answered(self, file: SettingsFile, refused: str | None) -> None:
        if refused is None:
            del self._held[file]
        else:
            self._held[file] = self._held[file]._replace(held=refused)

    def _tell(self, files: Sequence[SettingsFile], notes: tuple[str, ...]) -> None:
        if files:
            self._session.observers.emit("on_settings", SettingsEvent(tuple(str(file.path) for file in files), notes))


def _with_ours(content: FileContent, mine: SavedFile | None) -> FileContent:
    """What counts of a file, with what this session has just written into it as well. Where that cannot be put into
    it the session itself keeps the rule."""
    if mine is None:
        return content
    try:
        return content._replace(data=mine.made_in(content.data))
    except SettingsError:
        return content


def _in_order(files: Mapping[SettingsFile, FileContent]) -> dict[SettingsFile, FileContent]:
    """The files with the weakest first, also those that are held back and could no longer be found."""
    return dict(sorted(files.items(), key=lambda item: _SOURCES.index(item[0].source)))


class _Looking(NamedTuple):
    """What the watcher calls; it does not keep a session that nobody has any more."""

    keeper: weakref.ref[SettingsKeeper]

    def __call__(self) -> None:
        if (keeper := self.keeper()) is not None and keeper.is_stale():
            anyio.run(keeper.refresh)


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
