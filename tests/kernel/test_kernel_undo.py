"""``%agent undo`` in a real kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernel.notebooks import notebook

pytestmark = pytest.mark.kernel


def test_undo_redo_and_history_leave_records() -> None:
    with notebook() as book:
        file = Path(book.kernel.cwd, "notes.txt")
        file.write_text("old\n")
        script = '[{"tool_uses": [{"name": "Bash", "input": {"command": "echo new > notes.txt; touch made"}}]}, "Ok."]'
        turn = book.start(f"%%agent --script - change the notes\n{script}")
        book.click("Allow once")
        assert turn.wait().status == "ok" and file.read_text() == "new\n"

        listed = book.run("%agent history").text
        assert "change the notes" in listed and "notes.txt" in listed and "undo 1" in listed
        undone = book.run("report = %agent undo")
        assert undone.status == "ok" and len(undone.outputs) == 1
        assert {"text/html", "text/markdown", "text/plain"} <= set(undone.outputs[0]["data"])
        assert "notes.txt" in undone.text and "restored" in undone.text
        assert file.read_text() == "old\n" and not file.with_name("made").exists()
        assert book.value("report.action, len(report.changed)") == "undo 2"

        assert book.run("%agent redo").status == "ok" and file.read_text() == "new\n"
        file.write_text("mine\n")
        kept = book.run("%agent undo")
        assert len(kept.outputs) == 1, "the record says it all"
        assert "kept" in kept.text and "--force" in kept.text and file.read_text() == "mine\n"
        assert book.run("%agent undo --force").status == "ok" and file.read_text() == "old\n"
        assert "There was only 1 turn to undo, not 99." in book.run("%agent redo\n%agent undo 99 --force").text
        nothing = book.run("%agent undo")
        assert nothing.status == "error" and "nothing to undo" in (nothing.error or "")
        from_python = book.run("s = %agent session\nawait s.undo()")
        assert from_python.error == nothing.error
        assert len(from_python.outputs[-1]["traceback"]) == 1, "one line, as the magic says it"
