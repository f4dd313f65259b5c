"""The approval card of a command, and the changes of files that a command is known to make."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...core.views import Badge, DiffBlockView, TextBlockView, ToolView, ViewBlock
from ...files.languages import language_of

if TYPE_CHECKING:
    from .sandboxing import SandboxChoice
    from .sed_edit import EditedFile

MAX_DIFF_CHARS = 100_000
MAX_LINE_CHARS = 2_000
"""Of longer lines only the beginning is shown."""


def sandbox_badge(state: str) -> tuple[Badge, ...]:
    """Where a command runs, for people; nothing where nobody wants a sandbox."""
    badges = {
        "sandbox": (Badge("sandbox", "ok"),),
        "outside": (Badge("outside the sandbox", "warning"),),
        "unavailable": (Badge("no sandbox", "warning"),),
    }
    return badges.get(state, ())


def card(view: ToolView, choice: SandboxChoice) -> ToolView:
    """The view of a command with where it would run."""
    blocks = view.blocks
    if choice.reason:
        blocks = (*blocks, TextBlockView(f"Runs outside of the sandbox: {choice.reason}", tone="warning"))
    return replace(view, badges=(*view.badges, *sandbox_badge(choice.state)), blocks=blocks)


def edit_card(view: ToolView, edits: Sequence[EditedFile], suffix: str) -> ToolView:
    """The view of a command whose changes are known."""
    count = len(edits)
    words = f"changes {count} file{'' if count == 1 else 's'}" if count else "changes nothing"
    blocks: tuple[ViewBlock, ...] = (*view.blocks, *edit_blocks(edits))
    if suffix:
        blocks = (*blocks, TextBlockView(f"What a file held is kept beside it, with {suffix} after its name"))
    return replace(view, badges=(*view.badges, Badge(words, "info")), blocks=blocks)


def impossible_edit(view: ToolView, reason: str) -> ToolView:
    """The view of a command that would fail."""
    blocks = (*view.blocks, TextBlockView(reason, tone="error"))
    return replace(view, badges=(*view.badges, Badge("cannot work", "error")), blocks=blocks)


def edit_blocks(edits: Sequence[EditedFile]) -> Iterator[ViewBlock]:
    """The changed places, as many as a person can look at."""
    room = MAX_DIFF_CHARS
    for edit in edits:
        for hunk in edit.patch:
            old, new = (_side(hunk.lines, signs) for signs in (" -", " +"))
            room -= len(old) + len(new)
            if room < 0:
                yield TextBlockView("More changed places follow", tone="warning")
                return
            starts = (hunk.old_start, hunk.new_start)
            yield DiffBlockView(old, new, edit.path, language_of(edit.path), starts)
        if edit.is_cut:
            yield TextBlockView(f"{os.path.basename(edit.path)}: more changed places follow", tone="warning")


def _side(lines: Sequence[str], signs: str) -> str:
    return "".join(f"{_cut(line[1:])}\n" for line in lines if line[0] in signs)


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE_CHARS else f"{line[:MAX_LINE_CHARS]}… ({len(line):,} characters)"
