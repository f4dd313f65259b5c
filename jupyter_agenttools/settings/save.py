"""Keeping a rule that a person chose, in a settings file."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from ..core.context import RuleSource
from ..core.errors import SettingsError
from ..core.prompting import RuleUpdate
from ..permissions.from_settings import ParsedSettings, parse_settings
from ..permissions.rules import make_rule
from .files import FOLDERS, parse_file, project_root, read_file, write_file
from .load import widens
from .trust import is_trusted, trust

_INDENT = re.compile(rb"\n([ \t]+)\S")


def save_rule(update: RuleUpdate, cwd: str) -> Path:
    """Add a rule to the settings file of its scope, and say which file that is.

    The rest of the file stays as it is, keys in their order. A file that only we and the person have written stays
    approved; one with rights in it that nobody approved does not become so by this.

    Args:
        update: the rule, exactly as it was shown, and where to keep it.
        cwd: absolute folder of the session.

    Raises:
        RuleSyntaxError: the rule cannot be read.
        SettingsError: the file is broken, or leads somewhere else through a link, or the scope has no file.
        OSError: it cannot be written; what was there is untouched.
    """
    make_rule(update.rule, update.destination, update.behavior)
    path = _file_of(update.destination, cwd)
    _refuse_links(path)
    before = read_file(path)
    content = {} if before is None else parse_file(path, before)
    said = _checked(content, path, cwd, update.destination)
    after = _with_rule(content, update, before or b"")
    if after == before:
        return path
    may_trust = before is None or is_trusted(path, before) or not widens(said)
    write_file(path, after)
    if may_trust and update.destination != "userSettings":
        trust(path, after)
    return path


def _file_of(destination: RuleSource, cwd: str) -> Path:
    if destination == "userSettings":
        return Path.home() / FOLDERS[0] / "settings.json"
    if destination == "localSettings":
        return project_root(cwd) / FOLDERS[0] / "settings.local.json"
    if destination == "projectSettings":
        return project_root(cwd) / FOLDERS[0] / "settings.json"
    raise SettingsError(f"rules of the scope {destination!r} are not kept in a file")


def _refuse_links(path: Path) -> None:
    """A link inside of the settings folder could send the rule, and with it the right, to another project or person."""
    expected = os.path.join(os.path.realpath(path.parent.parent), path.parent.name, path.name)
    if os.path.realpath(path) != expected:
        raise SettingsError(f"{path} is a link to {os.path.realpath(path)}; the rule was not saved")


def _checked(content: dict[str, Any], path: Path, cwd: str, source: RuleSource) -> ParsedSettings:
    try:
        return parse_settings(content, cwd=cwd, source=source)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}; mend it first, the rule was not saved") from error


def _with_rule(content: dict[str, Any], update: RuleUpdate, before: bytes) -> bytes:
    permissions = content.setdefault("permissions", {})
    rules = permissions.setdefault(update.behavior, [])
    if update.rule in rules:
        return before
    rules.append(update.rule)
    found = _INDENT.search(before)
    indent = found.group(1).decode() if found else "  "
    text = json.dumps(content, indent=indent, ensure_ascii=False)
    try:
        data = text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can hold
        data = json.dumps(content, indent=indent).encode()
    data = data if before and not before.endswith(b"\n") else data + b"\n"
    if b"\r\n" in before:
        data = data.replace(b"\n", b"\r\n")
    return b"\xef\xbb\xbf" + data if before.startswith(b"\xef\xbb\xbf") else data
