"""Where this project keeps what it remembers about a person's machine."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from functools import cache, lru_cache

HOME_VARIABLE = "JUPYTER_AGENTTOOLS_HOME"
"""Names another folder than the platform's usual one."""


def agenttools_home() -> str:
    """The absolute path of our own data folder; it need not exist."""
    home = os.environ.get(HOME_VARIABLE) or _platform_folder()
    return _normal(home) if home.startswith("/") else os.path.abspath(os.path.expanduser(home))


def working_folder(name: str) -> str:
    """The folder ``name`` in our own one, made if need be, for what only matters while something runs. Where nothing
    can be written there, it is in a temporary folder of this user alone.

    Raises:
        OSError: there is no such place.
    """
    folder = os.path.join(agenttools_home(), name)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    except OSError:
        pass
    problem = OSError(f"nothing can be written below {agenttools_home()}")
    for folder in substitute_folders(name):
        try:
            return _private_folder(folder)
        except OSError as error:
            problem = error
    raise problem


def _private_folder(folder: str) -> str:
    for path in _private_levels(folder):
        with suppress(FileExistsError):
            os.mkdir(path, mode=0o700)
    require_private(folder)
    return folder


def substitute_folders(name: str) -> list[str]:
    """Where :func:`working_folder` may be when our own folder takes nothing. They need not exist, or be ours."""
    bases = dict.fromkeys((tempfile.gettempdir(), "/var/tmp", "/dev/shm"))
    return [os.path.join(base, f"agenttools-{os.geteuid()}", ".agenttools", name) for base in bases]


def require_private(folder: str) -> None:
    """Do nothing when only this user can have put something into one of :func:`substitute_folders`.

    Raises:
        PermissionError: somebody else can.
    """
    for path in _private_levels(folder):
        status = os.lstat(path)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
            raise PermissionError(f"{path} is not a private folder of this user")


def _private_levels(folder: str) -> tuple[str, str, str]:
    parent = os.path.dirname(folder)
    return os.path.dirname(parent), parent, folder


@lru_cache
def _normal(path: str) -> str:
    return os.path.abspath(path)


@cache
def _platform_folder() -> str:
    import platformdirs

    return platformdirs.user_data_dir("jupyter_agenttools", appauthor=False)
