"""``%agent undo`` and its kin: what the line means, and what it may go on with."""

from __future__ import annotations

import pytest

from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.notebook.agent_line import AgentUndo, parse_agent_line
from tests.support.completing import next_words


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("undo", AgentUndo("undo")),
        ("undo 3", AgentUndo("undo", 3)),
        ("undo --force", AgentUndo("undo", force=True)),
        ("undo --force 2", AgentUndo("undo", 2, True)),
        ("undo 2 --force ", AgentUndo("undo", 2, True)),
        ("undo --list", AgentUndo("history")),
        ("history", AgentUndo("history")),
        ("redo", AgentUndo("redo")),
    ],
)
def test_what_is_asked(text: str, asked: AgentUndo) -> None:
    assert parse_agent_line(text, None) == asked


@pytest.mark.parametrize("text", ["undo all", "undo 0", "undo -1", "undo 1 2", "undo --hard", "redo 2", "history all"])
def test_mistakes(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_agent_line(text, None)
    assert "\n" not in str(caught.value) and text.split()[0] in str(caught.value)


def test_what_may_come_next() -> None:
    assert {"undo", "redo", "history"} <= set(next_words([]))
    assert next_words(["undo"]) == ["--force", "--list"]
    assert next_words(["undo", "--force"]) == ["--list"]
