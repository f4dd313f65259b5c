"""Views as compact Markdown in which foreign text can break out of nothing."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.views import Badge, Density, ToolView, ViewBlock
from .chars import code_span, fence
from .limits import BY_DENSITY, Limits
from .markdown_html import safe_markdown
from .text import block_text


def view_markdown(view: ToolView, density: Density = "verbose", *, limits: Limits | None = None) -> str:
    """How does this view read as Markdown? Foreign text stands in code spans and fences only.

    Args:
        density: ``condensed`` is the title line; ``verbose`` says everything; ``transcript`` leaves out the middle of
            long blocks.
    """
    head = title_markdown(view.title, view.badges)
    if density == "condensed":
        return head
    return "\n\n".join([head, *(block_markdown(block, limits or BY_DENSITY[density]) for block in view.blocks)])


def title_markdown(title: str, badges: Sequence[Badge] = ()) -> str:
    """The first line of a view."""
    return " · ".join([f"**{code_span(title)}**", *(code_span(badge.text) for badge in badges)])


def block_markdown(block: ViewBlock, limits: Limits) -> str:
    """One block of any kind: harmless Markdown as it is, everything else in a fence."""
    words = block_text(block, limits)
    return safe_markdown(words.text) if words.is_markdown else fence(words.text, words.language)
