"""From views and outcomes (data) to text: HTML for pages, Markdown, plain text, and lasting records."""

from .html import view_html
from .listing import tool_help, tools_table
from .markdown import view_markdown
from .record import call_record, view_bundle
from .style import style_tag
from .text import view_text
from .turn import turn_record
from .walk import trace_json, trace_text, walk_html

__all__ = [
    "call_record",
    "style_tag",
    "tool_help",
    "tools_table",
    "trace_json",
    "trace_text",
    "turn_record",
    "view_bundle",
    "view_html",
    "view_markdown",
    "view_text",
    "walk_html",
]
