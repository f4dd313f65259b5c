"""Changing settings files: a rule that a person chose, a mode, a folder. Nothing else in them changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core.context import RuleSource
from ..core.errors import SettingsError
from ..core.prompting import RuleUpdate
from ..permissions.from_settings import ParsedSettings, parse_settings
from ..permissions.rules import make_rule
from ..permissions.schema import SettingsFault
from .files import BOM, decode, line_of, parse_file, read_file, write_file
from .lock import settings_locks
from .narrow import widens
from .places import FOLDERS, project_root
from .splice import AddItems, Edit, splice
from .trust import is_trusted, trust


def save_rule(update: RuleUpdate, cwd: str) -> Path:
    """Add a rule to the settings file of its scope, and say which file that is. See :func:`edit_settings`.

    Args:
        update: the rule, exactly as it was shown, and where to keep it.
        cwd: absolute folder of the session.

    Raises:
        RuleSyntaxError: the rule cannot be read. SettingsError, OSError: as in :func:`edit_settings`.
    """
    make_rule(update.rule, update.destination, update.behavior)
    return edit_settings(update.destination, cwd, [AddItems(("permissions", update.behavior), (update.rule,))])


EditsOf = Callable[[Mapping[str, Any]], Sequence[Edit]]
"""Given what a settings file holds: the changes that are to be made in it."""


class SavedFile(NamedTuple):
    """A settings file as it was changed.

    Attributes:
        path: which one. before: what it held, ``None`` when there was none. after: what it holds now.
        edits: the changes, for other contents of the same file.
    """

    path: Path
    before: bytes | None
    after: bytes
    edits: EditsOf

    def made_in(self, data: bytes | None) -> bytes:
        """The same changes in other bytes of the file. Raises ``SettingsError`` where they cannot be made."""
        return _edited(data or b"", self.path, self.edits)


def edit_settings(destination: RuleSource, cwd: str, edits: Sequence[Edit]) -> Path:
    """Change values in the settings file of a scope, and say which file that is. As :func:`edit_files` does."""
    (saved,) = edit_files(cwd, {destination: lambda _: edits})
    return saved.path


def edit_files(cwd: str, edits: Mapping[RuleSource, EditsOf]) -> tuple[SavedFile, ...]:
    """Change values in the settings files of these scopes: in all of them, or in none where one cannot be changed.

    Everything else in the files stays as it is: keys in their order, comments, blanks, line ends, permissions. The
    files are read, changed and written under locks, so that two kernels do not undo what the other has kept. All of
    the changes are worked out and checked before the first one is written; what was written is put back when a later
    one cannot be. Nothing is kept of that beyond this process: a kernel that is killed between two files leaves the
    first one changed and the others as they were, each of them whole.

    A file that only we and the person have written stays approved; one with rights in it that nobody approved does not
    become so by this.

    Args:
        cwd: absolute folder of the session. edits: whose settings, and the changes in them.

    Returns:
        one for each scope, in their order, also where nothing had to be changed.

    Raises:
        SettingsError: a file is broken, or would be; it leads somewhere else through a link; another kernel holds it;
            the scope has no file; or a file could not be put back, which the message then says.
        OSError: it cannot be written; what was there is untouched.
    """
    paths = {destination: settings_file_of(destination, cwd) for destination in edits}
    with settings_locks(paths.values()):
        planned: dict[Path, _Planned] = {}
        for destination, path in paths.items():
            planned[path] = _plan(destination, path, cwd, edits[destination], planned.get(path))
        _carry_out([plan for plan in planned.values() if plan.saved.after != (plan.saved.before or b"")])
    return tuple(planned[path].saved for path in paths.values())


class _Planned(NamedTuple):
    """A change that was checked and is not written yet; ``was_trusted`` and ``is_trusted``: before it, and by it."""

    saved: SavedFile
    was_trusted: bool
    is_trusted: bool


def _plan(destination: RuleSource, path: Path, cwd: str, edits: EditsOf, earlier: _Planned | None) -> _Planned:
    before = read_file(path) if earlier is None else earlier.saved.before
    basis = before if earlier is None else earlier.saved.after
    said = _checked(basis or b"", path, cwd, destination)
    after = _edited(basis or b"", path, edits)
    if basis is None and not parse_file(path, after):
        after = b""  # nothing to take away from a file that is not there
    if after != (basis or b""):
        _checked(after, path, cwd, destination)
    was_trusted = before is not None and is_trusted(path, before)
    may_trust = destination != "userSettings" and (before is None or was_trusted or not widens(said))
    return _Planned(SavedFile(path, before, after, edits), was_trusted, may_trust)


def _carry_out(plans: Sequence[_Planned]) -> None:
    """Write one after the other; put back what was written when one cannot be."""
    written: list[_Planned] = []
    try:
        for plan in plans:
            write_file(plan.saved.path, plan.saved.after)
            written.append(plan)
        for plan in plans:
            if plan.is_trusted:
                trust(plan.saved.path, plan.saved.after)
    except BaseException as problem:
        if failed := [said for plan in reversed(written) if (said := _put_back(plan))]:
            raise SettingsError(f"{problem}; and the change is half made: {'; '.join(failed)}") from problem
        raise


def _put_back(plan: _Planned) -> str:
    """Let the file be what it was. Returns what went wrong, ``""`` when nothing did."""
    path, before = plan.saved.path, plan.saved.before
    try:
        if before is None:
            path.unlink(missing_ok=True)
        else:
            write_file(path, before)
            if plan.was_trusted:
                trust(path, before)
    except (OSError, SettingsError) as problem:
        return f"{path} could not be put back as it was ({problem}); look at it"
    return ""


def settings_file_of(destination: RuleSource, cwd: str) -> Path:
    """The file that settings of this scope are kept in: the stronger one of those that are there already.

    Raises:
        SettingsError: the scope has no file, or a link in the project leads somewhere else.
    """
    names = {
        "localSettings": "settings.local.json",
        "projectSettings": "settings.json",
        "userSettings": "settings.json",
    }
    if destination not in names:
        raise SettingsError(f"settings of the scope {destination!r} are not kept in a file")
    base = Path.home() if destination == "userSettings" else project_root(cwd)
    name = names[destination]
    files = [base / folder / name for folder in reversed(FOLDERS) if os.path.lexists(base / folder / name)]
    folders = [base / folder / name for folder in FOLDERS if (base / folder).is_dir()]
    path = next(iter((*files, *folders)), base / FOLDERS[0] / name)
    if destination == "userSettings":
        return Path(os.path.realpath(path))  # people keep their own settings in a repository, and link to it
    _refuse_links(path)
    return path


def _refuse_links(path: Path) -> None:
    """A link inside of the settings folder could send the rule, and with it the right, to another project or person."""
    expected = os.path.join(os.path.realpath(path.parent.parent), path.parent.name, path.name)
    if os.path.realpath(path) != expected:
        raise SettingsError(f"{path} is a link to {os.path.realpath(path)}; nothing was saved")


def _checked(data: bytes, path: Path, cwd: str, source: RuleSource) -> ParsedSettings:
    content: dict[str, Any] = parse_file(path, data)
    try:
        return parse_settings(content, cwd=cwd, source=source)
    except SettingsFault as fault:
        where = f"{path}, line {line_of(data, fault.location)}"
        raise SettingsError(f"{where}: {fault}; mend it first, nothing was saved") from fault


def _edited(before: bytes, path: Path, edits: EditsOf) -> bytes:
    text = decode(path, before)
    try:
        made = splice(text, edits(parse_file(path, before)))
        return (BOM if before.startswith(BOM) else b"") + made.encode()
    except TypeError as error:
        raise SettingsError(f"{path}: {error}; nothing was saved") from error
