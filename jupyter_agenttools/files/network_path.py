"""Does a path name another machine? Opening one can hand the user's credentials to whoever runs that machine."""

from __future__ import annotations

import os
import re

from ..core.errors import ToolValidationError
from .paths import locate

_SHARE = re.compile(r"(?:\\\\|//)[^\\/]|\\/[^\\/]|/\\[^\\/]")


def is_network_path(path: str) -> bool:
    r"""Whether ``path`` is spelled as the address of a share: ``\\server\share``, ``//server/share``."""
    return _SHARE.match(path) is not None


def require_local_spelling(path: str) -> None:
    r"""Do nothing for a path that this system can open, without looking at any disk.

    Raises:
        ToolValidationError: it is a ``\\server\share``, which opens nothing here, or an address with ``..`` in it,
            which cannot be judged without looking.
    """
    if not is_network_path(path):
        return
    if "\\" in path:
        raise ToolValidationError(
            f"{path} is the address of a network share, and no path of this system. Nothing was opened. Give the path "
            "of the folder in which the share is mounted",
            check_id="path-network",
        )
    if ".." in path.split("/"):
        message = f"{path} is spelled like the address of a network share and holds `..`; give the path without it"
        raise ToolValidationError(message, check_id="path-network")


def target_path(path: str, cwd: str) -> str:
    """The absolute path that is meant; a network address is taken as it is spelled, without looking at any disk.

    Raises:
        ToolValidationError: as :func:`.paths.locate`.
    """
    if not is_network_path(path):
        return locate(path, cwd)
    return os.path.join(cwd, path) if "\\" in path else "/" + "/".join(p for p in path.split("/") if p not in ("", "."))
