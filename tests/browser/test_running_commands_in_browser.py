"""A running command in a real browser: a person answers its question, and lets it go on in the background."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

ASKS = (
    "%tool Bash read -p 'Name: ' name; read -sp 'Password: ' secret; echo; "
    "echo $name has ${#secret} letters > said; cat said"
)
LONG = "%tool Bash touch begun; sleep 4; touch ended"
MUCH = "%tool Bash touch begun; for n in $(seq 300); do echo line $n; sleep 0.02; done; sleep 300"
WIDE = f"%tool Bash touch {' ' * 200} 'a {'long word ' * 30}'; rm -rf kept"


def photographed(lab: LabPage, name: str) -> None:
    """Keep a picture where somebody wants to look at them."""
    if folder := os.environ.get("BROWSER_SHOTS"):
        lab.screenshot(Path(folder) / f"{name}.png")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_answering_a_program_and_letting_one_go_on(open_lab, dark: bool) -> None:
    lab: LabPage = open_lab("lab", dark=dark)
    lab.write_nb("a.ipynb", ["%load_ext jupyter_agenttools", ASKS, LONG, "%agent tasks"])
    lab.open("a.ipynb")
    lab.run(0, wait=True)
    lab.run(1)
    lab.click_button("Allow once")
    answer = lab.page.get_by_label("Your answer")
    answer.wait_for(timeout=15_000)
    photographed(lab, f"answer-{dark}")
    answer.fill("Ada")
    answer.press("Enter")
    password = lab.page.get_by_label("Password")
    password.wait_for(timeout=15_000)
    assert password.get_attribute("type") == "password"
    password.fill("swordfish")
    photographed(lab, f"password-{dark}")
    lab.click_button("Send")
    lab.wait_done(1)
    lab.wait_text(1, "Ada has 9 letters")
    lab.save()
    assert "swordfish" not in (lab.server.root / "a.ipynb").read_text()
    lab.run(2)
    lab.click_button("Allow once")
    lab.click_button("Background")
    lab.wait_done(2, timeout_s=10)
    lab.wait_text(2, "in the background: bash_1")
    lab.run(3, wait=True)
    lab.wait_text(3, "running")
    photographed(lab, f"background-{dark}")
    lab.wait_text(2, "completed, exit code 0")
    photographed(lab, f"ended-{dark}")
    assert lab.errors == []


def test_the_buttons_stay_in_sight_below_much_output(open_lab) -> None:
    lab: LabPage = open_lab("lab")
    lab.write_nb("a.ipynb", ["%load_ext jupyter_agenttools", MUCH])
    lab.open("a.ipynb")
    lab.page.set_viewport_size({"width": 1200, "height": 800})
    lab.run(0, wait=True)
    lab.run(1)
    lab.click_button("Allow once")
    lab.wait_text(1, "line 120")
    shown = lab.cell(1).evaluate(
        """cell => {
            const box = cell.querySelector('.agt-live .agt-terminal'), edge = box.getBoundingClientRect();
            const last = [...box.querySelectorAll('pre')].at(-1).getBoundingClientRect();
            return [edge.height, box.scrollHeight > box.clientHeight, last.bottom <= edge.bottom + 1];
        }"""
    )
    assert shown[0] < 450 and shown[1:] == [True, True], "a low box that stands at its end"
    box = lab.wait_button("Stop").bounding_box()
    assert box is not None and box["y"] + box["height"] < 800
    photographed(lab, "much")
    lab.click_button("Stop")
    lab.wait_done(1, timeout_s=10)


def test_nothing_of_a_command_lies_beyond_the_edge_of_its_card(open_lab) -> None:
    lab: LabPage = open_lab("lab")
    lab.write_nb("a.ipynb", ["%load_ext jupyter_agenttools", WIDE])
    lab.open("a.ipynb")
    lab.page.set_viewport_size({"width": 700, "height": 900})
    lab.run(0, wait=True)
    lab.run(1)
    lab.wait_button("Allow once")
    hidden = lab.cell(1).evaluate(
        "cell => [...cell.querySelectorAll('.agt-box')].filter(box => box.scrollWidth > box.clientWidth + 1).length"
    )
    assert hidden == 0 and "rm -rf kept" in lab.text(1)
    photographed(lab, "wide")
    lab.click_button("Deny")
    lab.click_button("Send denial")
    lab.wait_done(1)
