"""An image from any tool is decoded before it enters a conversation."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from jupyter_agenttools import Outcome, Session, ToolResult
from jupyter_agenttools.core.blocks import ImageBlock, Message, TextBlock, ToolResultBlock
from jupyter_agenttools.core.views import ImageBlockView
from tests.support.media_files import animation, halves, photo, png, png_bomb, saved
from tests.support.tools import calling

pytestmark = pytest.mark.anyio


def block(data: bytes | str, media_type: str = "image/png") -> ImageBlock:
    text = data if isinstance(data, str) else base64.b64encode(data).decode()
    return ImageBlock({"type": "base64", "media_type": media_type, "data": text})


async def result_of(tmp_path: Path, *blocks: Any, **definition: Any) -> Outcome:
    """What becomes of a tool that hands these blocks back as they are."""
    mapped = definition.pop("mapped", True)
    if mapped:
        definition["map_tool_result"] = lambda output, id: ToolResultBlock(id, output)
    tool = calling("Shots", lambda input, context: blocks, **definition)
    return await Session(cwd=tmp_path, tools=[tool], prompter=lambda request: True).call("Shots", {})


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (saved(halves(), "PNG"), "image/png"),
        (saved(photo(), "JPEG"), "image/jpeg"),
        (animation("GIF"), "image/gif"),
        (animation("WEBP"), "image/webp"),
    ],
)
async def test_a_sound_image_stays_as_it_is(tmp_path: Path, data: bytes, media_type: str) -> None:
    sent = block(data, media_type)
    outcome = await result_of(tmp_path, TextBlock("here"), sent)
    assert outcome.status == "ok" and outcome.block.content[1] is sent
    assert outcome.events[-1].reason == ""


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (block("no base64 at all!"), "not base64"),
        (block(""), "empty"),
        (block(b"<svg xmlns='x'/>"), "no image"),
        (block(saved(photo(), "PNG")[:-5_000]), "damaged"),
        (block(png_bomb(50_000)), "at most"),
        (ImageBlock({"type": "url", "url": "https://example.org/a.png"}), "not here as base64"),
        (ImageBlock({}), "not here as base64"),
        ({"type": "image"}, "not here as base64"),
    ],
)  # fmt: skip
async def test_what_no_provider_can_read_becomes_a_note(tmp_path: Path, sent: Any, words: str) -> None:
    outcome = await result_of(tmp_path, TextBlock("before"), sent, TextBlock("after"))
    assert outcome.status == "ok"
    assert [type(part) for part in outcome.block.content] == [TextBlock] * 3
    assert "an image was left out here" in outcome.text and words in outcome.text
    assert outcome.text.startswith("before\n") and outcome.text.endswith("\nafter")
    assert "images were left out or changed" in outcome.events[-1].reason


async def test_what_is_too_big_or_of_another_kind_is_made_to_fit(tmp_path: Path) -> None:
    wide, bitmap = block(png(2001, 667)), block(saved(halves(), "BMP"), "image/bmp")
    cut_end = block(png(30, 30)[:-8])
    outcome = await result_of(tmp_path, wide, bitmap, cut_end)
    found = [part for part in outcome.block.content if isinstance(part, ImageBlock)]
    sizes = []
    for part in found:
        image = Image.open(io.BytesIO(base64.b64decode(part.source["data"])))
        assert Image.MIME[str(image.format)] == part.source["media_type"]
        image.verify()
        sizes.append(image.size)
    assert sizes == [(1568, 523), (60, 40), (30, 30)] and "2,001 × 667 px, scaled to" in outcome.text


async def test_a_wrong_media_type_is_put_right(tmp_path: Path) -> None:
    data = saved(halves(), "PNG")
    (found,) = (await result_of(tmp_path, block(data, "image/jpeg"))).block.content
    assert found.source["media_type"] == "image/png" and base64.b64decode(found.source["data"]) == data


async def test_messages_of_a_tool_are_looked_at_too(tmp_path: Path) -> None:
    inner = ToolResultBlock("x", (block(b"bad"),))
    messages = (Message("user", (block(b"bad"), TextBlock("said"), inner)), Message("user", (block(png(2, 2)),)))
    tool = calling("Talk", lambda input, context: ToolResult("done", new_messages=messages))
    session = Session(cwd=tmp_path, tools=[tool], prompter=lambda request: True)
    outcome = await session.call("Talk", {})
    assert outcome.result is not None
    first, second = outcome.result.new_messages
    assert isinstance(first.content[0], TextBlock) and first.content[1] == TextBlock("said")
    assert "left out" in first.content[2].text and second == messages[1]


async def test_a_long_text_goes_to_disk_and_its_image_does_not(tmp_path: Path) -> None:
    outcome = await result_of(tmp_path, TextBlock("x" * 100_000), block(png(4, 4)), max_result_size_chars=1_000)
    text, image = outcome.block.content
    assert "<persisted-output>" in text.text and isinstance(image, ImageBlock) and len(text.text) < 3_000


async def test_a_tool_may_simply_return_blocks(tmp_path: Path) -> None:
    """An image that is bigger than any text may be is neither told as JSON nor put on disk as a text."""
    picture = block(saved(photo(400, 300), "PNG"))
    outcome = await result_of(tmp_path, TextBlock("one"), picture, mapped=False)
    assert outcome.block.content == (TextBlock("one"), picture) and len(picture.source["data"]) > 50_000
    assert outcome.tool is not None
    view = outcome.tool.render_result(outcome.output, "verbose")
    assert isinstance(view.blocks[1], ImageBlockView) and outcome.tool.extract_search_text(outcome.output) == "one"


async def test_texts_start_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subprocess.Popen", None)
    assert (await result_of(tmp_path, TextBlock("only words"))).text == "only words"
