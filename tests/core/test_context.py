"""What a call may reach, and what a sub-agent inherits of it."""

from __future__ import annotations

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core import Cancellation, Message, ToolUse
from jupyter_agenttools.core.blocks import (
    TextBlock,
    get_tool_use_id_from_parent_message,
    tag_messages_with_tool_use_id,
)
from jupyter_agenttools.core.context import create_subagent_context
from jupyter_agenttools.core.errors import InterruptedToolError
from jupyter_agenttools.core.schema import parse_input


def test_a_sub_agent_has_its_parents_rights_and_its_own_switch(make_context) -> None:
    parent = make_context(messages=(Message("user", (TextBlock("hello"),)),))
    child = create_subagent_context(parent, agent_id="a1", agent_type="general")
    assert child.permission is parent.permission
    assert (child.agent_id, child.messages, child.prevent_cwd_changes) == ("a1", (), True)
    child.cancellation.cancel("alone")
    assert not parent.cancellation.cancelled
    other = create_subagent_context(parent, agent_id="a2", agent_type="general")
    parent.cancellation.cancel("all")
    with pytest.raises(InterruptedToolError):
        other.cancellation.check()


@pytest.mark.anyio
async def test_a_sub_agent_cannot_move_its_parents_shell(tmp_path) -> None:
    session = Session(cwd=tmp_path)
    (tmp_path / "inside").mkdir()
    bash = session.find_tool("Bash")
    parent = session.call_context("toolu_1", Cancellation())
    child = create_subagent_context(parent, agent_id="a1", agent_type="general")
    input = parse_input(bash, {"command": "cd inside && export X=1 && pwd"})
    result = await bash.call(input, child)
    assert result.data.stdout.strip().endswith("inside")
    assert result.context_modifier is None
    moved = await bash.call(input, parent)
    assert moved.context_modifier(session.state).cwd == str(tmp_path / "inside")


def test_messages_of_a_call_are_tagged_and_the_call_is_found() -> None:
    use = ToolUse("Read", {"file_path": "a"})
    parent = Message("assistant", (TextBlock("look"), use))
    assert get_tool_use_id_from_parent_message(parent, "Read") == use.id
    assert get_tool_use_id_from_parent_message(parent, "Bash") is None
    made = (Message("user", (TextBlock("x"),)), Message("assistant", (TextBlock("y"),)))
    tagged = tag_messages_with_tool_use_id(made, use.id)
    assert [m.source_tool_use_id for m in tagged] == [use.id, None]
