"""What is to be done to an open notebook, held against a plain list that is changed by it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.notebook.lab.changes import operations

IDS = st.lists(st.sampled_from("abcdefghijkl"), unique=True)


def cells(ids: list[str], mark: str = "") -> list[dict[str, Any]]:
    return [{"id": id, "cell_type": "code", "source": id + mark, "outputs": []} for id in ids]


def carried_out(before: list[dict[str, Any]], todo: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As the page does it."""
    now = [dict(cell) for cell in before]

    def find(id: str) -> int:
        return [cell["id"] for cell in now].index(id)

    for each in todo:
        if each["op"] == "delete":
            del now[find(each["cell"])]
        elif each["op"] == "insert":
            assert each["index"] <= len(now)
            now.insert(each["index"], each["content"])
        elif each["op"] == "move":
            cell = now.pop(find(each["cell"]))
            assert each["index"] <= len(now)
            now.insert(each["index"], cell)
        elif each["op"] == "source":
            now[find(each["cell"])]["source"] = each["source"]
    return now


@given(IDS, IDS, st.sampled_from(["", "!"]))
def test_the_operations_make_of_the_one_list_the_other(before: list[str], after: list[str], mark: str) -> None:
    wanted = cells(after, mark)
    assert carried_out(cells(before), operations(cells(before), wanted)) == wanted


@given(IDS, st.data())
def test_one_cell_that_was_moved_is_one_move(ids: list[str], data: st.DataObject) -> None:
    if len(ids) < 2:
        return
    after = list(ids)
    cell = after.pop(data.draw(st.integers(0, len(ids) - 1)))
    after.insert(data.draw(st.integers(0, len(after))), cell)
    assert len(operations(cells(ids), cells(after))) == (after != ids)
