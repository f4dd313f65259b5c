"""Hunks, and what counts as read."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core import Message, ToolResultBlock
from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.files import FileStateCache, FileView, ReadRecord
from jupyter_agenttools.files.guard import require_read, require_unchanged
from jupyter_agenttools.files.hashing import LateHash
from jupyter_agenttools.files.patch import MAX_COMPARED_LINES, changed_lines, changed_stretch, structured_patch
from jupyter_agenttools.files.state import MAX_RECORDS, _resolved, is_still_shown

texts = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=30).map("\n".join)


@given(texts, texts)
def test_hunks_turn_the_old_text_into_the_new_one(old: str, new: str) -> None:
    lines = old.split("\n") if old else []
    for hunk in reversed(structured_patch(old, new)):
        before = [line[1:] for line in hunk.lines if line[0] in " -"]
        after = [line[1:] for line in hunk.lines if line[0] in " +"]
        start = hunk.old_start - 1
        assert lines[start : start + hunk.old_lines] == before and hunk.new_lines == len(after)
        lines[start : start + hunk.old_lines] = after
    assert lines == (new.split("\n") if new else [])


@given(texts, texts)
def test_the_changed_stretch_stands_in_both_texts(old: str, new: str) -> None:
    before, after, first = changed_stretch(old, new)
    assert before in old and after in new and first >= 1
    for part, text in ((before, old), (after, new)):
        assert part.endswith("\n") or text.endswith(part), "a line that goes on in the file is not cut off"


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("", "a\n", (1, 0)),
        ("a\nb\n", "", (0, 2)),
        ("", "a", (1, 0)),
        ("a", "a\n", (1, 1)),
        ("a\n", "a\n\n", (1, 0)),
        ("a\nb\n", "b\n", (0, 1)),
        ("a\n", "a\n", (0, 0)),
    ],
)
def test_lines_are_counted_as_a_person_counts_them(old: str, new: str, counts: tuple[int, int]) -> None:
    assert changed_lines(old, new) == counts


def test_hunks_have_three_lines_around_them() -> None:
    old = "\n".join(str(i) for i in range(20))
    (hunk,) = structured_patch(old, old.replace("10", "ten"))
    assert hunk.lines == (" 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13") and hunk.old_start == 8


def test_a_very_long_change_is_one_hunk() -> None:
    lines = range(MAX_COMPARED_LINES + 10)
    (hunk,) = structured_patch("\n".join(f"a{i}" for i in lines), "\n".join(f"b{i}" for i in lines))
    assert hunk.old_lines == hunk.new_lines == len(lines)


def view(first: int, last: int, call: str = "t") -> FileView:
    return FileView(first, last - first + 1, first, last, call)


@pytest.mark.parametrize(
    ("views", "unseen"),
    [
        ([], (1, 10)),
        ([view(1, 10)], None),
        ([view(1, 4)], (5, 10)),
        ([view(6, 10), view(1, 5)], None),
        ([view(1, 3), view(6, 10)], (4, 5)),
        ([view(2, 10)], (1, 1)),
        ([view(1, 6), view(4, 10)], None),
        ([view(11, 10)], (1, 10)),
    ],
)
def test_what_was_never_shown(views: list[FileView], unseen: tuple[int, int] | None) -> None:
    record = ReadRecord("h", 10, tuple(views))
    assert record.unseen() == unseen and record.is_partial == (unseen is not None)


def test_an_empty_file_is_seen_at_once() -> None:
    assert not ReadRecord("h", 0, (view(1, 0),)).is_partial


def test_each_reader_knows_what_it_saw_itself(tmp_path: Path) -> None:
    state, path = FileStateCache(), str(tmp_path / "f")
    state.saw(path, None, "h", 10, view(1, 10))
    assert state.get(path, "agent-1") is None and state.get(path) is not None
    state.wrote(path, "agent-1", "h2")
    assert state.get(path, "agent-1") == ReadRecord("h2", written=True)


def test_links_lead_to_one_record(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    (tmp_path / "link").symlink_to("f")
    state = FileStateCache()
    state.saw(str(tmp_path / "link"), None, "h", 1, view(1, 1))
    assert state.get(str(tmp_path / "f")) is not None


@pytest.mark.parametrize(
    "path", ["d/f", "d", "link/f", "d/to_f", "gone/x", "d/../d/f", "d//f", "d/./f", "d/", "circle", ".h/f"]
)
def test_a_resolved_path_is_that_of_the_system(tmp_path: Path, path: str) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / ".h").mkdir()
    (tmp_path / "d" / "f").touch()
    (tmp_path / "link").symlink_to("d")
    (tmp_path / "d" / "to_f").symlink_to("f")
    (tmp_path / "circle").symlink_to("circle")
    assert _resolved(f"{tmp_path}/{path}") == os.path.realpath(f"{tmp_path}/{path}")


def test_another_content_forgets_the_parts_of_the_old_one(tmp_path: Path) -> None:
    state, path = FileStateCache(), str(tmp_path / "f")
    state.saw(path, None, "old", 10, view(1, 5))
    state.saw(path, None, "new", 10, view(6, 10))
    record = state.get(path)
    assert record is not None and record.unseen() == (1, 5)


def test_an_edit_carries_the_knowledge_over_but_not_the_text(tmp_path: Path) -> None:
    state, path = FileStateCache(), str(tmp_path / "f")
    state.saw(path, None, "old", 10, view(1, 10, "call"))
    state.edited(path, None, "old", "new")
    record = state.get(path)
    assert record is not None and record.content_hash == "new" and not record.is_partial
    assert not is_still_shown(record.views[0], ())
    state.edited(path, None, "something else", "newer")
    assert state.get(path) == record


def test_records_are_bounded(tmp_path: Path) -> None:
    state = FileStateCache()
    for number in range(MAX_RECORDS + 5):
        state.wrote(f"/nowhere/{number}", None, "h")
    assert state.get("/nowhere/0") is None and state.get(f"/nowhere/{MAX_RECORDS + 4}") is not None


def test_a_result_that_left_the_conversation_is_shown_no_more() -> None:
    there = Message("user", (ToolResultBlock("call", "text"),))
    assert is_still_shown(view(1, 2, "call"), [there]) and not is_still_shown(view(1, 2, "other"), [there])
    assert is_still_shown(view(1, 2, "call"), []), "without a known conversation it is taken to be there"


def test_after_the_conversation_was_shortened_only_what_it_holds_counts_as_read(tmp_path: Path) -> None:
    state, there = FileStateCache(), [Message("user", (ToolResultBlock("kept", "text"),))]
    for name, ids in (("both", ("kept", "gone")), ("gone", ("gone",)), ("theirs", ("gone",))):
        reader = "agent" if name == "theirs" else None
        for at, id in enumerate(ids):
            state.saw(f"/nowhere/{name}", reader, "h", 20, view(10 * at + 1, 10 * at + 10, id))
    state.wrote("/nowhere/written", None, "h")
    state.saw("/nowhere/edited", None, "h", 5, view(1, 5, "kept"))
    state.edited("/nowhere/edited", None, "h", "new")
    state.forget_unshown(there)
    record = state.get("/nowhere/both")
    assert record is not None and record.unseen() == (11, 20)
    assert state.paths() == ("/nowhere/both",) and state.get("/nowhere/theirs", "agent") is not None


def test_the_guards_say_what_to_do() -> None:
    with pytest.raises(ToolValidationError, match="Read it first"):
        require_read("f", None)
    with pytest.raises(ToolValidationError, match=r"5-10 of 10 were not shown.*offset=5"):
        require_read("f", ReadRecord("h", 10, (view(1, 4),)))
    with pytest.raises(ToolValidationError, match="content changed since read"):
        require_unchanged("f", ReadRecord("h"), "other")
    require_unchanged("f", require_read("f", ReadRecord("h", written=True)), "h")


class TestLateHashes:
    """Large files: what was shown is noted before its hash is known."""

    def test_it_is_known_to_whoever_asks(self, tmp_path: Path) -> None:
        state, path, late = FileStateCache(), str(tmp_path / "f"), LateHash(lambda: "h")
        state.saw(path, None, late, 10, view(1, 5))
        assert not late.is_known
        state.saw(path, None, late, 10, view(6, 10))
        record = state.get(path)
        assert record == ReadRecord("h", 10, (view(1, 5), view(6, 10))) and late.is_known
        state.saw(path, None, late, 10, view(2, 3))
        assert len(state.get(path).views) == 3, "it is the same content"

    def test_what_is_seen_after_it_became_known_is_the_same_content(self, tmp_path: Path) -> None:
        state, path, late = FileStateCache(), str(tmp_path / "f"), LateHash(lambda: "h")
        state.saw(path, None, late, 10, view(1, 5))
        late.digest()
        state.saw(path, None, "h", 10, view(6, 10))
        assert not state.get(path).is_partial

    def test_another_one_is_another_content(self, tmp_path: Path) -> None:
        state, path = FileStateCache(), str(tmp_path / "f")
        state.saw(path, None, LateHash(lambda: "h"), 10, view(1, 5))
        state.saw(path, None, LateHash(lambda: "g"), 10, view(6, 10))
        assert state.get(path) == ReadRecord("g", 10, (view(6, 10),))

    def test_an_edit_waits_for_it(self, tmp_path: Path) -> None:
        state, path = FileStateCache(), str(tmp_path / "f")
        state.saw(path, None, LateHash(lambda: "before"), 10, view(1, 10))
        state.edited(path, None, "before", "after")
        assert state.get(path).content_hash == "after"

    def test_a_hash_that_can_no_longer_be_known_is_that_of_no_file(self, tmp_path: Path) -> None:
        state, path = FileStateCache(), str(tmp_path / "f")
        state.saw(path, None, LateHash(lambda: ""), 10, view(1, 10))
        with pytest.raises(ToolValidationError, match="content changed since read"):
            require_unchanged(path, state.get(path), "h")

    def test_whoever_listens_hears_it_once(self) -> None:
        heard: list[str] = []
        told = threading.Event()
        late = LateHash(lambda: "h")
        late.tell(lambda digest: (heard.append(digest), told.set()))
        assert told.wait(5)
        late.tell(heard.append)
        assert heard == ["h", "h"]
