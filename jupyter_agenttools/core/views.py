"""What a person sees of a call, as data.

A tool's ``view.py`` returns a :class:`ToolView`; widgets, the saved HTML, the terminal and the Lab panel are all
renderers of it. Nothing here holds markup: a renderer escapes every string it is given.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Density = Literal["condensed", "verbose", "transcript"]
"""How much of a view is wanted: a line, everything, or what a transcript keeps."""

Tone = Literal["neutral", "info", "ok", "warning", "error"]
ColumnKind = Literal["text", "number", "code"]
ItemState = Literal["pending", "in_progress", "done"]


@dataclass(frozen=True)
class Badge:
    """A short mark beside a title, readable without its colour."""

    text: str
    tone: Tone = "neutral"


@dataclass(frozen=True)
class TextBlockView:
    """Running text; ``markdown`` says whether it may be rendered as such (raw HTML in it stays text)."""

    text: str
    markdown: bool = False
    tone: Tone = "neutral"


@dataclass(frozen=True)
class CodeBlockView:
    """Text in a fixed-width face.

    Args:
        language: a Pygments lexer name, ``""`` for none, ``"terminal"`` for output that may hold ANSI colours.
        first_line: the number of the first line, or ``None`` for no numbers.
        omitted: how many lines were left out before this text (a tail).
        marks: places that stand out, such as what a search found, or why a command has to be asked about:
            ``(line, start, end)``, the line counted from 0 in ``text``, start and end in characters of that line.
    """

    text: str
    language: str = ""
    first_line: int | None = None
    omitted: int = 0
    title: str = ""
    marks: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True)
class DiffBlockView:
    """The change from ``old`` to ``new``, of ``path``.

    Args:
        first_lines: the numbers of the first line of ``old`` and of ``new``, where they are parts of longer texts.
        fragment: both are a part of something (a notebook's cell), where no newline at the end is how it should be.
    """

    old: str
    new: str
    path: str = ""
    language: str = ""
    first_lines: tuple[int, int] = (1, 1)
    fragment: bool = False


@dataclass(frozen=True)
class TableBlockView:
    """Rows below named columns.

    Args:
        kinds: how each column is set, ``text`` where nothing is said: ``number`` to the right, ``code`` in a
            fixed-width face with its spaces kept (paths, lines of a file).
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    kinds: tuple[ColumnKind, ...] = ()


@dataclass(frozen=True)
class ImageBlockView:
    """A raster image. Neighbouring images are shown together, as a strip of thumbnails.

    Args:
        data: base64 text.
        alt: what it shows, for somebody who does not see it.
        caption: words below it, e.g. ``page 3``.
    """

    media_type: Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
    data: str
    alt: str = ""
    caption: str = ""


@dataclass(frozen=True)
class ChecklistItem:
    """One thing to do. ``active`` says the same while it is being done: ``Run the tests``, ``Running the tests``."""

    text: str
    state: ItemState = "pending"
    active: str = ""


@dataclass(frozen=True)
class ChecklistBlockView:
    """Things to do, in their order, each with how far it is."""

    items: tuple[ChecklistItem, ...]
    title: str = ""


@dataclass(frozen=True)
class ProgressBlockView:
    """How far something is: ``done`` of ``total`` (``None`` when nobody knows) and a label."""

    label: str
    done: float = 0.0
    total: float | None = None


@dataclass(frozen=True)
class JsonBlockView:
    value: Any
    title: str = ""


ViewBlock = (
    TextBlockView
    | CodeBlockView
    | DiffBlockView
    | TableBlockView
    | ImageBlockView
    | ChecklistBlockView
    | ProgressBlockView
    | JsonBlockView
)


@dataclass(frozen=True)
class ToolView:
    """A titled stack of blocks; the whole vocabulary in which tools speak to people.

    Args:
        title: one line, e.g. ``Read README.md``.
        badges: short marks such as ``exit 1``.
        blocks: what to show, in order.
        collapsed: whether a renderer may fold the blocks away at first.
    """

    title: str
    badges: tuple[Badge, ...] = ()
    blocks: tuple[ViewBlock, ...] = field(default=())
    collapsed: bool = False
