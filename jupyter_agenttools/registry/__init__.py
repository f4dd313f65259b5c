"""Which tools exist here, and which of them this session may see."""

from .base import get_all_base_tools
from .pool import assemble_tool_pool, get_tools, tools_for_subagent

__all__ = ["assemble_tool_pool", "get_all_base_tools", "get_tools", "tools_for_subagent"]
