"""How an edit looks to a person."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.faults import words_of
from ...core.views import Badge, CodeBlockView, Density, DiffBlockView, TextBlockView, ToolView, ViewBlock
from ...files.languages import language_of
from ...files.patch import Hunk
from ...files.stretches import changed_stretches
from .output import EditOutput

if TYPE_CHECKING:
    from .plan import EditPlan

MAX_DIFF_CHARS = 100_000
"""So much of all changed places is shown."""

MIN_DIFF_CHARS = 1_000
"""Less than this of a place is not worth showing."""

MAX_LINE_CHARS = 2_000
"""Of longer lines only what is around the change is shown: nobody finds it there otherwise."""

KEPT_AROUND = 200
"""Characters before and after a change in such a line."""


def user_facing_name(input: Mapping[str, Any]) -> str:
    """Works while the input still streams: an ``old_string`` is known to be empty once ``new_string`` follows."""
    return "Create" if input.get("old_string") == "" and "new_string" in input else "Edit"


def summary(input: Mapping[str, Any]) -> str:
    return os.path.basename(str(input.get("file_path", "")))


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    """Works while the input still streams: both texts are shown as far as they have come."""
    title = f"{user_facing_name(input)} {summary(input)}".rstrip()
    old, new, path = input.get("old_string"), input.get("new_string"), str(input.get("file_path", ""))
    badges = (Badge("every place"),) if input.get("replace_all") is True else ()
    if density == "condensed" or not isinstance(old, str):
        return ToolView(title, badges)
    if not isinstance(new, str):
        return ToolView(title, badges, (CodeBlockView(_cut(old), language_of(path), title=f"{path}: to be replaced"),))
    return ToolView(title, badges, tuple(_diff(path, _Part(old, new), fragment=True)))


class _Part(NamedTuple):
    """A part of a text before and after, and the numbers of its first lines."""

    old: str
    new: str
    first_lines: tuple[int, int] = (1, 1)


def _diff(path: str, part: _Part, room: int = MAX_DIFF_CHARS, *, fragment: bool = False) -> Iterator[ViewBlock]:
    """A diff of which at most ``room`` characters are shown; says what is not."""
    size = len(part.old) + len(part.new)
    long_line = max(map(len, (part.old + part.new).split("\n"))) > MAX_LINE_CHARS
    if size > room or long_line:
        narrow, fragment = _narrowed(part), True
        part = _Part(narrow.old[: room // 2], narrow.new[: room // 2], narrow.first_lines)
        shown = len(part.old) + len(part.new)
        yield TextBlockView(f"{shown:,} of {size:,} characters, from just before the first change on", tone="warning")
    yield DiffBlockView(part.old, part.new, path, language_of(path), part.first_lines, fragment)


def _narrowed(part: _Part) -> _Part:
    """The part without most of what both sides have in common at their ends: what changed must be in sight."""
    head = _common(part.old, part.new)
    tail = _common(part.old[head:][::-1], part.new[head:][::-1])
    start, end = max(head - KEPT_AROUND, 0), max(tail - KEPT_AROUND, 0)
    lines = part.old.count("\n", 0, start)
    old, new = (text[start : len(text) - end] for text in (part.old, part.new))
    return _Part(old, new, (part.first_lines[0] + lines, part.first_lines[1] + lines))


def _common(left: str, right: str) -> int:
    """How many first characters two texts have in common."""
    differing = (at for at, (one, other) in enumerate(zip(left, right, strict=False)) if one != other)
    return next(differing, min(len(left), len(right)))


def _diffs(path: str, parts: Iterator[_Part], total: int) -> Iterator[ViewBlock]:
    room = MAX_DIFF_CHARS
    for part in parts:
        if room < MIN_DIFF_CHARS:
            yield TextBlockView(f"more changed places follow, of {total:,} in all", tone="warning")
            return
        blocks = tuple(_diff(path, part, room))
        yield from blocks
        room -= sum(len(block.old) + len(block.new) for block in blocks if isinstance(block, DiffBlockView))


def change(plan: EditPlan) -> ToolView:
    """What would change, with the lines around it."""
    name, path = os.path.basename(plan.path), plan.path
    stretches = changed_stretches(plan.old_data, plan.form, plan.result)
    parts = (_Part(part.old, part.new, (part.old_line, part.new_line)) for part in stretches)
    blocks = tuple(_diffs(path, parts, plan.replacements))
    if plan.present is None:
        return ToolView(f"Create {name}", (Badge("new file", "info"),), blocks)
    badges = (Badge(f"{plan.replacements:,} places", "info"),) if plan.replacements > 1 else ()
    return ToolView(f"Edit {name}", badges, blocks)


def unseen(path: str, old: str, new: str) -> ToolView:
    """An edit at a place that must not be looked at before it is allowed."""
    words = f"{path} is spelled as a network share and was not looked at: whether the text is there is not known"
    blocks = (TextBlockView(words, tone="warning"), *_diff(path, _Part(old, new), fragment=True))
    return ToolView(f"Edit {os.path.basename(path)}", (Badge("network", "warning"),), blocks)


def impossible(path: str, reason: str) -> ToolView:
    """An edit that could not succeed as things are."""
    badges = (Badge("cannot work", "error"),)
    return ToolView(f"Edit {os.path.basename(path)}", badges, (TextBlockView(reason, tone="error"),))


def render_error(observed: Mapping[str, Any], error: BaseException) -> ToolView:
    """What was wrong, and the text that was looked for."""
    blocks: tuple[ViewBlock, ...] = (TextBlockView(words_of(error), tone="error"),)
    old = observed.get("old_string")
    if isinstance(old, str) and old:
        blocks = (
            *blocks,
            CodeBlockView(_cut(old), language_of(str(observed.get("file_path", ""))), title="old_string"),
        )
    return ToolView(f"Edit {summary(observed)}".rstrip(), blocks=blocks)


def render_result(output: EditOutput, density: Density) -> ToolView:
    verb = {"create": "Created", "fill": "Filled", "update": "Edited"}[output.type]
    count = output.replacements
    badge = Badge(f"{count:,} place{'' if count == 1 else 's'}" if output.type == "update" else "new text", "ok")
    notes = tuple(TextBlockView(note, tone="info") for note in output.notes)
    title = f"{verb} {os.path.basename(output.file_path)}"
    if density == "condensed":
        return ToolView(title, (badge,), notes, collapsed=True)
    parts = (_sides(hunk) for hunk in output.structured_patch)
    return ToolView(title, (badge,), (*_diffs(output.file_path, parts, count), *notes))


def _sides(hunk: Hunk) -> _Part:
    old, new = ("".join(f"{line[1:]}\n" for line in hunk.lines if line[0] in signs) for signs in (" -", " +"))
    return _Part(old, new, (hunk.old_start, hunk.new_start))


def extract_search_text(output: EditOutput) -> str:
    """The texts that the result shows."""
    return "\n".join([*(line[1:] for hunk in output.structured_patch for line in hunk.lines), *output.notes])


def _cut(text: str) -> str:
    return text[: MAX_DIFF_CHARS // 2]
