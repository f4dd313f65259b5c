"""RunCell: cells of an open notebook, by the front end that has it open; nothing else is run than what was judged."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools.core.outcome import Outcome
from jupyter_agenttools.core.prompting import PermissionRequest
from jupyter_agenttools.files.live_document import LiveRun, RunEnd
from jupyter_agenttools.session import Session
from tests.corpus.notebooks import dumped, notebook
from tests.support.live_notebooks import OpenNotebook, OpenNotebooks

pytestmark = pytest.mark.anyio


@pytest.fixture
def opened(tmp_path: Path) -> OpenNotebook:
    (tmp_path / "n.ipynb").write_text(dumped(notebook()))
    made = OpenNotebook(tmp_path / "n.ipynb")
    made.content["cells"] = [
        {"cell_type": "code", "id": name, "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        for name, source in (("a", "n = 5"), ("b", "print(n + 1)"), ("c", "1 / 0"), ("d", "print('never')"))
    ]
    return made


@pytest.fixture
async def session(tmp_path: Path, opened: OpenNotebook) -> AsyncIterator[Session]:
    session = Session(cwd=tmp_path, settings={"permissions": {"allow": ["RunCell", "NotebookEdit"]}})
    session.live_documents = OpenNotebooks(opened)
    yield session
    await session.aclose()


async def run(session: Session, *cells: str, **fields: Any) -> Outcome:
    return await session.call("RunCell", {"notebook_path": "n.ipynb", "cell_ids": list(cells), **fields})


async def test_cells_are_run_in_order_with_their_outputs(session: Session) -> None:
    outcome = await run(session, "a", "b")
    assert outcome.status == "ok"
    assert outcome.text.startswith("Ran 2 cells of ")
    assert "\n6\n" in outcome.text
    assert "print(n + 1)" not in outcome.text


async def test_the_first_that_fails_ends_it(session: Session) -> None:
    outcome = await run(session, "a", "c", "d")
    assert outcome.status == "error"
    assert outcome.text.startswith("Cell c failed. Run to their end: a, c. Not run: d.")
    assert "ZeroDivisionError" in outcome.text and "never" not in outcome.text


@pytest.mark.parametrize(
    ("begun", "said"),
    [
        (["a", "b"], "while cell b ran: it may have done a part of its work. Run to their end: a. Not run: c."),
        (["a"], "before cell b was begun. Run to their end: a. Not run: b, c."),
    ],
)
async def test_the_cell_whose_kernel_died_may_have_had_effects(
    session: Session, opened: OpenNotebook, monkeypatch: pytest.MonkeyPatch, begun: list[str], said: str
) -> None:
    async def die(cells: Mapping[str, str], timeout_ms: int) -> LiveRun:
        shown = [cell for cell in opened.cells if cell["id"] in begun]
        data = json.dumps({**opened.content, "cells": shown}).encode()
        return LiveRun("kernel-died", ("a",), "b", data, tuple(range(len(begun))))

    monkeypatch.setattr(opened, "run", die)
    outcome = await run(session, "a", "b", "c")
    assert outcome.status == "error"
    assert outcome.text.startswith(f"The kernel died or was restarted {said}")


@pytest.mark.parametrize(
    ("cells", "fields", "check"),
    [
        (["a", "a"], {}, "run-twice"),
        (["a"], {"timeout_ms": 0}, "run-timeout"),
        (["a"], {"timeout_ms": 600_001}, "run-timeout"),
        (["nowhere"], {}, "no cell"),
    ],
)
async def test_what_cannot_be_run_is_refused(session: Session, cells: list[str], fields: Any, check: str) -> None:
    outcome = await run(session, *cells, **fields)
    assert outcome.status == "error"
    assert check in outcome.text or check in str(getattr(outcome.error, "check_id", "")), outcome.text


async def test_a_notebook_that_nobody_has_open_is_not_run(session: Session, opened: OpenNotebook) -> None:
    session.live_documents.close(opened)  # type: ignore[union-attr]
    assert "is not open in a front end" in (await run(session, "a")).text
    assert opened.names == {}


async def test_no_cell_is_run_in_the_kernel_whose_cell_waits(session: Session, opened: OpenNotebook) -> None:
    opened.waits_for_caller = True
    assert "it would never be" in (await run(session, "a")).text
    assert opened.names == {}


async def test_only_what_a_person_saw_is_run(tmp_path: Path, opened: OpenNotebook) -> None:
    def change_and_allow(request: PermissionRequest) -> bool:
        shown = str(request.view)
        assert "n = 5" in shown
        opened.type_in(0, "n = 6")
        return True

    session = Session(cwd=tmp_path, prompter=change_and_allow)
    session.live_documents = OpenNotebooks(opened)
    outcome = await run(session, "a")
    assert "content changed" in outcome.text and opened.names == {}
    await session.aclose()


@pytest.mark.parametrize(("mode", "behavior"), [("default", "ask"), ("acceptEdits", "ask"), ("plan", "deny")])
async def test_who_may_run(tmp_path: Path, opened: OpenNotebook, mode: str, behavior: str) -> None:
    session = Session(cwd=tmp_path, settings={"permissions": {"defaultMode": mode}})
    session.live_documents = OpenNotebooks(opened)
    decided = await session.decide("RunCell", {"notebook_path": "n.ipynb", "cell_ids": ["a"]})
    assert decided.behavior == behavior
    await session.aclose()


async def test_a_rule_for_one_notebook_allows_it(tmp_path: Path, opened: OpenNotebook) -> None:
    session = Session(cwd=tmp_path, settings={"permissions": {"allow": [f"RunCell({tmp_path}/n.ipynb)"]}})
    session.live_documents = OpenNotebooks(opened)
    assert (await run(session, "a")).status == "ok"
    await session.aclose()


async def test_a_notebook_that_is_open_and_unsaved_is_not_written_over(tmp_path: Path, opened: OpenNotebook) -> None:
    session = Session(cwd=tmp_path, settings={"permissions": {"allow": ["Write", "Read"]}})
    session.live_documents = OpenNotebooks(opened)
    content = dumped(notebook())
    await session.call("Read", {"file_path": "n.ipynb"})
    opened.type_in(0, "typed")
    refused = await session.call("Write", {"file_path": "n.ipynb", "content": content})
    assert refused.status == "error" and "not saved" in refused.text
    await session.aclose()


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("timeout", "Cell b was still running after 2 s, all it may take, and was interrupted."),
        ("stuck", "it was interrupted, and runs on all the same."),
        ("queued", "It cannot be taken back: it will be interrupted as soon as it begins"),
        ("busy", "The kernel was busy with something else for 2 s: cell b was not begun."),
    ],
)
async def test_what_becomes_of_a_cell_that_takes_too_long_is_said(
    session: Session, opened: OpenNotebook, monkeypatch: pytest.MonkeyPatch, end: RunEnd, said: str
) -> None:
    async def ends(cells: Mapping[str, str], timeout_ms: int) -> LiveRun:
        return LiveRun(end, ("a",), "b", json.dumps({**opened.content, "cells": []}).encode(), ())

    monkeypatch.setattr(opened, "run", ends)
    outcome = await run(session, "a", "b", "c", timeout_ms=2000)
    assert outcome.status == "error" and said in outcome.text
    assert f"Run to their end: a. Not run: {'b, c' if end == 'busy' else 'c'}." in outcome.text
