"""What did a call of a transcript do, in one line?"""

from __future__ import annotations

from collections.abc import Mapping

from ..core import default_views
from ..core.blocks import ToolUse
from ..core.faults import faults
from ..core.tool import Tool


def call_title(use: ToolUse, tool: Tool | None) -> str:
    """The title as the tool puts it, or one that every call has: the input is a file's, and the tool may never have
    taken one like it."""
    given = use.input if isinstance(use.input, Mapping) else {}
    try:
        own = tool.render_tool_use(use.input, "condensed").title if tool is not None else ""
    except faults():  # whatever a foreign input does to the tool's view, the call is told all the same
        own = ""
    return own or default_views.tool_use(use.name, given, "condensed").title or use.name
