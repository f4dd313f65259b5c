"""Changes of the rights, applied to the rights alone."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_agenttools.core.context import AdditionalWorkingDirectory, ToolPermissionContext
from jupyter_agenttools.core.permission_updates import (
    AddDirectories,
    AddRules,
    RemoveDirectories,
    RemoveRules,
    ReplaceRules,
    SetMode,
    apply_updates,
)

START = ToolPermissionContext(
    always_allow_rules={"session": ("A", "B"), "userSettings": ("U",)},
    always_deny_rules={"session": ("D",)},
    additional_working_directories={"/data": AdditionalWorkingDirectory("/data", "userSettings")},
)


@pytest.mark.parametrize(
    ("update", "behavior", "rules"),
    [
        (AddRules(("B", "C", "C")), "allow", {"session": ("A", "B", "C"), "userSettings": ("U",)}),
        (AddRules(("X",), "ask", "localSettings"), "ask", {"localSettings": ("X",)}),
        (ReplaceRules(("C",)), "allow", {"session": ("C",), "userSettings": ("U",)}),
        (ReplaceRules(()), "allow", {"userSettings": ("U",)}),
        (RemoveRules(("A", "nothing")), "allow", {"session": ("B",), "userSettings": ("U",)}),
        (RemoveRules(("D",), "deny"), "deny", {}),
        (RemoveRules(("U",)), "allow", {"session": ("A", "B"), "userSettings": ("U",)}),
    ],
)
def test_rules(update: Any, behavior: Any, rules: Any) -> None:
    assert apply_updates(START, [update]).rules(behavior) == rules
    assert START.always_allow_rules == {"session": ("A", "B"), "userSettings": ("U",)}, "it is replaced, not changed"


def test_mode_and_folders() -> None:
    then = apply_updates(START, [SetMode("plan"), AddDirectories(("/a", "/data")), RemoveDirectories(("/nowhere",))])
    assert then.mode == "plan"
    assert {path: folder.source for path, folder in then.additional_working_directories.items()} == {
        "/a": "session",
        "/data": "userSettings",
    }


def test_a_folder_is_taken_away_where_it_was_added() -> None:
    assert apply_updates(START, [RemoveDirectories(("/data",))]) is START
    assert not apply_updates(START, [RemoveDirectories(("/data",), "userSettings")]).additional_working_directories


@pytest.mark.parametrize("update", [AddRules(("A",)), RemoveRules(("Z",)), SetMode("default"), AddDirectories(())])
def test_what_changes_nothing_gives_the_same_rights(update: Any) -> None:
    assert apply_updates(START, [update]) is START
