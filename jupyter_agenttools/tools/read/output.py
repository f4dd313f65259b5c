"""What Read hands back: one kind of output for each kind of file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...files.ipynb import NotebookCell


@dataclass(frozen=True)
class TextRead:
    """Lines of a text file.

    Args:
        file_path: absolute.
        lines: exact text without line ends.
        start_line: number of the first line, from 1.
        num_lines: how many there are here.
        total_lines: how many the file has.
        encoding: e.g. ``utf-8``, ``utf-8-sig``.
        cut: number of each line that was cut, and how many characters are missing.
        notes: what is unusual: a part only, an empty file, CR LF line ends, bytes that are not in the encoding …
    """

    file_path: str
    lines: tuple[str, ...]
    start_line: int
    num_lines: int
    total_lines: int
    encoding: str = "utf-8"
    cut: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()
    type: Literal["text"] = "text"

    @property
    def content(self) -> str:
        """The lines as one text, with LF between them."""
        return "\n".join(self.lines)

    @property
    def has_content(self) -> bool:
        return bool(self.lines)


@dataclass(frozen=True)
class NotebookRead:
    """Cells of a notebook.

    Args:
        file_path: absolute.
        cells: those that were asked for.
        start_cell: number of the first one, from 1.
        total_cells: how many the notebook has.
        language: of its code cells.
        notes: what is unusual about it.
    """

    file_path: str
    cells: tuple[NotebookCell, ...]
    start_cell: int
    total_cells: int
    language: str
    notes: tuple[str, ...] = ()
    type: Literal["notebook"] = "notebook"

    @property
    def has_content(self) -> bool:
        return bool(self.cells)


@dataclass(frozen=True)
class FileUnchanged:
    """The same part of the same content is in an earlier result of this conversation."""

    file_path: str
    type: Literal["file_unchanged"] = "file_unchanged"


ReadOutput = TextRead | NotebookRead | FileUnchanged
