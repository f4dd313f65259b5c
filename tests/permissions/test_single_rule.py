"""One rule against one call: what a person is told before a rule is kept, and what hooks filter by."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools import Session, ToolUse
from jupyter_agenttools.core.call import CallState
from jupyter_agenttools.core.cancel import Cancellation
from jupyter_agenttools.core.context import ToolPermissionContext
from jupyter_agenttools.core.schema import parse_input
from jupyter_agenttools.permissions import rule_allows, rule_matches, single_rule
from jupyter_agenttools.permissions.table import RuleTable
from jupyter_agenttools.pipeline.observe import observed_input
from tests.support.gate import BASH, context_of, permission_of


def state_of(session: Session, name: str, input: dict[str, str]) -> CallState:
    tool = session.find_tool(name)
    assert tool is not None
    use = ToolUse(name, input)
    context = session.call_context(use.id, Cancellation())
    parsed = parse_input(tool, input)
    return CallState(use, context, tool, parsed, observed_input(tool, parsed, context))


@pytest.mark.parametrize(
    ("rule", "command", "covers"),
    [
        ("Bash(touch *)", "touch a", True),
        ("Bash(touch a)", "touch a", True),
        ("Bash", "rm -rf x", True),
        ("Bash(touch *)", "touch a; rm b", False),
        ("Bash(rm *)", "touch a", False),
        ("Read", "touch a", False),
        ("Bash(touch *)", "touch $(rm b)", False),
        ("not a rule (", "touch a", False),
    ],
)
def test_does_a_rule_cover_the_whole_command(tmp_path, rule: str, command: str, covers: bool) -> None:
    session = Session(cwd=tmp_path, settings={"permissions": {"allow": ["Bash"]}})
    assert rule_allows(rule, state_of(session, "Bash", {"command": command})) is covers


@pytest.mark.parametrize(
    ("rule", "name", "input", "matches"),
    [
        ("Bash(git *)", "Bash", {"command": "cd x && git push"}, True),
        ("Bash(git *)", "Bash", {"command": "ls"}, False),
        ("Edit(src/**)", "Write", {"file_path": "src/a.py", "content": ""}, True),
        ("Edit(src/**)", "Write", {"file_path": "docs/a.md", "content": ""}, False),
        ("Edit(src/**)", "Write", {"file_path": "deep/src/a.py", "content": ""}, False),
        ("Read", "Read", {"file_path": "a"}, True),
        ("Read", "Glob", {"pattern": "*"}, False),
    ],
)
def test_which_calls_a_hook_means(tmp_path, rule: str, name: str, input: dict[str, str], matches: bool) -> None:
    assert rule_matches(rule, state_of(Session(cwd=tmp_path), name, input)) is matches


def test_many_calls_on_trial_read_the_rules_that_are_kept_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    permission = permission_of(tmp_path, allow=[f"Bash(prog{i} *)" for i in range(100)])
    read = []
    table = RuleTable.__init__

    def counted(self: RuleTable, permission: ToolPermissionContext) -> None:
        read.append(permission)
        table(self, permission)

    monkeypatch.setattr(RuleTable, "__init__", counted)
    monkeypatch.setattr(single_rule, "_made", {})  # what others have left there is thrown away when it is too much
    for i in range(10):
        call = {"command": f"npm run x{i} && prog7 y"}
        context = context_of(permission, tmp_path)
        assert rule_allows("Bash(npm run *)", CallState(ToolUse("Bash", call), context, BASH, call, call))
    assert len(read) == 3
