"""What Edit hands back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...files.patch import Hunk


@dataclass(frozen=True)
class EditOutput:
    """What was replaced.

    Args:
        type: ``update``; ``create`` or ``fill`` (an empty file) for an empty ``old_string``.
        file_path: absolute.
        old_string, new_string, replace_all: as asked for.
        replacements: how many places changed.
        original_file: the text before; ``None`` when there was none, it was not text throughout, or it is very long.
        structured_patch: the changed places with the lines around them.
        notes: what else a reader should know.
    """

    type: Literal["create", "fill", "update"]
    file_path: str
    old_string: str
    new_string: str
    replace_all: bool
    replacements: int
    original_file: str | None
    structured_patch: tuple[Hunk, ...]
    notes: tuple[str, ...] = ()
