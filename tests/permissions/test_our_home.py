"""Where this project keeps its own records."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jupyter_agenttools.core.home import agenttools_home


def test_the_variable_names_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", "~/ours")
    assert agenttools_home() == f"{tmp_path}/ours"


def test_without_it_there_is_one_of_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUPYTER_AGENTTOOLS_HOME")
    assert os.path.isabs(agenttools_home())
    assert agenttools_home().endswith("jupyter_agenttools")
