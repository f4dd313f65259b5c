"""Settings files in a home, a project and a managed folder of a test's own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools.settings import LoadedSettings, SettingsPlaces, load_settings, trust_workspace_file


@dataclass(frozen=True)
class SettingsLab:
    """Where the files of one test are."""

    base: Path

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def project(self) -> Path:
        return self.base / "proj"

    @property
    def managed(self) -> Path:
        return self.base / "etc"

    @property
    def places(self) -> SettingsPlaces:
        return SettingsPlaces(self.home, (self.managed,))

    def path(self, source: str, *, where: str = ".claude") -> Path:
        return {
            "userSettings": self.home / where / "settings.json",
            "projectSettings": self.project / where / "settings.json",
            "localSettings": self.project / where / "settings.local.json",
            "commandLine": self.base / "started-with.json",
            "managed": self.managed / "managed-settings.json",
        }[source]

    def write(self, source: str, value: Any, *, where: str = ".claude", trusted: bool = True) -> Path:
        """Write a settings file: an object, or text as it is."""
        path = self.path(source, where=where)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2))
        if trusted and source in ("projectSettings", "localSettings"):
            trust_workspace_file(path)
        return path

    def load(self, settings: Any = None) -> LoadedSettings:
        file = self.path("commandLine")
        return load_settings(
            str(self.project), settings, settings_file=file if file.exists() else None, places=self.places
        )


def make_lab(base: Path, monkeypatch: pytest.MonkeyPatch) -> SettingsLab:
    """Folders below ``base``, and the environment that leads to them."""
    lab = SettingsLab(base)
    lab.home.mkdir()
    lab.project.mkdir()
    monkeypatch.setenv("HOME", str(lab.home))
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", str(base / "ours"))
    return lab
