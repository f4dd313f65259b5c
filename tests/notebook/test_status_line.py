"""The line of a terminal that says what runs."""

from __future__ import annotations

import io

from jupyter_agenttools.notebook.status_line import StatusLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_shorter_text_leaves_nothing_of_a_longer_one(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    terminal = Terminal()
    line = StatusLine(terminal)
    for text in ("a long line of words that is cut", "short", "", ""):
        line.show(text)
    written = terminal.getvalue()
    assert written == "\ra long line of wor…\rshort" + " " * 14 + "\r" + " " * 5 + "\r"
    assert "\x1b" not in written


def test_nothing_is_written_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    StatusLine(stream).show("text")
    assert stream.getvalue() == ""
