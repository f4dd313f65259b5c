"""A home of each test's own, so that nobody's settings or approvals are read or written."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", str(tmp_path / "ours"))
    return home
