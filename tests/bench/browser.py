"""What a person notices in a real page: how soon a click decides, how far the page is behind a flood of output."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.browser import LabPage, LabServer, open_browser

from .measure import Figure, median

CLICKS = 15
LINES = 100_000

ASK = """
import asyncio, time
from jupyter_agenttools.notebook import get_session
_answers = []
class _Watch:
    def on_permission_answer(self, request, answer):
        _answers.append(time.time())
_undo = get_session().observers.attach(_Watch())
"""

WHEN_CLICKED = """() => new Promise(done => {
    const button = [...document.querySelectorAll('.jp-Notebook button')].find(b => b.innerText === 'Allow once');
    button.addEventListener('click', () => done(Date.now() / 1000), {once: true});
    button.click();
})"""


def _clicks(lab: LabPage) -> list[float]:
    """Milliseconds from each click in the page to the decision in the kernel; both clocks are this machine's."""
    delays = []
    for _ in range(CLICKS):
        lab.run(2)
        lab.wait_button("Allow once")
        clicked = lab.page.evaluate(WHEN_CLICKED)
        lab.wait_done(2)
        lab.run(3, wait=True)
        delays.append((float(lab.text(3)) - clicked) * 1000)
    return delays


def _behind(lab: LabPage) -> tuple[float, int]:
    """Seconds from the end of the command to its last line on the page, and the lines on disk."""
    lab.run(4)
    lab.wait_button("Allow once")
    lab.click_button("Allow once")
    lab.wait_text(4, str(LINES))
    seen = time.time()
    lab.wait_done(4)
    lab.run(5, wait=True)
    ended, lines = lab.text(5).split()
    return seen - float(ended), int(lines)


def figures() -> Iterator[Figure]:
    """The figures of this module, one after the other."""
    cells = [
        "%load_ext jupyter_agenttools",
        ASK,
        "%tool Bash touch made",
        "print(_answers[-1])",
        f"x = %tool Bash touch made; seq 1 {LINES}; date +%s.%N > ended",
        "print(open('ended').read().strip(), sum(1 for _ in open(x.output.persisted_output_path)))",
    ]
    with TemporaryDirectory() as name, LabServer(Path(name)) as server, open_browser() as browser:
        with LabPage(server, browser) as lab:
            lab.write_nb("a.ipynb", cells)
            lab.open("a.ipynb")
            lab.run(0, wait=True)
            lab.run(1, wait=True)
            yield Figure("click to decision in the kernel", median(_clicks(lab)), None, "ms", 50)
            behind, lines = _behind(lab)
            yield Figure(f"page behind {LINES:,} lines", behind, None, "s", 0.5, {"lines on disk": lines})
            yield Figure("lines lost on disk", LINES - lines, None, "lines", 0)
