"""What a file is, told from its bytes."""

from __future__ import annotations

import pytest
from PIL import Image

from jupyter_agenttools.media.kinds import image_format, is_pdf, named_kind
from tests.support.media_files import animation, halves, pdf, png, saved


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "ICO", "PPM", "JPEG2000"])
def test_images_are_known_by_their_bytes(kind: str) -> None:
    assert image_format(saved(halves(), kind)[:4096]) == kind


def test_animations_and_wide_tiffs() -> None:
    assert image_format(animation("WEBP")) == "WEBP"
    assert image_format(saved(Image.new("I;16", (4, 4)), "TIFF")) == "TIFF"
    assert image_format(b"\x89PNG\n\x1a\n" + b"\0" * 20) == "PNG", "mangled in transfer, and still no text"
    assert image_format(b"\0\0\0\x18ftypheic\0\0\0\0") == "HEIC"
    assert image_format(b"\0\0\0\x18ftypisom\0\0\0\0") is None


@pytest.mark.parametrize(
    "text",
    [b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b'{"a": 1}', b"GIF89a is a format of images", b"BMW and more",
     b"P5 is how it begins\n", b"P6 10 10 255 in words", b"RIFF then WEBP in a text", b"\xff\xfeB\0M\0", b"\x89"],
)  # fmt: skip
def test_texts_are_no_images(text: bytes) -> None:
    assert image_format(text) is None


def test_pdfs_and_texts_about_them() -> None:
    document = pdf("x")
    assert is_pdf(document[:4096], document[-2048:])
    assert is_pdf(b"\xef\xbb\xbf\n%PDF-1.7\n", b"")
    junk = b"Received: by mail\r\n\r\n" + document
    assert is_pdf(junk[:4096], junk[-2048:])
    assert not is_pdf(b"# how files begin\n%PDF-1.4\nis what it says", b"is what it says")
    assert not is_pdf(b'HEAD = b"%PDF-1.4\\n"', b"startxref %%EOF")
    assert not is_pdf(b"%PDF- is a mark", b"")
    assert not is_pdf(png(1, 1), b"startxref %%EOF")


def test_what_names_promise() -> None:
    assert [named_kind(f"/a/b{end}") for end in (".PNG", ".jpeg", ".pdf", ".py", "")] == [
        "PNG", "JPEG", "PDF", None, None
    ]  # fmt: skip
