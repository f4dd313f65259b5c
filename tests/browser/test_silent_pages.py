"""Open notebooks whose page sleeps, is cut off or goes away: nothing is written under the person's hands or lost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.browser.test_live_documents import (
    WIDGET_JS,
    another_page,
    call,
    cell_of,
    edit,
    of_other,
    on_disk,
    open_beside,
    opened,
    tool,
)
from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

TIMED = "import time\nbegan = time.monotonic()\n{code}\nprint('took', time.monotonic() - began)"
SOURCE = "other.content.model.cells.get({}).sharedModel.getSource()"
LAB = "from jupyter_agenttools.notebook.loaded import get_loaded\nlab = get_loaded().lab\n"
DOCUMENT = (
    LAB + "import os\ndocument = lab.documents(lambda: True).find(os.path.realpath('b.ipynb'))\n"
    "revision = (await document.snapshot()).revision\nprint('looked')"
)
APPLY = (
    "try:\n    await lab.channel.request(document._places[0].client, 'apply', {{'path': 'b.ipynb', "
    "'revision': revision, 'operations': [{{'op': 'source', 'cell': {cell!r}, 'source': 'too late'}}]}}, 0.5)\n"
    "except Exception as problem:\n    print(type(problem).__name__)"
)
CLOSE_ON_REQUEST = (
    f"{WIDGET_JS} Object.defineProperty(other.context, 'ready', {{get() {{"
    "setTimeout(() => window.dispatchEvent(new Event('pagehide')), 50); return new Promise(() => undefined); }});"
)


@pytest.fixture
def pages(open_lab) -> tuple[LabPage, LabPage]:
    """One that calls tools, and a newer one that has ``b.ipynb`` open beside, with unsaved work."""
    lab = open_lab("lab")
    lab.write_nb("b.ipynb", ["y = 1", "z = 1"])
    opened(lab)
    newer = another_page(lab)
    open_beside(newer, "b.ipynb")
    newer._js(f"{WIDGET_JS} other.content.model.cells.get(0).sharedModel.setSource('typed');", ["b.ipynb"])
    assert "typed" in call(lab, tool("Read", file_path="b.ipynb"))
    return lab, newer


@contextmanager
def frozen(page: LabPage) -> Iterator[None]:
    """It stands still, as browsers have it with tabs behind others; what is said to it waits for it."""
    session = page.page.context.new_cdp_session(page.page)
    session.send("Debugger.enable")
    session.send("Debugger.pause")
    try:
        yield
    finally:
        session.send("Debugger.resume")
        session.send("Debugger.disable")
        session.detach()


@contextmanager
def cut_off(page: LabPage) -> Iterator[None]:
    """Nothing comes through in either direction, and it gets no new connections."""
    session = page.page.context.new_cdp_session(page.page)
    session.send("Network.enable")
    offline = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", {"offline": True, **offline})
    try:
        yield
    finally:
        session.send("Network.emulateNetworkConditions", {"offline": False, **offline})
        session.detach()


@pytest.mark.parametrize("away", [frozen, cut_off], ids=["frozen", "cut-off"])
def test_an_edit_of_a_page_that_is_away_is_refused_soon_and_works_when_it_is_back(pages, away) -> None:
    lab, newer = pages
    cells, before = [cell_of(newer, "b.ipynb", index) for index in range(2)], on_disk(lab, "b.ipynb")
    assert call(lab, DOCUMENT) == "looked"
    with away(newer):
        said = call(lab, TIMED.format(code=edit("b.ipynb", cell_id=cells[1], new_source="z = 2")))
        assert "error" in said and "does not answer" in said
        print(f"refused: {said.rpartition('took')[2].strip()} s")
        assert float(said.rpartition("took")[2]) < 6
        assert call(lab, APPLY.format(cell=cells[0])) == "PageSilentError"
        assert on_disk(lab, "b.ipynb") == before
    limit = time.monotonic() + 60
    while "ok Updated" not in (said := call(lab, edit("b.ipynb", cell_id=cells[1], new_source="z = 3"))):
        assert "does not answer" in said
        assert time.monotonic() < limit
    assert "open document" in said
    assert of_other(newer, "b.ipynb", SOURCE.format(0)) == "typed"  # and not what nobody waited for any longer
    assert of_other(newer, "b.ipynb", SOURCE.format(1)) == "z = 3"
    assert on_disk(lab, "b.ipynb") == before


def test_a_page_that_is_closed_before_it_answers_is_not_waited_for(pages) -> None:
    lab, newer = pages
    cell = cell_of(newer, "b.ipynb", 1)
    newer._js(CLOSE_ON_REQUEST, ["b.ipynb"])
    said = call(lab, TIMED.format(code=edit("b.ipynb", cell_id=cell, new_source="z = 2")))
    assert float(said.rpartition("took")[2]) < 5
    assert "Nothing was written. Read it again" in said  # what was read there had not reached the file
    assert [each.source for each in lab.read_nb("b.ipynb").cells] == ["y = 1", "z = 1"]
    call(lab, tool("Read", file_path="b.ipynb"))
    said = call(lab, edit("b.ipynb", cell_id=cell, new_source="z = 2"))
    assert "ok Updated" in said and "open document" not in said
    assert [each.source for each in lab.read_nb("b.ipynb").cells] == ["y = 1", "z = 2"]
