"""Keeping a rule in a settings file: nothing else in it changes, and nobody becomes trusted by it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools.core.errors import RuleSyntaxError, SettingsError
from jupyter_agenttools.core.prompting import RuleUpdate
from jupyter_agenttools.settings import (
    AddItems,
    PutValue,
    RemoveItems,
    edit_settings,
    is_trusted,
    load_settings,
    save_rule,
    trust_workspace_file,
)

pytestmark = pytest.mark.usefixtures("home")

LOCAL = RuleUpdate("Bash(npm test *)", "localSettings")


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


# ---- the bytes of the file


def test_comments_and_blanks_stay_byte_for_byte(project: Path) -> None:
    text = '{\r\n\t// mine\r\n\t"permissions" : {\r\n\t\t"allow": ["A", /* b */ "B",], // end\r\n\t},\r\n}'
    path = local_file(project, "")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    trust_workspace_file(path)
    save_rule(LOCAL, str(project))
    expected = text.replace('"B",]', '"B", "Bash(npm test *)",]')
    assert path.read_bytes() == b"\xef\xbb\xbf" + expected.encode()
    assert load_settings(str(project)).permission.always_allow_rules["localSettings"] == ("A", "B", "Bash(npm test *)")


def test_every_kind_of_change(project: Path) -> None:
    path = local_file(project, '{\n  "permissions": {\n    "allow": ["A", "B"]\n  }\n}\n')
    edit_settings(
        "localSettings",
        str(project),
        [
            RemoveItems(("permissions", "allow"), ("A",)),
            PutValue(("permissions", "defaultMode"), "plan"),
            AddItems(("permissions", "additionalDirectories"), ("/x", "/y")),
        ],
    )
    assert json.loads(path.read_text())["permissions"] == {
        "allow": ["B"],
        "defaultMode": "plan",
        "additionalDirectories": ["/x", "/y"],
    }


@pytest.mark.parametrize(
    "edit",
    [
        PutValue(("permissions", "defaultMode"), "always"),
        PutValue(("permissions", "allow"), "A"),
        AddItems(("permissions", "allow"), ("Bash(",)),
        AddItems(("permissions", "allow", "x"), ("A",)),
    ],
)
def test_a_change_that_would_break_the_file_is_not_made(edit: Any, project: Path) -> None:
    path = local_file(project, '{"permissions": {"allow": ["A"]}}')
    with pytest.raises(SettingsError, match=r"settings\.local\.json"):
        edit_settings("localSettings", str(project), [edit])
    assert path.read_text() == '{"permissions": {"allow": ["A"]}}'
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_rule_goes_where_a_file_is_already(project: Path) -> None:
    ours = project / ".agenttools" / "settings.local.json"
    ours.parent.mkdir()
    assert save_rule(LOCAL, str(project)) == ours
    theirs = local_file(project, "{}")
    ours.unlink()
    assert save_rule(LOCAL, str(project)) == theirs
    ours.write_text("{}")
    assert save_rule(LOCAL, str(project)) == ours


def test_the_users_own_link_is_followed(project: Path, home: Path) -> None:
    (home / ".claude").mkdir()
    kept = home / "dotfiles.json"
    kept.write_text("{}")
    (home / ".claude" / "settings.json").symlink_to(kept)
    assert save_rule(RuleUpdate("Plain", "userSettings"), str(project)) == kept
    assert (home / ".claude" / "settings.json").is_symlink()
    assert json.loads(kept.read_text()) == {"permissions": {"allow": ["Plain"]}}


def test_kernels_that_save_at_once_lose_nothing(project: Path) -> None:
    code = textwrap.dedent("""
        import sys
        from jupyter_agenttools.core.prompting import RuleUpdate
        from jupyter_agenttools.settings import save_rule
        for number in range(8):
            save_rule(RuleUpdate(f"Bash(x{sys.argv[1]}-{number} *)", "localSettings"), ".")
    """)
    runs = [subprocess.Popen([sys.executable, "-c", code, str(n)], cwd=project) for n in range(3)]
    assert [run.wait(60) for run in runs] == [0, 0, 0]
    rules = load_settings(str(project)).permission.always_allow_rules["localSettings"]
    assert sorted(rules) == sorted(f"Bash(x{n}-{number} *)" for n in range(3) for number in range(8))


def test_kernels_with_homes_of_their_own_wait_for_each_other(project: Path, tmp_path: Path) -> None:
    code = textwrap.dedent("""
        import sys
        from jupyter_agenttools.core.prompting import RuleUpdate
        from jupyter_agenttools.settings import save_rule
        for number in range(12):
            save_rule(RuleUpdate(f"Bash(x{sys.argv[1]}-{number} *)", "localSettings"), ".")
    """)
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", code, name],
            cwd=project,
            env={**os.environ, "JUPYTER_AGENTTOOLS_HOME": str(tmp_path / f"home-{name}")},
        )
        for name in "pqr"
    ]
    assert [run.wait(120) for run in runs] == [0, 0, 0]
    kept = json.loads((project / ".claude" / "settings.local.json").read_text())["permissions"]["allow"]
    assert len([rule for rule in kept if rule.startswith("Bash(x")]) == 36
