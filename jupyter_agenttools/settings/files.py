"""Reading one settings file, and writing one."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..core.errors import SettingsError
from .jsonc import TextFault, find_node, parse_jsonc

MAX_SETTINGS_BYTES = 1_000_000
"""A bigger settings file is refused: it is something else."""

BOM = b"\xef\xbb\xbf"


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
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(data) > MAX_SETTINGS_BYTES:
        raise SettingsError(f"{path} is bigger than {MAX_SETTINGS_BYTES:,} bytes; that is no settings file")
    return data


def decode(path: Path, data: bytes) -> str:
    """The text of a settings file, without its byte order mark.

    Raises:
        SettingsError: it is not UTF-8; names the line.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data:
        raise SettingsError(f"{path}, line 1: this is not UTF-8 text but looks like UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}, line {line}: this is not UTF-8 text") from error


def parse_file(path: Path, data: bytes) -> dict[str, Any]:
    """The settings object in these bytes; an empty file is an empty object. Comments are let through.

    Raises:
        SettingsError: names the file and the line that is not JSON, or the key that stands there twice.
    """
    text = decode(path, data)
    value = _parsed(path, text)
    if not isinstance(value, dict):
        raise SettingsError(f"{path}, line 1: settings are an object {{…}}, not {type(value).__name__}")
    return value


def _parsed(path: Path, text: str) -> Any:
    with suppress(ValueError, RecursionError):  # most files are plain JSON, which the standard library reads at once
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    try:
        node = parse_jsonc(text)
    except TextFault as fault:
        raise SettingsError(f"{path}, line {line_at(text, fault.offset)}: {fault}") from fault
    return {} if node is None else node.value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError
    return made


def _refuse(name: str) -> Any:
    raise ValueError(name)


def line_at(text: str, offset: int) -> int:
    """The line of this character, counted from 1."""
    return text.count("\n", 0, offset) + 1


class Lines:
    """In which lines the values of a settings file stand, for bytes that can be read."""

    def __init__(self, data: bytes) -> None:
        self._text = data.decode("utf-8-sig", "replace")
        self._root = None
        with suppress(TextFault):
            self._root = parse_jsonc(self._text)

    def of(self, location: Sequence[str | int]) -> int:
        """The line of the value that these keys and list positions lead to, counted from 1.

        A key without a place of its own stands in the line of the object that holds it.
        """
        return 1 if self._root is None else line_at(self._text, find_node(self._root, tuple(location)).start)


def line_of(data: bytes, location: Sequence[str | int]) -> int:
    """The line of one value; see :class:`Lines`."""
    return Lines(data).of(location)


def write_file(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Put ``data`` into ``path`` in one step, keeping owner and permissions of a file that is there.

    Args:
        mode: permissions of a new file.

    Raises:
        OSError: it cannot be written; what was there is untouched.
    """
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True)
    owner = None
    with suppress(FileNotFoundError):
        status = path.stat()
        mode, owner = status.st_mode & 0o7777, (status.st_uid, status.st_gid)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            _keep_owner(file.fileno(), owner)
            os.chmod(temporary, mode)
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _keep_owner(descriptor: int, owner: tuple[int, int] | None) -> None:
    """Only the superuser can give files away; for anybody else a new file is their own, as it is after any editor."""
    status = os.fstat(descriptor)
    if owner is not None and owner != (status.st_uid, status.st_gid) and hasattr(os, "fchown"):
        with suppress(PermissionError):
            os.fchown(descriptor, *owner)
