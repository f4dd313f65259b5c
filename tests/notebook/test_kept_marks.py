"""What a kernel keeps of the marks of changed cells, for pages that come later."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.notebook.lab.kept_marks import NOTEBOOKS, KeptMarks

ORDER = [f"c{number}" for number in range(4)]


def entry(cell: str, number: int, by: str = "one", *, gone: bool = False, source: str = "") -> dict[str, Any]:
    was = {"order": "o", "position": 0, "content": {"id": cell, "cell_type": "code", "source": source}}
    mark = {"turn": "t", "kind": "changed", "moved": False, "was": was, "made": {"type": "code", "source": "new"}}
    return {"cell": cell, "number": number, "by": by, "mark": None if gone else mark}


def said(*entries: dict[str, Any], path: str = "a.ipynb", was: str | None = None) -> dict[str, Any]:
    return {"path": path, "was": was, "marks": {"form": 1, "orders": {"o": ORDER}, "entries": list(entries)}}


def kept(marks: KeptMarks, path: str = "a.ipynb") -> dict[str, dict[str, Any]]:
    return {each["cell"]: each for told in marks.of([path]) for each in told["marks"]["entries"]}


def test_it_is_told_to_all_and_to_who_comes_later() -> None:
    marks = KeptMarks()
    message = said(entry("c0", 1))
    assert marks.take(message) == [{"type": "marks", "path": "a.ipynb", "marks": message["marks"]}]
    assert marks.of(["b.ipynb", "a.ipynb"]) == marks.take(message)
    marks.take(said(entry("c0", 2, gone=True)))
    assert kept(marks)["c0"]["mark"] is None
    assert marks.of(["a.ipynb"])[0]["marks"]["orders"] == {}, "an order that no mark names"


STAMPED = st.lists(st.tuples(st.sampled_from(ORDER), st.integers(1, 5), st.sampled_from("ab"), st.booleans()))


@given(STAMPED)
def test_the_latest_of_a_cell_is_kept_in_whatever_order_it_comes(told: list[tuple[str, int, str, bool]]) -> None:
    entries = {(cell, number, by): entry(cell, number, by, gone=gone) for cell, number, by, gone in told}
    one, other = KeptMarks(), KeptMarks()
    for each in entries.values():
        one.take(said(each))
    other.take(said(*reversed(entries.values())))
    latest = {
        cell: max(group, key=lambda each: (each["number"], each["by"]))
        for cell, group in itertools.groupby(
            sorted(entries.values(), key=lambda each: each["cell"]), key=lambda each: each["cell"]
        )
        for group in [list(group)]
    }
    assert kept(one) == kept(other) == latest


def test_a_rename_takes_the_marks_along_and_a_deletion_takes_them_away() -> None:
    marks = KeptMarks()
    marks.take(said(entry("c0", 1)))
    marks.take(said(path="b.ipynb", was="a.ipynb"))
    assert kept(marks) == {} and list(kept(marks, "b.ipynb")) == ["c0"]
    marks.take({"path": "b.ipynb", "was": None, "marks": None})
    assert kept(marks, "b.ipynb") == {}


def test_no_more_is_kept_than_there_is_room_for_and_it_is_said() -> None:
    marks = KeptMarks(limit_chars=3_000)
    marks.take(said(entry("c0", 1, source="x" * 2_000)))
    *_, note = marks.take(said(entry("c1", 2, source="y" * 2_000)))
    assert list(kept(marks)) == ["c1"]
    assert note["type"] == "notice" and note["text"].startswith("a.ipynb: 1 of the cells")
    for number in range(NOTEBOOKS):
        marks.take(said(entry("c0", 1), path=f"{number}.ipynb"))
    assert kept(marks) == {} and kept(marks, "0.ipynb")


def test_what_is_no_entry_is_not_kept() -> None:
    marks = KeptMarks()
    bad: list[Any] = [None, 1, {}, {**entry("c0", 1), "number": True}, {**entry("c0", 1), "cell": 3}]
    assert marks.take(said(*bad)) == []
    assert marks.take({"path": 1}) == []
    assert marks.take({"path": "a.ipynb", "marks": {"form": 2, "entries": [entry("c0", 1)]}}) == []
    assert marks.take({"path": "a.ipynb", "marks": "x"}) == []
    assert kept(marks) == {}
