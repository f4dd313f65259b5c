"""Read: the images among the outputs of a notebook."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import Outcome, Session
from jupyter_agenttools.core.blocks import ImageBlock, TextBlock
from jupyter_agenttools.core.views import ImageBlockView
from jupyter_agenttools.files.budget import MAX_BYTES
from jupyter_agenttools.tools.read import read_tool
from jupyter_agenttools.tools.read.notebook import MAX_IMAGES
from tests.corpus.notebooks import dumped, notebook
from tests.support.media_files import halves, photo, png, saved

pytestmark = pytest.mark.anyio


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(cwd=tmp_path, session_dir=tmp_path / ".session")


def text64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def plot(*bundles: dict[str, Any], id: str = "p") -> dict[str, Any]:
    outputs = [{"output_type": "display_data", "metadata": {}, "data": bundle} for bundle in bundles]
    return {**notebook()["cells"][1], "id": id, "outputs": outputs, "source": "plot()"}


async def read(session: Session, cells: list[Any] | None = None, **fields: Any) -> Outcome:
    if cells is not None:
        (Path(session.cwd) / "n.ipynb").write_text(dumped({**notebook(), "cells": cells}))
    return await session.call("Read", {"file_path": "n.ipynb", **fields})


def images(outcome: Outcome) -> list[bytes]:
    content = outcome.block.content
    blocks = [] if isinstance(content, str) else [block for block in content if isinstance(block, ImageBlock)]
    return [base64.b64decode(block.source["data"], validate=True) for block in blocks]


async def test_an_image_stands_where_its_output_is(session: Session) -> None:
    cells = [plot({"text/plain": "<Figure>", "image/png": text64(saved(halves(), "PNG"))}), notebook()["cells"][2]]
    outcome = await read(session, cells)
    before, image, after = outcome.block.content
    assert isinstance(before, TextBlock) and isinstance(image, ImageBlock) and isinstance(after, TextBlock)
    assert before.text.endswith("bytes: PNG, 60 × 40 px, shown as PNG with 222 bytes]") or "60 × 40 px" in before.text
    assert after.text.startswith("</output>") and '<cell id="end"' in after.text
    assert images(outcome)[0].startswith(b"\x89PNG") and "<Figure>" in before.text


async def test_what_is_no_image_is_named_and_not_shown(session: Session) -> None:
    sound = text64(png(3, 3))
    bundles = [
        {"image/png": "not base64!"},
        {"image/png": text64(b"<svg/>")},
        {"image/jpeg": text64(saved(photo(), "JPEG")[:-3_000])},
        {"image/jpeg": sound},
        {"image/png": [sound[:20] + "\n", sound[20:] + "\n"]},
        {"image/svg+xml": "<svg/>"},
        {"image/png": 5},
    ]
    outcome = await read(session, [plot(*bundles)])
    assert len(images(outcome)) == 2 and all(image.startswith(b"\x89PNG") for image in images(outcome))
    assert "not shown: its data is not base64" in outcome.text
    assert "not shown: this is no image" in outcome.text and "not shown: this JPEG image is damaged" in outcome.text
    assert "image/jpeg, 75 bytes: PNG, 3 × 3 px" in outcome.text or "image/jpeg" in outcome.text
    assert "[image/svg+xml, 6 characters]" in outcome.text


async def test_attachments_are_shown_too(session: Session) -> None:
    attached = {"sketch.png": {"image/png": text64(png(7, 5))}}
    cell = {"cell_type": "markdown", "id": "m", "metadata": {}, "source": "![](attachment:sketch.png)"}
    outcome = await read(session, [{**cell, "attachments": attached}, {**cell, "id": "n", "attachments": 5}])
    assert '<output type="attachment" name="sketch.png">' in outcome.text and len(images(outcome)) == 1
    assert "7 × 5 px" in outcome.text


async def test_many_images_are_only_named_until_few_cells_are_read(session: Session) -> None:
    cells = [plot({"image/png": text64(png(number + 1, 9))}, id=f"c{number}") for number in range(15)]
    whole = await read(session, cells)
    assert not images(whole) and whole.text.count("[image/png, ") == 15
    assert "15 images of the outputs are only named; to see those of a cell read it alone, e.g. offset=1, limit=1" in (
        whole.text
    )
    part = await read(session, offset=2, limit=3)
    assert len(images(part)) == 3
    much = await read(session, offset=1, limit=14)
    assert len(images(much)) == MAX_IMAGES and "4 images of the outputs are only named" in much.text
    assert "e.g. offset=11, limit=1" in much.text


async def test_one_cell_with_many_images_shows_more_of_them(session: Session) -> None:
    cell = plot(*[{"image/png": text64(png(number + 1, 3))} for number in range(40)])
    outcome = await read(session, [cell], offset=1, limit=1)
    assert len(images(outcome)) == 30 and "10 images of the outputs are only named: one result" in outcome.text


async def test_a_notebook_full_of_images_is_read_whole(session: Session) -> None:
    noise = [text64(os.urandom(700_000)) for _ in range(30)]
    cells = [plot({"image/png": data}, id=f"c{number}") for number, data in enumerate(noise)]
    outcome = await read(session, [notebook()["cells"][0], *cells])
    assert (Path(session.cwd) / "n.ipynb").stat().st_size > 28_000_000
    assert outcome.status == "ok" and len(outcome.text) < MAX_BYTES and not images(outcome)
    assert all(f'<cell id="c{number}"' in outcome.text for number in range(30))
    assert outcome.text.count("[image/png, 700,000 bytes]") == 30
    assert len(json.dumps(outcome.events[-1].came_out(), default=repr)) < MAX_BYTES, "nothing holds the raw images"


async def test_what_is_cut_says_how_to_get_it(session: Session) -> None:
    loud = {"output_type": "stream", "name": "stdout", "text": "z" * 50_000}
    cells = [{**plot(), "outputs": [loud]}, notebook()["cells"][2]]
    whole = await read(session, cells)
    assert "48,000 characters of its outputs are left out; read this cell alone: offset=1, limit=1" in whole.text
    alone = await read(session, offset=1, limit=1)
    assert "30,000 characters" in alone.text and "jq '.cells[0].outputs'" in alone.text


async def test_a_person_sees_thumbnails(session: Session) -> None:
    outcome = await read(session, [plot({"image/png": text64(saved(photo(900, 700), "PNG"))})])
    (small,) = [b for b in read_tool.render_result(outcome.output, "verbose").blocks if isinstance(b, ImageBlockView)]
    assert small.alt == "output of p" and len(small.data) < len(outcome.output.images[0].image.data) / 5


async def test_a_notebook_without_images_starts_no_process(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subprocess.Popen", None)
    assert (await read(session, notebook()["cells"])).status == "ok"
