"""Reading all settings of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core.context import RuleSource
from ..core.errors import SettingsError
from ..core.immutable import freeze
from ..core.texts import visible
from ..permissions.from_settings import ParsedSettings, parse_settings, rule_roots
from ..permissions.schema import SettingsFault
from .contents import Contents, FileContent, read_contents
from .files import line_of, parse_file
from .fold import UsedSettings, fold, nothing
from .loaded import LoadedSettings, SettingsLayer
from .narrow import narrowed
from .origin import SettingsOrigin
from .places import SettingsFile, SettingsPlaces, project_root

LET_IT_COUNT = "`%agent permissions reload`, or `session.reload_settings()`, lets it count nevertheless."
"""Said of a change that a hook refused."""


def load_settings(
    cwd: str,
    settings: Mapping[str, Any] | None = None,
    *,
    settings_file: Path | None = None,
    places: SettingsPlaces | None = None,
) -> LoadedSettings:
    """What do all settings say for a session in ``cwd``?

    Managed settings are the strongest; then ``settings``, ``settings_file``, the local, the project's and the user's
    files, and of two files of one kind the one in ``.agenttools``. Lists are joined, a deny rule holds wherever it is.

    Args:
        cwd: absolute folder of the session.
        settings: the session's own settings object.
        settings_file: a file that the person who started this process named.
        places: where the other files are; as on this machine by default.

    Returns:
        The folded settings. A broken file never raises: it is noted, and everything asks.

    Raises:
        SettingsError: ``settings`` or ``settings_file`` cannot be used: a run that was to be restricted by them must
            not start without.
    """
    own = freeze({} if settings is None else settings)
    loaded = read_origin(SettingsOrigin(cwd, own, settings_file, places or SettingsPlaces()))
    for layer in loaded.layers:
        if layer.source == "commandLine" and layer.error:
            raise SettingsError(layer.error)
    return loaded


def own_settings(settings: Mapping[str, Any], cwd: str) -> LoadedSettings:
    """What do these settings say, and no file?

    Raises:
        SettingsError: they cannot be used.
    """
    return read_origin(SettingsOrigin(cwd, freeze(settings)))


def read_origin(origin: SettingsOrigin) -> LoadedSettings:
    """What do all settings say now? Here a broken or missing file of the command line is noted as any other.

    Raises:
        SettingsError: the settings that a program handed over cannot be used.
    """
    return settings_in(origin, read_contents(origin))


def settings_in(origin: SettingsOrigin, contents: Contents) -> LoadedSettings:
    """What do these contents of the settings files say? Raises as :func:`read_origin`."""
    reading = _Reading(origin)
    for file, content in contents.files.items():
        if file.source != "managed":
            reading.take_file(file, content)
    reading.take(UsedSettings(reading.parse(origin.own, "session")))
    for file, content in contents.files.items():
        if file.source == "managed":
            reading.take_file(file, content)
    return fold(origin, contents, reading.layers, reading.used, reading.notes)


def parse_layer(settings: Mapping[str, Any], source: RuleSource, origin: SettingsOrigin) -> ParsedSettings:
    """What these settings say as those of ``source``.

    Raises:
        SettingsError: they cannot be used.
    """
    return _Reading(origin).parse(settings, source)


class _Reading:
    """What was read so far, weakest first."""

    def __init__(self, origin: SettingsOrigin) -> None:
        self._cwd, self._root = origin.cwd, str(project_root(origin.cwd))
        roots = rule_roots(self._cwd, self._root)
        if origin.command_line is not None:
            roots = {**roots, "commandLine": str(origin.command_line.parent)}
        self._roots = roots
        self.layers: list[SettingsLayer] = []
        self.used: list[UsedSettings] = [nothing(roots)]
        self.notes: list[str] = []

    def parse(self, settings: Mapping[str, Any], source: RuleSource) -> ParsedSettings:
        parsed = parse_settings(settings, cwd=self._cwd, source=source, project_root=self._root)
        return replace(parsed, permission=replace(parsed.permission, rule_roots=self._roots))

    def take(self, used: UsedSettings) -> None:
        where = f"{used.path}: " if used.path else ""
        self.notes.extend(visible(f"{where}{note}") for note in used.parsed.notes)
        self.used.append(used)

    def take_file(self, file: SettingsFile, content: FileContent) -> None:
        layer, parsed = self._load(file, content)
        if content.held:
            self.notes.append(f"{file.path}: what changed in it does not count: {content.held}. {LET_IT_COUNT}")
        if layer is None:
            return
        self.layers.append(layer)
        if parsed is None:
            self.notes.append(f"{layer.error}. Its allow rules are not used, and every call asks until it is mended.")
            return
        if layer.trusted:
            self.take(UsedSettings(parsed, file.path))
            return
        narrow = narrowed(parsed, [used.parsed for used in self.used])
        self.take(UsedSettings(narrow.settings, file.path, trusted=False))
        if narrow.dropped:
            self.notes.append(
                f"{file.path}: {', '.join(narrow.dropped)} not used, because nobody has approved this file as it is "
                "now. Its deny and ask rules hold."
            )

    def _load(self, file: SettingsFile, content: FileContent) -> tuple[SettingsLayer | None, ParsedSettings | None]:
        """The file as a layer, and what it says; no layer when there is no file, nothing said when it is broken."""
        data, error = content.data, content.error
        if data is None:
            return (_broken(file, error) if error else _missing(file)), None
        try:
            value = parse_file(file.path, data)
            parsed = self.parse(value, file.source)
        except SettingsFault as fault:
            return _broken(file, f"{file.path}, line {line_of(data, fault.location)}: {fault}"), None
        except SettingsError as fault:
            return _broken(file, str(fault)), None
        return SettingsLayer(file.source, file.path, freeze(value), content.trusted), parsed


def _missing(file: SettingsFile) -> SettingsLayer | None:
    return _broken(file, f"there is no settings file {file.path}") if file.source == "commandLine" else None


def _broken(file: SettingsFile, error: str) -> SettingsLayer:
    return SettingsLayer(file.source, file.path, trusted=False, error=error)
