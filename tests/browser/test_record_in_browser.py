"""Records in a real page: themes, keyboard, and that nothing in them runs."""

from __future__ import annotations

import pytest

from jupyter_agenttools.core.updates import TurnEnded
from jupyter_agenttools.core.views import (
    ChecklistBlockView,
    ChecklistItem,
    CodeBlockView,
    DiffBlockView,
    ImageBlockView,
    TableBlockView,
    TextBlockView,
    ToolView,
)
from jupyter_agenttools.render import call_record, turn_record, view_html
from tests.support.finished_calls import finished, shown_tool

pytestmark = pytest.mark.browser

ATTACK = "<img src=x onerror=window.PWN=1><script>window.PWN=1</script>"


def record_html() -> str:
    tool = shown_tool(
        "Glob",
        TextBlockView(ATTACK, markdown=True),
        CodeBlockView(ATTACK, "html"),
        TableBlockView((ATTACK,), ((ATTACK,),)),
        render_tool_use=lambda input, density: ToolView(f"Glob {ATTACK}"),
    )
    outcome = finished(tool, {"pattern": ATTACK}, ATTACK)
    return (
        call_record(outcome)["text/html"] + turn_record([ATTACK, outcome], TurnEnded("end_turn", ATTACK))["text/html"]
    )


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

CONTRASTS_JS = """() => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const pixel = (colors) => {
        canvas.globalCompositeOperation = 'copy';
        canvas.fillStyle = '#fff';
        canvas.fillRect(0, 0, 1, 1);
        canvas.globalCompositeOperation = 'source-over';
        for (const color of colors) { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); }
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = (rgb) => rgb.map(part => part / 255)
        .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    const measure = (node) => {
        const layers = [];
        for (let at = node; at; at = at.parentElement) layers.unshift(getComputedStyle(at).backgroundColor);
        const pair = [pixel(layers), pixel([...layers, getComputedStyle(node).color])].map(luminance);
        return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    };
    const own = (node) => [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim());
    return [...document.querySelectorAll('.agt *:not(style)')].filter(own)
        .map(node => [node.tagName + '.' + node.className + ' ' + node.textContent.slice(0, 30), measure(node)]);
}"""


def blocks_html() -> str:
    """Every kind of block that has colours of its own or may be too wide."""
    states = ("done", "in_progress", "pending")
    page = ImageBlockView("image/png", PIXEL, "the first page", "page 1")
    long = '{"a": [' + ", ".join(map(str, range(900))) + "]}"
    blocks = (
        DiffBlockView("value = 1\n\tx\nsame\n", "value = 2  \n    x\nsame\n", "/a/b.py"),
        DiffBlockView(long, long.replace("450", "4x0")),
        ChecklistBlockView(tuple(ChecklistItem(f"item {state} {'word ' * 30}", state) for state in states)),
        TableBlockView(
            ("file", "n", "line"), (("src/" * 30, "12", "x = 1 " * 40),), "found", ("code", "number", "code")
        ),
        CodeBlockView("3: found here", marks=((0, 3, 8),)),
        *(page, page),
    )
    return view_html(ToolView("Tool about", blocks=blocks))


def luminance(page, selector: str, prop: str) -> int:
    script = """([selector, prop]) => getComputedStyle(document.querySelector(selector))[prop]
        .match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0)"""
    return page.evaluate(script, [selector, prop])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system(browser, scheme):
    page = browser.new_page(color_scheme=scheme)
    page.set_content(record_html())
    background, text = (luminance(page, ".agt-card", prop) for prop in ("backgroundColor", "color"))
    assert (background > text) == (scheme == "light") and abs(background - text) > 400
    page.close()


@pytest.mark.parametrize(("light", "scheme"), [("true", "dark"), ("false", "light")])
def test_a_jupyterlab_theme_wins_over_the_system(browser, light, scheme):
    page = browser.new_page(color_scheme=scheme)
    page.set_content(f'<body data-jp-theme-light="{light}">{record_html()}</body>')
    background, text = (luminance(page, ".agt-card", prop) for prop in ("backgroundColor", "color"))
    assert (background > text) == (light == "true")
    page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_can_be_read_against_what_is_behind_it(browser, theme):
    page = browser.new_page(color_scheme=theme)
    page.set_content(f"<!doctype html><body>{blocks_html()}</body>")
    contrasts = page.evaluate(CONTRASTS_JS)
    assert {"INS", "DEL", "MARK", "S", "B", "TD", "FIGCAPTION"} <= {name.partition(".")[0] for name, _ in contrasts}
    assert [found for found in contrasts if found[1] < 4.5] == []
    page.close()


def test_wide_blocks_scroll_by_themselves_in_a_narrow_page(browser):
    page = browser.new_page(viewport={"width": 600, "height": 800})
    page.set_content(f"<!doctype html><body>{blocks_html()}</body>")
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.evaluate(wide), "the page itself stays as wide as it is"
    assert page.evaluate("(n => n.scrollWidth > n.clientWidth)(document.querySelector('.agt-scroll'))")
    page.close()


def test_a_long_title_begins_beside_its_first_word(browser):
    page = browser.new_page(viewport={"width": 600, "height": 800})
    page.set_content(f"<!doctype html><body>{view_html(ToolView('$ ' + 'echo some words; ' * 20))}</body>")
    first, rest = (
        page.evaluate(f"document.querySelector('.agt-head {tag}').getClientRects()[0].top") for tag in ("b", "code")
    )
    assert abs(first - rest) < 10
    page.close()


def test_blocks_are_told_to_a_screen_reader(browser):
    page = browser.new_page()
    page.set_content(f"<!doctype html><body>{blocks_html()}</body>")
    assert page.get_by_role("list").get_by_role("listitem").count() == 3
    assert page.get_by_role("listitem").filter(has_text="in progress").count() == 1
    assert page.get_by_role("columnheader").all_inner_texts() == ["file", "n", "line"]
    assert page.get_by_role("img", name="the first page").count() == 2
    assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth === 1)")
    page.close()


def test_nothing_runs_and_nothing_is_loaded(browser):
    page = browser.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.set_content(record_html(), wait_until="networkidle")
    assert page.evaluate("window.PWN") is None
    assert requests == [] and page.locator(".agt img, .agt script").count() == 0
    page.close()


def test_the_walk_opens_with_the_keyboard_alone(browser):
    page = browser.new_page()
    page.set_content(record_html())
    row = page.get_by_role("cell", name="parse_input").first
    assert not row.is_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert row.is_visible()
    page.close()


def test_a_jupyterlab_page_shows_the_record_as_text(open_lab):
    lab = open_lab()
    lab.write_nb("r.ipynb", [f"display({{'text/html': {record_html()!r}}}, raw=True)"])
    lab.open("r.ipynb")
    lab.run(0, wait=True)
    lab.wait_text(0, "window.PWN=1")
    assert lab.page.evaluate("window.PWN") is None and lab.errors == []
    align = lab.page.evaluate("getComputedStyle(document.querySelector('.agt td')).textAlign")
    assert align == "left"  # JupyterLab's own rule for tables would say right
    assert lab.page.evaluate("getComputedStyle(document.querySelector('.agt pre')).wordBreak") == "normal"
