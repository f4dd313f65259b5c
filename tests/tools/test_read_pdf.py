"""Read: PDFs, through the whole pipeline."""

from __future__ import annotations

import base64
import io
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from jupyter_agenttools import Outcome, Session
from jupyter_agenttools.core.blocks import ImageBlock
from jupyter_agenttools.core.events import StageEvent
from jupyter_agenttools.core.views import ImageBlockView
from jupyter_agenttools.media import process
from jupyter_agenttools.render import call_record
from jupyter_agenttools.tools.read import PdfRead, TextRead, pdf, read_tool
from tests.support.media_files import (
    encrypted_pdf,
    page_content,
    pdf_file,
    pdf_objects,
    pdf_with_object_streams,
    scanned_pdf,
)
from tests.support.media_files import pdf as document

pytestmark = pytest.mark.anyio

PROSE = "Enough words to be taken for a page of text, and not for a scan.\n"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(cwd=tmp_path, session_dir=tmp_path / ".session")


async def read(session: Session, data: bytes | None = None, name: str = "a.pdf", **fields: Any) -> Outcome:
    if data is not None:
        (Path(session.cwd) / name).write_bytes(data)
    return await session.call("Read", {"file_path": name, **fields})


def images(outcome: Outcome) -> list[Image.Image]:
    content = outcome.block.content
    blocks = [] if isinstance(content, str) else [block for block in content if isinstance(block, ImageBlock)]
    return [Image.open(io.BytesIO(base64.b64decode(block.source["data"]))) for block in blocks]


def check_id(outcome: Outcome) -> str:
    assert outcome.status == "error" and isinstance(outcome.block.content, str)
    return outcome.error.check_id  # type: ignore[union-attr]


async def test_text_with_and_without_pages(session: Session) -> None:
    plain = await read(session, document("Good morning\n" + PROSE))
    assert isinstance(plain.output, PdfRead) and "[PDF document, 1 page" in plain.text
    assert '<page number="1">\nGood morning\nEnough words' in plain.text and not images(plain)
    named = await read(session, pages="1")
    assert "Good morning" in named.text and max(images(named)[0].size) <= 1568


async def test_other_programs_are_not_needed(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "Good morning" in (await read(session, document("Good morning\n" + PROSE), pages="1")).text


async def test_a_long_document_is_read_in_parts(session: Session) -> None:
    pages = [f"This is page {number}\n" + PROSE for number in range(1, 31)]
    first = await read(session, document(*pages))
    assert [page.number for page in first.output.pages] == list(range(1, 11)) and not images(first)
    assert "pages 1-10 of 30; continue with pages=11-20" in first.text and "This is page 11" not in first.text
    some = await read(session, pages="1,4-6")
    assert [page.number for page in some.output.pages] == [1, 4, 5, 6] and len(images(some)) == 4
    assert "pages 1,4-6 of 30]" in some.text
    many = await read(session, pages="11-")
    assert [page.number for page in many.output.pages] == list(range(11, 31)) and not images(many)
    over = await read(session, pages="29-35")
    assert "the document ends with page 30" in over.text and len(over.output.pages) == 2


@pytest.mark.parametrize("pages", ["0", "3-1", "one", "1-21"])
async def test_pages_that_cannot_be_are_refused_before_anything_is_read(session: Session, pages: str) -> None:
    assert check_id(await read(session, b"", "nothing.pdf", pages=pages)) == "read-pages"


async def test_a_page_that_does_not_exist(session: Session) -> None:
    outcome = await read(session, document("a"), pages="2")
    assert check_id(outcome) == "read-pages" and "the document has 1 page" in outcome.text


async def test_scans_and_drawings_are_shown_as_images(session: Session) -> None:
    scans = await read(session, scanned_pdf(3))
    assert len(images(scans)) == 3 and images(scans)[0].width > 1_000
    lines = b"".join(b"%d 10 m %d 190 l S\n" % (x, x + 3) for x in range(0, 300, 2)) + page_content(PROSE)
    drawing = await read(session, document(lines, PROSE))
    assert len(images(drawing)) == 1 and drawing.output.pages[0].image is not None
    blank = await read(session, document("", PROSE))
    assert "[this page is blank]" in blank.text and not images(blank)


async def test_many_page_images_share_what_a_result_may_cost(session: Session) -> None:
    outcome = await read(session, scanned_pdf(20), pages="1-20")
    assert len(images(outcome)) == 20
    assert sum(image.width * image.height for image in images(outcome)) <= 25_000 * 750 * 1.01
    record = call_record(outcome)
    assert sum(len(str(part)) for part in record.values()) <= 50_000
    thumbnails = [b for b in read_tool.render_result(outcome.output, "verbose").blocks if isinstance(b, ImageBlockView)]
    assert 3 <= len(thumbnails) <= 8 and thumbnails[0].caption == "page 1"


async def test_too_much_text_is_given_as_far_as_there_is_room(session: Session) -> None:
    long = "\n".join(PROSE.strip() for _ in range(500))
    outcome = await read(session, document(*[long] * 6), pages="1-6")
    shown = [page.number for page in outcome.output.pages]
    assert 0 < len(shown) < 6 and f"continue with pages={len(shown) + 1}-6" in outcome.text
    one = await read(session, document("\n".join([PROSE.strip()] * 4_000)))
    assert "more characters of this page are left out" in one.text and len(one.text) < 120_000


async def test_object_streams_are_not_taken_for_encryption(session: Session) -> None:
    outcome = await read(session, pdf_with_object_streams("Packed\n" + PROSE, "two"))
    assert outcome.status == "ok" and "Packed" in outcome.text and "password" not in outcome.text


async def test_encrypted_damaged_and_empty_are_told_apart(session: Session) -> None:
    opens = await read(session, encrypted_pdf("Hidden\n" + PROSE))
    assert "Hidden" in opens.text and "encrypted and opens without a password" in opens.text
    locked = await read(session, encrypted_pdf("Hidden", b"secret"))
    assert check_id(locked) == "pdf-password" and "needs a password" in locked.text
    sound = document("/Encrypt is only a word here\n" + PROSE)
    cut_off = await read(session, sound[: len(sound) // 2])
    assert check_id(cut_off) == "pdf-damaged" and "cut off" in cut_off.text
    for damaged in (b"%PDF-1.7\n" + os.urandom(5_000), b"%PDF-1.4\n/Encrypt 5 0 R\n"):
        outcome = await read(session, damaged)
        assert check_id(outcome) == "pdf-damaged" and "password" not in outcome.text
    word = await read(session, sound)
    assert "only a word" in word.text and "password" not in word.text
    none = await read(session, document())
    assert check_id(none) == "pdf-no-pages"
    assert "exists and is empty" in (await read(session, b"", "zero.pdf")).text


async def test_what_can_be_recovered_is_shown(session: Session) -> None:
    sound = document("Found again\n" + PROSE)
    assert "Found again" in (await read(session, sound.replace(b"startxref\n", b"startxref\n9"))).text
    no_end = await read(session, sound[: sound.rindex(b"startxref")])
    assert "Found again" in no_end.text and "no end mark" in no_end.text
    junk = pdf_file(pdf_objects(["After junk\n" + PROSE]), head=b"X-Mail: a\r\n\r\n\0\xff\n%PDF-1.4\n")
    assert "After junk" in (await read(session, junk)).text
    broken_page = document("One\n" + PROSE, "Two\n" + PROSE).replace(b"/Kids [4 0 R 6 0 R]", b"/Kids [4 0 R 9 0 R]")
    outcome = await read(session, broken_page)
    assert "One" in outcome.text and "page 2" in outcome.text


async def test_a_page_of_any_size_can_be_seen(session: Session) -> None:
    outcome = await read(session, document("Wall", size=(14_400, 14_400)))
    assert max(images(outcome)[0].size) <= 1_568
    outcome = await read(session, document("Strip", size=(14_400, 2)))
    assert outcome.status == "ok"


async def test_a_text_about_pdfs_is_a_text(session: Session) -> None:
    outcome = await read(session, b"# %PDF-1.4 is how they begin\n", "a.pdf")
    assert isinstance(outcome.output, TextRead) and "promises PDF, but it holds text" in outcome.text


async def test_the_same_pages_are_not_sent_twice(session: Session) -> None:
    await read(session, document(*[f"{number}\n{PROSE}" for number in range(1, 13)]))
    assert (await read(session)).output.type == "file_unchanged"
    assert (await read(session, pages="1-10")).output.type == "pdf"
    assert (await read(session, pages="1-10")).output.type == "file_unchanged"
    assert (await read(session, pages="3")).output.type == "pdf", "it was seen as text only"
    record = session.read_file_state.get(str(Path(session.cwd) / "a.pdf"))
    assert record is not None and record.is_partial
    await read(session, pages="11-")
    record = session.read_file_state.get(str(Path(session.cwd) / "a.pdf"))
    assert record is not None and not record.is_partial


async def test_out_of_time_what_there_is_comes_back(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "TOTAL_SECONDS", 0.0)
    outcome = await read(session, document(*[PROSE] * 3))
    assert outcome.status == "ok" and [page.number for page in outcome.output.pages] == [1]
    assert "continue with pages=2-3" in outcome.text


async def test_stopping_does_not_wait_for_the_decoder(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "START", "import sys; sys.stdin.buffer.read()")

    class Stopper:
        def on_stage(self, event: StageEvent) -> None:
            if event.stage == "permission":
                timer.start()

    timer = threading.Timer(0.3, session.interrupt)
    session.observers.attach(Stopper())
    outcome = await read(session, document(PROSE))
    assert outcome.status == "interrupted" and outcome.duration_ms < 15_000


async def test_a_decoder_that_crashes_is_an_error_of_this_call_alone(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash = "import os, signal, sys; sys.stdin.buffer.read(4); os.kill(os.getpid(), signal.SIGSEGV)"
    with monkeypatch.context() as patch:
        patch.setattr(process, "START", crash)
        outcome = await read(session, document(PROSE))
    assert check_id(outcome) == "decoder-crashed" and "signal 11" in outcome.text
    assert (await read(session)).status == "ok"
