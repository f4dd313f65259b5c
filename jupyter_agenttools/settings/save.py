"""Changing a settings file: a rule that a person chose, a mode, a folder. Nothing else in the file changes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..core.context import RuleSource
from ..core.errors import SettingsError, ToolError
from ..core.prompting import RuleUpdate
from ..files import file_lock
from ..permissions.from_settings import ParsedSettings, parse_settings
from ..permissions.rules import make_rule
from ..permissions.schema import SettingsFault
from .files import BOM, decode, line_of, parse_file, read_file, write_file
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


def edit_settings(destination: RuleSource, cwd: str, edits: Sequence[Edit]) -> Path:
    """Change values in the settings file of a scope, and say which file that is.

    Everything else in the file stays as it is: keys in their order, comments, blanks, line ends, permissions. The file
    is read, changed and written under a lock, so that two kernels do not undo what the other has kept.

    A file that only we and the person have written stays approved; one with rights in it that nobody approved does not
    become so by this.

    Args:
        destination: whose settings. cwd: absolute folder of the session. edits: the changes, one after the other.

    Raises:
        SettingsError: the file is broken, or would be; it leads somewhere else through a link; another kernel holds
            it; the scope has no file.
        OSError: it cannot be written; what was there is untouched.
    """
    path = settings_file_of(destination, cwd)
    with _held(path):
        before = read_file(path)
        said = _checked(before or b"", path, cwd, destination)
        after = _edited(before or b"", path, edits)
        if after == before:
            return path
        _checked(after, path, cwd, destination)
        may_trust = before is None or is_trusted(path, before) or not widens(said)
        write_file(path, after)
        if may_trust and destination != "userSettings":
            trust(path, after)
    return path


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


@contextmanager
def _held(path: Path) -> Iterator[None]:
    try:
        with file_lock(str(path)):
            yield
    except ToolError as busy:
        raise SettingsError(busy.message) from busy


def _checked(data: bytes, path: Path, cwd: str, source: RuleSource) -> ParsedSettings:
    content: dict[str, Any] = parse_file(path, data)
    try:
        return parse_settings(content, cwd=cwd, source=source)
    except SettingsFault as fault:
        where = f"{path}, line {line_of(data, fault.location)}"
        raise SettingsError(f"{where}: {fault}; mend it first, nothing was saved") from fault


def _edited(before: bytes, path: Path, edits: Sequence[Edit]) -> bytes:
    text = decode(path, before)
    try:
        return (BOM if before.startswith(BOM) else b"") + splice(text, edits).encode()
    except TypeError as error:
        raise SettingsError(f"{path}: {error}; nothing was saved") from error
