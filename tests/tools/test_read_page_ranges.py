"""Which pages a text names."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.tools.read.page_ranges import (
    FIRST_PAGES,
    MAX_PAGES,
    chosen_pages,
    listed,
    parse_pages,
    runs,
)

PAGES = st.sets(st.integers(1, 500), min_size=1, max_size=MAX_PAGES).map(sorted)


@pytest.mark.parametrize(
    ("text", "total", "pages"),
    [
        ("3", 9, (3,)),
        ("1-5", 9, (1, 2, 3, 4, 5)),
        ("1,4-6", 9, (1, 4, 5, 6)),
        (" 1 , 4 - 6 ", 9, (1, 4, 5, 6)),
        ("4–6", 9, (4, 5, 6)),
        ("6,1", 9, (1, 6)),
        ("1-3,2-4", 9, (1, 2, 3, 4)),
        ("8-12", 9, (8, 9)),
        ("8-", 9, (8, 9)),
        ("2-", 500, tuple(range(2, 22))),
        ("1,", 9, (1,)),
        ("007", 9, (7,)),
    ],
)
def test_texts_that_name_pages(text: str, total: int, pages: Sequence[int]) -> None:
    assert chosen_pages(parse_pages(text), total) == pages


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0", "counted from 1"),
        ("0-3", "counted from 1"),
        ("5-2", "did you mean 2-5"),
        ("1-21", "at most 20"),
        ("1-10,11-25", "at most 20"),
        ("", "no page and no range"),
        ("all", "no page and no range"),
        ("-3", "no page and no range"),
        ("1,,2", "no page and no range"),
        ("1.5", "no page and no range"),
        ("9" * 30, "no page and no range"),
        ("٣", "no page and no range"),
        ("1-2-3", "no page and no range"),
    ],
)
def test_texts_that_name_none(text: str, words: str) -> None:
    with pytest.raises(ToolValidationError, match=words) as refusal:
        parse_pages(text)
    assert refusal.value.check_id == "read-pages"


def test_pages_that_do_not_exist() -> None:
    with pytest.raises(ToolValidationError, match="page 10 is beyond the end: the document has 9 pages"):
        chosen_pages(parse_pages("10-12"), 9)
    assert chosen_pages(parse_pages("9,10"), 9) == (9,)


def test_without_pages_the_first_ones_are_read() -> None:
    assert chosen_pages(None, 3) == (1, 2, 3) and chosen_pages(None, 99) == tuple(range(1, FIRST_PAGES + 1))


@given(PAGES)
def test_what_is_written_is_read_back(pages: list[int]) -> None:
    assert chosen_pages(parse_pages(listed(pages)), 500) == tuple(pages)
    assert [page for first, last in runs(pages) for page in range(first, last + 1)] == pages


@given(st.text(alphabet="0123456789-, –ab.", max_size=15), st.integers(1, 60))
def test_any_text_names_pages_that_exist_or_is_refused(text: str, total: int) -> None:
    try:
        pages = chosen_pages(parse_pages(text), total)
    except ToolValidationError as refusal:
        assert refusal.check_id == "read-pages" and len(refusal.message) < 400
        return
    assert 0 < len(pages) <= MAX_PAGES and list(pages) == sorted(set(pages))
    assert all(1 <= page <= total for page in pages)
