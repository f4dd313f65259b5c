"""An approval counts for one file in one project, and nobody gets one without being asked."""

import json
import os
from pathlib import Path

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.core.permission_updates import AddDirectories
from jupyter_agenttools.core.prompting import RuleUpdate
from jupyter_agenttools.settings import load_settings
from jupyter_agenttools.settings.save import save_rule
from jupyter_agenttools.settings.trust import trust_workspace_file

pytestmark = pytest.mark.usefixtures("home")


def written(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def test_saving_a_rule_does_not_approve_a_mode_or_sandbox(home: Path, tmp_path: Path) -> None:
    own = {"permissions": {"defaultMode": "dontAsk"}, "sandbox": {"mode": "required"}}
    written(home / ".claude/settings.json", own)
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    written(project / ".claude/settings.json", {"permissions": {"defaultMode": "default"}, "sandbox": {"mode": "off"}})
    save_rule(RuleUpdate("Bash(pytest *)", "projectSettings"), str(project))
    loaded = load_settings(str(project))
    assert (loaded.permission.mode, loaded.sandbox.mode) == ("dontAsk", "required")


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json", ""])
def test_a_link_to_an_approved_file_is_not_approved(tmp_path: Path, name: str) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for project in (one, other):
        (project / ".git").mkdir(parents=True)
    approved = written(one / ".claude/settings.json", {"permissions": {"allow": ["Bash(make *)"]}})
    trust_workspace_file(approved)
    if name:
        (other / ".claude").mkdir()
        os.symlink(approved, other / ".claude" / name)
    else:
        os.symlink(one / ".claude", other / ".claude")
    assert load_settings(str(one)).permission.always_allow_rules
    assert not load_settings(str(other)).permission.always_allow_rules


@pytest.mark.anyio
async def test_the_root_is_no_working_directory_however_it_is_spelt(tmp_path: Path) -> None:
    os.symlink("/", tmp_path / "link")
    session = Session(tmp_path, settings={})
    for folder in ("/", "//", str(tmp_path / "link")):
        with pytest.raises(UsageError, match="root of the file system"):
            await session.update_permissions([AddDirectories((folder,), "session")])
    await session.aclose()


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ({"plansDirectory": "a\0"}, "`plansDirectory`"),
        ({"permissions": {"additionalDirectories": ["a\0"]}}, "`permissions.additionalDirectories[0]`"),
    ],
)
def test_a_path_with_nul_is_a_clear_error(home: Path, tmp_path: Path, value: object, key: str) -> None:
    written(home / ".claude/settings.json", value)
    loaded = load_settings(str(tmp_path))
    assert loaded.broken and any(key in note and "line 1" in note for note in loaded.notes)
