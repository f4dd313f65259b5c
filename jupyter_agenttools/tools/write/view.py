"""How a write looks to a person."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...core.views import Badge, CodeBlockView, Density, DiffBlockView, TextBlockView, ToolView, ViewBlock
from ...files.languages import language_of
from ...files.patch import changed_stretch

if TYPE_CHECKING:
    from .tool import WriteOutput

MAX_DIFF_CHARS = 100_000
"""Longer texts are shown from their first to their last change only."""


def summary(input: Mapping[str, Any]) -> str:
    return os.path.basename(str(input.get("file_path", "")))


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    """Works while the input still streams: the content is shown as far as it has come."""
    content = input.get("content")
    blocks: tuple[ViewBlock, ...] = ()
    if density != "condensed" and isinstance(content, str):
        path = str(input.get("file_path", ""))
        blocks = (CodeBlockView(_cut(content), language_of(path), 1, title=path), *_cut_notice(content))
    return ToolView(f"Write {summary(input)}".rstrip(), blocks=blocks)


def change(path: str, old: str | None, new: str, *, is_new: bool) -> ToolView:
    """The difference between what is there (``None``: it is not text) and what would be."""
    title = f"{'Create' if is_new else 'Overwrite'} {os.path.basename(path)}"
    badges = (Badge("new file", "info"),) if is_new else ()
    if old is None:
        warning = TextBlockView(f"{path} holds no readable text now; all of it would be replaced", tone="warning")
        return ToolView(title, badges, (warning, CodeBlockView(_cut(new), language_of(path), 1), *_cut_notice(new)))
    blocks = diff_blocks(path, old, new)
    is_named = any(isinstance(block, DiffBlockView) for block in blocks)  # a diff says itself of what it is
    return ToolView(title, badges, blocks if is_named else (TextBlockView(path), *blocks))


def diff_blocks(path: str, old: str, new: str) -> tuple[ViewBlock, ...]:
    """A diff; of long texts only the changed stretch, and then it says so."""
    if old == new:
        return (TextBlockView("nothing would change"),)
    if len(old) + len(new) <= MAX_DIFF_CHARS:
        return (DiffBlockView(old, new, path, language_of(path)),)
    old_part, new_part, first = changed_stretch(old, new)
    notice = f"shown from line {first} on, up to the last change"
    is_cut = len(old_part) + len(new_part) > MAX_DIFF_CHARS
    if is_cut:
        notice += f"; cut: {len(old_part):,} characters become {len(new_part):,}"
        old_part, new_part = _whole_lines(old_part), _whole_lines(new_part)
    diff = DiffBlockView(old_part, new_part, path, language_of(path), (first, first), fragment=is_cut)
    return (TextBlockView(notice, tone="warning"), diff)


def unseen(path: str, new: str) -> ToolView:
    """A write to a place that must not be looked at before it is allowed."""
    words = f"{path} is spelled as a network share and was not looked at: what is there now is not known"
    blocks = (TextBlockView(words, tone="warning"), CodeBlockView(_cut(new), language_of(path), 1), *_cut_notice(new))
    return ToolView(f"Write {os.path.basename(path)}", (Badge("network", "warning"),), blocks)


def impossible(path: str, reason: str) -> ToolView:
    """A write that could not succeed as things are."""
    return ToolView(
        f"Write {os.path.basename(path)}", (Badge("cannot work", "error"),), (TextBlockView(reason, tone="error"),)
    )


def _cut(text: str) -> str:
    return text[: MAX_DIFF_CHARS // 2]


def _whole_lines(text: str) -> str:
    """``text`` as far as it is shown, without the part of a line at its end where it holds a whole one."""
    kept = _cut(text)
    return kept if kept == text else kept[: kept.rfind("\n") + 1] or kept


def _cut_notice(text: str) -> tuple[ViewBlock, ...]:
    hidden = len(text) - len(_cut(text))
    return (TextBlockView(f"{hidden:,} more characters are not shown here", tone="warning"),) if hidden else ()


def render_result(output: WriteOutput, density: Density) -> ToolView:
    verb = {"create": "Created", "update": "Wrote", "unchanged": "Already the same:"}[output.type]
    badge = Badge(f"{output.new_lines:,} line{'' if output.new_lines == 1 else 's'}", "ok")
    notes = tuple(TextBlockView(note, tone="info") for note in output.notes)
    title = f"{verb} {os.path.basename(output.file_path)}"
    if density == "condensed" or output.type == "unchanged":
        return ToolView(title, (badge,), notes, collapsed=True)
    blocks = diff_blocks(output.file_path, output.original_file or "", output.content)
    if output.type == "update" and output.original_file is None:
        blocks = (CodeBlockView(_cut(output.content), language_of(output.file_path), 1), *_cut_notice(output.content))
    return ToolView(title, (badge,), (*blocks, *notes))


def extract_search_text(output: WriteOutput) -> str:
    """The texts that the result shows: the new content, and the lines that went."""
    removed = [line[1:] for hunk in output.structured_patch for line in hunk.lines if line.startswith("-")]
    return "\n".join([output.content, *removed, *output.notes])
