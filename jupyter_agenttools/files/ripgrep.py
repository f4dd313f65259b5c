"""Is there a ripgrep to search with, and where?"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

OLDEST = (13, 0)
"""The oldest ripgrep that knows every option that is used."""

SWITCH = "JUPYTER_AGENTTOOLS_RIPGREP"
"""Set to ``off``, searches are done without ripgrep. A path is not taken from here: settings of a project could then
say what runs."""

VERSION_TIMEOUT_S = 10.0
_VERSION = re.compile(rb"ripgrep (\d+)\.(\d+)")


class Ripgrep(NamedTuple):
    """A ripgrep that can be used: its absolute path and its version."""

    path: str
    version: tuple[int, int]


def find_ripgrep(env: Mapping[str, str]) -> Ripgrep | None:
    """The ripgrep of this Python environment, else one on ``PATH``; ``None`` when there is none that is new enough.

    A kernel's ``PATH`` often lacks its environment's own programs, so these come first. Relative entries of ``PATH``
    are passed over: what runs must not depend on the folder in which somebody works.

    Args:
        env: the session's variables; the kernel's own count as well.
    """
    if (env.get(SWITCH) or os.environ.get(SWITCH, "")).lower() in ("0", "off", "no", "false"):
        return None
    folders = [sysconfig.get_path("scripts"), *os.environ.get("PATH", os.defpath).split(os.pathsep)]
    search_path = os.pathsep.join(folder for folder in folders if folder and os.path.isabs(folder))
    found = shutil.which("rg", path=search_path)
    if found is None:
        return None
    try:
        changed = os.stat(found).st_mtime_ns
    except OSError:
        return None
    return _checked(found, changed)


@lru_cache(maxsize=16)
def _checked(path: str, changed: int) -> Ripgrep | None:
    """Ask it for its version, once for as long as the program does not change."""
    try:
        said = subprocess.run(
            [path, "--no-config", "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_TIMEOUT_S,
            env={},
            cwd="/",
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    version = _VERSION.match(said)
    numbers = (int(version[1]), int(version[2])) if version else (0, 0)
    return Ripgrep(path, numbers) if numbers >= OLDEST else None
