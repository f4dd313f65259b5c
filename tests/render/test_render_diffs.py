"""Unified diffs: what they say is enough to make the new text out of the old one."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.views import DiffBlockView, ToolView
from jupyter_agenttools.render import view_html, view_text
from jupyter_agenttools.render.diffs import MAX_COMPARED_LINES, NO_NEWLINE, unified
from tests.support.markup import Page

lines = st.lists(
    st.sampled_from(["a\n", "b\n", "c\n", "\n", "+x\n", "-y\n", "@@ z\n", "d\r\n", "e\x0cf\n"]), max_size=30
)
documents = st.builds(lambda body, end: "".join(body) + end, lines, st.sampled_from(["", "last", "\r"]))


def applied(old: str, diff_lines: list[str]) -> str:
    """``old`` with a unified diff applied to it, by nothing but the diff's own words."""
    before, at, last = re.findall(r"[^\n]*\n|[^\n]+", old), 0, ""
    result: list[str] = []
    for line in diff_lines:
        if head := re.match(r"@@ -(\d+)(?:,(\d+))? \+", line):
            first = int(head[1]) - (0 if head[2] == "0" else 1)
            result += before[at:first]
            at = first
        elif line == NO_NEWLINE:
            if last in " +":
                result[-1] = result[-1].removesuffix("\n")
        else:
            last, content = line[0], line[1:] + "\n"
            if last in " -":
                assert before[at].removesuffix("\n") == line[1:]
                at += 1
            if last in " +":
                result.append(content)
    return "".join(result + before[at:])


@given(documents, documents)
def test_a_diff_turns_the_old_text_into_the_new(old, new):
    diff = unified(old, new)
    assert applied(old, [line.text for line in diff.lines]) == new
    assert (diff.lines == []) == (old == new)


def test_only_what_changed_is_shown():
    old = "".join(f"line {n}\n" for n in range(10_000))
    diff = unified(old, old.replace("line 5000\n", "new\n"))
    assert [line.text for line in diff.lines] == [
        "@@ -4998,7 +4998,7 @@",
        *(f" line {n}" for n in (4997, 4998, 4999)),
        "-line 5000",
        "+new",
        *(f" line {n}" for n in (5001, 5002, 5003)),
    ]
    assert (diff.added, diff.removed) == (1, 1)


def test_very_long_changes_are_shown_as_one():
    old = "".join(f"a{n}\n" for n in range(MAX_COMPARED_LINES + 1))
    diff = unified(old, old.replace("a", "b"))
    assert diff.removed == diff.added == MAX_COMPARED_LINES + 1


def test_changed_line_ends_and_a_missing_newline_are_visible():
    assert [line.text for line in unified("a\r\nb", "a\nb\n").lines][1:] == ["-a\r", "-b", NO_NEWLINE, "+a", "+b"]
    view = ToolView("Edit", blocks=(DiffBlockView("a\r\nb", "a\nb\n", "x.txt"),))
    assert "-a‹U+000D›" in view_text(view) and "-a‹U+000D›" in Page(view_html(view)).pre


def test_signs_and_counts_can_be_read_without_colour():
    view = ToolView("Edit", blocks=(DiffBlockView("a\nb\n", "a\nc\n", "src/x.py"),))
    page = Page(view_html(view))
    assert page.pre == "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    assert "src/x.py +1 −1" in page.text and "src/x.py +1 −1" in view_text(view)
