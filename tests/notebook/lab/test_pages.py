"""Which pages are there, as they told: the one that came last first, those that crashed forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools.notebook.lab.pages import KEPT_GONE, Pages
from jupyter_agenttools.notebook.lab.roots import SESSION_NAME


def hello(client: str, since: float, root: Path, *paths: str, own: str | None = "a.ipynb") -> dict[str, Any]:
    documents = [
        {"path": path, "dirty": False, "kernel": f"kernel of {path}", "shared": False, "current": False}
        for path in paths
    ]
    told = {"since": since, "serverRoot": str(root), "own": own, "visible": True, "documents": documents}
    return {"type": "hello", "v": 1, "client": client, **told}


def test_the_page_that_came_last_is_asked_first(tmp_path: Path) -> None:
    pages = Pages()
    pages.take(hello("new", 2, tmp_path, "a.ipynb"))
    pages.take(hello("old", 1, tmp_path, "a.ipynb", "b.ipynb"))
    assert [place.client for place in pages.open_in(str(tmp_path / "a.ipynb"))] == ["new", "old"]
    assert [place.is_own for place in pages.open_in(str(tmp_path / "b.ipynb"))] == [False]
    assert pages.open_in(str(tmp_path / "a.ipynb"))[0].is_own


def test_it_is_known_whose_cells_a_page_ran_that_has_gone(tmp_path: Path) -> None:
    pages = Pages()
    pages.take(hello("gone", 1, tmp_path, "a.ipynb"))
    pages.take({"type": "bye", "client": "gone"})
    pages.take(hello("new", 2, tmp_path, "a.ipynb"))
    pages.take(hello("copy", 2, tmp_path, own="copy.ipynb"))
    clients = ("gone", "new", "copy", "unknown")
    assert [pages.notebook_of(client) for client in clients] == ["a.ipynb", "a.ipynb", "copy.ipynb", ""]
    pages.take(hello("new", 2, tmp_path, own="renamed.ipynb"))
    assert [pages.notebook_of(client) for client in clients] == ["renamed.ipynb", "renamed.ipynb", "copy.ipynb", ""]


def test_of_pages_that_have_gone_the_last_ones_are_remembered(tmp_path: Path) -> None:
    pages = Pages()
    pages.take(hello("there", 0, tmp_path, "a.ipynb"))
    for at in range(KEPT_GONE + 20):
        pages.take(hello(f"p{at}", at, tmp_path, "a.ipynb"))
        pages.take({"type": "bye", "client": f"p{at}"})
    assert [pages.knows(client) for client in ("there", "p19", "p20")] == [True, False, True]
    assert [pages.notebook_of(client) for client in ("there", "p19", "p20")] == ["a.ipynb", "", "a.ipynb"]
    assert len(pages._heard) == len(pages._own) == KEPT_GONE + 1
    pages.forget("there")  # it was only asleep
    pages.take(hello("there", 0, tmp_path, "a.ipynb"))
    assert pages.knows("there") and pages.clients == {"there"}


def test_an_older_page_that_says_nothing_is_known_by_that(tmp_path: Path) -> None:
    pages = Pages()
    pages.take(hello("crashed", 1, tmp_path, "a.ipynb"))
    pages.take(hello("there", 2, tmp_path, "a.ipynb"))
    pages.take(hello("elsewhere", 2.5, tmp_path, "c.ipynb"))
    new = hello("new", 3, tmp_path, "a.ipynb")
    pages.take(new)
    older, mark = pages.older_with_same(new), pages.mark
    assert older == {"crashed", "there"}
    pages.take(hello("there", 2, tmp_path, "a.ipynb"))
    assert pages.silent_since(mark, older) == {"crashed"}


def test_a_page_that_tells_of_a_path_that_can_be_none_is_not_listened_to(tmp_path: Path) -> None:
    good = hello("good", 1, tmp_path, "a.ipynb")
    for forged in (
        hello("forged", 2, tmp_path / "\0", "a.ipynb"),
        hello("forged", 2, tmp_path, "a.ipynb", "\0.ipynb"),
        hello("forged", 2, tmp_path, "a.ipynb", own="\0"),
        {**hello("forged", 2, tmp_path, "a.ipynb"), "v": True},
    ):
        pages = Pages()
        pages.take(good)
        pages.take(forged)
        assert [place.client for place in pages.open_in(str(tmp_path / "a.ipynb"))] == ["good"]
        assert pages.own_notebook() == str(tmp_path / "a.ipynb")
        assert pages.older_with_same(forged) == frozenset()


def test_a_root_that_is_not_told_is_found_by_the_name_of_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SESSION_NAME, str(tmp_path / "sub/a.ipynb"))
    pages = Pages()
    told = hello("page", 1, tmp_path, "sub/a.ipynb", own="sub/a.ipynb")
    pages.take({**told, "serverRoot": ""})
    assert pages.own_notebook() == str(tmp_path / "sub/a.ipynb")
    renamed = hello("page", 1, tmp_path, "sub/z.ipynb", own="sub/z.ipynb")
    pages.take({**renamed, "serverRoot": ""})
    assert pages.own_notebook() == str(tmp_path / "sub/z.ipynb")
