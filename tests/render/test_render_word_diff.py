"""Words that changed within a line, and blanks that nobody could see."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.views import DiffBlockView, ToolView
from jupyter_agenttools.render import view_html, view_markdown, view_text
from jupyter_agenttools.render.diff_lines import MAX_SAME_CHARS, shown_lines, spacing_words
from jupyter_agenttools.render.diffs import unified
from jupyter_agenttools.render.limits import Limits
from jupyter_agenttools.render.word_diff import MAX_CELLS, MAX_LINE_CHARS, WordDiff, shared
from tests.support.markup import UNSEEN, Page

words = st.lists(st.sampled_from(["foo", "bar", "(", ")", " ", "  ", "\t", "=", "é", "日", "本", "\r", "\u202e", "1"]))
lines = st.lists((words.map("".join) | st.text(max_size=12)).map(lambda line: line.replace("\n", "")), max_size=6)


def marked(line: tuple[tuple[str, bool], ...]) -> str:
    return "".join(f"[{text}]" if changed else text for text, changed in line)


def compare(old: str, new: str) -> tuple[list[str], list[str]]:
    before, after = WordDiff().pieces(old.split("\n"), new.split("\n"))
    return [marked(line) for line in before], [marked(line) for line in after]


@given(lines, lines)
def test_the_pieces_give_back_both_sides(old: list[str], new: list[str]) -> None:
    before, after = WordDiff().pieces(old, new)
    assert ["".join(piece.text for piece in line) for line in before] == old
    assert ["".join(piece.text for piece in line) for line in after] == new


@given(lines, lines)
def test_what_is_not_marked_is_the_same_on_both_sides(old: list[str], new: list[str]) -> None:
    """What a line that has marks does not mark is what some line of the other side does not mark either."""
    before, after = WordDiff().pieces(old, new)
    unmarked = [{"".join(p.text for p in line if not p.changed) for line in side} for side in (before, after)]
    for here, there in ((before, unmarked[1]), (after, unmarked[0])):
        marked_lines = [line for line in here if any(piece.changed for piece in line)]
        assert all("".join(piece.text for piece in line if not piece.changed) in there for line in marked_lines)


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        ("x = f(a, b)", "x = f(a, c)", ["x = f(a, [b])"], ["x = f(a, [c])"]),
        ("def f(a):", "def f(a, b=1):", ["def f(a):"], ["def f(a[, b=1]):"]),
        ("    x = 1", "\tx = 1", ["[    ]x = 1"], ["[\t]x = 1"]),
        ("x = 1  ", "x = 1", ["x = 1[  ]"], ["x = 1"]),
        ("x\r", "x", ["x[\r]"], ["x"]),
        ("one two three four", "one 2 3 four", ["one [two three] four"], ["one [2 3] four"]),
        ("今日は良い天気", "今日は悪い天気", ["今日は[良]い天気"], ["今日は[悪]い天気"]),
        ("alpha beta", "something else", ["alpha beta"], ["something else"]),
        ("same\nkeep = 1", "new line\nkeep = 2", ["same", "keep = [1]"], ["new line", "keep = [2]"]),
        ("value = 1", "# why\nvalue = 2", ["value = [1]"], ["# why", "value = [2]"]),
        ("a = 1\nb = 2\nc = 3", "b = 22", ["a = 1", "b = [2]", "c = 3"], ["b = [22]"]),
    ],
)
def test_words_are_marked_in_the_lines_that_became_each_other(
    old: str, new: str, before: list[str], after: list[str]
) -> None:
    assert compare(old, new) == (before, after)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["0, " * 30_000 + "a"], ["0, " * 30_000 + "b"]),
        (["0, 1, " * 9_000], ["1, 0, 0, " * 9_000]),
        (["x" + " " * 200_000], ["x" + " " * 199_999 + "\t"]),
        (["0, " * 120] * 60, ["0, 1, " * 70] * 40),
        ([f"f({n}, a)" for n in range(3_000)], [f"f({n}, b)" for n in range(3_000)]),
        (["y" * (MAX_LINE_CHARS + 9)], ["y" * (MAX_LINE_CHARS + 8)]),
    ],
    ids=["one word in a long line", "all over a long line", "blanks", "alike", "many lines", "too long"],
)
def test_big_inputs_are_compared_within_the_bound_on_the_work(old: list[str], new: list[str]) -> None:
    differ = WordDiff()
    before, after = differ.pieces(old, new)
    assert [["".join(p.text for p in line) for line in side] for side in (before, after)] == [old, new]
    assert differ.work_left >= 0


def test_many_lines_are_paired_when_they_are_equally_many() -> None:
    count = int(MAX_CELLS**0.5) + 5
    before, after = WordDiff().pieces([f"f({n}, a)" for n in range(count)], [f"f({n}, b)" for n in range(count)])
    assert {marked(line).endswith("[a])") for line in before} == {True}
    assert {marked(line).endswith("[b])") for line in after} == {True}


def test_how_much_two_lines_share() -> None:
    assert shared(["a", " ", "b"], ["a", "b", " "]) == 1 and shared(["  "], ["\t"]) == 1
    assert shared(["aaa"], ["bbb"]) == 0 and shared([], []) == 0


# ---- as it is shown


def shown(old: str, new: str) -> list[str]:
    return [line.text for line in shown_lines(unified(old, new)) if line.kind in ("add", "del")]


def diff_view(old: str, new: str) -> ToolView:
    return ToolView("Edit", blocks=(DiffBlockView(old, new, "x.py"),))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("x = 1\n", "x = 1 \n", ["-x = 1", "+x = 1·"]),
        ("\tx\n", "    x\n", ["-⇥\tx", "+····x"]),
        ("a\n", "a\n  \t\n", ["+··⇥\t"]),
        ("a  \r\n", "a\r\n", ["-a··‹U+000D›", "+a‹U+000D›"]),
        ("a b\n", "a\u00a0b\n", ["-a·b", "+a‹U+00A0›b"]),
        ("a b c\n", "a b d\n", ["-a b c", "+a b d"]),
        ("admin\n", "adm\u200bin\n", ["-admin", "+adm‹U+200B›in"]),
    ],
)
def test_changed_blanks_can_be_seen(old: str, new: str, expected: list[str]) -> None:
    assert shown(old, new) == expected
    page, text = Page(view_html(diff_view(old, new))), view_text(diff_view(old, new))
    assert all(line + "\n" in page.pre for line in expected) and page.problems == []
    assert all(line.rstrip() in text for line in expected)


def test_words_are_marked_up_as_inserted_and_deleted() -> None:
    html = view_html(diff_view("x = <old>\n", "x = <new>\n"))
    assert '<span class="agt-del">-x = &lt;<del>old</del>&gt;\n</span>' in html
    assert '<span class="agt-add">+x = &lt;<ins>new</ins>&gt;\n</span>' in html
    assert ".agt ins" in html and ".agt del" in html, "the rules come with what needs them"
    assert "-x = <old>" in view_text(diff_view("x = <old>\n", "x = <new>\n")), "plain text stays a plain diff"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("a\r\nb\r\n", "a\nb\n", "line ends CR LF → LF, nothing else changes"),
        ("a\nb\n", "a\r\nb\n", "line ends LF → mixed, nothing else changes"),
        ("a\nb\n", "a\r\nc\r\n", "line ends LF → CR LF"),
        ("\ufeffa\n", "a\n", "byte order mark removed, nothing else changes"),
        ("a\n", "\ufeffb\n", "byte order mark added"),
        ("if a:\n  b\n", "if a:\n    b\n", "only blanks change"),
        ("a\r\n b\r\n", "a\nb\n", "line ends CR LF → LF, only blanks change"),
        ("a\n", "a", "only blanks change"),
        ("a\n", "b\n", ""),
        ("", "a\r\n", ""),
    ],
)
def test_what_is_easily_overlooked_is_said(old: str, new: str, words: str) -> None:
    assert spacing_words(old, new) == words
    for text in (view_text(diff_view(old, new)), Page(view_html(diff_view(old, new))).text):
        assert (f"· {words}" in text) == bool(words)


def test_the_change_in_a_very_long_line_is_found() -> None:
    old = ", ".join(f'"k{n}": {n}' for n in range(9_000))
    view = diff_view(old, old.replace('"k5000": 5000', '"k5000": "changed"'))
    page = Page(view_html(view))
    assert "changed" in page.pre and "equal characters" in page.pre and len(page.pre) < 2_000
    assert "changed" in view_text(view) and len(view_markdown(view)) < 2_000
    fresh = "z" * (MAX_SAME_CHARS * 3)
    assert fresh in Page(view_html(diff_view("a\n", f"a\n{fresh}\n"))).pre, "a new line is shown as a whole"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [("a", "b", 0), ("", "a", 0), ("a", "", 0), ("a\n", "b", 1), ("a", "a\n", 1), ("a\nb", "a\nc", 0)],
)
def test_a_cell_need_not_end_with_a_newline(old: str, new: str, told: int) -> None:
    view = ToolView("Edit", blocks=(DiffBlockView(old, new, fragment=True),))
    assert view_text(view).count("No newline") == Page(view_html(view)).text.count("No newline") == told


def test_marks_stay_right_when_lines_are_lost_and_cut() -> None:
    old = "".join(f"value {n} = {'x' * 60} old\n" for n in range(200))
    view = ToolView("Edit", blocks=(DiffBlockView(old, old.replace("old", "new")),))
    html = view_html(view, limits=Limits(shown_lines=12, kept_chars=3_000, line_chars=50))
    page = Page(html)
    assert page.problems == [] and "lines not kept here" in page.text and "… +" in page.text
    whole = view_html(view, limits=Limits(shown_lines=12, kept_chars=3_000))
    assert whole.count("<ins>new</ins>") > 5 and "<ins>old" not in whole and "<del>new" not in whole
    assert "value 199" in Page(whole).pre and "value 0 " in Page(whole).pre


documents = st.lists(words.map("".join), max_size=12).map("\n".join) | st.text(max_size=40)


@given(documents, documents)
def test_every_form_of_a_diff_is_safe_and_says_the_same(old: str, new: str) -> None:
    view = diff_view(old, new)
    page = Page(view_html(view))
    assert page.problems == [] and not re.search(UNSEEN, view_text(view))
    if old != new:
        told = [line.text for line in shown_lines(unified(old, new))]
        assert page.pre == "".join(line + "\n" for line in told)
