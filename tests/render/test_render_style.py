"""The stylesheet: small, themed, and independent of where it stands."""

from __future__ import annotations

import re

from jupyter_agenttools.core.views import (
    ChecklistBlockView,
    ChecklistItem,
    CodeBlockView,
    DiffBlockView,
    ImageBlockView,
    TableBlockView,
    ToolView,
)
from jupyter_agenttools.render import style_tag, view_html
from jupyter_agenttools.render.style import rules


def test_colours_follow_jupyterlab_and_else_the_system():
    sheet = style_tag()
    assert "color-scheme:light dark" in sheet
    assert '[data-jp-theme-light="true"] .agt{color-scheme:light}' in sheet
    assert '[data-jp-theme-light="false"] .agt' in sheet and "color-scheme:dark" in sheet
    for name in ("ui-font-color1", "ui-font-color2", "border-color2", "layout-color1", "code-font-family"):
        assert re.search(rf"var\(--jp-{name},[^;}}]+\)", sheet), f"--jp-{name} needs a fallback"
    assert "url(" not in sheet and "@import" not in sheet


def test_every_rule_is_about_our_own_elements():
    assert all(".agt" in selector for rule in rules() for selector in rule.text.partition("{")[0].split(","))


def test_a_view_brings_only_the_rules_that_it_needs():
    plain = view_html(ToolView("Bash", blocks=(CodeBlockView("x"),)))
    diff = view_html(ToolView("Edit", blocks=(DiffBlockView("a", "b"),)))
    assert ".agt-add" not in plain and "ansi-" not in plain and " table" not in plain
    assert ".agt-add" in diff and ".agt-box" in plain
    assert len(plain) < 3_000 and len(style_tag()) < 9_000


def test_every_class_that_is_used_has_a_rule():
    text = "\x1b[1;31;42mx\x1b[0;3;4;2;7my"
    page = ImageBlockView("image/png", "iVBORw0KGgo=", caption="page 1")
    blocks = (
        CodeBlockView(text, "terminal"),
        CodeBlockView("def f(): return 'a' # c\n", "python"),
        DiffBlockView("x = 1", "x = 2  \n"),
        TableBlockView(("a", "b"), (("1", "2"),), kinds=("number", "code")),
        ChecklistBlockView(tuple(ChecklistItem("x", state) for state in ("done", "in_progress", "pending"))),
        *(page, page),
    )
    view = ToolView("X", blocks=blocks)
    html = view_html(view, "transcript")
    used = {name for value in re.findall(r'class="([^"]*)"', html) for name in value.split()}
    for_mathjax = {"mathjax_ignore", "mathjax_process"}  # they tell a front end what may be set as mathematics
    assert used - set(re.findall(r"\.([a-z][\w-]*)", style_tag())) <= for_mathjax
