"""``%agent hooks``: what the line means."""

from __future__ import annotations

import pytest

from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.notebook.agent_hooks_line import AgentHooks
from jupyter_agenttools.notebook.agent_line import parse_agent_line
from tests.support.completing import next_words


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("hooks", AgentHooks()),
        ("hooks test 2", AgentHooks("2")),
        ("hooks test PreToolUse 3f0c", AgentHooks("PreToolUse", call_id="3f0c")),
        ('hooks test guard Bash {"command": "ls -la {a,b}"}', AgentHooks("guard", "Bash", {"command": "ls -la {a,b}"})),
        ('hooks test Stop {"stop_hook_active": true}', AgentHooks("Stop", "", {"stop_hook_active": True})),
    ],
)
def test_what_is_asked(text: str, asked: AgentHooks) -> None:
    assert parse_agent_line(text, None) == asked


@pytest.mark.parametrize(
    "text", ["hooks list", "hooks test", "hooks test 1 Bash {", "hooks test 1 Bash {1}", "hooks test 1 a b", "hooks 1"]
)
def test_mistakes(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_agent_line(text, None)
    assert "\n" not in str(caught.value) and "%agent hooks" in str(caught.value)


def test_what_may_come_next() -> None:
    assert "hooks" in next_words([])
    assert next_words(["hooks"]) == ["test"]
