"""Folding and cutting: what is shown, what is folded and what is lost always add up to the text."""

from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.views import (
    CodeBlockView,
    ImageBlockView,
    TableBlockView,
    TextBlockView,
    ToolView,
)
from jupyter_agenttools.render import view_html, view_text
from jupyter_agenttools.render.limits import EVERYTHING, RECORD, Limits, fold, keep
from tests.support.markup import Page

limits = st.builds(Limits, shown_lines=st.integers(1, 20), kept_chars=st.integers(1, 200))
line_lists = st.lists(st.text("abc", max_size=9), min_size=1, max_size=60)


@given(line_lists, limits)
def test_kept_lines_are_the_beginning_and_the_end(lines, bounds):
    kept = keep("\n".join(lines) + "\n", bounds)
    assert kept.lines[: kept.split] == lines[: kept.split]
    assert kept.lines[kept.split :] == lines[kept.split + kept.lost :]
    assert len(kept.lines) + kept.lost == len(lines)
    numbers = [int(n) for n in kept.numbers(1)]
    assert [lines[n - 1] for n in numbers] == kept.lines


@given(line_lists, limits)
def test_folded_lines_are_all_kept_lines_in_order(lines, bounds):
    kept = keep("\n".join(lines) + "\n", bounds)
    folded = fold(kept, kept.lines, bounds)
    assert [*folded.head, *folded.hidden, *folded.tail] == kept.lines
    assert len(folded.head) + len(folded.tail) <= bounds.shown_lines + 3
    if folded.lost:
        assert len(folded.head) + folded.before_loss == kept.split


@given(st.lists(st.text("abc", max_size=9), min_size=1, max_size=60))
def test_everything_is_everything(lines):
    kept = keep("\n".join(lines) + "\n", EVERYTHING)
    folded = fold(kept, kept.lines, EVERYTHING)
    assert (folded.head, folded.hidden, folded.tail) == (lines, [], [])


def test_a_long_block_is_folded_between_its_head_and_its_tail():
    text = "\n".join(f"line {n}" for n in range(1, 101))
    html = view_html(ToolView("Bash", blocks=(CodeBlockView(text, "terminal"),)), "transcript")
    head, _, rest = html.partition("<details")
    assert "line 10\n" in head and "line 11\n" not in head
    folded, _, tail = rest.partition("</details>")
    assert "… 85 more lines" in folded and "line 95\n" in folded and "line 96\n" in tail
    assert Page(html).pre.split() == text.split()


def test_what_is_lost_is_said_and_line_numbers_stay_right():
    text = "\n".join(f"{n:05}" for n in range(1, 20_001))
    view = ToolView("Read", blocks=(CodeBlockView(text, first_line=1),))
    page = Page(view_html(view, "transcript"))
    assert "lines not kept here" in page.text and "… 19,985 more lines" in page.text
    numbered = [line.split() for line in page.pre.splitlines() if not line.startswith("…")]
    assert all(int(number) == int(content) for number, content in numbered)
    assert "… 19,985 more lines" in view_text(view, "transcript")


def test_one_endless_line_is_cut_with_a_count():
    view = ToolView("Bash", blocks=(CodeBlockView("x" * 1_000_000),))
    assert "x… +998,000" in Page(view_html(view, "transcript")).text
    assert len(view_html(view, "transcript")) < 8_000


def test_tables_fold_and_cut_their_rows():
    rows = tuple((f"file{n}.py", "x" * 50) for n in range(2_000))
    view = ToolView("Grep", blocks=(TableBlockView(("file", "text"), rows),))
    page = Page(view_html(view, "transcript"))
    assert "more rows" in page.text and "rows not kept here" in page.text
    assert page.tags.count("tr") < 300
    assert "… 1,985 more rows" in view_text(view, "transcript")
    assert Page(view_html(view)).tags.count("tr") == 2_001


def test_images_that_are_too_big_or_no_images_are_told_in_words():
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"x" * 60_000).decode()

    def shown(media_type: str, data: str, density: str = "transcript") -> Page:
        return Page(view_html(ToolView("Read", blocks=(ImageBlockView(media_type, data, "plot"),)), density))

    assert "img" in shown("image/png", png, "verbose").tags
    assert "[plot, image/png, 60 kB: too big to be kept here]" in shown("image/png", png).text
    assert "its data is not base64" in shown("image/png", "<script>").text
    assert "its data is not image/gif" in shown("image/gif", png, "verbose").text
    assert "not a raster image" in shown("image/svg+xml", png).text


def test_a_view_may_ask_to_be_folded_as_a_whole():
    view = ToolView("Bash", blocks=(TextBlockView("inside"),), collapsed=True)
    assert "<details" in view_html(view, "transcript") and "<details" not in view_html(view, "verbose")
    assert "inside" not in view_html(view, "condensed")


def test_many_blocks_are_cut_with_a_count():
    view = ToolView("X", blocks=tuple(TextBlockView(f"block {n}") for n in range(RECORD.blocks + 5)))
    assert "… 5 blocks not kept here" in Page(view_html(view, "transcript")).text


def test_an_empty_first_line_is_kept():
    html = view_html(ToolView("Read", blocks=(CodeBlockView("\nsecond"),)))
    assert "<pre>\n\nsecond\n</pre>" in html and Page(html).pre == "\nsecond\n"


def test_line_ends_of_a_file_are_no_content_when_it_is_read():
    view = ToolView("Read", blocks=(CodeBlockView("a\r\nb\r\n", "python", first_line=7),))
    assert view_text(view) == "Read\n  7  a\n  8  b"
    assert Page(view_html(view)).pre == "7  a\n8  b\n"
