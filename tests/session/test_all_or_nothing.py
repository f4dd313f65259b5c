"""Changes of several settings files at once: all of them, or none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core.errors import SettingsError
from jupyter_agenttools.core.permission_updates import AddRules, RemoveRules
from jupyter_agenttools.settings import save
from jupyter_agenttools.settings.trust import is_trusted
from tests.support.settings import SettingsLab, make_lab

pytestmark = pytest.mark.anyio

SCOPES = ("session", "localSettings", "projectSettings", "userSettings")
BOTH = (AddRules(("Bash(a *)",), "allow", "localSettings"), AddRules(("Bash(b *)",), "allow", "userSettings"))


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SettingsLab:
    return make_lab(tmp_path, monkeypatch)


def session_of(lab: SettingsLab) -> Session:
    return Session(cwd=lab.project, settings=lab.load(), prompter="deny", rule_scopes=SCOPES)


async def test_a_file_that_cannot_be_changed_stops_all_of_them(lab: SettingsLab) -> None:
    broken = lab.write("userSettings", '{"permissions": {"allow": 3}}')
    session = session_of(lab)
    with pytest.raises(SettingsError, match="mend it first"):
        await session.update_permissions(BOTH)
    assert not lab.path("localSettings").exists() and broken.read_text() == '{"permissions": {"allow": 3}}'
    assert "Bash(a *)" not in str(session.state.permission.always_allow_rules)


@pytest.mark.parametrize("there", [True, False])
async def test_what_was_written_is_put_back(there: bool, lab: SettingsLab, monkeypatch: pytest.MonkeyPatch) -> None:
    local = lab.write("localSettings", '{"permissions": {"allow": ["Mine"]}}') if there else lab.path("localSettings")
    before = local.read_bytes() if there else None
    _fail_from(monkeypatch, 2, times=1)
    with pytest.raises(SettingsError, match="no space left"):
        await session_of(lab).update_permissions(BOTH)
    assert (local.read_bytes() if local.exists() else None) == before
    assert not lab.path("userSettings").exists()
    assert before is None or is_trusted(local, before)


async def test_when_even_that_fails_it_is_said(lab: SettingsLab, monkeypatch: pytest.MonkeyPatch) -> None:
    local = lab.write("localSettings", '{"permissions": {"allow": ["Mine"]}}')
    _fail_from(monkeypatch, 2, times=9)
    with pytest.raises(SettingsError) as told:
        await session_of(lab).update_permissions(BOTH)
    assert "half made" in str(told.value) and str(local) in str(told.value)


def _fail_from(monkeypatch: pytest.MonkeyPatch, number: int, *, times: int) -> None:
    """Let the writes of settings files fail from the ``number``-th on."""
    real, count = save.write_file, iter(range(1, 99))

    def writes(path: Path, data: bytes, **options: Any) -> None:
        if number <= next(count) < number + times:
            raise OSError(28, "no space left on device")
        real(path, data, **options)

    monkeypatch.setattr(save, "write_file", writes)


@pytest.mark.parametrize(
    ("there", "gone"),
    [
        ("Bash(a:*)", "Bash(a *)"),
        ("Bash(a *)", "Bash(a:*)"),
        ("Bash(*)", "Bash"),
        ("Task(x)", "Agent(x)"),
        ("WebFetch(domain:*)", "WebFetch"),
    ],
)
@pytest.mark.parametrize("scope", ["session", "localSettings"])
async def test_a_rule_is_taken_away_however_it_is_spelt(scope: Any, there: str, gone: str, lab: SettingsLab) -> None:
    session = session_of(lab)
    await session.update_permissions([AddRules((there, "Bash(a*)"), "allow", scope)])
    await session.update_permissions([RemoveRules((gone,), "allow", scope)])
    assert [rule for rules in session.state.permission.always_allow_rules.values() for rule in rules] == ["Bash(a*)"]


async def test_taking_away_from_no_file_makes_none(lab: SettingsLab) -> None:
    await session_of(lab).update_permissions([RemoveRules(("Bash(a *)",), "allow", "localSettings")])
    assert not lab.path("localSettings").exists()
