"""Terminal output: colours are understood, other sequences shown as a mark."""

from __future__ import annotations

import pytest
from hypothesis import given

from jupyter_agenttools.render.ansi import html_lines, last_writing, plain_lines
from jupyter_agenttools.render.chars import visible
from tests.support.markup import Page
from tests.support.nasty_views import texts


@pytest.mark.parametrize(
    ("line", "html"),
    [
        ("plain <b>", "plain &lt;b&gt;"),
        ("\x1b[31mred\x1b[0m.", '<span class="ansi-red-fg">red</span>.'),
        ("\x1b[1;92mok\x1b[22;39m.", '<span class="ansi-bold ansi-green-intense-fg">ok</span>.'),
        ("\x1b[44mx\x1b[49my", '<span class="ansi-blue-bg">x</span>y'),
        ("\x1b[103mx", '<span class="ansi-yellow-intense-bg">x</span>'),
        ("\x1b[38;5;208mx", '<span style="color:#ff8700">x</span>'),
        ("\x1b[48;5;244mx", '<span style="background-color:#808080">x</span>'),
        ("\x1b[38;5;9mx", '<span class="ansi-red-intense-fg">x</span>'),
        ("\x1b[38;2;1;2;3;1mx", '<span class="ansi-bold" style="color:#010203">x</span>'),
        ("\x1b[31;7mx", '<span class="ansi-red-bg">x</span>'),
        ("\x1b[7mx", '<span class="ansi-inverse">x</span>'),
        ("\x1b[38;5mx\x1b[38mx", "xx"),
        ("\x1b[2Kx\x1b[1;5Hy", "‹ESC›x‹ESC›y"),
        ("\x1b]0;title\x07x", "‹ESC›x"),
        ("\x1b]8;;http://e.example\x1b\\x\x1b]8;;\x1b\\", "‹ESC›x‹ESC›"),
        ("\x1b(Bx\x1b", "‹ESC›x‹U+001B›"),
        ("10%\r55%\r100%", "100%"),
        ("done\r", "done"),
    ],
)
def test_sequences(line, html):
    assert html_lines([line]) == [html]


def test_a_colour_lasts_over_lines_until_it_is_reset():
    assert html_lines(["\x1b[32ma", "b\x1b[0m", "c"]) == [
        '<span class="ansi-green-fg">a</span>',
        '<span class="ansi-green-fg">b</span>',
        "c",
    ]


@given(texts)
def test_html_and_text_say_the_same(text):
    lines = text.split("\n")
    assert [Page(html).text for html in html_lines(lines)] == plain_lines(lines)
    assert all(Page(html).problems == [] for html in html_lines(lines))


@given(texts.filter(lambda text: "\x1b" not in text))
def test_text_without_sequences_is_untouched(text):
    lines = text.split("\n")
    assert plain_lines(lines) == [visible(last_writing(line)) for line in lines]
