"""Windows of files that are too large to be held, and what is kept to find them again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.files import content as content_module
from jupyter_agenttools.files import open_content, read_window
from jupyter_agenttools.files.budget import MaxFileReadTokenExceededError
from jupyter_agenttools.files.content import MAX_INDEXES, LineIndex
from jupyter_agenttools.files.window import MAX_LINE_CHARS, TextWindow

SMALL = 1_000


def window(path: Path, offset: int = 1, limit: int = 2000, max_tokens: int = 25_000) -> TextWindow:
    with open_content(str(path), Cancellation()) as content:
        return read_window(content, offset, limit, Cancellation(), max_tokens)


def index_of(path: Path) -> LineIndex:
    with open_content(str(path), Cancellation()) as content:
        return content.index


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The paths that were read as a whole; files above 1 kB count as large, and as settled at once."""
    seen: list[str] = []
    original = content_module._read_index
    monkeypatch.setattr(content_module, "IN_MEMORY_BYTES", SMALL)
    monkeypatch.setattr(content_module, "SETTLED_NS", -(10**9))
    monkeypatch.setattr(content_module, "_read_index", lambda file, *a: seen.append(file.path) or original(file, *a))
    yield seen
    content_module._indexes._kept.clear()


def lines(path: Path, count: int, word: str = "line") -> Path:
    path.write_text("".join(f"{word} {number}\n" for number in range(1, count + 1)))
    return path


def test_the_second_look_scans_nothing(tmp_path: Path, scans: list[str]) -> None:
    path = lines(tmp_path / "f", 50_000)
    for line in (49_990, 3, 25_000, 49_999):
        assert window(path, line, 2).lines == (f"line {line}", f"line {line + 1}")
    assert len(scans) == 1
    assert index_of(path).content_hash == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_hash_of_a_large_file_is_taken_when_it_is_needed(tmp_path: Path, scans: list[str]) -> None:
    path = lines(tmp_path / "f", 5_000)
    with open_content(str(path), Cancellation()) as content:
        assert not content.index.hash.is_known
    assert content.index.content_hash == hashlib.sha256(path.read_bytes()).hexdigest()
    assert index_of(path).hash.is_known, "and then it is remembered"


def test_a_hash_that_comes_too_late_is_not_known(tmp_path: Path, scans: list[str]) -> None:
    path = lines(tmp_path / "f", 5_000)
    index = index_of(path)
    path.write_text(path.read_text().replace("line", "LINE"))
    assert index.content_hash == "", "what was shown cannot be told from what is there now"
    gone = index_of(lines(tmp_path / "g", 5_000))
    (tmp_path / "g").unlink()
    assert gone.content_hash == ""


def test_a_file_that_changed_just_now_is_hashed_with_the_bytes_that_are_shown(
    tmp_path: Path, scans: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_module, "SETTLED_NS", 10**18)
    path = lines(tmp_path / "f", 200_000)
    data = path.read_bytes()
    with open_content(str(path), Cancellation()) as content:
        assert content.index.hash.is_known and content.index.content_hash == hashlib.sha256(data).hexdigest()
        assert read_window(content, 199_999, 5, Cancellation()).lines == ("line 199999", "line 200000")
    assert not content_module._indexes._kept


def test_only_so_many_files_are_remembered_and_the_others_are_right_too(tmp_path: Path, scans: list[str]) -> None:
    paths = [lines(tmp_path / f"f{number}", 300 + number) for number in range(MAX_INDEXES + 3)]
    for path in paths:
        window(path, 200, 1)
    assert len(content_module._indexes._kept) == MAX_INDEXES and len(scans) == len(paths)
    assert window(paths[-1], 334, 9).lines == ("line 334",)
    assert len(scans) == len(paths), "the last one is still known"
    assert window(paths[0], 300, 9).lines == ("line 300",)
    assert scans[len(paths) :] == [str(paths[0])], "the first one is not, and is read again"


@pytest.mark.parametrize("end", ["\n", ""])
def test_what_is_appended_is_seen(tmp_path: Path, scans: list[str], end: str) -> None:
    path = tmp_path / "log"
    path.write_text("x\n" * 1_000 + "last" + end)
    assert window(path, 1_001).lines == ("last",)
    with path.open("a") as file:
        file.write("more\nand more")
    joined = ("last", "more", "and more") if end else ("lastmore", "and more")
    assert window(path, 1_001).lines == joined and window(path, 1_001).total_lines == 1_000 + len(joined)
    assert len(scans) == 2


def test_a_file_of_the_same_size_and_time_is_another_one(tmp_path: Path, scans: list[str]) -> None:
    path = lines(tmp_path / "f", 500, "line")
    before = path.stat()
    assert window(path, 500, 1).lines == ("line 500",)
    path.write_text(path.read_text().replace("line", "LINE"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert window(path, 500, 1).lines == ("LINE 500",), "the change time cannot be set back"
    lines(tmp_path / "g", 500, "file")
    os.utime(tmp_path / "g", ns=(before.st_atime_ns, before.st_mtime_ns))
    (tmp_path / "g").replace(path)
    assert window(path, 500, 1).lines == ("file 500",)


def test_a_file_that_changes_while_it_is_looked_at_is_refused(tmp_path: Path, scans: list[str]) -> None:
    path = lines(tmp_path / "f", 5_000)
    with pytest.raises(ToolValidationError) as refusal, open_content(str(path), Cancellation()) as content:
        os.truncate(path, 700)
        read_window(content, 4_000, 10, Cancellation())
    assert refusal.value.check_id == "file-changing"
    lines(path, 5_000)
    with pytest.raises(ToolValidationError) as refusal, open_content(str(path), Cancellation()) as content:
        assert read_window(content, 4_000, 1, Cancellation()).lines == ("line 4000",)
        with path.open("a") as file:
            file.write("more\n")
    assert refusal.value.check_id == "file-changing"


def test_lines_that_no_longer_are_where_they_were(tmp_path: Path, scans: list[str]) -> None:
    """A program that changes a file through its memory leaves no trace in the times for a while."""
    path = lines(tmp_path / "f", 50_000)
    with pytest.raises(ToolValidationError) as refusal, open_content(str(path), Cancellation()) as content:
        path.write_bytes(b"x" * content.index.size)
        content.line_start(30_000)
    assert refusal.value.check_id == "file-changing"


def test_a_line_of_many_megabytes_is_never_held(tmp_path: Path) -> None:
    path = tmp_path / "f"
    with path.open("wb") as file:
        file.write(b"first\n")
        for _ in range(200):
            file.write("é".encode() * 32_000)
        file.write(b"\r\nlast")
    seen = window(path)
    assert seen.lines == ("first", "é" * MAX_LINE_CHARS, "last") and seen.crlf == 1
    assert seen.cut == ((2, 200 * 32_000 - MAX_LINE_CHARS),)


def test_far_too_much_ends_early(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text(("w" * 99 + "\n") * 60_000)
    with pytest.raises(MaxFileReadTokenExceededError, match=r"offset=11, limit=\d+\)") as refusal:
        window(path, 11, 50_000, 1_000)
    assert "1,000 tokens" in str(refusal.value) and "Grep" in str(refusal.value)
    assert len(window(path, 1, 50_000, 10**6).lines) == 50_000


texts = st.lists(
    st.sampled_from(["\n", "\r\n", "\r", "x", "word ", "ü", "\U0001f600", "\0", "y" * 1_990, "z" * 2_001]), max_size=60
).map("".join)


@given(texts, st.integers(1, 20), st.integers(1, 20))
@settings(max_examples=80)
def test_one_piece_and_line_by_line_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, text: str, offset: int, limit: int
) -> None:
    path = tmp_path_factory.mktemp("w") / "f"
    path.write_bytes(text.encode())
    if "\0" in text:
        return  # binary
    whole = window(path, offset, limit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("jupyter_agenttools.files.window._plain_window", lambda *a: None)
        patch.setattr("jupyter_agenttools.files.window.READ_BYTES", 64)
        assert window(path, offset, limit) == whole


def test_nul_and_cr_inside_of_lines_are_named(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x" * 70_000 + b"\na\rb\r\nc\0d\n\r\n")
    seen = window(path, 2)
    assert seen.lines == ("a\rb", "c\0d", "") and seen.odd == (2, 3) and seen.crlf == 2
