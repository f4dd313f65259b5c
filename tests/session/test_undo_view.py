"""What a person is shown of an undo."""

from __future__ import annotations

from jupyter_agenttools.core.views import DiffBlockView, TableBlockView, TextBlockView
from jupyter_agenttools.files.history import FileTurnSummary, FileUndo, UndoReport
from jupyter_agenttools.session import history_view, undo_view

TURN = FileTurnSummary(3, "fix the tests", 1_700_000_000.0, ("/w/a.py", "/w/b.py"))


def test_each_file_with_what_became_of_it() -> None:
    files = (
        FileUndo("/w/a.py", "restored", old="x = 2\n", new="x = 1\n"),
        FileUndo("/w/new.bin", "removed", old=None, new=""),
        FileUndo("/w/b.py", "kept", "it was changed after the turn"),
    )
    view = undo_view(UndoReport("undo", (TURN,), files), "/w")
    assert view.title == "Undo: fix the tests"
    assert [badge.text for badge in view.badges] == ["1 restored", "1 removed", "1 kept"]
    (table,) = [block for block in view.blocks if isinstance(block, TableBlockView)]
    assert table.rows[0] == ("a.py", "restored", "+1 −1")
    assert table.rows[2][:2] == ("b.py", "kept: it was changed after the turn")
    (diff,) = [block for block in view.blocks if isinstance(block, DiffBlockView)]
    assert (diff.old, diff.new, diff.path) == ("x = 2\n", "x = 1\n", "a.py")
    said = "\n".join(block.text for block in view.blocks if isinstance(block, TextBlockView))
    assert "--force" in said and "%agent redo" in said


def test_several_turns_are_listed() -> None:
    older = FileTurnSummary(2, "x" * 500, 1_700_000_000.0, ("/w/a.py",))
    view = undo_view(UndoReport("undo", (TURN, older), ()), "/w")
    assert view.title == "Undo: 2 turns"
    assert isinstance(view.blocks[0], TextBlockView) and view.blocks[0].text == "fix the tests\n" + "x" * 120


def test_many_and_long_differences_are_bounded() -> None:
    long = "\n".join(f"line {n}" for n in range(5_000))
    files = tuple(FileUndo(f"/w/{n}", "restored", old=long, new=long.upper()) for n in range(300))
    view = undo_view(UndoReport("redo", (TURN,), files), "/w")
    assert sum(len(b.old) + len(b.new) for b in view.blocks if isinstance(b, DiffBlockView)) <= 20_000
    said = [block.text for block in view.blocks if isinstance(block, TextBlockView)]
    assert any("100 more files" in text for text in said) and any("300 files are not shown" in text for text in said)


def test_the_history_counts_what_can_be_undone() -> None:
    undone = FileTurnSummary(4, "later", 1_700_000_100.0, ("/w/c",), state="undone")
    partly = FileTurnSummary(2, "older", 1_699_000_000.0, tuple(f"/w/{n}" for n in range(9)), 2, "partly")
    view = history_view((undone, TURN, partly), ("1 file above 10 MB",), "/w")
    (table,) = [block for block in view.blocks if isinstance(block, TableBlockView)]
    assert [row[0] for row in table.rows] == ["undone", "undo 1", "undo 2"]
    assert table.rows[1][3] == "a.py, b.py" and table.rows[2][3].endswith("and 5 more (2 without a copy)")
    assert "above 10 MB" in view.blocks[-1].text
    assert history_view((), (), "/w").badges[0].text == "nothing to undo"
