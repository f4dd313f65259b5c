"""Underlined places in code that is HTML already."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.views import CodeBlockView, ToolView
from jupyter_agenttools.render import view_html
from jupyter_agenttools.render.marks import underlined


def shown(text: str, *marks: tuple[int, int]) -> str:
    return view_html(ToolView("t", blocks=(CodeBlockView(text, "bash", marks=marks),)))


def test_the_place_is_underlined_through_colours_and_escapes() -> None:
    page = shown("ls -la && sort -o out", (7, 9), (15, 17))
    assert '<u class="agt-mark">&amp;&amp;</u>' in page
    assert re.search(r'<u class="agt-mark">(?:<[^>]*>)*-o', page)


def test_places_in_later_lines_count_line_breaks() -> None:
    assert underlined(["ab", "cd"], ["ab", "cd"], [(4, 5)]) == ["ab", 'c<u class="agt-mark">d</u>']
    assert underlined(["ab", "cd"], ["ab", "cd"], [(1, 4)])[0].endswith("b</u>")


def test_without_marks_nothing_changes() -> None:
    assert "agt-mark" not in re.sub(r"<style.*?</style>", "", shown("ls"), flags=re.DOTALL)


@given(
    st.text(st.characters(codec="ascii", exclude_characters="\n\r"), max_size=20),
    st.integers(0, 20),
    st.integers(0, 20),
)
def test_exactly_the_marked_text_is_inside(text: str, start: int, end: int) -> None:
    (line,) = underlined([html.escape(text)], [text], [(start, end)])
    inside = "".join(re.findall(r'<u class="agt-mark">(.*?)</u>', line))
    assert html.unescape(inside) == text[start:end]
    assert html.unescape(re.sub(r"</?u[^>]*>", "", line)) == text
