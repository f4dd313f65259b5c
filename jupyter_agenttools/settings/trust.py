"""Which settings files of a project a person has approved: by their exact bytes."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from ..core.home import agenttools_home
from .files import read_file, write_file


def trust_file() -> Path:
    """Where approvals are remembered; outside of every project."""
    return Path(agenttools_home()) / "trust.json"


def is_trusted(path: Path, data: bytes) -> bool:
    """Whether exactly these bytes at exactly this place were approved."""
    return _approved().get(_key(path)) == _digest(data)


def trust(path: Path, data: bytes) -> None:
    """Remember that a person approved these bytes at this place; forgets what was approved there before.

    Raises:
        OSError: the approval cannot be written.
    """
    approved = {**_approved(), _key(path): _digest(data)}
    text = json.dumps({"version": 1, "files": approved}, indent=2) + "\n"
    write_file(trust_file(), text.encode())


def trust_workspace_file(path: Path) -> None:
    """Approve a settings file as it is now: its allow rules, folders, mode and variables count from the next load on.

    Raises:
        SettingsError: it cannot be read. OSError: the approval cannot be written.
    """
    data = read_file(path)
    if data is not None:
        trust(path, data)


def _key(path: Path) -> str:
    """The place in the project that holds the file. Links from there on are not followed: what was approved in one
    project is not approved in another that links to it."""
    path = Path(os.path.abspath(path))
    return os.path.join(os.path.realpath(path.parent.parent), path.parent.name, path.name)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _approved() -> dict[str, str]:
    """What was approved; nothing when the record cannot be read, which trusts less and never more."""
    try:
        files = json.loads(trust_file().read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {path: digest for path, digest in files.items()} if isinstance(files, dict) else {}
