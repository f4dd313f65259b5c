"""The pages of a PDF: their texts, and what they look like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .images import Room, ShownImage, shown
from .process import MediaProcess

OPEN_SECONDS = 30.0
TEXT_SECONDS = 20.0
PICTURE_SECONDS = 20.0


@dataclass(frozen=True)
class PdfInfo:
    """A PDF as a whole.

    Args:
        pages: how many it has; at least one.
        encrypted: it is encrypted and opens without a password.
        ends: the mark of a PDF's end is there; without it the file was cut off or damaged.
        title: from its metadata.
    """

    pages: int
    encrypted: bool
    ends: bool
    title: str


@dataclass(frozen=True)
class PageText:
    """What a page says.

    Args:
        text: lines with LF between them.
        omitted: characters that were left out of a page with very many.
        pictures: which part of its area pictures cover, 0 to 1.
        paths: how many lines and shapes are drawn.
    """

    text: str
    omitted: int
    pictures: float
    paths: int


class PdfReader:
    """One open PDF. Every method waits, so use it in a worker thread.

    Args:
        process: made with the library ``pypdfium2`` and with ``descriptor``.
        descriptor: of the file.

    Raises:
        MediaProblem: the file needs a password (``pdf-password``), is damaged (``pdf-damaged``), has no pages
            (``pdf-no-pages``), or its encryption is not supported (``pdf-encryption-unsupported``).
    """

    def __init__(self, process: MediaProcess, descriptor: int) -> None:
        self._process, self._descriptor = process, descriptor
        self.info = PdfInfo(**self._open())

    def text(self, page: int) -> PageText:
        """The text of a page, from 1.

        Raises:
            MediaProblem: this page is damaged.
        """
        header = self._ask({"do": "text", "page": page})
        return PageText(header["text"], header["omitted"], header["pictures"], header["paths"])

    def picture(self, page: int, room: Room) -> ShownImage | None:
        """What a page looks like, ``None`` when there is nothing on it.

        Raises:
            MediaProblem: this page is damaged.
        """
        self._reopen()
        answer = self._process.ask({"do": "page", "page": page, **vars(room)}, seconds=PICTURE_SECONDS)
        return shown(answer) if answer.payloads else None

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self._reopen()
        return self._process.ask(request, seconds=TEXT_SECONDS).header

    def _open(self) -> dict[str, Any]:
        return self._process.ask({"do": "open", "descriptor": self._descriptor}, seconds=OPEN_SECONDS).header

    def _reopen(self) -> None:
        """A page that ended the process must not take the pages after it along."""
        if not self._process.is_running:
            self._open()
