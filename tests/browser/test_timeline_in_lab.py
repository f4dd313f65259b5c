"""The timeline of a real turn: who ran beside whom, who waited and why, in a saved notebook without a kernel."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Locator

from tests.browser.test_trace_in_lab import DARK, MIME, focused, open_saved, ready, show_trace
from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

LOAD = "%load_ext jupyter_agenttools"
TOOLS = '''
import anyio
from jupyter_agenttools import tool
from jupyter_agenttools.notebook import get_session
get_session().reload_settings({"permissions": {"allow": ["store"], "deny": ["Bash(rm *)"]}})

LOOKED = []

@tool(is_concurrency_safe=True, is_read_only=True)
async def look(path: str, seconds: float) -> str:
    """May run beside another; the first one is over after the two beside it."""
    while path == "parse.py" and len(LOOKED) < 2:
        await anyio.sleep(0.01)
    await anyio.sleep(seconds)
    LOOKED.append(path)
    return f"{path}: 3 lines"

@tool
async def store(path: str) -> str:
    """Runs alone."""
    await anyio.sleep(0.5)
    return f"{path}: written"
'''


def use(tool: str, **input: Any) -> dict[str, Any]:
    return {"name": tool, "input": input}


SCRIPT = [
    {
        "text": "I look at three files, write two, and clean up.",
        "tool_uses": [
            use("look", path="parse.py", seconds=0.4),
            use("look", path="test_parse.py", seconds=0.3),
            use("look", path="a/rather/long/path/to/data.csv", seconds=0.5),
            use("store", path="parse.py"),
            use("store", path="notes.md"),
            use("Bash", command="rm -rf build"),
            use("look", path="notes.md", seconds=0.2),
        ],
    },
    "Done.",
]


@pytest.fixture(scope="module")
def turn(browser, server_of) -> dict[str, Any]:
    """What a real turn leaves in its notebook, run once for all the tests here."""
    with LabPage(server_of("lab"), browser) as lab:
        lab.write_nb("turn.ipynb", [LOAD, TOOLS, f"%%agent --script -\n{json.dumps(SCRIPT)}"])
        lab.open("turn.ipynb")
        ready(lab)
        for index in range(3):
            lab.run(index, wait=True)
        lab.save()
        saved = lab.read_nb("turn.ipynb")
    return next(dict(each.data) for each in saved.cells[2].outputs if MIME in each.data)


def rows(page: Locator) -> list[str]:
    lines = page.locator(".jp-AgentTrace-timeline li button").all()
    return [line.get_attribute("aria-label") or "" for line in lines]


def spans(page: Locator, at: int) -> list[str]:
    drawn = page.locator(".jp-AgentTrace-timeline li").nth(at).locator(".jp-AgentTrace-bar > span").all()
    return [span.get_attribute("data-status") or "" for span in drawn]


@pytest.mark.parametrize(("app", "dark"), [("lab", False), ("lab", True), ("notebook", False)])
def test_a_real_turn_tells_who_waited_and_why(open_lab, shoot, turn: dict[str, Any], app: str, dark: bool) -> None:
    lab = open_saved(open_lab(app, dark=dark, overrides=DARK if dark else None), turn)
    lab.page.wait_for_selector(f"body[data-jp-theme-light={str(not dark).lower()!r}]", state="attached")
    page = show_trace(lab)
    name = f"{app}-{'dark' if dark else 'light'}"
    shoot(lab, f"timeline-{name}")
    told = rows(page)
    assert [line.split(":")[0] for line in told[:2]] == [
        "1 look path=parse.py seconds=0.4",
        "2 look path=test_parse.py seconds=0.3",
    ]
    assert told[0].startswith("1 look path=parse.py seconds=0.4: ok, ran ") and "waited" not in told[0]
    assert "result kept" in told[1] and "until after look (call 1)" in told[1]
    assert "for look (call 1), look (call 2), look (call 3): it waits to run alone" in told[3]
    assert "for store (call 4): it waits to run alone" in told[4]
    assert "6 Bash $ rm -rf build: denied, ran" in told[5]
    assert "for Bash (call 6): it waits for one that runs alone" in told[6]
    assert spans(page, 0)[-1] != "queued" and "executing" in spans(page, 0)
    assert spans(page, 1)[-2:] == ["executing", "completed"]
    assert spans(page, 3)[:2] == ["queued", "executing"]
    assert page.locator(".jp-AgentTrace-timeline li[data-status=denied]").count() == 1
    why = page.locator(".jp-AgentTrace-why")
    lab.page.keyboard.press("ArrowDown")
    assert focused(lab) == told[1] == why.inner_text()
    lab.page.keyboard.press("End")
    lab.page.keyboard.press("Home")
    for _ in range(4):
        lab.page.keyboard.press("ArrowDown")
    whole = page.get_by_role("status").inner_text()
    lab.page.keyboard.press("+")
    lab.page.keyboard.press("+")
    assert page.get_by_role("status").inner_text() != whole
    assert why.inner_text() == told[4]
    shoot(lab, f"timeline-zoomed-{name}")
    lab.page.keyboard.press("0")
    lab.page.keyboard.press("Enter")
    assert "waits to run alone" in focused(lab)
    assert lab.page.locator(".jp-Dialog").count() == 0 and not lab.errors
