"""Which tools exist here, and which of them this session may see."""

from .base import get_all_base_tools, registered_tools
from .pool import assemble_tool_pool, get_tools, hidden_tools, tools_for_subagent
from .special import fits_schema, make_output_tool

__all__ = [
    "assemble_tool_pool",
    "fits_schema",
    "get_all_base_tools",
    "get_tools",
    "hidden_tools",
    "make_output_tool",
    "registered_tools",
    "tools_for_subagent",
]
