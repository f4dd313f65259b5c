"""Keeping a rule in a settings file: nothing else in it changes, and nobody becomes trusted by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyter_agenttools.core.errors import RuleSyntaxError, SettingsError
from jupyter_agenttools.core.prompting import RuleUpdate
from jupyter_agenttools.settings import is_trusted, load_settings, save_rule

LOCAL = RuleUpdate("Bash(npm test *)", "localSettings")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", str(tmp_path / "ours"))
    return home


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "proj"
    project.mkdir()
    return project


def local_file(project: Path, text: str) -> Path:
    path = project / ".claude" / "settings.local.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_a_new_file_is_made_and_counts(project: Path) -> None:
    path = save_rule(LOCAL, str(project))
    assert path == project / ".claude" / "settings.local.json"
    assert json.loads(path.read_text()) == {"permissions": {"allow": ["Bash(npm test *)"]}}
    assert load_settings(str(project)).permission.always_allow_rules == {"localSettings": ("Bash(npm test *)",)}


def test_the_second_rule_is_added_and_both_count(project: Path) -> None:
    save_rule(LOCAL, str(project))
    save_rule(RuleUpdate("Bash(rm *)", "localSettings", "deny"), str(project))
    save_rule(RuleUpdate("Read(//data/**)", "localSettings"), str(project))
    permission = load_settings(str(project)).permission
    assert permission.always_allow_rules == {"localSettings": ("Bash(npm test *)", "Read(//data/**)")}
    assert permission.always_deny_rules == {"localSettings": ("Bash(rm *)",)}


def test_the_rest_of_the_file_stays(project: Path) -> None:
    text = '{\n    "zebra": 1,\n    "permissions": {"deny": ["X"], "note": "é"},\n    "apple": [1.5, null]\n}\n'
    path = local_file(project, text)
    save_rule(LOCAL, str(project))
    value = json.loads(path.read_text())
    assert list(value) == ["zebra", "permissions", "apple"]
    assert value == {
        "zebra": 1,
        "permissions": {"deny": ["X"], "note": "é", "allow": ["Bash(npm test *)"]},
        "apple": [1.5, None],
    }
    assert '\n    "zebra"' in path.read_text() and "é" in path.read_text()


def test_bytes_around_the_text_stay(project: Path) -> None:
    path = local_file(project, "")
    path.write_bytes(b'\xef\xbb\xbf{\r\n\t"a": "\\ud800"\r\n}')
    path.chmod(0o640)
    save_rule(LOCAL, str(project))
    data = path.read_bytes()
    assert data.startswith(b'\xef\xbb\xbf{\r\n\t"a": "\\ud800"')
    assert not data.endswith(b"\n")
    assert b"\n" not in data.replace(b"\r\n", b"")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_rule_that_is_there_changes_nothing(project: Path) -> None:
    path = local_file(project, '{"permissions": {"allow": ["Bash(npm test *)"]}}')
    before = path.stat()
    save_rule(LOCAL, str(project))
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert not is_trusted(path, path.read_bytes())


@pytest.mark.parametrize(
    "text",
    [
        '{"permissions": {"allow": ["Bash"]}}',
        '{"permissions": {"additionalDirectories": ["/"]}}',
        '{"permissions": {"defaultMode": "bypassPermissions"}}',
        '{"env": {"PATH": "x"}}',
    ],
)
def test_rights_that_nobody_approved_stay_unapproved(text: str, project: Path) -> None:
    local_file(project, text)
    save_rule(LOCAL, str(project))
    loaded = load_settings(str(project))
    assert not loaded.permission.always_allow_rules
    assert loaded.permission.mode == "default"
    assert loaded.notes


def test_a_file_of_deny_rules_alone_may_be_added_to(project: Path) -> None:
    local_file(project, '{"permissions": {"deny": ["X"]}, "theme": "dark"}')
    save_rule(LOCAL, str(project))
    assert load_settings(str(project)).permission.always_allow_rules == {"localSettings": ("Bash(npm test *)",)}


@pytest.mark.parametrize("text", ["{", "[]", '{"permissions": {"allow": "x"}}', '{"a": 1, "a": 2}'])
def test_a_broken_file_is_left_alone(text: str, project: Path) -> None:
    path = local_file(project, text)
    with pytest.raises(SettingsError):
        save_rule(LOCAL, str(project))
    assert path.read_text() == text
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_link_to_elsewhere_is_not_followed(project: Path, home: Path) -> None:
    user = home / ".claude" / "settings.json"
    user.parent.mkdir()
    user.write_text("{}")
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.local.json").symlink_to(user)
    with pytest.raises(SettingsError, match="is a link"):
        save_rule(LOCAL, str(project))
    assert user.read_text() == "{}"


def test_a_linked_settings_folder_is_not_followed(project: Path, home: Path) -> None:
    (home / ".claude").mkdir()
    (project / ".claude").symlink_to(home / ".claude")
    with pytest.raises(SettingsError, match="is a link"):
        save_rule(RuleUpdate("Plain", "projectSettings"), str(project))


def test_other_scopes(project: Path, home: Path) -> None:
    assert save_rule(RuleUpdate("Plain", "userSettings"), str(project)) == home / ".claude" / "settings.json"
    assert save_rule(RuleUpdate("Plain", "projectSettings"), str(project)) == project / ".claude" / "settings.json"
    with pytest.raises(SettingsError, match="session"):
        save_rule(RuleUpdate("Plain", "session"), str(project))


def test_rules_go_to_the_root_of_the_repository(project: Path) -> None:
    (project / ".git").mkdir()
    (project / "deep").mkdir()
    assert save_rule(LOCAL, str(project / "deep")).parent.parent == project


@pytest.mark.parametrize("rule", ["Bash(", "*", "Ba*(x)"])
def test_a_rule_that_cannot_be_read_is_not_kept(rule: str, project: Path) -> None:
    with pytest.raises(RuleSyntaxError):
        save_rule(RuleUpdate(rule, "localSettings"), str(project))
    assert not (project / ".claude").exists()
