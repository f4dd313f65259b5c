"""A turn in a real page: its text grows smoothly, its record reads well in both themes and opens with the keyboard."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.browser.test_record_in_browser import CONTRASTS_JS
from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

LOAD = "%load_ext jupyter_agenttools"
SETUP = '''
import anyio
from pathlib import Path
from jupyter_agenttools import tool
from jupyter_agenttools.notebook import get_session

for name, text in (("parse.py", "def parse(text):\\n    return text.split()\\n"), ("test_parse.py", "import parse\\n")):
    Path(name).write_text(text)

@tool(is_concurrency_safe=True, is_read_only=True)
async def weigh(what: str) -> str:
    """May run beside another."""
    await anyio.sleep(0.4)
    return f"{what}: 3 g"
'''
ANSWER = """## What I found

`parse` splits at **any** blank, so a field with a space in it is torn apart.

| input | fields |
|---|---|
| `a b` | 2 |
| `"a b"` | 2, should be 1 |

```python
import shlex

def parse(text):
    return shlex.split(text)
```

1. `shlex.split` keeps what stands in quotes together.
2. Nothing else calls `parse`.

See [the documentation](https://docs.python.org/3/library/shlex.html), not [this](javascript:alert(1))
<script>alert(1)</script>.
"""
TURNS: list[Any] = [
    {
        "thinking": "The person wants to know why the parser loses fields. Let me **read** it first, then its tests.",
        "text": "I look at the parser and its test.",
        "tool_uses": [
            {"name": "Read", "input": {"file_path": "parse.py"}},
            {"name": "Read", "input": {"file_path": "test_parse.py"}},
            {"name": "Grep", "input": {"pattern": "split"}},
        ],
        "usage": {"input_tokens": 5_120, "output_tokens": 96, "cache_read_tokens": 4_000},
        "delay_ms": 30,
    },
    {
        "text": "Now both at once, and a file that is not there.",
        "tool_uses": [
            {"name": "weigh", "input": {"what": "parse.py"}},
            {"name": "weigh", "input": {"what": "test_parse.py"}},
            {"name": "Read", "input": {"file_path": "nowhere.py"}},
        ],
        "usage": {"input_tokens": 5_900, "output_tokens": 80, "cache_read_tokens": 5_000},
        "delay_ms": 30,
    },
    {"text": ANSWER, "usage": {"input_tokens": 6_400, "output_tokens": 310}, "delay_ms": 25},
]
CELL = f"%%agent --script - Why are fields lost?\n{json.dumps(TURNS)}"
CHANGES_JS = """() => {
    window.times = [];
    new MutationObserver(() => window.times.push(performance.now()))
        .observe(document.body, {childList: true, subtree: true, characterData: true});
}"""


def shot(lab: LabPage, name: str) -> None:
    """Keep a picture where a person asked for pictures."""
    if folder := os.environ.get("AGENTTOOLS_SCREENSHOTS"):
        lab.page.locator(".jp-Cell").nth(2).screenshot(path=str(Path(folder, f"{name}.png")))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_turn_grows_and_its_record_reads_well(open_lab, theme: str) -> None:
    lab = open_lab(dark=theme == "dark")
    lab.write_nb(f"turn-{theme}.ipynb", [LOAD, SETUP, CELL])
    lab.open(f"turn-{theme}.ipynb")
    if theme == "dark":
        lab.set_theme("JupyterLab Dark")
    lab.run(0, wait=True)
    lab.run(1, wait=True)
    lab.page.evaluate(CHANGES_JS)
    lab.run(2)
    lab.page.get_by_text("thinking ·").wait_for()
    lab.page.locator(".widget-html").get_by_text("is torn apart").wait_for()
    shot(lab, f"turn-live-{theme}")
    lab.wait_done(2)
    lab.wait_text(2, "What I found")
    assert len(lab.page.evaluate("window.times")) > 10, "the text came piece by piece"
    shot(lab, f"turn-{theme}")
    check_record(lab)
    contrasts = lab.page.evaluate(CONTRASTS_JS)
    assert [found for found in contrasts if found[1] < 4.5] == []
    for summary in lab.page.locator(".agt-card[aria-label=Agent] > details > summary").all():
        summary.click()
    shot(lab, f"turn-open-{theme}")
    assert lab.errors == []


def check_record(lab: LabPage) -> None:
    """What stays of the turn, as a person without a mouse reads it."""
    page = lab.page
    assert page.locator(".widget-html").count() == 0, "no widget is left"
    card = page.locator(".agt-card[aria-label=Agent]")
    assert card.locator("h2", has_text="What I found").count() == 1 and card.locator("pre code").count() == 1
    assert card.get_by_role("link").all_inner_texts() == ["the documentation"], "only web links are links"
    assert card.locator("script").count() == 0
    words = card.inner_text()
    assert "Read 2 files · Grep · 3 calls" in words and "2 calls at the same time" in words
    assert "3 turns · 6 calls · 26,420 tokens in (9,000 cached), 486 out · free" in words
    thought = card.locator("p", has_text="Let me read it first")
    assert not thought.is_visible()
    card.locator("summary", has_text="thought ·").focus()
    page.keyboard.press("Enter")
    assert thought.is_visible()
    page.keyboard.press("Enter")
