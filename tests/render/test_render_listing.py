"""Help: the table of tools, and one tool in full."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from jupyter_agenttools.core import tool
from jupyter_agenttools.render import tool_help, tools_table, view_html, view_text
from tests.support.finished_calls import shown_tool
from tests.support.markup import Page


@tool(aliases=("plus",), is_read_only=True, is_destructive=lambda input: input.a > 3)
async def add(a: Annotated[int, Field(description="the <first> number")], way: Literal["up", "down"] = "up") -> int:
    """Add two numbers.

    Use it for sums."""
    return a


def test_the_table_names_every_tool():
    text = view_text(tools_table([add, shown_tool("Bash", description="Run a command.", primary_field="command")]))
    assert text.splitlines()[0] == "Tools  [2]"
    rows = {line.split()[0]: line for line in text.splitlines()[3:]}
    assert "reads only, destructive?" in rows["add"] and "Add two numbers." in rows["add"]
    assert rows["Bash"].split()[:3] == ["Bash", "command", "none"]


def test_help_tells_fields_flags_and_what_the_model_reads():
    view = tool_help(add)
    text = view_text(view)
    for words in ("[also plus]", "Add two numbers.", "the <first> number", "'up' | 'down'", "Use it for sums."):
        assert words in text
    facts = {line.strip().rsplit("  ", 1)[0].strip(): line.rsplit("  ", 1)[-1] for line in text.splitlines()}
    assert facts["is_read_only"] == "yes" and facts["is_destructive"] == "depends on the input"
    assert facts["longest result"] == "50,000 characters, then to disk"
    assert '"additionalProperties": false' in text
    assert Page(view_html(view)).problems == []


def test_a_tool_whose_text_fails_does_not_take_the_table_away():
    broken = shown_tool("Broken", description=lambda input, options: 1 / 0)
    text = view_text(tools_table([broken, add]))
    assert "its text failed: ZeroDivisionError" in text and "Add two numbers." in text
