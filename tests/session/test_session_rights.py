"""Changing the rights of a session: in it, and in the files that keep them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import PermissionAnswer, Session
from jupyter_agenttools.core.errors import SettingsError, UsageError
from jupyter_agenttools.core.permission_updates import (
    AddDirectories,
    AddRules,
    RemoveDirectories,
    RemoveRules,
    ReplaceRules,
    SetMode,
)
from jupyter_agenttools.pipeline import Approval
from tests.support.settings import SettingsLab, make_lab
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio
SCOPES = ("session", "localSettings", "projectSettings", "userSettings")


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SettingsLab:
    return make_lab(tmp_path, monkeypatch)


def session_of(lab: SettingsLab, **options: Any) -> Session:
    return Session(
        cwd=lab.project, settings=lab.load(), session_dir=lab.base / "session", rule_scopes=SCOPES, **options
    )


class YesSayer:
    async def approve(self, question: Any) -> Approval:
        return Approval(True)


class TestSetMode:
    def test_it_holds_from_the_next_call_on(self, tmp_path: Path) -> None:
        session = Session(cwd=tmp_path)
        session.set_mode("acceptEdits")
        assert session.state.permission.mode == "acceptEdits"
        session.set_mode("manual")  # type: ignore[arg-type]
        assert session.state.permission.mode == "default"

    def test_plan_mode_knows_the_mode_before_it(self, tmp_path: Path) -> None:
        session = Session(cwd=tmp_path)
        session.set_mode("acceptEdits")
        session.set_mode("plan")
        session.set_mode("plan")
        assert session.state.app_state["plan"] == "acceptEdits"
        session.set_mode("default")
        assert "plan" not in session.state.app_state

    @pytest.mark.parametrize(
        ("mode", "named"),
        [
            ("plans", "did you mean plan"),
            ("", "no permission mode"),
            ("bypassPermissions", "not available"),
            ("auto", "classifier"),
        ],
    )
    def test_what_is_not_available_is_refused(self, mode: Any, named: str, tmp_path: Path) -> None:
        session = Session(cwd=tmp_path)
        with pytest.raises(UsageError, match=named):
            session.set_mode(mode)
        assert session.state.permission.mode == "default"

    def test_bypass_where_the_settings_named_it(self, tmp_path: Path) -> None:
        session = Session(cwd=tmp_path, settings={"permissions": {"defaultMode": "bypassPermissions"}})
        session.set_mode("default")
        session.set_mode("bypassPermissions")
        assert session.state.permission.mode == "bypassPermissions"

    def test_a_forbidden_mode(self, lab: SettingsLab) -> None:
        lab.write("managed", {"permissions": {"disableBypassPermissionsMode": "disable"}, "disableAutoMode": "disable"})
        session = session_of(lab, auto_classifier=YesSayer())
        for mode in ("bypassPermissions", "auto"):
            with pytest.raises(UsageError, match="forbid"):
                session.set_mode(mode)

    def test_auto_where_there_is_a_classifier(self, tmp_path: Path) -> None:
        session = Session(cwd=tmp_path, auto_classifier=YesSayer())
        session.set_mode("auto")
        assert session.state.permission.mode == "auto"


class TestInFiles:
    async def test_a_rule_is_kept_and_counts_at_once(self, lab: SettingsLab) -> None:
        session = session_of(lab)
        await session.update_permissions([AddRules(("Bash(ls *)",), "deny", "userSettings")])
        assert json.loads(lab.path("userSettings").read_text()) == {"permissions": {"deny": ["Bash(ls *)"]}}
        assert session.state.permission.always_deny_rules["userSettings"] == ("Bash(ls *)",)

    async def test_a_rule_is_taken_away_however_it_is_spelt(self, lab: SettingsLab) -> None:
        path = lab.write(
            "userSettings", '{\n  // mine\n  "permissions": {"allow": ["Bash( * )", "Bash(ls)", "Read"]}\n}\n'
        )
        session = session_of(lab)
        await session.update_permissions([RemoveRules(("Bash",), "allow", "userSettings")])
        assert path.read_text() == '{\n  // mine\n  "permissions": {"allow": ["Bash(ls)", "Read"]}\n}\n'
        assert session.state.permission.always_allow_rules["userSettings"] == ("Bash(ls)", "Read")

    async def test_replacing_keeps_what_stays(self, lab: SettingsLab) -> None:
        path = lab.write("userSettings", {"permissions": {"ask": ["A", "Bash(*)"]}})
        await session_of(lab).update_permissions([ReplaceRules(("Bash", "C"), "ask", "userSettings")])
        assert json.loads(path.read_text())["permissions"]["ask"] == ["Bash(*)", "C"]

    async def test_the_mode_of_sessions_to_come(self, lab: SettingsLab) -> None:
        session = session_of(lab)
        await session.update_permissions([SetMode("acceptEdits", "localSettings")])
        assert json.loads(lab.path("localSettings").read_text()) == {"permissions": {"defaultMode": "acceptEdits"}}
        assert session.state.permission.mode == "acceptEdits"

    @pytest.mark.parametrize("mode", ["auto", "bypassPermissions"])
    async def test_a_project_does_not_keep_the_widest_modes(self, mode: Any, lab: SettingsLab) -> None:
        lab.write("userSettings", {"permissions": {"defaultMode": "bypassPermissions"}})
        session = session_of(lab, auto_classifier=YesSayer())
        with pytest.raises(UsageError, match="not kept in the settings of a project"):
            await session.update_permissions([SetMode(mode, "projectSettings")])

    async def test_folders(self, lab: SettingsLab) -> None:
        data = lab.base / "data"
        data.mkdir()
        session = session_of(lab)
        await session.update_permissions([AddDirectories((str(data),), "userSettings")])
        assert session.state.permission.additional_working_directories[str(data)].source == "userSettings"
        await session.update_permissions([RemoveDirectories((str(data),), "userSettings")])
        assert not session.state.permission.additional_working_directories
        assert json.loads(lab.path("userSettings").read_text()) == {"permissions": {"additionalDirectories": []}}

    async def test_all_or_nothing(self, lab: SettingsLab) -> None:
        session = session_of(lab)
        wrong = [SetMode("plan"), AddRules(("Echo",), "allow", "userSettings"), AddRules(("Bash(",))]
        with pytest.raises(UsageError):
            await session.update_permissions(wrong)
        assert session.state.permission.mode == "default"
        assert not lab.path("userSettings").exists()

    async def test_a_broken_file_is_not_touched(self, lab: SettingsLab) -> None:
        path = lab.write("userSettings", "{")
        session = session_of(lab)
        with pytest.raises(SettingsError, match="line 1"):
            await session.update_permissions([AddRules(("Echo",), "allow", "userSettings")])
        assert path.read_text() == "{"

    async def test_a_place_that_is_not_offered(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="not in userSettings"):
            await Session(cwd=tmp_path).update_permissions([AddRules(("Echo",), "deny", "userSettings")])

    @pytest.mark.parametrize("folder", ["missing", "/", "~/missing"])
    async def test_a_folder_that_cannot_be_one(self, folder: str, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"folder|root"):
            await Session(cwd=tmp_path).update_permissions([AddDirectories((folder,))])

    async def test_relative_folders_start_from_the_working_directory(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        session = Session(cwd=tmp_path)
        await session.update_permissions([AddDirectories(("a",))])
        assert list(session.state.permission.additional_working_directories) == [str(tmp_path / "a")]


async def test_an_answer_changes_the_mode(tmp_path: Path) -> None:
    answer = PermissionAnswer("allow", updates=(SetMode("acceptEdits"), AddRules(("Echo",))))
    session = Session(cwd=tmp_path, tools=[echo_tool()], prompter=lambda request: answer)
    assert (await session.call("Echo", {"text": "x"})).status == "ok"
    assert session.state.permission.mode == "acceptEdits"
    assert session.state.permission.always_allow_rules == {"session": ("Echo",)}


async def test_an_answer_whose_changes_cannot_be_made_is_a_denial(tmp_path: Path) -> None:
    answer = PermissionAnswer("allow", updates=(AddRules(("Echo",)), SetMode("bypassPermissions")))
    session = Session(cwd=tmp_path, tools=[echo_tool()], prompter=lambda request: answer)
    outcome = await session.call("Echo", {"text": "x"})
    assert outcome.status == "denied" and "not available" in outcome.text
    assert not session.state.permission.always_allow_rules
