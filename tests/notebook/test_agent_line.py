"""Reading ``%agent`` lines."""

from __future__ import annotations

import pytest

from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.notebook.agent_line import AgentRun, AgentSubcommand, parse_agent_line
from jupyter_agenttools.notebook.agent_permissions_line import AgentPermissions
from jupyter_agenttools.notebook.agent_trust_line import AgentTrust


@pytest.mark.parametrize(
    ("text", "body", "asked"),
    [
        ("", "fix it\nplease\n", AgentRun("fix it\nplease")),
        ("--max-turns 3 --step", "go\n", AgentRun("go", step=True, max_turns=3)),
        ("--max-turns=3", "go", AgentRun("go", max_turns=3)),
        ("--script a.json", "go\n", AgentRun("go", script="a.json")),
        ("--script a.json", "", AgentRun("Go on.", script="a.json")),
        ("--script -", '["hi"]\n', AgentRun("Go on.", inline_script='["hi"]\n')),
        ("--script", '["hi"]\n', AgentRun("Go on.", inline_script='["hi"]\n')),
        ("--script - tidy up", '["hi"]\n', AgentRun("tidy up", inline_script='["hi"]\n')),
        ("--script --step", '["hi"]', AgentRun("Go on.", inline_script='["hi"]', step=True)),
        ("--script a.json fix", None, AgentRun("fix", script="a.json")),
        ("", None, AgentSubcommand(None)),
        ("--help", None, AgentSubcommand(None)),
        ("approve 12ab", None, AgentSubcommand("approve", "12ab")),
        ("deny 12ab not today ", None, AgentSubcommand("deny", "12ab", "not today")),
        ("status", None, AgentSubcommand("status")),
        ("trust", None, AgentTrust()),
        ("trust approve", None, AgentTrust("approve")),
        ("trust refuse 2 ", None, AgentTrust("refuse", 2)),
        ("permissions", None, AgentPermissions()),
        ("permissions allow Bash(git *) --scope user", None, AgentPermissions("allow", "Bash(git *)", "userSettings")),
        ("mode plan", None, AgentPermissions("mode", "plan")),
        ("todos", None, AgentSubcommand("todos")),
    ],
)
def test_what_is_asked(text: str, body: str | None, asked: object) -> None:
    assert parse_agent_line(text, body) == asked


@pytest.mark.parametrize(
    ("text", "body", "message"),
    [
        ("fix the tests", None, "'fix' is no sub-command; a prompt is written in an %%agent cell"),
        ("--scirpt x", "go", "unknown option --scirpt"),
        ("approve", None, "which question"),
        ("trust everything", None, "write approve or refuse"),
        ("trust approve 0", None, "the number of the file, got 'approve 0'"),
        ("trust approve a b", None, "write approve or refuse"),
        ("status now", None, "takes nothing after it"),
        ("", "\n", "write what the agent is to do"),
        ("--max-turns many", "go", "whole number from 1 on, got 'many'"),
        ("--max-turns 0", "go", "whole number from 1 on, got '0'"),
        ("--script -", "go", "as a JSON array"),
        ("--script a.json", '["hi"]', "keep one of them"),
    ],
)
def test_mistakes(text: str, body: str | None, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_agent_line(text, body)
    assert message in str(caught.value) and "\n" not in str(caught.value)
