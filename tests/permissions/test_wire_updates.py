"""Changes of the rights in the form of the wire."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.context import PermissionMode, RuleBehavior
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.core.permission_updates import (
    AddDirectories,
    AddRules,
    RemoveDirectories,
    RemoveRules,
    ReplaceRules,
    RuleScope,
    SetMode,
)
from jupyter_agenttools.permissions.rules import ParsedRule, format_rule
from jupyter_agenttools.permissions.wire_updates import read_mode, rule_to_json, update_from_json, update_to_json

texts = st.text(min_size=1, max_size=20).filter(lambda text: text.strip() not in ("", "*"))
rules = st.builds(ParsedRule, st.sampled_from(["Bash", "Read", "mcp__a__b"]), st.none() | texts).map(format_rule)
scopes = st.sampled_from(get_args(RuleScope))
behaviors = st.sampled_from(get_args(RuleBehavior))
folders = st.lists(st.sampled_from(["/a", "/a/b c", "/ü"]), max_size=3).map(tuple)
updates = (
    st.builds(AddRules, st.lists(rules, max_size=3).map(tuple), behaviors, scopes)
    | st.builds(ReplaceRules, st.lists(rules, max_size=3).map(tuple), behaviors, scopes)
    | st.builds(RemoveRules, st.lists(rules, max_size=3).map(tuple), behaviors, scopes)
    | st.builds(SetMode, st.sampled_from(get_args(PermissionMode)), scopes)
    | st.builds(AddDirectories, folders, scopes)
    | st.builds(RemoveDirectories, folders, scopes)
)


@given(updates)
def test_what_is_written_is_read_as_the_same(update: Any) -> None:
    assert update_from_json(update_to_json(update)) == update


def test_the_form_of_the_wire() -> None:
    assert update_to_json(AddRules(("Bash(npm run *)", "WebFetch"), "allow", "localSettings")) == {
        "type": "addRules",
        "rules": [{"toolName": "Bash", "ruleContent": "npm run *"}, {"toolName": "WebFetch"}],
        "behavior": "allow",
        "destination": "localSettings",
    }
    assert update_from_json({"type": "setMode", "mode": "manual"}) == SetMode("default")
    assert rule_to_json(r"Bash(echo \(x\))") == {"toolName": "Bash", "ruleContent": "echo (x)"}


def test_text_of_a_rule_object_is_not_read_twice() -> None:
    content = "python -c 'print(1)'"
    made = update_from_json({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": content}]})
    assert made == AddRules((r"Bash(python -c 'print\(1\)')",))


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (None, "an object"),
        ({"type": "addRule"}, "`type`"),
        ({"type": "addRules"}, "`rules` is a list"),
        ({"type": "addRules", "rules": ["Bash"]}, "toolName"),
        ({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": 3}]}, "toolName"),
        ({"type": "addRules", "rules": [{"toolName": "B sh"}]}, "rule"),
        ({"type": "addRules", "rules": [{"toolName": "*"}]}, "an allow rule names its tool"),
        ({"type": "addRules", "rules": [], "behavior": "maybe"}, "`behavior`"),
        ({"type": "addRules", "rules": [], "destination": "cliArg"}, "`destination`"),
        ({"type": "setMode"}, "no permission mode"),
        ({"type": "setMode", "mode": ["plan"]}, "no permission mode"),
        ({"type": "addDirectories", "directories": ["a"]}, "an absolute path"),
        ({"type": "addDirectories", "directories": "/a"}, "is a list"),
    ],
)
def test_what_cannot_be_read_is_named(value: Any, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        update_from_json(value)


def test_a_mistyped_mode_is_guessed_at() -> None:
    with pytest.raises(UsageError, match="did you mean acceptEdits"):
        read_mode("acceptEdit")
