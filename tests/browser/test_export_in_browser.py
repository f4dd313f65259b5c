"""An exported session in a real browser: nothing in it runs or loads, the keyboard reaches all of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from jupyter_agenttools.core.blocks import ImageBlock, Message, TextBlock, ToolResultBlock, ToolUse
from jupyter_agenttools.session import save_export
from jupyter_agenttools.session.transcript import Transcript

pytestmark = pytest.mark.browser

ATTACK = "<img src=x onerror=window.PWN=1></script><script>window.PWN=1</script>"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """The page of a session with two turns, a call and an image, and attacks wherever foreign text stands."""
    transcript = Transcript(
        tmp_path / "s" / "transcript.jsonl", lambda: {"version": 2, "name": ATTACK, "model": ATTACK}
    )
    use = ToolUse("Bash", {"command": ATTACK}, "toolu_1")
    image = ImageBlock({"type": "base64", "media_type": "image/png", "data": PIXEL})
    transcript.on_message(Message("user", (TextBlock(f"First {ATTACK}"), image)))
    transcript.on_message(Message("assistant", (TextBlock(f"# {ATTACK}\n![x](http://127.0.0.1:9/x.png)"), use)))
    transcript._write("call_start", use.id, {"tool_use": dict(use)})
    stage = {"stage": "permission", "status": "denied", "reason": ATTACK, "duration_ms": 1.0, "out": {}}
    transcript._write("stage", use.id, stage)
    transcript._write("call_end", use.id, {"status": "denied", "block": dict(ToolResultBlock(use.id, ATTACK))})
    transcript.on_message(Message("user", (ToolResultBlock(use.id, ATTACK),)))
    transcript.on_message(Message("user", (TextBlock("Second"),)))
    transcript.close()
    return save_export(transcript.path, tmp_path / "page.html")


def opened(browser: Browser, path: Path, scheme: str = "light") -> tuple[Page, list[str]]:
    """The page, and what it asked for or complained about."""
    page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url))
    page.on("console", lambda message: seen.append(message.text))
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.goto(path.as_uri())
    return page, seen


def test_nothing_in_it_runs_or_loads(browser: Browser, exported: Path) -> None:
    page, seen = opened(browser, exported)
    page.eval_on_selector_all("details", "all => all.forEach(each => each.open = true)")
    assert page.evaluate("window.PWN") is None
    assert [url for url in seen if not url.startswith("data:image/png")] == [exported.as_uri()]
    assert page.evaluate("document.querySelector('img').naturalWidth") == 1
    assert page.locator("h1").count() == 1 and page.locator("h2").count() == 2
    page.close()


def test_the_keyboard_opens_a_call_and_reaches_each_turn(browser: Browser, exported: Path) -> None:
    page, _ = opened(browser, exported)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "agt-skip"
    call = page.locator("details.agt-call")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.parentElement.classList.contains('agt-call')"):
            break
    assert not call.evaluate("each => each.open")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert call.evaluate("each => each.open")
    page.locator("nav summary").press("Enter")
    page.locator("nav a").nth(1).press("Enter")
    assert page.evaluate("location.hash") == "#turn-2"
    page.close()


def test_it_follows_the_scheme_and_fits_a_narrow_window(browser: Browser, exported: Path) -> None:
    colours = []
    for scheme in ("light", "dark"):
        page, _ = opened(browser, exported, scheme)
        colours.append(page.evaluate("[document.body, document.querySelector('h1')].map(e => getComputedStyle(e)).map("
                                     "(s, n) => n ? s.color : s.backgroundColor)"))  # fmt: skip
        page.set_viewport_size({"width": 320, "height": 600})
        page.eval_on_selector_all("details", "all => all.forEach(each => each.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.close()
    (light_back, light_text), (dark_back, dark_text) = colours
    assert (light_back, dark_back) == ("rgb(255, 255, 255)", "rgb(13, 17, 23)") and light_text != dark_text
