"""Where settings files are, and what is in one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..core.context import RuleSource
from ..core.errors import SettingsError

FOLDERS = (".claude", ".agenttools")
"""Folders that hold settings; the first is where ours are saved."""

MAX_SETTINGS_BYTES = 1_000_000
"""A bigger settings file is refused: it is something else."""


class SettingsFile(NamedTuple):
    """A place where settings may be, weakest sources first."""

    source: RuleSource
    path: Path


def settings_files(cwd: str) -> tuple[SettingsFile, ...]:
    """Every file that may hold settings for a session in ``cwd``, whether it exists or not, weakest first."""
    home, root = Path.home(), project_root(cwd)
    return tuple(_files(home, root))


def _files(home: Path, root: Path) -> Iterator[SettingsFile]:
    user = [home / folder / "settings.json" for folder in FOLDERS]
    for path in user:
        yield SettingsFile("userSettings", path)
    for source, name in (("projectSettings", "settings.json"), ("localSettings", "settings.local.json")):
        for folder in FOLDERS:
            path = root / folder / name
            if path not in user:  # in the home folder the same file would count twice
                yield SettingsFile(source, path)  # type: ignore[arg-type]


def project_root(cwd: str) -> Path:
    """The folder whose settings hold for ``cwd``.

    The nearest one upwards with settings of its own, at most as far as the root of the git repository; without a
    repository ``cwd`` itself.
    """
    here = Path(cwd)
    chain = [here, *here.parents]
    repository = next((i for i, folder in enumerate(chain) if (folder / ".git").exists()), None)
    if repository is None:
        return here
    inside = chain[: repository + 1]
    return next((folder for folder in inside if any((folder / name).is_dir() for name in FOLDERS)), inside[-1])


def read_file(path: Path) -> bytes | None:
    """The bytes of a settings file, ``None`` when there is none.

    Raises:
        SettingsError: it is there and cannot be read, is no ordinary file, or is too big.
    """
    try:
        if not path.is_file() and (path.exists() or path.is_symlink()):
            raise SettingsError(f"{path} is not an ordinary file")
        with open(path, "rb") as file:
            data = file.read(MAX_SETTINGS_BYTES + 1)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(data) > MAX_SETTINGS_BYTES:
        raise SettingsError(f"{path} is bigger than {MAX_SETTINGS_BYTES:,} bytes; that is no settings file")
    return data


def parse_file(path: Path, data: bytes) -> dict[str, Any]:
    """The settings object in these bytes; an empty file is an empty object.

    Raises:
        SettingsError: names the file and the line that is not JSON, or the key that stands there twice.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}, line {line}: this is not UTF-8 text") from error
    if not text.strip():
        return {}
    try:
        value = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise SettingsError(f"{path}, line {error.lineno}: this is not JSON ({error.msg})") from error
    except _RepeatedKey as error:
        line = line_of(text, json.dumps(error.key), last=True)
        raise SettingsError(f"{path}, line {line}: the key {error.key!r} stands twice in one object") from error
    except RecursionError as error:
        raise SettingsError(f"{path}, line 1: nested too deeply") from error
    if not isinstance(value, dict):
        raise SettingsError(f"{path}, line 1: settings are an object {{…}}, not {type(value).__name__}")
    return value


class _RepeatedKey(Exception):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise _RepeatedKey(key)
        made[key] = value
    return made


def line_of(text: str, needle: str, *, last: bool = False) -> int:
    """The line in which ``needle`` stands first (or last), counted from 1; 1 when it does not."""
    at = text.rfind(needle) if last else text.find(needle)
    return text.count("\n", 0, max(at, 0)) + 1


def write_file(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Put ``data`` into ``path`` in one step, keeping the permissions of a file that is there.

    Args:
        mode: permissions of a new file.

    Raises:
        OSError: it cannot be written; what was there is untouched.
    """
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        mode = path.stat().st_mode & 0o7777
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
