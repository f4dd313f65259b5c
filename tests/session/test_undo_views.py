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
    assert "--force" in said and "%agent redo" in said and "to undo, not" not in said
    told = undo_view(UndoReport("undo", (TURN,), files), "/w", asked=99).blocks[0]
    assert isinstance(told, TextBlockView) and told.text == "There was only 1 turn to undo, not 99."
    redone = undo_view(UndoReport("redo", (TURN,), files), "/w").blocks
    assert any(isinstance(b, TextBlockView) and b.text.startswith("%agent undo takes this back") for b in redone)


def test_several_turns_are_listed() -> None:
    older = FileTurnSummary(2, "x" * 500, 1_700_000_000.0, ("/w/a.py",))
    view = undo_view(UndoReport("undo", (TURN, older), ()), "/w")
    assert view.title == "Undo: 2 turns"
    assert isinstance(view.blocks[0], TextBlockView) and view.blocks[0].text == "fix the tests\n" + "x" * 120


def test_many_and_long_differences_are_bounded() -> None:
    long = "\n".join(f"line {n}" for n in range(5_000))
    short = FileUndo("/w/short", "restored", old="a\n", new="b\n")
    files = (*(FileUndo(f"/w/{n}", "restored", old=long, new=long.upper()) for n in range(12)), *[short] * 288)
    view = undo_view(UndoReport("redo", (TURN,), files), "/w")
    assert sum(len(b.old) + len(b.new) for b in view.blocks if isinstance(b, DiffBlockView)) <= 20_000
    said = [block.text for block in view.blocks if isinstance(block, TextBlockView)]
    assert any("100 more files" in text for text in said) and any("290 files are not shown" in text for text in said)


def test_the_history_counts_what_can_be_undone() -> None:
    undone = FileTurnSummary(4, "later", 1_700_000_100.0, ("/w/c",), state="undone")
    partly = FileTurnSummary(2, "older", 1_699_000_000.0, tuple(f"/w/{n}" for n in range(9)), 2, "partly")
    view = history_view((undone, TURN, partly), ("1 file above 10 MB",), "/w")
    (table,) = [block for block in view.blocks if isinstance(block, TableBlockView)]
    assert [row[0] for row in table.rows] == ["undone", "undo 1", "undo 2"]
    assert table.rows[1][3] == "a.py, b.py" and table.rows[2][3].endswith("and 5 more (2 without a copy)")
    assert "above 10 MB" in view.blocks[-1].text
    assert history_view((), (), "/w").badges[0].text == "nothing to undo"


def test_a_difference_in_the_middle_says_where_it_is_and_invents_no_missing_newline() -> None:
    old = "".join(f"line {n}\n" for n in range(1, 21))
    file = FileUndo("/w/a.py", "restored", old=old, new=old.replace("line 10\n", "other\n"))
    view = undo_view(UndoReport("undo", (TURN,), (file,)), "/w")
    (diff,) = [block for block in view.blocks if isinstance(block, DiffBlockView)]
    assert diff.first_lines == (7, 7)
    assert diff.old.startswith("line 7\n") and diff.old.endswith("line 13\n") and diff.new.endswith("line 13\n")


def test_a_whole_file_counts_as_many_lines_as_it_has() -> None:
    files = (
        FileUndo("/w/a", "removed", old="1\n2\n3\n", new=""),
        FileUndo("/w/b", "restored", old="", new="1\n2\n"),
        FileUndo("/w/c", "restored", old="", new="no newline"),
    )
    (table,) = [b for b in undo_view(UndoReport("undo", (TURN,), files), "/w").blocks if isinstance(b, TableBlockView)]
    assert [row[2] for row in table.rows] == ["+0 −3", "+2 −0", "+1 −0"]


def test_what_changed_while_a_command_ran_is_marked() -> None:
    files = (
        FileUndo("/w/a.py", "restored", old="x = 2\n", new="x = 1\n", while_command=True),
        FileUndo("/w/b.py", "restored", old="x = 2\n", new="x = 1\n"),
    )
    view = undo_view(UndoReport("undo", (TURN,), files, note="the commands changed nothing here"), "/w")
    (table,) = [block for block in view.blocks if isinstance(block, TableBlockView)]
    assert [row[1] for row in table.rows] == ["restored (changed while a command ran)", "restored"]
    said = [block.text for block in view.blocks if isinstance(block, TextBlockView)]
    assert said[0] == "Since then: the commands changed nothing here."
    assert any("saved by you or another program" in text for text in said)


def test_the_history_says_what_changed_while_a_command_ran_and_what_was_kept() -> None:
    all_of_it = FileTurnSummary(4, "run", 1_700_000_100.0, ("/w/c",), while_command=("/w/c",))
    one_of_it = FileTurnSummary(3, "run", 1_700_000_000.0, ("/w/a", "/w/b"), while_command=("/w/b",))
    kept = FileTurnSummary(2, "run", 1_699_000_000.0, ("/w/n.ipynb",), state="kept")
    view = history_view((all_of_it, one_of_it, kept), (), "/w")
    (table,) = [block for block in view.blocks if isinstance(block, TableBlockView)]
    assert [row[0] for row in table.rows] == ["undo 1", "undo 2", "kept"]
    assert table.rows[0][3] == "c (changed while a command ran)"
    assert table.rows[1][3] == "a, b (1 of them changed while a command ran)"
    assert view.badges[0].text == "2 to undo"
