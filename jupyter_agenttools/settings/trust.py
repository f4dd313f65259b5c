"""Which settings files of a project a person has approved, or refused: by their exact bytes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from ..core.errors import SettingsError, ToolError
from ..core.home import agenttools_home
from ..files import file_lock
from .files import read_file, write_file

Answers = Literal["files", "refused"]
"""The two lists of the record."""


def trust_file() -> Path:
    """Where approvals are remembered; outside of every project."""
    return Path(agenttools_home()) / "trust.json"


def is_trusted(path: Path, data: bytes) -> bool:
    """Whether exactly these bytes at exactly this place were approved."""
    return _record()["files"].get(_key(path)) == _digest(data)


def is_refused(path: Path, data: bytes) -> bool:
    """Whether a person has said no to exactly these bytes at exactly this place, so that nobody asks again."""
    return _record()["refused"].get(_key(path)) == _digest(data)


def trust(path: Path, data: bytes) -> None:
    """Remember that a person approved these bytes at this place; forgets what was approved there before.

    Raises:
        SettingsError: another kernel holds the record. OSError: it cannot be written.
    """
    _remember(path, data, "files")


def refuse(path: Path, data: bytes) -> None:
    """Remember that a person did not approve these bytes at this place. Raises as :func:`trust`."""
    _remember(path, data, "refused")


def trust_workspace_file(path: Path) -> None:
    """Approve a settings file as it is now: its allow rules, folders, mode and variables count from the next load on.

    Raises:
        SettingsError: it cannot be read. OSError: the approval cannot be written.
    """
    data = read_file(path)
    if data is not None:
        trust(path, data)


def _remember(path: Path, data: bytes, answer: Answers) -> None:
    try:
        with file_lock(str(trust_file())):
            record = {name: {k: v for k, v in known.items() if k != _key(path)} for name, known in _record().items()}
            record[answer][_key(path)] = _digest(data)
            write_file(trust_file(), (json.dumps({"version": 1, **record}, indent=2) + "\n").encode())
    except ToolError as busy:
        raise SettingsError(busy.message) from busy


def _key(path: Path) -> str:
    """The place in the project that holds the file. Links from there on are not followed: what was approved in one
    project is not approved in another that links to it."""
    path = Path(os.path.abspath(path))
    return os.path.join(os.path.realpath(path.parent.parent), path.parent.name, path.name)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _record() -> Mapping[Answers, dict[str, str]]:
    """What was answered; nothing when the record cannot be read, which trusts less and never more."""
    try:
        record = json.loads(trust_file().read_bytes())
    except (OSError, ValueError, RecursionError):
        record = None
    lists = record if isinstance(record, dict) else {}
    return {name: _texts(lists.get(name)) for name in ("files", "refused")}


def _texts(value: object) -> dict[str, str]:
    return dict(value) if isinstance(value, dict) else {}
