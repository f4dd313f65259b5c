"""Where settings files are."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..core.context import RuleSource

FOLDERS = (".claude", ".agenttools")
"""Folders that hold settings, the weaker one first. The second is for those who keep this package's settings apart."""

MANAGED_FILE = "managed-settings.json"
MANAGED_FOLDER = "managed-settings.d"
"""Beside the managed file: more of them, one by one in the order of their names."""


class SettingsFile(NamedTuple):
    """A place where settings may be."""

    source: RuleSource
    path: Path


def managed_folders() -> tuple[Path, ...]:
    """Where an administrator of this machine keeps settings that nobody else can weaken, the weaker place first."""
    if sys.platform == "darwin":
        base, names = Path("/Library/Application Support"), ("ClaudeCode", "JupyterAgentTools")
    elif sys.platform == "win32":
        base, names = Path(os.environ.get("PROGRAMFILES", r"C:\Program Files")), ("ClaudeCode", "JupyterAgentTools")
    else:
        base, names = Path("/etc"), ("claude-code", "jupyter_agenttools")
    return tuple(base / name for name in names)


@dataclass(frozen=True)
class SettingsPlaces:
    """The folders of this machine and person that may hold settings.

    Args:
        home: the person's home folder. managed: see :func:`managed_folders`.
    """

    home: Path = field(default_factory=Path.home)
    managed: tuple[Path, ...] = field(default_factory=managed_folders)

    def files(self, cwd: str, command_line: Path | None = None) -> tuple[SettingsFile, ...]:
        """Every file that may hold settings for a session in ``cwd``, whether it exists or not, weakest first.

        Args:
            command_line: a file that the person who started the process named.
        """
        return tuple(self._files(project_root(cwd), command_line))

    def folders(self, cwd: str) -> tuple[Path, ...]:
        """The folders that would bring other files for ``cwd`` if they came to be."""
        root = project_root(cwd)
        between = [folder for folder in (Path(cwd), *Path(cwd).parents) if folder.is_relative_to(root)]
        inside = (folder / name for folder in between for name in (*FOLDERS, ".git"))
        return (*inside, *(place / MANAGED_FOLDER for place in self.managed))

    def _files(self, root: Path, command_line: Path | None) -> Iterator[SettingsFile]:
        user = [self.home / folder / "settings.json" for folder in FOLDERS]
        for path in user:
            yield SettingsFile("userSettings", path)
        workspace: tuple[tuple[RuleSource, str], ...] = (
            ("projectSettings", "settings.json"),
            ("localSettings", "settings.local.json"),
        )
        for source, name in workspace:
            for folder in FOLDERS:
                path = root / folder / name
                if path not in user:  # in the home folder the same file would count twice
                    yield SettingsFile(source, path)
        if command_line is not None:
            yield SettingsFile("commandLine", command_line)
        for place in self.managed:
            yield SettingsFile("managed", place / MANAGED_FILE)
            yield from (SettingsFile("managed", path) for path in _json_files(place / MANAGED_FOLDER))


def _json_files(folder: Path) -> list[Path]:
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError:
        return [folder]  # reading it fails, and that is told
    return [folder / name for name in sorted(names) if name.endswith(".json") and not name.startswith(".")]


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
