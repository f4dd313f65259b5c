"""Text and pictures of the pages of a PDF, with PDFium."""

from __future__ import annotations

import ctypes
import math
import mmap
import os
from typing import Any

import pypdfium2 as pdfium
from PIL import Image
from pypdfium2 import raw

from ..kinds import TAIL_BYTES
from ..limits import MAX_PAGE_CHARS
from .refusal import Refusal

MAX_OBJECTS = 3_000
"""Objects of a page that are looked at to tell whether it shows more than text."""

MAX_SCALE = 300 / 72
"""300 dots per inch: beyond it a small page only gets bigger, not clearer."""

_HYPHENS = {ord("\ufffe"): "-", 2: "-", 0: None, ord("\r"): None}
"""PDFium's marks of a hyphen at the end of a line; line ends as LF."""

_PROBLEMS = {
    raw.FPDF_ERR_SUCCESS: ("pdf-no-pages", "no pages can be found in it"),
    raw.FPDF_ERR_SECURITY: ("pdf-encryption-unsupported", "it is encrypted in a way that cannot be opened here"),
    raw.FPDF_ERR_FORMAT: ("pdf-damaged", "it is damaged, or no PDF: its structure cannot be read"),
    raw.FPDF_ERR_FILE: ("pdf-damaged", "its bytes cannot be read"),
}


class Document:
    """An open PDF.

    Args:
        descriptor: of the file, open for reading.

    Raises:
        Refusal: it needs a password, is damaged, or has no pages.
    """

    def __init__(self, descriptor: int) -> None:
        size = os.fstat(descriptor).st_size
        if not size:
            raise Refusal("pdf-damaged", "it is empty")
        self._map = mmap.mmap(descriptor, size, access=mmap.ACCESS_COPY)
        self._buffer = (ctypes.c_ubyte * size).from_buffer(self._map)
        self._pdf = self._open()
        self.pages = len(self._pdf)
        if self.pages < 1:
            raise Refusal("pdf-no-pages", "it has no pages")
        self._with_forms()

    def _open(self) -> Any:
        try:
            return pdfium.PdfDocument(self._buffer)
        except pdfium.PdfiumError as error:
            code = getattr(error, "err_code", None)
            if code == raw.FPDF_ERR_PASSWORD and self._map.find(b"/Encrypt") >= 0:
                raise Refusal("pdf-password", "it is encrypted and needs a password") from error
            stable, words = _PROBLEMS.get(code, ("pdf-damaged", f"it cannot be opened: {error}"))
            cut_off = "" if self._ends() else "; it has no end mark, so it may be cut off"
            raise Refusal(stable, words + cut_off) from error

    def _ends(self) -> bool:
        """Whether the mark of a PDF's end is where it belongs."""
        return b"%%EOF" in self._map[-TAIL_BYTES:]

    def _with_forms(self) -> None:
        """Let what was filled into form fields be drawn; a form that cannot be read leaves the pages as they are."""
        try:
            if self._pdf.get_formtype() != raw.FORMTYPE_NONE:
                self._pdf.init_forms()
        except pdfium.PdfiumError:
            return

    def describe(self) -> dict[str, Any]:
        """What can be said of the document as a whole."""
        encrypted = raw.FPDF_GetSecurityHandlerRevision(self._pdf) >= 0
        title = self._pdf.get_metadata_dict(skip_empty=True).get("Title", "")[:200]
        return {"pages": self.pages, "encrypted": encrypted, "ends": self._ends(), "title": title}

    def text(self, number: int) -> dict[str, Any]:
        """The text of a page (``number`` from 1), and how much on it is no text.

        Returns:
            ``text``, ``omitted`` (characters), ``width`` and ``height`` (points), ``pictures`` (part of the area that
            they cover, 0 to 1), ``paths`` (drawn lines and shapes).
        """
        page = self._page(number)
        try:
            text, omitted = _text(page)
            pictures, paths = _drawn(page)
            width, height = page.get_size()
        finally:
            page.close()
        return {
            "text": text, "omitted": omitted, "width": width, "height": height, "pictures": pictures, "paths": paths
        }  # fmt: skip

    def picture(self, number: int, side: int, pixels: float) -> Image.Image:
        """A page as pixels: its longer side at most ``side``, its area at most ``pixels``."""
        page = self._page(number)
        try:
            width, height = page.get_size()
            if not (0 < width < 1e7 and 0 < height < 1e7):
                raise Refusal("page-damaged", f"page {number} has no size that could be drawn: {width:g} × {height:g}")
            scale = min(MAX_SCALE, side / max(width, height), math.sqrt(pixels / (width * height)))
            bitmap = page.render(scale=scale, may_draw_forms=True, rev_byteorder=True)
            return bitmap.to_pil().convert("RGB")
        except pdfium.PdfiumError as error:
            raise Refusal("page-damaged", f"page {number} cannot be drawn: {error}") from error
        finally:
            page.close()

    def _page(self, number: int) -> Any:
        try:
            return self._pdf[number - 1]
        except (pdfium.PdfiumError, IndexError) as error:
            raise Refusal("page-damaged", f"page {number} is damaged and cannot be loaded") from error


def _text(page: Any) -> tuple[str, int]:
    try:
        textpage = page.get_textpage()
    except pdfium.PdfiumError:
        return "", 0
    count = textpage.count_chars()
    text = textpage.get_text_range(0, min(count, MAX_PAGE_CHARS)) if count > 0 else ""
    textpage.close()
    return text.translate(_HYPHENS), max(count - MAX_PAGE_CHARS, 0)


def _drawn(page: Any) -> tuple[float, int]:
    """Which part of the page do pictures cover, and how many paths are drawn on it?"""
    area, paths = 0.0, 0
    width, height = page.get_size()
    try:
        objects = page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_PATH), max_depth=3)
        for count, each in enumerate(objects):
            if count >= MAX_OBJECTS:
                break
            if each.type == raw.FPDF_PAGEOBJ_PATH:
                paths += 1
                continue
            left, bottom, right, top = each.get_bounds()
            area += abs((right - left) * (top - bottom))
    except pdfium.PdfiumError:
        return 0.0, paths
    return min(area / (width * height), 1.0) if width * height > 0 else 0.0, paths
