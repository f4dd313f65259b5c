"""Reading pages of a PDF: their texts, and pictures of those whose text does not tell what is on them."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...core.cancel import Cancellation
from ...core.errors import ToolValidationError
from ...core.rough_tokens import rough_tokens
from ...files.budget import max_read_tokens
from ...files.content import FileIdentity
from ...files.opening import OpenFile, too_large, unreadable
from ...files.state import FileView
from ...media.limits import MAX_PDF_BYTES
from ...media.pdf import PageText, PdfReader
from ...media.process import MediaProblem, MediaProcess
from .image import unreadable_media
from .image_room import SharedRoom, shared_room
from .output import FileUnchanged, PdfPage, PdfRead
from .page_ranges import FEW_PAGES, PageRange, chosen_pages, runs
from .pdf_notes import pdf_notes
from .seen import note_shown, was_shown

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

TOTAL_SECONDS = 60.0
"""After this much time no further page is begun."""

MIN_PIXELS = 800_000
"""Of a picture of a page; small print cannot be read in less."""

LITTLE_TEXT = 50
"""A page with fewer characters than this shows something else: a scan, a drawing."""

MUCH_PICTURE = 0.15
MANY_PATHS = 150
UNREADABLE_SHARE = 0.2
READ_BYTES = 1 << 20


def read_pdf(file: OpenFile, ranges: tuple[PageRange, ...] | None, context: ToolUseContext) -> PdfRead | FileUnchanged:
    """Pages of the PDF in an open file; of a long one without ``ranges`` the first ones.

    Raises:
        ToolValidationError: it needs a password, is damaged, has no pages, or not those that were asked for.
        InterruptedToolError: the call was stopped.
    """
    if file.status.st_size > MAX_PDF_BYTES:
        raise too_large(file.path, file.status.st_size, MAX_PDF_BYTES)
    found = _content_hash(file, context.cancellation)
    asked = FileView(1, 0, 0, 0, context.tool_use_id, _as_text(ranges))
    if was_shown(file.path, found, (asked,), context):
        return FileUnchanged(file.path)
    try:
        with MediaProcess(context.cancellation, ("PIL", "pypdfium2"), (file.descriptor,)) as process:
            reading = _Reading(PdfReader(process, file.descriptor), max_read_tokens(context.options.env))
            chosen = chosen_pages(ranges, reading.reader.info.pages)
            reading.take_texts(chosen)
            reading.take_pictures(always=ranges is not None and len(chosen) <= FEW_PAGES)
    except MediaProblem as problem:
        raise unreadable_media(file.path, problem) from problem
    _require_same(file)
    shown, total = [page.number for page in reading.pages], reading.reader.info.pages
    views = [replace(asked, first=first, last=last) for first, last in runs(shown)]
    note_shown(file.path, found, total, views, context)
    notes = pdf_notes(reading.reader.info, ranges, chosen, shown, reading.stopped)
    return PdfRead(file.path, tuple(reading.pages), total, file.status.st_size, notes)


@dataclass
class _Reading:
    """What was read of a document so far, within the time and the tokens that there are."""

    reader: PdfReader
    tokens: int
    pages: list[PdfPage] = field(default_factory=list)
    stopped: str = ""
    _texts: dict[int, PageText] = field(default_factory=dict)
    _deadline: float = field(default_factory=lambda: time.monotonic() + TOTAL_SECONDS)

    def take_texts(self, numbers: Sequence[int]) -> None:
        """The texts of the pages, as many as there is room for; of the first one at least a part."""
        for number in numbers:
            if self.pages and self._is_late():
                return
            page = self._page(number)
            cost = rough_tokens(page.text)
            if cost > self.tokens and self.pages:
                self.stopped = "more would be too much for one result"
                return
            if cost > self.tokens:
                kept = int(len(page.text) * self.tokens / cost * 0.9)
                page = replace(page, text=page.text[:kept], omitted=page.omitted + len(page.text) - kept)
            self.tokens -= min(cost, self.tokens)
            self.pages.append(page)

    def _page(self, number: int) -> PdfPage:
        try:
            found = self.reader.text(number)
        except MediaProblem as problem:
            return PdfPage(number, problem=problem.message)
        self._texts[number] = found
        return PdfPage(number, found.text, found.omitted)

    def take_pictures(self, always: bool) -> None:
        """Pictures of the pages whose text does not tell enough, or of every one."""
        wanted = [at for at, page in enumerate(self.pages) if page.number in self._texts]
        wanted = [at for at in wanted if always or tells_little(self._texts[self.pages[at].number])]
        room = shared_room(len(wanted), self.tokens, MIN_PIXELS)
        for position, at in enumerate(wanted):
            if position < room.count and not self._is_late():
                self.pages[at] = self._with_picture(self.pages[at], position, room)
            else:
                self.pages[at] = replace(self.pages[at], unpictured=True)

    def _with_picture(self, page: PdfPage, position: int, room: SharedRoom) -> PdfPage:
        try:
            image = self.reader.picture(page.number, room.of(position))
        except MediaProblem as problem:
            return replace(page, problem=f"there is no picture of this page: {problem.message}")
        if image is None and page.text.strip():
            return replace(page, problem="nothing of this text can be seen on the page: it is drawn invisibly")
        return replace(page, image=image, is_blank=image is None)

    def _is_late(self) -> bool:
        late = time.monotonic() > self._deadline
        if late:
            self.stopped = f"reading took longer than {TOTAL_SECONDS:g} s"
        return late


def tells_little(page: PageText) -> bool:
    """Whether a page has to be looked at, because its text does not say what is on it."""
    letters = [char for char in page.text if not char.isspace()]
    unreadable = sum(char == "\ufffd" or "\ue000" <= char <= "\uf8ff" for char in letters)
    return (
        len(letters) < LITTLE_TEXT
        or unreadable > UNREADABLE_SHARE * len(letters)
        or page.pictures >= MUCH_PICTURE
        or page.paths >= MANY_PATHS
    )


def _as_text(ranges: tuple[PageRange, ...] | None) -> str:
    return ",".join(f"{first}-{last or ''}" for first, last in ranges or ())


def _content_hash(file: OpenFile, cancellation: Cancellation) -> str:
    """SHA-256 of a file that is not taken into memory as a whole, hex."""
    digest, offset = hashlib.sha256(), 0
    try:
        while piece := os.pread(file.descriptor, READ_BYTES, offset):
            cancellation.check()
            digest.update(piece)
            offset += len(piece)
    except OSError as error:
        raise unreadable(file.path, error) from error
    return digest.hexdigest()


def _require_same(file: OpenFile) -> None:
    if FileIdentity.of(os.fstat(file.descriptor)) != FileIdentity.of(file.status):
        message = f"{file.path} changed while it was being read; read it again"
        raise ToolValidationError(message, check_id="file-changing")
