"""An output that is an image, other binary data, or not UTF-8."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path

import pytest

from jupyter_agenttools.core.views import ImageBlockView
from jupyter_agenttools.session import Session
from jupyter_agenttools.tools.bash import bash_tool
from tests.support.bash_session import BashSession
from tests.support.media_files import png
from tests.support.shell import contents

pytestmark = pytest.mark.anyio


@pytest.fixture
def bash(tmp_path: Path) -> BashSession:
    return BashSession(tmp_path)


@pytest.mark.parametrize("hardened", [True, False])
async def test_an_image_is_shown_as_one(bash: BashSession, hardened: bool) -> None:
    (bash.work / "plot.png").write_bytes(png(60, 40))
    call = await bash("cat plot.png", hardened=hardened)
    assert call.output.is_image and (call.output.image.width, call.output.image.height) == (60, 40)
    assert "PNG" in call.output.stdout and len(call.text) < 500
    block = bash_tool.map_tool_result(call.output, "x")
    assert [part["type"] for part in block.content] == ["text", "image"]
    assert contents(call.output.persisted_output_path) == png(60, 40)
    view = bash_tool.render_result(call.output, "condensed")
    assert any(isinstance(block, ImageBlockView) for block in view.blocks)


async def test_an_image_in_a_data_uri(bash: BashSession) -> None:
    encoded = base64.encodebytes(png(30, 20)).decode()
    (bash.work / "uri").write_text(f"data:image/png;base64,{encoded}")
    call = await bash("cat uri")
    assert call.output.is_image and call.output.image.width == 30
    (bash.work / "uri").write_text("data:image/png;base64,bm90IGFuIGltYWdl")
    assert (await bash("cat uri")).output.stdout == "data:image/png;base64,bm90IGFuIGltYWdl"


async def test_through_the_pipeline_the_image_reaches_the_model(tmp_path: Path) -> None:
    (tmp_path / "plot.png").write_bytes(png(60, 40))
    session = Session(tmp_path, session_dir=tmp_path / "session")
    outcome = await session.call("Bash", {"command": "cat plot.png"})
    assert outcome.status == "ok" and [part["type"] for part in outcome.block.content] == ["text", "image"]


async def test_a_damaged_image_is_said_to_be_one(bash: BashSession) -> None:
    (bash.work / "half.png").write_bytes(png(200, 200)[:90])
    call = await bash("cat half.png; head -c 600 /dev/zero")
    assert not call.output.is_image and "cannot be shown" in call.text
    assert call.output.persisted_output_path in call.text


async def test_binary_data_is_named_and_kept(bash: BashSession) -> None:
    data = gzip.compress(bytes(range(256)) * 40, mtime=0)
    (bash.work / "x.gz").write_bytes(data * 10)
    call = await bash("cat x.gz")
    assert "gzip data" in call.text and f"{len(data) * 10:,} bytes" in call.text and len(call.text) < 500
    assert contents(call.output.persisted_output_path) == data * 10
    assert "ELF" in (await bash("head -c 5000 /bin/true")).text


async def test_names_that_end_in_nul_are_readable(bash: BashSession) -> None:
    names = [f"file-with-a-long-name-{n}" for n in range(60)]
    for name in names:
        (bash.work / name).write_text("")
    call = await bash("find . -type f -print0")
    assert "file-with-a-long-name-7␀" in call.text and "not shown" not in call.text


async def test_bytes_that_are_not_utf8_are_shown_safely_and_kept(bash: BashSession) -> None:
    call = await bash("printf 'caf\\351 au lait\\n'")
    assert call.output.stdout == "caf\ufffd au lait\n"
    assert "not UTF-8" in call.text
    assert contents(call.output.persisted_output_path) == b"caf\xe9 au lait\n"
    proper = await bash("printf 'a \\357\\277\\275 b\\n'")
    assert "not UTF-8" not in proper.text
