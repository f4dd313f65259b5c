"""Whatever a tool, a model or a file says, it is shown as text: in HTML, in Markdown, in a terminal."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from jupyter_agenttools.core.updates import TurnEnded
from jupyter_agenttools.core.views import CodeBlockView, TextBlockView, ToolView
from jupyter_agenttools.render import call_record, trace_text, turn_record, view_html, view_markdown, view_text
from jupyter_agenttools.render.chars import code_span, fence, visible
from jupyter_agenttools.render.markdown_html import markdown_html, safe_markdown
from tests.support.finished_calls import finished, shown_tool
from tests.support.markup import UNSEEN, Page
from tests.support.nasty_views import texts, views

densities = st.sampled_from(("condensed", "verbose", "transcript"))
UNSEEN_IN_TEXT = re.compile(UNSEEN.pattern)


def markdown_problems(text: str) -> list[str]:
    """What a renderer that lets HTML through would make of ``text`` and must not."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True
    problems, tokens = [], list(parser.parse(text))
    while tokens:
        token = tokens.pop()
        tokens += token.children or []
        if token.type in ("html_block", "html_inline", "image"):
            problems.append(f"{token.type}: {token.content!r}")
        if token.type == "link_open" and not str(token.attrs["href"]).startswith(("http://", "https://", "mailto:")):
            problems.append(f"link: {token.attrs}")
    return problems


@given(views, densities)
def test_html_holds_nothing_but_what_is_allowed(view, density):
    assert Page(view_html(view, density)).problems == []


@given(views, densities)
def test_markdown_holds_no_html_no_images_and_no_other_links(view, density):
    markdown = view_markdown(view, density)
    assert markdown_problems(markdown) == []
    assert not UNSEEN_IN_TEXT.search(markdown)


@given(views, densities)
def test_text_holds_nothing_unseen(view, density):
    assert not UNSEEN_IN_TEXT.search(view_text(view, density))
    colored = view_text(view, density, color=True)
    assert not UNSEEN_IN_TEXT.search(re.sub(r"\x1b\[\d*m", "", colored))


@settings(max_examples=50)
@given(views, texts, texts, st.sampled_from(("ok", "error", "denied", "interrupted")))
def test_records_are_safe_in_all_their_forms(view, title, text, status):
    tool = shown_tool(
        "Bash", view=view, render_tool_use=lambda input, density: ToolView(title, view.badges, view.blocks)
    )
    outcome = finished(tool, {"command": text, text: title}, text, status=status)
    for bundle in (call_record(outcome), turn_record([text, outcome], TurnEnded("end_turn", title, text))):
        assert Page(bundle["text/html"]).problems == []
        assert markdown_problems(bundle["text/markdown"]) == []
        assert not UNSEEN_IN_TEXT.search(bundle["text/plain"])
    assert not UNSEEN_IN_TEXT.search(trace_text(outcome))


@given(texts)
def test_code_spans_and_fences_hold_their_text(text):
    """Neither can be closed by what stands in it."""
    parser = MarkdownIt("commonmark")
    (_, span, _) = parser.parse(f"x{code_span(text)}x")
    assert [child.type for child in span.children] == ["text", "code_inline", "text"]
    (block,) = parser.parse(fence(text))
    assert block.type == "fence" and block.content.rstrip("\n") == visible(text).rstrip("\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a‹U+202E›b"),
        ("\ufeffa", "‹U+FEFF›a"),
        ("a\x00\x1b[1m", "a‹U+0000›‹U+001B›[1m"),
        ("a\rb", "a‹U+000D›b"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("naïve ✓ 日本", "naïve ✓ 日本"),
    ],
)
def test_what_hides_is_made_visible(text, shown):
    assert visible(text) == shown


def test_markdown_keeps_its_form_and_loses_its_dangers():
    html = markdown_html("**b** <i>x</i> [a](http://a.example) [j](javascript:x) ![p](http://e.example/p.png) &#x202E;")
    assert "<strong>b</strong>" in html and "&lt;i&gt;" in html
    assert '<a href="http://a.example" rel="noopener noreferrer">a</a>' in html
    assert "[j](javascript:x)" in html and "[image: p – http://e.example/p.png]" in html and "‹U+202E›" in html
    assert Page(html).problems == []


@pytest.mark.parametrize("text", ["<b>x</b>", "![x](http://e.example/x.png)", "[x](javascript:y)", "&#x202E;"])
def test_dangerous_markdown_goes_into_a_fence(text):
    assert safe_markdown(text) == f"```markdown\n{text}\n```"


def test_harmless_markdown_stays_as_it_is():
    text = "# Result\n\nUse `<details>` and [this](https://example.org).\n\n| a |\n|---|\n| 1 |"
    assert safe_markdown(text) == text


@given(texts)
@example("\r\n\r\n")
@example("\n\n")
def test_a_person_who_is_asked_sees_every_character(text):
    """The verbose form of code is the whole text, whatever the language."""
    expected = visible(text.removesuffix("\r\n" if text.endswith("\r\n") else "\n"))
    for language in ("", "bash", "python"):
        page = Page(view_html(ToolView("Bash", blocks=(CodeBlockView(text, language),))))
        assert page.pre.removesuffix("\n") == expected


def test_a_long_command_is_neither_folded_nor_cut_when_asked_about():
    command = "\n".join(f"echo {n}" for n in range(3_000)) + "\nrm -rf /"
    view = ToolView("Bash", blocks=(CodeBlockView(command, "bash"), TextBlockView("x" * 50_000)))
    html = view_html(view)
    assert "<details" not in html and Page(html).pre.strip() == command and "x" * 50_000 in html
    assert "rm -rf /" in view_text(view) and "more line" not in view_text(view)
