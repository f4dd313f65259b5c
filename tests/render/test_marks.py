"""Marked places in code that is HTML already."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.decision import Decision, DecisionStep
from jupyter_agenttools.core.views import CodeBlockView, TextBlockView, ToolView
from jupyter_agenttools.pipeline.permission import marked
from jupyter_agenttools.render import view_html
from jupyter_agenttools.render.chars import escape, visible
from jupyter_agenttools.render.limits import EVERYTHING, keep
from jupyter_agenttools.render.marks import with_marks
from tests.support.markup import Page

MARKED = re.compile("<mark>(.*?)</mark>", re.DOTALL)


def shown(text: str, *marks: tuple[int, int, int], language: str = "bash") -> str:
    page = view_html(ToolView("t", blocks=(CodeBlockView(text, language, marks=marks),)))
    assert Page(page).problems == []
    return page


def bare(part: str) -> str:
    return html.unescape(re.sub("<[^>]*>", "", part))


def test_the_place_is_marked_through_colours_and_escapes() -> None:
    page = shown('if ls -la && sort -o "$out"; then x; fi', (0, 10, 12), (0, 18, 27))
    found = MARKED.findall(page)
    assert found[0] == "&amp;&amp;" and "".join(map(bare, found[1:])) == '-o "$out"'
    assert re.search(r'<span class="s"><mark>', page), "colours stay in a line that has marks"


def test_what_is_made_visible_does_not_shift_a_mark() -> None:
    assert MARKED.findall(shown("a\u202eb c", (0, 2, 3))) == ["b"]
    assert MARKED.findall(shown("a\u202eb c", (0, 1, 2))) == ["‹U+202E›"]


def test_a_line_with_colours_of_a_terminal_is_marked_without_them() -> None:
    assert "".join(map(bare, MARKED.findall(shown("\x1b[31mred\x1b[0m", (0, 5, 8), language="terminal")))) == "red"


def test_two_places_side_by_side_stay_two() -> None:
    assert MARKED.findall(shown("aaa", (0, 0, 1), (0, 1, 2), language="")) == ["a", "a"]


def test_places_of_a_decision_are_told_by_line() -> None:
    steps = (
        DecisionStep("one", "ask", spans=((4, 7), (1, 5))),
        DecisionStep("two", "passthrough", spans=((0, 1),)),
        DecisionStep("three", "ask", spans=((5, 40),)),
    )
    view = ToolView("t", blocks=(TextBlockView("words"), CodeBlockView("ab\r\ncd\n\nef", "bash")))
    text, code = marked(view, Decision("ask", trace=steps)).blocks
    assert text == TextBlockView("words") and isinstance(code, CodeBlockView)
    assert set(code.marks) == {(0, 1, 3), (1, 0, 1), (1, 0, 2), (1, 1, 2), (3, 0, 2)}
    assert [bare(part) for part in MARKED.findall(shown(code.text, *code.marks))] == ["b", "c", "d", "ef"]


def test_without_marks_nothing_changes() -> None:
    assert "<mark" not in shown("ls") and marked(ToolView("t"), Decision("ask")) == ToolView("t")


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=20),
    st.integers(0, 20),
    st.integers(0, 20),
)
def test_exactly_the_marked_text_is_inside(text: str, start: int, end: int) -> None:
    (line,) = with_marks([escape(text)], keep(text, EVERYTHING), [(0, start, end)])
    assert bare(line) == visible(text)
    assert "".join(map(bare, MARKED.findall(line))) == visible(text[start:end])
