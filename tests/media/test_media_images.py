"""What comes out of the process that decodes, for images of every kind."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageStat

from jupyter_agenttools.core.cancel import Cancellation
from jupyter_agenttools.media.images import Room, ShownImage, image_words, show_image
from jupyter_agenttools.media.process import MediaProblem, MediaProcess
from jupyter_agenttools.media.verified import is_known
from tests.support.media_files import animation, halves, photo, png, png_bomb, png_chunk, saved, turned_jpeg


@pytest.fixture(scope="module")
def process() -> Iterator[MediaProcess]:
    with MediaProcess(Cancellation()) as process:
        yield process


def raw(image: ShownImage) -> bytes:
    return base64.b64decode(image.data)


def opened(image: ShownImage) -> Image.Image:
    found = Image.open(io.BytesIO(raw(image)))
    found.load()
    assert found.size == (image.width, image.height)
    assert found.format == {"image/png": "PNG", "image/jpeg": "JPEG"}[image.media_type]
    return found


def near(found: Any, wanted: tuple[int, int, int]) -> bool:
    return all(abs(a - b) <= 12 for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "PPM", "JPEG2000"])
def test_every_format_shows_the_same_picture(process: MediaProcess, kind: str) -> None:
    image = show_image(process, saved(halves(), kind), Room())
    shown = opened(image).convert("RGB")
    assert near(shown.getpixel((5, 20)), (255, 0, 0)) and near(shown.getpixel((55, 20)), (0, 0, 255))
    assert (image.original_format, image.frames, image.is_scaled) == (kind, 1, False)
    assert is_known(image.data)


def test_one_pixel_and_a_line(process: MediaProcess) -> None:
    assert opened(show_image(process, png(1, 1), Room())).getpixel((0, 0)) == (128, 64, 32)
    line = show_image(process, png(9001, 4), Room())
    assert (line.width, line.height) == (1568, 1) and line.is_scaled
    assert "9,001 × 4 px, scaled to 1,568 × 1" in image_words(line)


def test_the_room_is_kept(process: MediaProcess) -> None:
    room = Room(side=300, pixels=40_000, max_bytes=9_000, thumbnail_side=100, thumbnail_bytes=2_000)
    image = show_image(process, saved(photo(800, 600), "PNG"), room)
    assert image.width * image.height <= 40_000 and image.size <= 9_000 and image.size == len(raw(image))
    assert abs(image.width / image.height - 4 / 3) < 0.05
    assert image.thumbnail is not None
    small = Image.open(io.BytesIO(base64.b64decode(image.thumbnail.data)))
    assert max(small.size) <= 100 and len(base64.b64decode(image.thumbnail.data)) <= 2_000
    assert show_image(process, png(4, 4), Room(thumbnail_bytes=0)).thumbnail is None


def test_lines_stay_lossless_and_photos_become_small(process: MediaProcess) -> None:
    assert show_image(process, saved(halves(400, 300), "PNG"), Room()).media_type == "image/png"
    assert show_image(process, saved(photo(400, 300), "PNG"), Room()).media_type == "image/jpeg"


@pytest.mark.parametrize(
    ("orientation", "size", "red"),
    [(1, (64, 32), (5, 16)), (3, (64, 32), (58, 16)), (6, (32, 64), (16, 5)), (8, (32, 64), (16, 58))],
)
def test_photos_are_turned_upright(process: MediaProcess, orientation: int, size: Any, red: Any) -> None:
    image = show_image(process, turned_jpeg(orientation), Room())
    assert (image.width, image.height) == (image.original_width, image.original_height) == size
    assert near(opened(image).convert("RGB").getpixel(red), (255, 0, 0))


def test_metadata_stays_behind(process: MediaProcess) -> None:
    assert b"SECRET" in turned_jpeg(1)
    text = png_chunk(b"tEXt", b"Comment\0SECRET")
    plain = png(3, 3)
    for data in (turned_jpeg(1), turned_jpeg(6), plain[:33] + text + plain[33:]):
        image = show_image(process, data, Room())
        assert b"SECRET" not in raw(image) and b"Exif" not in raw(image)


def test_an_untouched_jpeg_loses_next_to_nothing(process: MediaProcess) -> None:
    data = saved(photo(200, 100), "JPEG", quality=60)
    shown = opened(show_image(process, data, Room()))
    lost = ImageStat.Stat(ImageChops.difference(shown, Image.open(io.BytesIO(data))))
    assert max(lost.mean) < 2 and len(raw(show_image(process, data, Room()))) <= 1.1 * len(data)


@pytest.mark.parametrize("kind", ["GIF", "WEBP"])
def test_of_an_animation_the_first_image_is_shown_and_said(process: MediaProcess, kind: Any) -> None:
    image = show_image(process, animation(kind), Room())
    assert image.frames == 3 and "the first of 3 images" in image_words(image)
    assert near(opened(image).convert("RGB").getpixel((5, 5)), (0, 0, 0))


def test_a_jpeg_that_holds_two_photos(process: MediaProcess) -> None:
    buffer = io.BytesIO()
    photo(64, 48).save(buffer, "MPO", save_all=True, append_images=[photo(64, 48)])
    image = show_image(process, buffer.getvalue(), Room())
    assert image.frames == 2 and opened(image).size == (64, 48)


def test_unusual_pixels(process: MediaProcess) -> None:
    deep = png(2, 1, depth=16, colour=0, rows=b"\0" + b"\x80\x00\xff\xff")
    assert opened(show_image(process, deep, Room())).getpixel((1, 0)) == 255
    faint = png(2, 1, depth=16, colour=0, rows=b"\0" + b"\x00\x64\x04\x00")
    image = show_image(process, faint, Room())
    assert opened(image).getpixel((0, 0)) == 0 and opened(image).getpixel((1, 0)) == 255
    assert "from 100 to 1024 are stretched" in image_words(image)
    ink = show_image(process, saved(Image.new("CMYK", (8, 8), (0, 255, 255, 0)), "JPEG"), Room())
    assert near(opened(ink).convert("RGB").getpixel((4, 4)), (254, 0, 0)) and "CMYK" in image_words(ink)
    floats = Image.new("F", (4, 4), 0.25)
    floats.putpixel((0, 0), 0.75)
    assert opened(show_image(process, saved(floats, "TIFF"), Room())).getpixel((0, 0)) == 255
    black_and_white = saved(Image.new("1", (9, 9), 1), "PNG")
    assert opened(show_image(process, black_and_white, Room())).getpixel((0, 0)) == 255
    palette = saved(halves().convert("P"), "PNG")
    assert near(opened(show_image(process, palette, Room())).convert("RGB").getpixel((0, 0)), (255, 0, 0))


def test_what_is_transparent_can_be_seen(process: MediaProcess) -> None:
    for colour, ground, words in (((0, 0, 0), 255, "white"), ((255, 255, 255), 64, "dark grey")):
        drawing = Image.new("RGBA", (20, 20), (0, 0, 0, 0))
        drawing.paste((*colour, 255), (5, 5, 15, 15))
        image = show_image(process, saved(drawing, "PNG"), Room())
        shown = opened(image).convert("RGB")
        assert shown.getpixel((0, 0)) == (ground,) * 3 and shown.getpixel((10, 10)) == colour
        assert f"transparent parts are shown {words}" in image_words(image)
    opaque = show_image(process, saved(Image.new("RGBA", (5, 5), (9, 9, 9, 255)), "PNG"), Room())
    assert not opaque.notes


def test_what_follows_an_image_does_not_matter(process: MediaProcess) -> None:
    assert show_image(process, png(5, 5) + b"trailing" * 100, Room()).width == 5


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (png_bomb(50_000), "image-too-many-pixels", "50,000 × 50,000"),
        (saved(photo(), "JPEG")[:-2_000], "image-damaged", "JPEG"),
        (saved(photo(), "PNG")[:-2_000], "image-damaged", "PNG"),
        (png(40, 40)[:20], "image-damaged", "PNG"),
        (png(0, 5), "image-damaged", "PNG"),
        (png(4, 4).replace(b"\r\n\x1a\n", b"\n\x1a\n"), "image-damaged", "header"),
        (b"GIF89a\0\0\0\0", "image-damaged", "GIF"),
        (b"\0\0\0\x18ftypheic" + b"\0" * 30, "image-unsupported", "HEIC"),
        (b"<svg/>", "image-unknown", "no image"),
        (b"", "image-unknown", "no image"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_says_why(process: MediaProcess, data: bytes, code: str, words: str) -> None:
    with pytest.raises(MediaProblem, match=words) as problem:
        show_image(process, data, Room())
    assert problem.value.code == code and "Traceback" not in problem.value.message


def test_a_bomb_is_small_and_known_without_unpacking_it(process: MediaProcess) -> None:
    assert len(png_bomb(50_000)) < 2_000
    with pytest.raises(MediaProblem, match="at most"):
        show_image(process, png_bomb(50_000), Room())
    assert show_image(process, png(3, 3), Room()).width == 3, "the same process goes on"
