"""Settings files: where they are looked for, who is trusted, and what a broken one does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from jupyter_agenttools.core.errors import SettingsError
from jupyter_agenttools.core.immutable import thaw
from jupyter_agenttools.permissions import decide
from jupyter_agenttools.settings import LoadedSettings, load_settings, trust_file, trust_workspace_file
from tests.support.gate import BASH, PLAIN, READ, context_of

pytestmark = pytest.mark.usefixtures("home")

Write = Callable[..., Path]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "proj"
    project.mkdir()
    return project


def write(folder: Path, name: str, value: Any, *, where: str = ".claude") -> Path:
    path = folder / where / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2))
    return path


async def answer(loaded: LoadedSettings, cwd: Path, tool: Any = PLAIN, **call: Any) -> str:
    return (await decide(tool, call, call, context_of(loaded.permission, cwd))).behavior


def test_no_files_are_no_rules(project: Path) -> None:
    loaded = load_settings(str(project))
    assert (loaded.layers, loaded.notes, loaded.broken, loaded.hook_layers) == ((), (), False, ())
    assert not loaded.permission.always_allow_rules


def test_all_places_are_read(home: Path, project: Path) -> None:
    for folder, name in ((home, "settings.json"), (project, "settings.json"), (project, "settings.local.json")):
        for where in (".claude", ".agenttools"):
            write(
                folder,
                name,
                {"permissions": {"deny": [f"X-{folder.name}-{where[1:]}-{name[9:-5] or 's'}"]}},
                where=where,
            )
    loaded = load_settings(str(project))
    assert [layer.source for layer in loaded.layers] == [
        *["userSettings"] * 2, *["projectSettings"] * 2, *["localSettings"] * 2,
    ]  # fmt: skip
    assert {source: len(rules) for source, rules in loaded.permission.always_deny_rules.items()} == {
        "userSettings": 2, "projectSettings": 2, "localSettings": 2,
    }  # fmt: skip


def test_the_project_is_the_repository_or_the_nearest_folder_with_settings(project: Path) -> None:
    (project / ".git").mkdir()
    deep = project / "a" / "b"
    deep.mkdir(parents=True)
    write(project, "settings.json", {"permissions": {"deny": ["Top"]}})
    assert load_settings(str(deep)).permission.always_deny_rules == {"projectSettings": ("Top",)}
    assert load_settings(str(deep)).permission.rule_roots["projectSettings"] == str(project)
    write(project / "a", "settings.json", {"permissions": {"deny": ["Near"]}})
    assert load_settings(str(deep)).permission.always_deny_rules == {"projectSettings": ("Near",)}


def test_folders_above_are_not_read_without_a_repository(project: Path) -> None:
    write(project, "settings.json", {"permissions": {"deny": ["Top"]}})
    (project / "a").mkdir()
    assert load_settings(str(project / "a")).layers == ()


def test_in_the_home_folder_the_user_file_counts_once(home: Path) -> None:
    write(home, "settings.json", {"permissions": {"allow": ["Plain"]}})
    assert [layer.source for layer in load_settings(str(home)).layers] == ["userSettings"]


class TestTrust:
    WIDE: ClassVar[Any] = {
        "permissions": {
            "allow": ["Plain", "Bash(ls *)"],
            "deny": ["Bash(rm *)"],
            "ask": ["Bash(git push *)"],
            "additionalDirectories": ["/"],
            "defaultMode": "bypassPermissions",
        },
        "env": {"PATH": "./evil"},
    }

    @pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
    def test_what_widens_is_not_used_unapproved(self, name: str, project: Path) -> None:
        path = write(project, name, self.WIDE)
        loaded = load_settings(str(project))
        permission = loaded.permission
        assert not permission.always_allow_rules
        assert not permission.additional_working_directories
        assert permission.mode == "default"
        assert not loaded.env
        assert len(permission.always_deny_rules) == len(permission.always_ask_rules) == 1
        (note,) = loaded.notes
        assert str(path) in note
        assert "2 allow rules, 1 additional directory, 1 variable of `env`, the mode bypassPermissions" in note
        assert [layer.trusted for layer in loaded.layers] == [False]

    def test_an_approved_file_counts_until_a_byte_changes(self, project: Path) -> None:
        path = write(project, "settings.json", self.WIDE)
        trust_workspace_file(path)
        loaded = load_settings(str(project))
        assert loaded.permission.always_allow_rules == {"projectSettings": ("Plain", "Bash(ls *)")}
        assert loaded.permission.mode == "bypassPermissions"
        assert loaded.env == {"PATH": "./evil"}
        (note,) = loaded.notes
        assert note.startswith("the mode bypassPermissions lets calls pass without a question")
        path.write_text(path.read_text() + " ")
        assert not load_settings(str(project)).permission.always_allow_rules

    def test_approval_is_for_one_place(self, project: Path, tmp_path: Path) -> None:
        trust_workspace_file(write(project, "settings.json", self.WIDE))
        other = tmp_path / "other"
        write(other, "settings.json", self.WIDE)
        assert not load_settings(str(other)).permission.always_allow_rules

    @pytest.mark.parametrize("linked", ["", "settings.json", "settings.local.json"])
    def test_approval_does_not_follow_links_of_another_project(
        self, linked: str, project: Path, tmp_path: Path
    ) -> None:
        approved = write(project, "settings.json", self.WIDE)
        trust_workspace_file(approved)
        other = tmp_path / "other"
        folder = other / approved.parent.name
        if linked:
            folder.mkdir(parents=True)
            (folder / linked).symlink_to(approved)
        else:
            other.mkdir()
            folder.symlink_to(approved.parent)
        assert not load_settings(str(other)).permission.always_allow_rules
        assert load_settings(str(project)).permission.always_allow_rules

    @pytest.mark.parametrize("record", ["", "{", "[]", '{"files": 3}', '{"files": {}}'])
    def test_a_broken_record_trusts_nothing(self, record: str, project: Path) -> None:
        trust_workspace_file(write(project, "settings.json", self.WIDE))
        trust_file().write_text(record)
        assert not load_settings(str(project)).permission.always_allow_rules

    def test_the_users_own_file_is_trusted(self, home: Path, project: Path) -> None:
        write(home, "settings.json", self.WIDE)
        assert load_settings(str(project)).permission.mode == "bypassPermissions"

    @pytest.mark.parametrize(("user", "repo", "used"), [("plan", "default", "plan"), ("default", "plan", "plan")])
    def test_an_unapproved_mode_may_only_tighten(
        self, user: str, repo: str, used: str, home: Path, project: Path
    ) -> None:
        write(home, "settings.json", {"permissions": {"defaultMode": user}})
        write(project, "settings.json", {"permissions": {"defaultMode": repo}})
        assert load_settings(str(project)).permission.mode == used


@pytest.mark.anyio
class TestBroken:
    @pytest.mark.parametrize(
        ("text", "line", "said"),
        [
            ('{\n"permissions": {\n"deny": [}}', 3, "not JSON"),
            ('{"permissions": {},\n "permissions": {"deny": []}}', 2, "stands twice"),
            ('{\n "permissions": {\n  "deny": [\n   "Bash(rm"\n]}}', 4, "never closed"),
            ('{\n "permissions": {\n  "denny": []}}', 3, "permissions.deny"),
            ('{\n "permissions": {\n  "allow": "x"}}', 3, "permissions.allow"),
            ("[1]", 1, "an object"),
            ("[" * 100_000, 1, ""),
        ],
    )
    async def test_a_broken_file_makes_everything_ask(
        self, text: str, line: int, said: str, home: Path, project: Path
    ) -> None:
        write(home, "settings.json", {"permissions": {"allow": ["Plain"], "deny": ["Bash(rm *)"]}})
        assert await answer(load_settings(str(project)), project) == "allow"
        path = write(project, "settings.local.json", text)
        loaded = load_settings(str(project))
        assert loaded.broken
        (note,) = loaded.notes
        assert note.startswith(f"{path}, line {line}: ")
        assert said in note
        assert await answer(loaded, project) == "ask"
        assert await answer(loaded, project, READ, file_path=f"{project}/a") == "ask"
        assert await answer(loaded, project, BASH, command="rm x") == "deny"

    async def test_a_broken_user_file_too(self, home: Path, project: Path) -> None:
        write(home, "settings.json", '{"permissions": {"allow": ["Plain"], "defaultMode": "bypassPermissions"}')
        assert await answer(load_settings(str(project)), project) == "ask"

    async def test_bytes_that_are_no_text(self, project: Path) -> None:
        write(project, "settings.json", "").write_bytes(b'{\n"a": "\xff"}')
        (note,) = load_settings(str(project)).notes
        assert "line 2: this is not UTF-8" in note

    async def test_a_folder_in_the_place_of_the_file(self, project: Path) -> None:
        (project / ".claude" / "settings.json").mkdir(parents=True)
        loaded = load_settings(str(project))
        assert loaded.broken
        assert "not an ordinary file" in loaded.notes[0]

    async def test_an_empty_file_and_a_byte_order_mark_are_fine(self, project: Path) -> None:
        write(project, "settings.json", " \n")
        write(project, "settings.local.json", '\ufeff{"permissions": {"deny": ["Plain"]}}')
        loaded = load_settings(str(project))
        assert not loaded.broken
        assert await answer(loaded, project) == "deny"


class TestHooks:
    HOOKS: ClassVar[Any] = {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}

    @staticmethod
    def running(project: Path) -> dict[str, str]:
        return {layer.source: layer.off for layer in load_settings(str(project)).hook_layers}

    def test_hooks_of_a_project_run_when_it_is_approved(self, project: Path) -> None:
        path = write(project, "settings.json", {"hooks": self.HOOKS})
        loaded = load_settings(str(project))
        (layer,) = loaded.hook_layers
        assert (layer.path, layer.trusted, layer.runs, thaw(layer.hooks)) == (path, False, False, self.HOOKS)
        assert "hooks (PreToolUse) not used" in loaded.notes[0]
        trust_workspace_file(path)
        (layer,) = load_settings(str(project)).hook_layers
        assert (layer.trusted, layer.runs) == (True, True)

    def test_a_project_cannot_turn_off_the_users_hooks(self, home: Path, project: Path) -> None:
        write(home, "settings.json", {"hooks": self.HOOKS})
        path = write(project, "settings.json", {"disableAllHooks": True})
        assert self.running(project) == {"userSettings": ""}
        trust_workspace_file(path)
        assert self.running(project) == {"userSettings": "`disableAllHooks` is set"}

    def test_the_user_can_turn_all_off_and_the_stronger_file_on_again(self, home: Path, project: Path) -> None:
        write(home, "settings.json", {"disableAllHooks": True, "hooks": self.HOOKS})
        assert self.running(project) == {"userSettings": "`disableAllHooks` is set"}
        trust_workspace_file(write(project, "settings.local.json", {"disableAllHooks": False}))
        assert self.running(project) == {"userSettings": ""}


class TestOwnSettings:
    def test_they_are_the_strongest(self, home: Path, project: Path) -> None:
        write(
            home, "settings.json", {"permissions": {"allow": ["A"], "defaultMode": "plan"}, "env": {"X": "1", "Y": "1"}}
        )
        own = {"permissions": {"allow": ["B"], "defaultMode": "acceptEdits"}, "env": {"X": "2"}}
        loaded = load_settings(str(project), own)
        assert loaded.permission.always_allow_rules == {"userSettings": ("A",), "session": ("B",)}
        assert loaded.permission.mode == "acceptEdits"
        assert loaded.env == {"X": "2", "Y": "1"}

    def test_a_mistake_in_them_is_raised(self, project: Path) -> None:
        with pytest.raises(SettingsError, match=r"permissions.allow\[0\]"):
            load_settings(str(project), {"permissions": {"allow": ["Bash("]}})
