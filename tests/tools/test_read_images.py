"""Read: image files, through the whole pipeline."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from jupyter_agenttools import Outcome, Session
from jupyter_agenttools.core.blocks import ImageBlock, Message, TextBlock, to_json
from jupyter_agenttools.core.events import FileEvent
from jupyter_agenttools.core.views import ImageBlockView
from jupyter_agenttools.media.limits import THUMBNAIL_BYTES
from jupyter_agenttools.render import call_record
from jupyter_agenttools.render.record import MAX_RECORD_BYTES
from jupyter_agenttools.tools.read import ImageRead, TextRead, read_tool
from tests.support.media_files import animation, halves, photo, png, png_bomb, saved, turned_jpeg

pytestmark = pytest.mark.anyio


@pytest.fixture
def session(tmp_path: Path) -> Session:
    (tmp_path / "work").mkdir()
    return Session(cwd=tmp_path / "work", session_dir=tmp_path / "session")


async def read(session: Session, name: str, data: bytes | None = None, **fields: Any) -> Outcome:
    if data is not None:
        (Path(session.cwd) / name).write_bytes(data)
    return await session.call("Read", {"file_path": name, **fields})


def images(outcome: Outcome) -> list[Image.Image]:
    """The images that the model gets, decoded."""
    content = outcome.block.content
    blocks = [] if isinstance(content, str) else [block for block in content if isinstance(block, ImageBlock)]
    found = []
    for block in blocks:
        image = Image.open(io.BytesIO(base64.b64decode(block.source["data"], validate=True)))
        image.load()
        assert block.source["media_type"] == Image.MIME[str(image.format)] and block.source["type"] == "base64"
        assert max(image.size) <= 1568 and len(block.source["data"]) <= 5_000_000
        found.append(image)
    return found


async def test_the_model_gets_a_line_and_the_image(session: Session) -> None:
    outcome = await read(session, "a.png", saved(halves(), "PNG"))
    assert outcome.status == "ok" and isinstance(outcome.output, ImageRead)
    text, image = outcome.block.content
    assert isinstance(text, TextBlock) and isinstance(image, ImageBlock)
    assert text.text.startswith("[PNG image, ") and "60 × 40 px, shown as PNG" in text.text
    assert images(outcome)[0].convert("RGB").getpixel((0, 0)) == (255, 0, 0)


async def test_a_side_beyond_what_providers_take_is_scaled_and_said(session: Session) -> None:
    outcome = await read(session, "wide.png", png(9001, 4))
    assert images(outcome)[0].size == (1568, 1) and "9,001 × 4 px, scaled to 1,568 × 1" in outcome.text
    outcome = await read(session, "tall.png", png(3, 12_000))
    assert images(outcome)[0].size == (1, 1568)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('<svg xmlns="http://www.w3.org/2000/svg" width="5"/>', '     1→<svg xmlns="http://www.w3.org/2000/svg"'),
        ('{"error": "not found"}', '     1→{"error": "not found"}'),
        ("<!DOCTYPE html><title>404</title>", "404"),
    ],
)
async def test_a_text_with_the_name_of_an_image_is_a_text(session: Session, text: str, shown: str) -> None:
    outcome = await read(session, "fake.png", text.encode())
    assert outcome.status == "ok" and isinstance(outcome.output, TextRead) and not images(outcome)
    assert shown in outcome.text and "the name of this file promises PNG, but it holds text" in outcome.text


async def test_the_name_does_not_matter_for_images_either(session: Session) -> None:
    outcome = await read(session, "photo.jpg", saved(halves(), "PNG"))
    assert images(outcome) and "promises JPEG, but it is PNG" in outcome.text
    assert images(await read(session, "no_name", saved(halves(), "WEBP")))
    assert images(await read(session, "n.ipynb", saved(halves(), "GIF")))
    outcome = await read(session, "zero.png", b"")
    assert outcome.status == "ok" and "the file exists and is empty" in outcome.text


@pytest.mark.parametrize(
    ("data", "check_id"),
    [
        (png_bomb(50_000), "image-too-many-pixels"),
        (saved(photo(), "JPEG")[:-3_000], "image-damaged"),
        (saved(photo(), "PNG")[:100], "image-damaged"),
        (b"\x89PNG\r\n\x1a\n", "image-damaged"),
        (b"\xff\xd8\xff", "image-damaged"),
        (b"II*\0" + b"\0" * 50, "image-damaged"),
    ],
)  # fmt: skip
async def test_what_cannot_be_shown_is_an_error_without_an_image(session: Session, data: bytes, check_id: str) -> None:
    outcome = await read(session, "bad.png", data)
    assert outcome.status == "error" and outcome.error.check_id == check_id  # type: ignore[union-attr]
    assert isinstance(outcome.block.content, str) and str(Path(session.cwd) / "bad.png") in outcome.text


async def test_other_kinds(session: Session) -> None:
    assert "the first of 3 images" in (await read(session, "a.gif", animation("GIF"))).text
    turned = await read(session, "turned.jpg", turned_jpeg(6))
    assert images(turned)[0].size == (32, 64) and b"SECRET" not in base64.b64decode(turned.output.image.data)
    assert images(await read(session, "a.bmp", saved(halves(), "BMP")))[0].size == (60, 40)
    assert images(await read(session, "a.ico", saved(halves(64, 64), "ICO")))
    assert images(await read(session, "one.png", png(1, 1)))[0].size == (1, 1)
    assert images(await read(session, "trailing.png", png(2, 2) + b"more"))


async def test_the_same_image_is_not_sent_twice(session: Session) -> None:
    seen: list[FileEvent] = []
    watcher = type("Watcher", (), {"on_file": lambda self, event: seen.append(event)})()
    session.observers.attach(watcher)
    first = await read(session, "a.png", png(4, 4))
    again = await read(session, "a.png")
    assert images(first) and again.output.type == "file_unchanged" and not images(again)
    assert [event.path for event in seen] == [str(Path(session.cwd) / "a.png")] and len(seen[0].content_hash) == 64
    assert images(await read(session, "a.png", png(5, 4))), "other bytes are shown"


async def test_lines_and_pages_of_an_image(session: Session) -> None:
    outcome = await read(session, "a.png", png(4, 4), offset=5, limit=2)
    assert images(outcome) and "offset and limit count lines of text and were not used" in outcome.text
    outcome = await read(session, "a.png", pages="1")
    assert outcome.error.check_id == "read-pages-not-pdf"  # type: ignore[union-attr]
    assert (await read(session, "t.txt", b"text\n", pages="1")).error.check_id == "read-pages-not-pdf"  # type: ignore[union-attr]
    assert (await read(session, "t.txt", pages="")).status == "ok"


async def test_a_person_sees_a_thumbnail_and_a_record_stays_small(session: Session) -> None:
    outcome = await read(session, "big.png", saved(photo(1500, 1200), "PNG"))
    assert len(outcome.output.image.data) > 200_000
    view = read_tool.render_result(outcome.output, "verbose")
    (small,) = [block for block in view.blocks if isinstance(block, ImageBlockView)]
    assert max(Image.open(io.BytesIO(base64.b64decode(small.data))).size) <= 400
    assert len(small.data) <= THUMBNAIL_BYTES * 4 / 3 + 4 and view.badges[0].text == "1,500 × 1,200 px"
    record = call_record(outcome)
    assert "<img" in record["text/html"] and sum(len(str(part)) for part in record.values()) <= MAX_RECORD_BYTES
    assert not read_tool.render_result(outcome.output, "condensed").blocks


async def test_a_transcript_names_images_and_keeps_them_once(session: Session, tmp_path: Path) -> None:
    outcome = await read(session, "a.png", saved(photo(500, 400), "PNG"))
    data = base64.b64decode(outcome.output.image.data)
    session.conversation.add(Message("user", (outcome.block,)))
    await session.aclose()
    text = (tmp_path / "session" / "transcript.jsonl").read_text()
    assert len(text) < 20_000 and outcome.output.image.data[3_000:3_100] not in text
    (kept,) = (tmp_path / "session" / "images").iterdir()
    assert kept.read_bytes() == data and text.count(f"images/{kept.name}") == 2
    assert to_json(outcome.block)["content"][1]["source"]["data"], "the block itself is as it was"
