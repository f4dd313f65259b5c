"""Checklists, tables, images and marked code: readable without colour, without style, and without sight."""

from __future__ import annotations

import base64
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.views import (
    ChecklistBlockView,
    ChecklistItem,
    CodeBlockView,
    ImageBlockView,
    TableBlockView,
    TextBlockView,
    ToolView,
    ViewBlock,
)
from jupyter_agenttools.render import call_record, view_html, view_markdown, view_text
from jupyter_agenttools.render.blocks import around_next, image_problem
from jupyter_agenttools.render.jsonclip import size
from jupyter_agenttools.render.limits import EVERYTHING, Limits
from jupyter_agenttools.render.marks import marked_parts
from jupyter_agenttools.render.record import MAX_RECORD_BYTES
from tests.support.finished_calls import finished, shown_tool
from tests.support.markup import Page

PNG = b"\x89PNG\r\n\x1a\n"


def html_of(*blocks: ViewBlock, density: str = "verbose") -> str:
    return view_html(ToolView("Tool", blocks=blocks), density)


def text_of(*blocks: ViewBlock, density: str = "verbose") -> list[str]:
    return [line.removeprefix("  ") for line in view_text(ToolView("Tool", blocks=blocks), density).split("\n")[1:]]


# ---- checklists

LIST = ChecklistBlockView(
    (
        ChecklistItem("Read <it>", "done", "Reading it"),
        ChecklistItem("Mend it", "in_progress", "Mending\nit"),
        ChecklistItem("Tell", "pending", "Telling"),
        ChecklistItem("Rest", "in_progress"),
    )
)


def test_a_checklist_says_each_state_in_words() -> None:
    page = Page(html_of(LIST))
    assert page.problems == []
    assert page.words == "Tool ✓ Read <it> done ▸ Mending it in progress ○ Tell to do ▸ Rest in progress"
    assert text_of(LIST) == ["[x] Read <it>", "[>] Mending it (in progress)", "[ ] Tell", "[>] Rest (in progress)"]
    assert "```\n[x] Read <it>\n" in view_markdown(ToolView("Tool", blocks=(LIST,)))


def test_a_checklist_is_a_list_for_a_screen_reader() -> None:
    html = html_of(LIST)
    assert '<ul class="agt-list" role="list">' in html and html.count("<li ") == 4
    assert html.count('aria-hidden="true"') == 4, "the symbols are not read out; the words beside them are"
    assert "<s>Read &lt;it&gt;</s>" in html and "<b>Mending it</b>" in html


def items(done: int, rest: int) -> tuple[ChecklistItem, ...]:
    return tuple(ChecklistItem(f"item {n}", "done" if n < done else "pending") for n in range(done + rest))


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 20), st.integers(0, 20_000))
def test_a_long_checklist_folds_around_what_is_next(done: int, rest: int, shown_lines: int, kept_chars: int) -> None:
    every = items(done, rest)
    parts = around_next(every, Limits(shown_lines=shown_lines, kept_chars=kept_chars))
    kept = (*parts.before, *parts.shown, *parts.after)
    assert kept == every[parts.lost_before : len(every) - parts.lost_after] and len(parts.shown) <= shown_lines + 3
    if rest and shown_lines > 4:
        assert every[done] in parts.shown
    assert around_next(every, EVERYTHING).shown == every


def test_what_a_checklist_folds_is_kept_and_said() -> None:
    page = Page(html_of(ChecklistBlockView(items(30, 20)), density="transcript"))
    assert "… 26 items before these" in page.text and "… 9 more items" in page.text
    assert "item 0 " in page.words and "item 49 " in page.words and page.tags.count("li") == 50
    assert text_of(ChecklistBlockView(items(30, 20)), density="transcript")[::16] == [
        "… 26 items before these",
        "… 9 more items",
    ]


def test_a_checklist_cannot_outgrow_a_record() -> None:
    block = ChecklistBlockView(tuple(ChecklistItem("<&>" * 600) for _ in range(200)))
    bundle = call_record(finished(shown_tool("TodoWrite", block), {}))
    assert size(bundle) <= MAX_RECORD_BYTES and Page(bundle["text/html"]).problems == []
    assert "… +" in bundle["text/html"]


# ---- tables

TABLE = TableBlockView(
    ("file", "matches", "line"),
    (("src/日本.py", "7", "    if a | b:\n\tpass"), ("b.py", "1,204", "<b> `x`")),
    kinds=("code", "number", "code"),
)


def test_a_table_names_its_columns_and_aligns_its_numbers() -> None:
    html = html_of(TABLE)
    assert Page(html).problems == []
    assert html.count('<th scope="col"') == 3 and '<td class="agt-num">7</td>' in html
    assert '<td class="agt-code">    if a | b:\n\tpass</td>' in html and "&lt;b&gt; `x`" in html
    assert '<div class="agt-scroll"><table>' in html, "a wide table scrolls by itself"


def test_a_table_in_text_keeps_its_columns_whatever_the_cells_hold() -> None:
    assert text_of(TABLE) == [
        "file         matches  line",
        "───────────  ───────  ──────────────────────",
        "src/日本.py        7      if a | b:⏎    pass",
        "b.py           1,204  <b> `x`",
    ]


def test_folded_rows_have_their_head_as_well() -> None:
    rows = tuple((f"f{n}.py", str(n)) for n in range(40))
    page = Page(html_of(TableBlockView(("file", "n"), rows), density="transcript"))
    assert page.tags.count("th") == 4 and "… 25 more rows" in page.text and page.problems == []


@pytest.mark.parametrize("kinds", [(), ("code",), ("code", "number", "text", "text", "number")])
def test_kinds_may_be_fewer_or_more_than_columns(kinds: tuple[str, ...]) -> None:
    block = TableBlockView(("a", "b"), (("1", "2"), ("3",), ("4", "5", "6")), kinds=kinds)  # type: ignore[arg-type]
    assert Page(html_of(block)).problems == [] and text_of(block)[0].split() == ["a", "b"]


# ---- marked code


def test_what_was_found_is_marked() -> None:
    block = CodeBlockView("a.py\n3: say <hi> hi", "python", marks=((1, 7, 11), (1, 12, 14), (9, 0, 1), (0, 50, 60)))
    html = html_of(block)
    assert ": say <mark>&lt;hi&gt;</mark> <mark>hi</mark>\n" in html and html.count("<mark>") == 2
    assert Page(html).problems == [] and text_of(block) == ["a.py", "3: say <hi> hi"]


def test_marks_stay_with_their_lines_when_lines_are_lost() -> None:
    text = "".join(f"hit {n}\n" for n in range(5_000))
    block = CodeBlockView(text, marks=tuple((n, 0, 3) for n in range(5_000)))
    html = html_of(block, density="transcript")
    kept = Page(html).pre.count("hit")
    assert html.count("<mark>hit</mark>") == kept < 5_000
    only_last = html_of(CodeBlockView(text, marks=((4_999, 4, 8),)), density="transcript")
    assert re.findall("<mark>.*?</mark>", only_last) == ["<mark>4999</mark>"]


@given(st.text(max_size=20), st.lists(st.tuples(st.integers(-3, 25), st.integers(-3, 25)), max_size=6))
def test_marked_parts_are_the_line(line: str, marks: list[tuple[int, int]]) -> None:
    parts = list(marked_parts(line, marks))
    assert "".join(text for text, _ in parts) == line
    inside = {at for start, end in marks for at in range(max(start, 0), min(end, len(line)))}
    assert sum(len(text) for text, on in parts if on) == len(inside)


# ---- images


def image(number: int = 1, kilobytes: float = 1, **fields: str) -> ImageBlockView:
    data = base64.b64encode(PNG + bytes(int(kilobytes * 1000))).decode()
    return ImageBlockView(
        "image/png", data, **{"alt": f"page {number} of a.pdf", "caption": f"page {number}", **fields}
    )


def test_neighbouring_images_are_a_strip_with_captions() -> None:
    html = html_of(TextBlockView("before"), image(1), image(2), TextBlockView("between"), image(3))
    page = Page(html)
    assert page.problems == [] and html.count('<div class="agt-strip">') == 1
    assert page.tags.count("figure") == page.tags.count("img") == page.tags.count("figcaption") == 3
    assert page.words == "Tool before page 1 page 2 between page 3"
    assert 'alt="page 1 of a.pdf"' in html
    assert text_of(image(1), image(2))[1] == "[page 2 of a.pdf, image/png, 1 kB]"


def test_captions_and_descriptions_are_text() -> None:
    block = image(alt='"><script>x</script>', caption="<b>\u202e" + "c" * 900)
    page = Page(html_of(block))
    assert page.problems == [] and "<b>‹U+202E›" in page.text and len(page.text) < 300


@pytest.mark.parametrize(
    ("media_type", "raw", "fine"),
    [
        ("image/png", PNG + b"x", True),
        ("image/jpeg", b"\xff\xd8\xff\xe0", True),
        ("image/gif", b"GIF89a", True),
        ("image/webp", b"RIFF\x10\x00\x00\x00WEBPVP8 ", True),
        ("image/webp", b"RIFF\x10\x00\x00\x00WAVEfmt ", False),
        ("image/png", b"<svg onload=alert(1)>", False),
        ("image/jpeg", PNG, False),
        ("image/svg+xml", b"<svg/>", False),
        ('image/png" onerror="x', PNG, False),
        ("text/html", b"<script>", False),
        ("image/png", b"", False),
    ],
)
def test_only_what_is_an_image_of_its_kind_is_shown(media_type: str, raw: bytes, fine: bool) -> None:
    block = ImageBlockView(media_type, base64.b64encode(raw).decode(), "x")  # type: ignore[arg-type]
    assert (image_problem(block, EVERYTHING) == "") == fine
    assert ("img" in Page(html_of(block)).tags) == fine


@pytest.mark.parametrize("data", ['iVBORw0KGgo="><script>', "iVBORw0KGgo=\n", " iVBORw0KGgo=", "ïVBORw0KGgo=", "iVBOR"])
def test_data_that_is_not_strictly_base64_is_not_shown(data: str) -> None:
    page = Page(html_of(ImageBlockView("image/png", data, "x")))
    assert page.problems == [] and "img" not in page.tags and "not base64" in page.text


def test_a_record_keeps_the_first_images_and_says_what_it_leaves_out() -> None:
    bundle = call_record(finished(shown_tool("Read", *(image(n, 6) for n in range(1, 13))), {}))
    page = Page(bundle["text/html"])
    assert size(bundle) <= MAX_RECORD_BYTES and page.problems == []
    assert page.tags.count("img") == 3 and "page 4 of a.pdf, image/png, 6 kB: no room is left" in page.text
    assert "… 5 more images not shown" in page.text
    assert Page(html_of(*(image(n, 6) for n in range(1, 13)))).tags.count("img") == 12, "all of them while it is live"


def test_a_smaller_image_still_fits_after_one_that_did_not() -> None:
    page = Page(html_of(image(1, 12), image(2, 15), image(3, 2), density="transcript"))
    assert page.tags.count("img") == 2 and "page 2 of a.pdf" in page.text


def test_an_image_outlives_long_text_beside_it() -> None:
    tool = shown_tool("Read", image(1, 10), *(CodeBlockView("<&> " * 4_000) for _ in range(3)))
    bundle = call_record(finished(tool, {}))
    assert size(bundle) <= MAX_RECORD_BYTES and "img" in Page(bundle["text/html"]).tags
