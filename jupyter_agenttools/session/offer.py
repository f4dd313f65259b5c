"""What a model was offered is what it can call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.names import REPL_TOOL_NAME
from ..core.tool import Tool, find_tool_by_name
from ..permissions import filter_denied

if TYPE_CHECKING:
    from .session import Session


def not_offered(session: Session, offered: tuple[Tool, ...], name: str) -> str:
    """Why a model that was offered these tools cannot call that one, and what it can do instead; ``""`` when it can.

    Of a tool that does not exist or that is denied nothing is said here: those who know more of it do.
    """
    tool = session.find_tool(name)
    if tool is None or find_tool_by_name(offered, name) is not None:
        return ""
    if not filter_denied((tool,), session.state.permission):
        return ""
    names = [each.name for each in offered]
    if REPL_TOOL_NAME in names and tool in session.options.repl_tools:
        fields = ", ".join(f"{field}=…" for field in tool.json_schema.get("required", ()))
        return (
            f"{tool.name} is not offered in REPL mode, and nothing was run. Call it from the code of {REPL_TOOL_NAME}: "
            f"`outcome = await tools.{tool.name}({fields})`, then read outcome.text."
        )
    return f"{tool.name} is not offered here, and nothing was run. Offered: {', '.join(names) or 'no tools'}."
