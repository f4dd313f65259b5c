"""What Read hands back: one kind of output for each kind of file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...files.ipynb import NotebookCell
from ...media.images import ShownImage


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
class NotebookImage:
    """An image among the outputs of a cell.

    Args:
        cell: position of the cell in the notebook, from 0.
        output: position of the output in the cell. line: position of the image among the media of the output.
    """

    cell: int
    output: int
    line: int
    image: ShownImage


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
        images: those of its outputs that are shown.
    """

    file_path: str
    cells: tuple[NotebookCell, ...]
    start_cell: int
    total_cells: int
    language: str
    notes: tuple[str, ...] = ()
    images: tuple[NotebookImage, ...] = ()
    type: Literal["notebook"] = "notebook"

    @property
    def has_content(self) -> bool:
        return bool(self.cells)


@dataclass(frozen=True)
class ImageRead:
    """What an image file shows.

    Args:
        file_path: absolute.
        image: made anew from its pixels.
        original_size: bytes of the file.
        notes: what is unusual about it.
    """

    file_path: str
    image: ShownImage
    original_size: int
    notes: tuple[str, ...] = ()
    type: Literal["image"] = "image"

    @property
    def has_content(self) -> bool:
        return True


@dataclass(frozen=True)
class PdfPage:
    """A page.

    Args:
        number: from 1.
        text: what it says, lines with LF between them.
        omitted: how many characters of the text are missing.
        image: what it looks like, where the text does not tell or few pages were named.
        is_blank: there is nothing to see on it.
        unpictured: its text does not tell what is on it, and there was no room for an image.
        problem: why it, or its image, is not here.
    """

    number: int
    text: str = ""
    omitted: int = 0
    image: ShownImage | None = None
    is_blank: bool = False
    unpictured: bool = False
    problem: str = ""


@dataclass(frozen=True)
class PdfRead:
    """Pages of a PDF.

    Args:
        file_path: absolute.
        pages: those that were read.
        total_pages: how many the document has.
        original_size: bytes of the file.
        notes: what is unusual: a part only, encryption, a file that is cut off …
    """

    file_path: str
    pages: tuple[PdfPage, ...]
    total_pages: int
    original_size: int
    notes: tuple[str, ...] = ()
    type: Literal["pdf"] = "pdf"

    @property
    def has_content(self) -> bool:
        return bool(self.pages)


@dataclass(frozen=True)
class FileUnchanged:
    """The same part of the same content is in an earlier result of this conversation."""

    file_path: str
    type: Literal["file_unchanged"] = "file_unchanged"


ReadOutput = TextRead | NotebookRead | ImageRead | PdfRead | FileUnchanged
