"""Which source is stronger, what a managed file can do, and what becomes of every kind of file."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools.core.errors import SettingsError
from jupyter_agenttools.settings import trust_requests
from tests.support.settings import SettingsLab, make_lab

SOURCES = ("userSettings", "projectSettings", "localSettings", "commandLine", "managed")


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SettingsLab:
    return make_lab(tmp_path, monkeypatch)


def test_single_values_are_those_of_the_strongest(lab: SettingsLab) -> None:
    order = [*SOURCES[:4], "session", "managed"]
    for weaker, stronger in pairwise(order):
        for source in SOURCES:
            lab.path(source).unlink(missing_ok=True)
        own: Any = None
        for source, mode in ((weaker, "plan"), (stronger, "acceptEdits")):
            value = {"permissions": {"defaultMode": mode}, "env": {"WHO": source}, "cleanupPeriodDays": len(source)}
            if source == "session":
                own = value
            else:
                lab.write(source, value)
        loaded = lab.load(own)
        assert (loaded.permission.mode, loaded.env["WHO"], loaded.cleanup_days) == (
            "acceptEdits",
            stronger,
            len(stronger),
        )


def test_lists_are_joined(lab: SettingsLab) -> None:
    for source in SOURCES:
        lab.write(source, {"permissions": {"allow": ["Same"], "deny": [f"D-{source}"]}})
    permission = lab.load({"permissions": {"deny": ["D-session"]}}).permission
    assert set(permission.always_allow_rules) == set(SOURCES)
    assert {rule for rules in permission.always_deny_rules.values() for rule in rules} == {
        f"D-{source}" for source in (*SOURCES, "session")
    }


def test_our_own_folder_is_stronger_than_the_shared_one(lab: SettingsLab) -> None:
    lab.write("userSettings", {"permissions": {"defaultMode": "plan", "allow": ["A"]}}, where=".agenttools")
    lab.write("userSettings", {"permissions": {"defaultMode": "acceptEdits", "allow": ["B"]}}, where=".claude")
    permission = lab.load().permission
    assert permission.mode == "plan"
    assert permission.always_allow_rules == {"userSettings": ("B", "A")}


class TestManaged:
    def test_files_beside_it_are_read_in_the_order_of_their_names(self, lab: SettingsLab) -> None:
        lab.write("managed", {"permissions": {"defaultMode": "plan", "deny": ["A"]}})
        more = lab.managed / "managed-settings.d"
        more.mkdir()
        (more / "20-b.json").write_text('{"permissions": {"defaultMode": "dontAsk", "deny": ["C"]}}')
        (more / "10-a.json").write_text('{"permissions": {"defaultMode": "acceptEdits", "deny": ["B"]}}')
        (more / ".hidden.json").write_text("{")
        (more / "notes.txt").write_text("{")
        permission = lab.load().permission
        assert (permission.mode, permission.always_deny_rules) == ("dontAsk", {"managed": ("A", "B", "C")})

    def test_only_its_rules_allow_and_every_deny_holds(self, lab: SettingsLab) -> None:
        lab.write("managed", {"allowManagedPermissionRulesOnly": True, "permissions": {"allow": ["M"], "ask": ["N"]}})
        lab.write("userSettings", {"permissions": {"allow": ["U"], "deny": ["X"], "ask": ["Y"]}})
        loaded = lab.load({"permissions": {"allow": ["S"]}})
        assert loaded.managed_rules_only
        assert loaded.permission.always_allow_rules == {"managed": ("M",)}
        assert loaded.permission.always_deny_rules == {"userSettings": ("X",)}
        assert loaded.permission.always_ask_rules == {"userSettings": ("Y",), "managed": ("N",)}

    def test_nobody_else_can_say_so(self, lab: SettingsLab) -> None:
        lab.write("userSettings", {"allowManagedPermissionRulesOnly": True, "permissions": {"allow": ["U"]}})
        loaded = lab.load()
        assert loaded.permission.always_allow_rules == {"userSettings": ("U",)}
        assert "managed settings only" in loaded.notes[0]

    def test_only_its_hooks_run(self, lab: SettingsLab) -> None:
        hooks = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}}
        for source in SOURCES:
            lab.write(source, {**hooks, "allowManagedHooksOnly": True})
        runs = {layer.source: layer.runs for layer in lab.load(hooks).hook_layers}
        assert runs == {**dict.fromkeys(SOURCES, False), "session": True, "managed": True}

    def test_turning_hooks_off_spares_the_managed_ones(self, lab: SettingsLab) -> None:
        hooks = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}}
        lab.write("managed", hooks)
        lab.write("userSettings", {**hooks, "disableAllHooks": True})
        assert [layer.source for layer in lab.load().hook_layers if layer.runs] == ["managed"]
        lab.write("managed", {**hooks, "disableAllHooks": True})
        assert not any(layer.runs for layer in lab.load().hook_layers)

    def test_bypass_and_auto_can_be_forbidden(self, lab: SettingsLab) -> None:
        lab.write("managed", {"permissions": {"disableBypassPermissionsMode": "disable"}, "disableAutoMode": "disable"})
        loaded = lab.load({"permissions": {"defaultMode": "bypassPermissions"}})
        assert loaded.permission.mode == "default"
        assert loaded.forbidden_modes == {"bypassPermissions", "auto"}


class TestCommandLine:
    def test_a_path_in_its_rules_starts_from_its_folder(self, lab: SettingsLab) -> None:
        path = lab.write("commandLine", {"permissions": {"deny": ["Read(/x)"]}})
        assert lab.load().permission.rule_roots["commandLine"] == str(path.parent)

    @pytest.mark.parametrize("text", [None, "{", '{"permissions": {"allow": ["Bash("]}}'])
    def test_a_run_does_not_start_without_it(self, text: str | None, lab: SettingsLab) -> None:
        from jupyter_agenttools.settings import load_settings

        path = lab.base / "named.json"
        if text is not None:
            path.write_text(text)
        with pytest.raises(SettingsError, match=r"named\.json"):
            load_settings(str(lab.project), settings_file=path, places=lab.places)


@pytest.mark.parametrize("source", ["projectSettings", "localSettings"])
def test_a_project_cannot_turn_on_the_automatic_mode(source: str, lab: SettingsLab) -> None:
    lab.write(source, {"permissions": {"defaultMode": "auto"}})
    loaded = lab.load()
    assert loaded.permission.mode == "default"
    assert "not taken from the settings of a project" in loaded.notes[0]


def test_plans_of_a_project_stay_in_it(lab: SettingsLab) -> None:
    lab.write("projectSettings", {"plansDirectory": "./plans"})
    assert lab.load().plans_directory == str(lab.project / "plans")
    lab.write("projectSettings", {"plansDirectory": "../plans"})
    loaded = lab.load()
    assert loaded.plans_directory is None and "inside of it" in loaded.notes[0]
    lab.write("userSettings", {"plansDirectory": "~/plans"})
    assert lab.load().plans_directory == str(lab.home / "plans")


# ---- every kind of file

GOOD = '{"permissions": {"deny": ["Write"]}}'


@pytest.mark.parametrize(
    "data",
    [
        GOOD.encode(),
        b"\xef\xbb\xbf" + GOOD.encode(),
        b"// mine\n" + GOOD.encode(),
        b'{"permissions": {/* all */ "deny": ["Write",],},}',
        GOOD.replace(" ", "\r\n").encode(),
    ],
)
def test_what_is_clear_is_read(data: bytes, lab: SettingsLab) -> None:
    lab.write("userSettings", "").write_bytes(data)
    loaded = lab.load()
    assert (loaded.broken, loaded.notes) == (False, ())
    assert loaded.permission.always_deny_rules == {"userSettings": ("Write",)}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (GOOD.encode("utf-16"), "line 1: this is not UTF-8 text but looks like UTF-16"),
        (GOOD.encode("utf-16-le"), "looks like UTF-16"),
        (b"{}\n{}", "line 2: this is not JSON (nothing may follow"),
        (b"{'a': 1}", "texts stand in double quotes"),
        (b'{\n"a": NaN}', "line 2: this is not JSON (expected a value, got 'NaN}')"),
        (b'{"a": ' + b"9" * 5000 + b"}", "line 1: this is not JSON (Exceeds the limit"),
        (b'{"a": 1 "b": 2}', "expected `,` or `}`"),
        (b'{"a": 1,\n/* x }', "this comment is never closed"),
        (b'{"a": "x\n"}', "this text is never closed, or holds a line break"),
        (b'{"a": {"b": 1,\n "b": 2}}', "line 2: the key 'b' stands twice"),
        (b'{"a": {"b": 1,\n "\\u0062": 2}}', "line 2: the key 'b' stands twice"),
        (b'{"permissions": {\n"deny": [\n"Plain",\n3]}}', "line 4: `permissions.deny[1]`"),
        (b'{"a": ["Bash("],\n"permissions": {\n"deny": ["Bash("]}}', "line 3: `permissions.deny[0]`"),
        (b'// x\n{"sandbox": {\n"enabled": "yes"}}', "line 3: `sandbox.enabled`"),
        (b'{\n"cleanupPeriodDays": -1}', "line 2: `cleanupPeriodDays`"),
        (b"3", "settings are an object"),
        (b" " * 1_000_001, "bigger than 1,000,000 bytes"),
    ],
)
def test_what_is_not_is_told_with_its_line(data: bytes, said: str, lab: SettingsLab) -> None:
    path = lab.write("userSettings", "")
    path.write_bytes(data)
    loaded = lab.load()
    assert loaded.broken
    assert loaded.notes[0].startswith(str(path)) and said in loaded.notes[0]
    assert loaded.permission.always_ask_rules == {"userSettings": ("*",)}


def test_a_link_to_nowhere_and_a_pipe_are_told(lab: SettingsLab) -> None:
    path = lab.write("userSettings", "")
    path.unlink()
    path.symlink_to("nowhere")
    assert "not an ordinary file" in lab.load().notes[0]
    path.unlink()
    os.mkfifo(path)
    assert "not an ordinary file" in lab.load().notes[0]


# ---- what a person is asked to approve

WIDE = {
    "permissions": {
        "allow": ["Bash(npm *)", "Plain"],
        "additionalDirectories": ["/data"],
        "defaultMode": "acceptEdits",
    },
    "env": {"NODE_ENV": "test"},
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check.sh", "args": ["-v"]}]}],
        "Stop": [{"hooks": [{"type": "http", "url": "http://x/y"}]}],
        "Odd": ["what"],
    },
    "sandbox": {"excludedCommands": ["docker"], "filesystem": {"denyRead": ["/k"]}},
    "plansDirectory": "plans",
}


def test_the_request_lists_everything_the_file_wants(lab: SettingsLab) -> None:
    path = lab.write("projectSettings", WIDE, trusted=False)
    lab.write("localSettings", {"permissions": {"deny": ["X"]}}, trusted=False)
    (request,) = trust_requests(lab.load())
    assert (request.path, request.source, request.refused) == (path, "projectSettings", False)
    assert [(wish.kind, wish.text) for wish in request.wishes] == [
        ("allow rule", "Bash(npm *)"), ("allow rule", "Plain"), ("folder to read", "/data"), ("mode", "acceptEdits"),
        ("variable", "NODE_ENV=test"), ("hook", "PreToolUse Bash: command check.sh -v"),
        ("hook", "Stop: http http://x/y"), ("hook", "Odd: 'what'"), ("sandbox", "excluded commands: docker"),
        ("folder for plans", "plans"),
    ]  # fmt: skip
    request.approve()
    loaded = lab.load()
    assert loaded.permission.mode == "acceptEdits" and loaded.env == {"NODE_ENV": "test"}
    assert trust_requests(loaded) == ()


def test_an_approval_is_for_what_was_shown(lab: SettingsLab) -> None:
    lab.write("projectSettings", {"permissions": {"allow": ["A"]}}, trusted=False)
    (request,) = trust_requests(lab.load())
    lab.write("projectSettings", {"permissions": {"allow": ["A", "Bash"]}}, trusted=False)
    request.approve()
    assert not lab.load().permission.always_allow_rules


def test_a_refusal_is_remembered_until_the_file_changes(lab: SettingsLab) -> None:
    lab.write("projectSettings", {"permissions": {"allow": ["A"]}}, trusted=False)
    trust_requests(lab.load())[0].refuse()
    assert trust_requests(lab.load())[0].refused
    lab.write("projectSettings", {"permissions": {"allow": ["B"]}}, trusted=False)
    (request,) = trust_requests(lab.load())
    assert not request.refused
    request.refuse()
    request.approve()
    assert lab.load().permission.always_allow_rules == {"projectSettings": ("B",)}


@pytest.mark.parametrize(
    "text",
    [
        r'{"\ud800": 1}',
        r'{"permissions": {"\ud800": 1}}',
        r'{"sandbox": {"\ud800": 1}}',
        r'{"plansDirectory": "\ud800"}',
        r'{"permissions": {"additionalDirectories": ["a", "\ud800"]}}',
        r'{"env": {"\ud800": "x"}}',
        r'{"env": {"A": "\u0000"}}',
        r'{"env": {"A=B": "x"}}',
        r'{"notebookOutputs": "\ud800"}',
        r'{"permissions": {"defaultMode": "\ud800"}}',
    ],
)
def test_half_characters_are_an_error_that_can_be_printed(text: str, lab: SettingsLab) -> None:
    path = lab.write("userSettings", text)
    loaded = lab.load()
    assert loaded.broken
    (note,) = loaded.notes
    assert note.encode() and f"{path}, line 1: " in note and "``" not in note


def test_hooks_that_cannot_be_read_count_as_broken(lab: SettingsLab) -> None:
    lab.write("userSettings", '{"hooks": {"PreToolUse": [{"matcher": 3, "hooks": []}]}}')
    assert lab.load().broken
    lab.write("userSettings", '{"hooks": {"PreToolUse": [{"matcher": "", "hooks": []}]}}')
    assert not lab.load().broken
