"""Records in a real page: themes, keyboard, and that nothing in them runs."""

from __future__ import annotations

import pytest

from jupyter_agenttools.core.updates import TurnEnded
from jupyter_agenttools.core.views import CodeBlockView, TableBlockView, TextBlockView, ToolView
from jupyter_agenttools.render import call_record, turn_record
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
