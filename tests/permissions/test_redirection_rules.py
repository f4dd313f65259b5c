"""A redirection may write where a rule or a mode about editing lets it, and the command itself is covered."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools.core.schema import parse_input
from jupyter_agenttools.permissions import decide
from jupyter_agenttools.tools.bash import bash_tool
from tests.support.bash_gate import ask_bash
from tests.support.gate import context_of, make_tool, permission_of

pytestmark = pytest.mark.anyio

RULES = {"allow": ["Bash(echo *)", "Bash(npm test *)", "Bash(cd *)", "Bash(ln *)", "Edit(out/**)", "Edit(.git/**)"]}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    base = tmp_path / "proj"
    for folder in ("out", "src", ".git"):
        (base / folder).mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (base / "out" / "plain.txt").write_text("x")
    (base / "out" / "away").symlink_to(tmp_path / "elsewhere")
    (base / "out" / "link.txt").symlink_to(tmp_path / "elsewhere" / "a")
    os.link(base / "out" / "plain.txt", base / "src" / "same.txt")
    (base / "out" / "one.txt").write_text("x")
    os.mkfifo(base / "out" / "pipe")
    return base


@pytest.mark.parametrize(
    "command",
    [
        "echo hi > out/a.txt",
        "echo hi >> out/a.txt",
        "echo hi >| 'out/a b.txt'",
        "echo hi &> out/a.txt",
        "npm test > out/log 2> out/errors",
        "npm test > out/log 2>&1 && echo done >> out/log",
        "> out/a echo hi",
        "echo hi > ./src/../out/a",
        "x=out/a; echo hi > $x",
        "(echo a; echo b) > out/a",
        "for i in a b; do echo $i; done > out/a",
        "npm test | echo hi > out/a",
        "echo hi > out/one.txt",
        "cd out && echo hi > a",
    ],
)
async def test_what_both_rules_cover_is_allowed(command: str, project: Path) -> None:
    decision = await ask_bash(command, project, RULES)
    assert decision.behavior == "allow", decision.reason
    assert "editing" in decision.reason


@pytest.mark.parametrize(
    "command",
    [
        "echo hi > src/a",
        "echo hi > out/../src/a",
        "echo hi > /etc/passwd",
        "echo hi > ~/.bashrc",
        "echo hi > out/away/a",
        "echo hi > out/link.txt",
        "echo hi > out/plain.txt",
        "echo hi > out/pipe",
        "echo hi > out",
        "echo hi > .git/config",
        "echo hi > out/.git/hooks/x",
        "echo hi > out/.envrc",
        "echo hi > /dev/tcp/h/1",
        "echo hi > $x",
        "echo hi > out/$(echo a)/$USER",
        "echo hi > out/*.txt",
        "echo hi > out/{a,b}",
        "echo hi > ''",
        "echo hi <> out/a",
        "echo hi 3> out/a",
        "echo hi >& out/a",
        "rm x > out/a",
        "ls > src/a",
        "ln -s ../src/a out/new; echo hi > out/new",
        "cd src && echo hi > out/a",
        "if npm test; then cd src; fi; echo hi > out/a",
        "echo $(rm x) > out/a",
        "echo hi > >(rm x)",
        "echo hi > out/a; rm x",
    ],
)
async def test_anything_else_asks(command: str, project: Path) -> None:
    assert (await ask_bash(command, project, RULES)).behavior == "ask"


async def test_each_rule_alone_is_not_enough(project: Path) -> None:
    for allow in (["Bash(echo *)"], ["Edit(out/**)"], ["Bash(echo *)", "Read(out/**)"], ["Bash(ls *)", "Edit"]):
        assert (await ask_bash("npm test > out/a", project, {"allow": allow})).behavior == "ask", allow


@pytest.mark.parametrize("kind", ["deny", "ask"])
@pytest.mark.parametrize("rule", ["Edit(out/secret)", "Edit(out)", "Read(secret)"])
async def test_a_rule_against_the_file_stands(kind: str, rule: str, project: Path) -> None:
    rules = {**RULES, kind: [rule]}
    assert (await ask_bash("echo hi > out/secret", project, rules)).behavior != "allow"


async def test_accepting_edits_reaches_the_working_directories_only(project: Path) -> None:
    rules: dict[str, Any] = {"allow": ["Bash(echo *)"], "defaultMode": "acceptEdits"}
    expected = {
        "echo hi > src/a": "allow",
        "echo hi > ../a": "ask",
        "echo hi > .git/config": "ask",
        "ls > src/a": "allow",
        "cat <<'E' > src/a\nrm x\nE": "allow",
        "git log > src/a": "ask",
        "npm test > src/a": "ask",
    }
    context = context_of(permission_of(project, **rules), project)
    for command, behavior in expected.items():
        observed = {"command": command}
        decision = await decide(bash_tool, parse_input(bash_tool, observed), observed, context)
        assert decision.behavior == behavior, command


@pytest.mark.parametrize("rules", [["Edit(out)"], ["Edit"], ["Bash(echo *)", "Edit(out)"]])
@pytest.mark.parametrize("field", ["text", "command"])
async def test_a_text_that_looks_like_a_command_is_none_for_another_tool(
    rules: list[str], field: str, tmp_path: Path
) -> None:
    """What a rule says of commands and of what they write gives no right to a tool that runs none."""
    tool = make_tool("Deploy", primary_field=field)
    call = {field: "echo hi > out"}
    for mode in ("default", "acceptEdits"):
        permission = permission_of(tmp_path, allow=rules, defaultMode=mode)
        assert (await decide(tool, call, call, context_of(permission, tmp_path))).behavior == "ask", mode
