"""What ``%agent permissions`` says of a change, and how a call is named where several wait."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools.core.decision import Decision
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.core.permission_updates import AddRules, RemoveDirectories
from jupyter_agenttools.core.prompting import PermissionRequest
from jupyter_agenttools.core.views import ToolView
from jupyter_agenttools.notebook.agent_permissions import said_of, updates_for
from jupyter_agenttools.notebook.agent_permissions_line import parse_permissions
from jupyter_agenttools.session import Session
from jupyter_agenttools.session.asked_call import call_title, why_asked
from jupyter_agenttools.settings import load_settings
from tests.support.settings import SettingsLab, make_lab


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SettingsLab:
    return make_lab(tmp_path, monkeypatch)


def session_in(lab: SettingsLab) -> Session:
    return Session(cwd=str(lab.project), settings=load_settings(str(lab.project)))


@pytest.mark.parametrize("trusted", [True, False])
def test_a_rule_in_a_file_that_nobody_approved_is_said_to_wait(trusted: bool, lab: SettingsLab) -> None:
    lab.write("projectSettings", {"permissions": {"allow": ["Bash(make *)"]}}, trusted=trusted)
    said = said_of([AddRules(("Bash(ls *)",), "allow", "projectSettings")], session_in(lab))
    assert ("does not count before %agent trust; this session keeps it meanwhile" in said) is not trusted
    assert "trust" not in said_of([AddRules(("Bash(ls *)",), "deny", "projectSettings")], session_in(lab))


def test_only_a_folder_that_was_added_is_taken_away(lab: SettingsLab) -> None:
    there = lab.base / "there"
    there.mkdir()
    lab.write("userSettings", {"permissions": {"additionalDirectories": [str(there)]}})
    session = session_in(lab)
    with pytest.raises(UsageError, match=rf"/nonexist is no folder that was added .*there are {there} \[user\]"):
        updates_for(session, parse_permissions("remove-dir /nonexist"))
    with pytest.raises(UsageError, match="in the scope session"):
        updates_for(session, parse_permissions(f"remove-dir {there}"))
    found = updates_for(session, parse_permissions(f"remove-dir {there} --scope user"))
    assert found == (RemoveDirectories((str(there),), "userSettings"),)


def reading(path: str, title: str) -> PermissionRequest:
    decision = Decision("ask", f"no rule allows it; Read(/{path}) would")
    return PermissionRequest("toolu_1", "Read", {"file_path": path}, ToolView(title), decision, (f"Read(/{path})",))


@pytest.mark.parametrize(
    ("path", "title", "said"),
    [
        ("/etc/hostname", "Read hostname:1-5", "Read /etc/hostname:1-5"),
        ("/x/Read", "Read Read", "Read /x/Read"),
        ("", "Read", "Read"),
    ],
)
def test_a_title_names_the_whole_path(path: str, title: str, said: str) -> None:
    assert call_title(reading(path, title)) == said


def test_a_long_path_loses_its_middle() -> None:
    said = call_title(reading(f"/a/{'x' * 200}/end.py", "Read end.py"))
    assert said.startswith("Read /a/x") and "…" in said and said.endswith("/end.py") and len(said) < 90


def test_a_path_elsewhere_is_the_reason(lab: SettingsLab) -> None:
    session = session_in(lab)
    assert why_asked(reading("/etc/hostname", "Read hostname"), session).startswith("it is outside of the working")
    assert why_asked(reading(str(lab.project / "a.py"), "Read a.py"), session) == "no rule allows it"
