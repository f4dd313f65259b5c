"""One output while it comes in: the file, the counts, the tail and the final text."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from jupyter_agenttools.shell import OutputLog
from jupyter_agenttools.shell import output as output_module


@pytest.fixture
def log(tmp_path: Path) -> OutputLog:
    return OutputLog(tmp_path / "results" / "out.txt", 1_000)


def test_no_output_makes_no_file(log: OutputLog) -> None:
    log.close()
    assert not log.path.parent.exists()
    assert log.text(1_000).text == ""
    assert log.text(1_000).same_as_file
    log.discard_file()


def test_the_file_grows_with_the_output_and_is_private(log: OutputLog) -> None:
    log.write(b"one\n")
    assert log.path.read_bytes() == b"one\n"
    log.write(b"two")
    assert log.path.read_bytes() == b"one\ntwo"
    assert log.path.stat().st_mode & 0o777 == 0o600
    assert log.path.parent.stat().st_mode & 0o777 == 0o700


def test_an_unfinished_line_counts(log: OutputLog) -> None:
    assert log.total_lines == 0
    log.write(b"one\ntw")
    assert log.total_lines == 2
    log.write(b"o\n")
    assert log.total_lines == 2


def test_the_tail_has_the_last_lines_as_they_look_now(log: OutputLog) -> None:
    log.write(b"".join(b"line %d\n" % n for n in range(1, 301)) + b"10%\r20%")
    tail = log.tail().split("\n")
    assert tail[-1] == "20%"
    assert tail[0] == "line 102"
    assert len(tail) == 200


def test_a_short_text_is_whole_and_a_long_one_has_a_gap_with_numbers(log: OutputLog) -> None:
    log.write(b"".join(b"line %04d\n" % n for n in range(500)))
    log.close()
    shown = log.text(1_000)
    head, _, tail = shown.text.partition("[… ")
    assert head.startswith("line 0000\nline 0001\n")
    assert tail.endswith("line 0498\nline 0499\n")
    assert f"{shown.omitted_chars:,} characters left out" in tail
    kept = (head + tail).count("line ")
    assert f"{500 - kept:,} lines, " in tail
    assert len(shown.text) <= 1_100
    assert not shown.same_as_file
    assert log.text(10_000).text == "".join(f"line {n:04d}\n" for n in range(500))


def test_a_long_line_is_cut_inside(log: OutputLog) -> None:
    log.write(b"a" * 5_000 + b"\nend\n")
    log.close()
    text = log.text(1_000).text
    assert "[… 4,0" in text and "characters left out …]" in text
    assert text.endswith("a\nend\n")


def test_colours_are_for_the_tail_only(log: OutputLog) -> None:
    log.write(b"\x1b[31mred\x1b[0m\n")
    log.close()
    assert log.tail() == "\x1b[31mred\x1b[0m\n"
    assert log.text(1_000).text == "red\n"


def test_binary_is_told_and_shown_as_signs(log: OutputLog) -> None:
    log.write(b"\x7fELF\x00\x01\xff")
    log.close()
    assert log.is_binary
    assert log.text(1_000).text == "␡ELF␀␁�"
    assert log.path.read_bytes() == b"\x7fELF\x00\x01\xff"


def test_the_file_is_capped_and_the_end_is_still_seen(log: OutputLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_module, "MAX_FILE_BYTES", 1_000)
    for _ in range(30):
        log.write(b"x" * 99 + b"\n")
    log.write(b"end\n")
    log.close()
    assert log.path.stat().st_size == log.kept_bytes == 1_000
    assert not log.file_is_whole
    assert (log.total_bytes, log.total_lines) == (3_004, 31)
    assert log.text(1_000).text.endswith("end\n")


def test_a_file_that_cannot_be_written_does_not_stop_the_output(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    log = OutputLog(tmp_path / "file" / "out.txt", 1_000)
    log.write(b"one\n")
    log.write(b"two\n")
    log.close()
    assert log.file_error == os.strerror(17) or log.file_error == os.strerror(20)
    assert log.text(1_000).text == "one\ntwo\n"


def test_memory_does_not_grow_with_the_output(tmp_path: Path) -> None:
    log = OutputLog(tmp_path / "out.txt", 30_000)
    block = (b"y" * 79 + b"\n") * 800
    log.write(block)
    tracemalloc.start()
    for _ in range(500):
        log.write(block)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert log.total_bytes == 501 * len(block) == 32_064_000
    assert peak < 2_000_000
