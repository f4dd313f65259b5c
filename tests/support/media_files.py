"""Small images and PDFs, sound and damaged, made by hand so that every byte is known."""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Sequence
from typing import Any, Literal

from PIL import Image

# ---- images


def png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(
    width: int,
    height: int,
    *,
    pixel: bytes = b"\x80\x40\x20",
    depth: int = 8,
    colour: int = 2,
    rows: bytes | None = None,
) -> bytes:
    """A PNG of one colour; ``rows`` replaces its raw pixel rows (each with a filter byte before it)."""
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    raw = (b"\0" + pixel * width) * height if rows is None else rows
    data = zlib.compress(raw, 9)
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + png_chunk(b"IDAT", data) + png_chunk(b"IEND", b"")


def png_bomb(side: int) -> bytes:
    """A small file that says it has ``side`` × ``side`` pixels."""
    return png(side, side, depth=1, colour=0, rows=b"\0" * 1_000_000)


def saved(image: Image.Image, kind: str, **how: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **how)
    return buffer.getvalue()


def photo(width: int = 320, height: int = 200, mode: str = "RGB") -> Image.Image:
    """Something with many colours."""
    return Image.effect_noise((width, height), 80).convert(mode)


def halves(width: int = 60, height: int = 40, left: Any = (255, 0, 0), right: Any = (0, 0, 255)) -> Image.Image:
    """Left and right half of different colours."""
    image = Image.new("RGB", (width, height), right)
    image.paste(left, (0, 0, width // 2, height))
    return image


def turned_jpeg(orientation: int) -> bytes:
    """A JPEG whose left half is red, with an orientation and a place in its metadata."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010E] = "SECRET PLACE"
    return saved(halves(64, 32), "JPEG", exif=exif, quality=95, comment=b"SECRET COMMENT")


def animation(kind: Literal["GIF", "WEBP"], frames: int = 3) -> bytes:
    images = [Image.new("RGB", (20, 10), (80 * number, 0, 0)) for number in range(frames)]
    return saved(images[0], kind, save_all=True, append_images=images[1:], duration=100)


# ---- PDFs


def page_content(text: str) -> bytes:
    lines = "".join(f"({line}) Tj T* " for line in text.split("\n"))
    return f"BT /F1 18 Tf 20 TL 20 150 Td {lines}ET".encode("latin-1")


def stream(data: bytes, head: bytes = b"") -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (head, len(data), data)


def pdf_objects(texts: Sequence[str | bytes], size: tuple[float, float] = (300, 200)) -> list[bytes]:
    """The objects of a document with these pages; ``bytes`` is a page's content as it is."""
    count = len(texts)
    kids = b" ".join(b"%d 0 R" % (4 + 2 * at) for at in range(count))
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count), font]
    for at, text in enumerate(texts):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %g %g] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (*size, 5 + 2 * at)
        )
        objects.append(stream(text if isinstance(text, bytes) else page_content(text)))
    return objects


def pdf_file(objects: Sequence[bytes], trailer: bytes = b"", head: bytes = b"%PDF-1.4\n") -> bytes:
    """The objects with a plain cross-reference table."""
    out, starts = bytearray(head), []
    for number, body in enumerate(objects, 1):
        starts.append(len(out) - head.index(b"%PDF"))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    xref = len(out) - head.index(b"%PDF")
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % start for start in starts)
    out += b"trailer << /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, xref)
    return bytes(out)


def pdf(*texts: str | bytes, **how: Any) -> bytes:
    """A document with one page for each text."""
    return pdf_file(pdf_objects(texts, **how))


def pdf_with_object_streams(*texts: str) -> bytes:
    """The same with its dictionaries packed into an object stream and a cross-reference stream (PDF 1.5)."""
    objects = pdf_objects(texts)
    packed = {number: body for number, body in enumerate(objects, 1) if b"stream\n" not in body}
    numbers = list(packed)
    offsets, bodies = [], b""
    for number in numbers:
        offsets.append(b"%d %d" % (number, len(bodies)))
        bodies += packed[number] + b" "
    index = b" ".join(offsets) + b" "
    container, table = len(objects) + 1, len(objects) + 2
    out, entries = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n"), {0: (0, 0, 65535)}
    for number, body in enumerate(objects, 1):
        if number in packed:
            entries[number] = (2, container, numbers.index(number))
        else:
            entries[number] = (1, len(out), 0)
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    entries[container] = (1, len(out), 0)
    data = zlib.compress(index + bodies)
    head = b"/Type /ObjStm /N %d /First %d /Filter /FlateDecode" % (len(numbers), len(index))
    out += b"%d 0 obj\n%s\nendobj\n" % (container, stream(data, head))
    entries[table] = (1, len(out), 0)
    rows = b"".join(struct.pack(">BIH", *entries[number]) for number in range(table + 1))
    head = b"/Type /XRef /Size %d /W [1 4 2] /Root 1 0 R" % (table + 1)
    start = len(out)
    out += b"%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (table, stream(rows, head), start)
    return bytes(out)


_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    out = bytearray()
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def encrypted_pdf(text: str, password: bytes = b"") -> bytes:
    """One page, encrypted with 40-bit RC4 (standard security handler, revision 2)."""
    document, rights = b"0123456789abcdef", -44
    owner = _rc4(hashlib.md5((b"owner" + _PADDING)[:32]).digest()[:5], (password + _PADDING)[:32])
    seed = (password + _PADDING)[:32] + owner + struct.pack("<i", rights) + document
    key = hashlib.md5(seed).digest()[:5]
    user = _rc4(key, _PADDING)
    objects = pdf_objects([text])
    content = 5
    own_key = hashlib.md5(key + struct.pack("<I", content)[:3] + b"\0\0").digest()[:10]
    objects[content - 1] = stream(_rc4(own_key, page_content(text)))
    handler = b"<< /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P %d >>" % (
        owner.hex().encode(), user.hex().encode(), rights
    )  # fmt: skip
    objects.append(handler)
    return pdf_file(objects, b"/Encrypt %d 0 R /ID [<%s> <%s>]" % (len(objects), *[document.hex().encode()] * 2))


def scanned_pdf(pages: int = 1) -> bytes:
    """Pages that are nothing but a picture."""
    width, height = 40, 30
    pixels = bytes((x * 6) % 256 for _ in range(height) for x in range(width))
    head = b"/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace /DeviceGray" % (
        width, height
    )  # fmt: skip
    objects = pdf_objects([b"q 300 0 0 200 0 0 cm /Im1 Do Q"] * pages)
    objects.append(stream(pixels, head))
    number = len(objects)
    resources = b"/Resources << /XObject << /Im1 %d 0 R >> >>" % number
    plain = b"/Resources << /Font << /F1 3 0 R >> >>"
    return pdf_file([body.replace(plain, resources) for body in objects])
