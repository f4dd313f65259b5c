"""Settings objects: what they become, and that a mistake in one is told and never widens anything."""

from __future__ import annotations

import os
from typing import Any

import pytest

from jupyter_agenttools.core.errors import SettingsError
from jupyter_agenttools.core.immutable import freeze
from jupyter_agenttools.permissions import build_permission_context, merge_contexts, parse_settings
from jupyter_agenttools.permissions.names import names_of
from jupyter_agenttools.registry import get_all_base_tools


def test_everything_has_its_place() -> None:
    settings = {
        "permissions": {
            "allow": ["Bash(git *)", "Bash(git *)", "Read"],
            "ask": ["Bash(git push *)"],
            "deny": ["Read(.env)"],
            "additionalDirectories": ["../lib", "/opt-x/data", "~/notes"],
            "defaultMode": "acceptEdits",
        }
    }
    context = build_permission_context(freeze(settings), cwd="/work-x/proj", source="userSettings")
    assert context.always_allow_rules == {"userSettings": ("Bash(git *)", "Read")}
    assert context.always_ask_rules == {"userSettings": ("Bash(git push *)",)}
    assert context.always_deny_rules == {"userSettings": ("Read(.env)",)}
    home = os.path.expanduser("~")
    assert list(context.additional_working_directories) == ["/work-x/lib", "/opt-x/data", f"{home}/notes"]
    assert context.mode == "acceptEdits"
    assert context.rule_roots["session"] == "/work-x/proj"
    assert context.rule_roots["userSettings"] == f"{home}/.claude"


@pytest.mark.parametrize("settings", [None, {}, {"permissions": {}}])
def test_no_settings_are_the_careful_ones(settings: Any) -> None:
    context = build_permission_context(settings, cwd="/x")
    assert context.mode == "default"
    assert not context.is_bypass_permissions_mode_available
    assert not context.always_allow_rules


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ([], "settings are an object"),
        ({"permissions": []}, "`permissions`"),
        ({"permissions": {"allow": "Bash(git *)"}}, r'`permissions.allow`.*write \["Bash\(git \*\)"\]'),
        ({"permissions": {"deny": ["Bash(rm *)", 3]}}, r"`permissions.deny\[1\]`.*got 3"),
        ({"permissions": {"deny": ["Bash(rm *"]}}, r"`permissions.deny\[0\]`.*never closed"),
        ({"permissions": {"allow": ["Ba*"]}}, r"`permissions.allow\[0\]`.*names its tool"),
        ({"permissions": {"deny": ["Read(!x)"]}}, r"`permissions.deny\[0\]`.*not supported"),
        ({"permissions": {"denny": ["Bash"]}}, "write `permissions.deny`"),
        ({"permission": {}}, "write `permissions`"),
        ({"deny": ["Bash"]}, "inside of `permissions`"),
        ({"permissions": {"defaultMode": "acceptEdit"}}, "did you mean 'acceptEdits'"),
        ({"permissions": {"defaultMode": 1}}, "`permissions.defaultMode`"),
        ({"permissions": {"disableBypassPermissionsMode": True}}, "disableBypassPermissionsMode"),
        ({"permissions": {"additionalDirectories": "x"}}, "`permissions.additionalDirectories`"),
        ({"env": {"A": 1}}, "`env.A`"),
        ({"disableAllHooks": "yes"}, "`disableAllHooks`"),
    ],
)
def test_a_mistake_is_named(settings: Any, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        build_permission_context(settings, cwd="/x")


def test_hooks_say_nothing_about_rights_here() -> None:
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}
    build_permission_context({"hooks": hooks}, cwd="/x")
    build_permission_context({"hooks": hooks, "disableAllHooks": True}, cwd="/x")
    build_permission_context({"hooks": {"PreToolUse": []}}, cwd="/x")


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("Permissions", "permissions"), ("sandboxx", "sandbox"), ("hook", "hooks"), ("disableHooks", "disableAllHooks"),
        ("allowManagedHookOnly", "allowManagedHooksOnly"), ("ENV", "env"),
    ],
)  # fmt: skip
def test_a_mistyped_key_of_rights_is_a_mistake(key: str, hint: str) -> None:
    with pytest.raises(SettingsError, match=f"`{key}` is not a key; write `{hint}`"):
        parse_settings({key: {}}, cwd="/x")


FOREIGN = (
    "$schema", "apiKeyHelper", "attribution", "includeCoAuthoredBy", "model", "outputStyle", "statusLine",
    "enabledPlugins", "extraKnownMarketplaces", "enabledMcpjsonServers", "disabledMcpjsonServers", "theme",
    "enableAllProjectMcpServers", "allowedMcpServers", "deniedMcpServers", "allowManagedMcpServersOnly", "autoMode",
    "awsAuthRefresh", "forceLoginMethod", "companyAnnouncements", "language", "teammateMode", "respectGitignore",
    "allowedHttpHookUrls", "httpHookAllowedEnvVars", "spinnerVerbs", "alwaysThinkingEnabled", "permissionMode",
)  # fmt: skip


@pytest.mark.parametrize("value", [None, True, 3, "x", ["a"], {"b": 1}])
def test_keys_of_elsewhere_are_kept_whatever_they_hold(value: Any) -> None:
    parsed = parse_settings(dict.fromkeys(FOREIGN, value), cwd="/x")
    assert tuple(parsed.kept) == FOREIGN
    (note,) = parsed.notes
    assert all(f"`{key}`" in note for key in FOREIGN)


def test_modes_by_their_other_names() -> None:
    assert build_permission_context({"permissions": {"defaultMode": "manual"}}, cwd="/x").mode == "default"
    parsed = parse_settings({"permissions": {"defaultMode": "auto"}}, cwd="/x")
    assert parsed.mode == "auto"
    parsed = parse_settings({"permissions": {"defaultMode": "auto"}}, cwd="/x", source="projectSettings")
    assert parsed.mode is None
    assert any("`auto`" in note for note in parsed.notes)


def test_bypass_is_available_when_it_is_named_and_not_forbidden() -> None:
    wanted = {"defaultMode": "bypassPermissions"}
    assert build_permission_context({"permissions": wanted}, cwd="/x").is_bypass_permissions_mode_available
    forbidden = {**wanted, "disableBypassPermissionsMode": "disable"}
    context = build_permission_context({"permissions": forbidden}, cwd="/x")
    assert (context.mode, context.is_bypass_permissions_mode_available) == ("default", False)


def test_unknown_keys_are_kept_and_noted() -> None:
    parsed = parse_settings({"model": "m", "permissions": {"allow": ["Write(x)", "Glob(x)"]}}, cwd="/x")
    assert parsed.kept == {"model": "m"}
    notes = "\n".join(parsed.notes)
    assert "`model`" in notes
    assert "Write(x) has no effect: write it for Edit" in notes
    assert "Glob(x) has no effect: write it for Read" in notes


def test_layers_join_their_lists_and_the_strongest_mode_wins() -> None:
    def layer(source: Any, **permissions: Any) -> Any:
        return parse_settings({"permissions": permissions}, cwd="/x", source=source)

    merged = merge_contexts(
        [
            layer("userSettings", allow=["A"], defaultMode="plan", additionalDirectories=["/a"]),
            layer("projectSettings", deny=["B"], defaultMode="default", additionalDirectories=["/b"]),
            layer("session", allow=["C"]),
        ]
    )
    assert merged.always_allow_rules == {"userSettings": ("A",), "session": ("C",)}
    assert merged.always_deny_rules == {"projectSettings": ("B",)}
    assert list(merged.additional_working_directories) == ["/a", "/b"]
    assert merged.mode == "default"


def test_one_layer_may_forbid_bypass_for_all() -> None:
    layers = [
        parse_settings({"permissions": {"disableBypassPermissionsMode": "disable"}}, cwd="/x", source="userSettings"),
        parse_settings({"permissions": {"defaultMode": "bypassPermissions"}}, cwd="/x"),
    ]
    assert merge_contexts(layers).mode == "default"


@pytest.mark.parametrize(
    ("rule", "hint"),
    [("Reed(.env)", "did you mean Read?"), ("read(.env)", "did you mean Read?"), ("Qzx", "of your own")],
)
def test_a_rule_that_guards_nothing_is_named(rule: str, hint: str) -> None:
    notes = parse_settings({"permissions": {"deny": [rule]}}, cwd="/w").notes
    assert len(notes) == 1 and rule in notes[0] and "guards nothing" in notes[0] and hint in notes[0]


@pytest.mark.parametrize("rule", ["mcp__server", "*", "WebFetch", "Task", "TodoWrite"])
def test_rules_for_tools_of_elsewhere_need_no_word(rule: str) -> None:
    assert not parse_settings({"permissions": {"deny": [rule]}}, cwd="/w").notes


def test_a_rule_for_any_built_in_tool_is_no_mistake() -> None:
    names = [name for tool in get_all_base_tools() for name in names_of(tool)]
    assert parse_settings({"permissions": {"deny": [f"{name}(x)" for name in names]}}, cwd="/w").notes == ()
