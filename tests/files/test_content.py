"""Opening, decoding, line positions and windows."""

from __future__ import annotations

import hashlib
import os
import socket
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.core.errors import InterruptedToolError, ToolValidationError
from jupyter_agenttools.files import content as content_module
from jupyter_agenttools.files import open_content, open_regular, read_whole, read_window
from jupyter_agenttools.files.encoding import decode_exactly, encode, text_format, visible
from jupyter_agenttools.files.kinds import binary_kind
from jupyter_agenttools.files.window import MAX_LINE_CHARS, TextWindow


def window(path: Path, offset: int = 1, limit: int = 2000) -> TextWindow:
    with open_content(str(path), Cancellation()) as content:
        return read_window(content, offset, limit, Cancellation())


def refused(path: Path | str) -> str:
    with pytest.raises(ToolValidationError) as refusal, open_regular(str(path)):
        pass
    return refusal.value.check_id


def test_only_regular_files_are_opened_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to_pipe").symlink_to("pipe")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "dangling").symlink_to("gone")
    (tmp_path / "file").touch()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "socket"))
        started = time.monotonic()
        for name in ("pipe", "to_pipe", "socket"):
            assert refused(tmp_path / name) == "file-not-regular"
        assert refused("/dev/zero") == "file-not-regular"
        assert time.monotonic() - started < 20, "a pipe without a writer blocks whoever opens it"
    assert refused(tmp_path) == "file-is-directory"
    assert refused(tmp_path / "circle") == "file-link-loop"
    assert refused(tmp_path / "dangling") == "file-dangling-link"
    assert refused(tmp_path / "gone") == "file-missing"
    assert refused(tmp_path / "file" / "below") == "file-missing"


def test_descriptors_are_closed_whatever_happens(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        refused(tmp_path)
        refused("/dev/null")
        window(tmp_path / "f")
    assert len(os.listdir("/proc/self/fd")) == before


def test_files_of_the_system_that_claim_to_be_empty_are_read() -> None:
    assert os.stat("/proc/self/status").st_size == 0
    assert any(line.startswith("Name:") for line in window(Path("/proc/self/status")).lines)


def test_a_file_above_the_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 11)
    with pytest.raises(ToolValidationError, match="11 bytes"):
        read_whole(str(tmp_path / "big"), max_bytes=10)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "PNG"),
        (b"%PDF-1.7\n", "PDF"),
        (b"PK\x03\x04\x14\x00", "ZIP"),
        (b"\x7fELF\x02\x01\x01\x00", "ELF"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "WebP"),
        (b"some\x00thing", "NUL"),
        ("Grüße an alle".encode("utf-16-le") * 40, "UTF-16"),
    ],
)
def test_kinds_by_content(head: bytes, words: str) -> None:
    assert words in (binary_kind(head) or "")


@pytest.mark.parametrize("head", [b"", b"hello", b"MZ is a text", b"ID3 tags explained", b"caf\xe9", b"<svg/>"])
def test_texts_are_no_binary(head: bytes) -> None:
    assert binary_kind(head) is None


def test_a_name_says_nothing_about_the_content(tmp_path: Path) -> None:
    (tmp_path / "fake.png").write_text("<svg/>")
    (tmp_path / "fake.txt").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    assert window(tmp_path / "fake.png").lines == ("<svg/>",)
    with pytest.raises(ToolValidationError, match="PNG image"):
        window(tmp_path / "fake.txt")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_encodings_with_a_mark(tmp_path: Path, encoding: str) -> None:
    text = "eins\r\nzwei ü\n\U0001f600 drei"
    data = text.encode(encoding)
    data = b"\xfe\xff" + data if encoding == "utf-16-be" else data
    (tmp_path / "f").write_bytes(data)
    seen = window(tmp_path / "f")
    assert seen.lines == ("eins", "zwei ü", "\U0001f600 drei") and seen.crlf == 1 and seen.total_lines == 3
    form = text_format(data)
    assert decode_exactly(data, form) == text and encode(text, form) == data
    with open_content(str(tmp_path / "f"), Cancellation()) as content:
        assert content.index.content_hash == hashlib.sha256(data).hexdigest(), "the hash is that of the file"


def test_bytes_outside_the_encoding_are_visible_and_named(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"caf\xe9\nfine \xc3\xbc\ntm \x99\n")
    seen = window(tmp_path / "f")
    assert seen.lines == ("caf\\xe9", "fine ü", "tm \\x99") and seen.undecodable == (1, 3)
    (tmp_path / "w").write_bytes("ab".encode("utf-16") + b"\x00\xd8" + "c".encode("utf-16-le"))
    with open_content(str(tmp_path / "w"), Cancellation()) as content:
        assert not content.decodes


def test_visible_text_can_always_be_encoded() -> None:
    assert visible("plain ü") == "plain ü"
    assert visible("half \ud83d, byte \udce9") == "half \\ud83d, byte \\xe9"


def test_tabs_and_odd_characters_stay(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes("def f():\n\treturn 1\x0c\u2028x\nold\rmac\n".encode())
    seen = window(tmp_path / "f")
    assert seen.lines == ("def f():", "\treturn 1\x0c\u2028x", "old\rmac") and seen.odd == (3,)


def test_long_lines_are_cut_with_a_count(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a" * 2000 + "\n" + "ü" * 150_000 + "\r\nend")
    seen = window(tmp_path / "f")
    assert seen.lines[0] == "a" * 2000 and seen.lines[1] == "ü" * MAX_LINE_CHARS and seen.lines[2] == "end"
    assert seen.cut == ((2, 148_000),) and seen.crlf == 1 and seen.undecodable == ()


def test_beyond_the_end_and_empty(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("one\ntwo\n")
    assert window(tmp_path / "f", 3).lines == () and window(tmp_path / "f", 2).lines == ("two",)
    assert window(tmp_path / "f").is_whole and not window(tmp_path / "f", 2).is_whole
    (tmp_path / "e").touch()
    assert window(tmp_path / "e").lines == () and window(tmp_path / "e").total_lines == 0


pieces = st.lists(st.sampled_from(["\n", "\r\n", "x", "word ", "ü", "\U0001f600", "y" * 50]), max_size=200)


@given(pieces, st.integers(1, 40), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_every_window_is_what_splitting_gives(tmp_path_factory, parts: list[str], offset: int, limit: int) -> None:
    path = tmp_path_factory.mktemp("w") / "f"
    text = "".join(parts)
    path.write_bytes(text.encode())
    lines = text.split("\n")
    expected = [line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content_module, "BLOCK_BYTES", 64)
        patch.setattr(content_module, "PIECE_BYTES", 256)
        patch.setattr("jupyter_agenttools.files.window.READ_BYTES", 64)
        patch.setattr(content_module, "IN_MEMORY_BYTES", 100)
        seen = window(path, offset, limit)
    assert list(seen.lines) == expected[offset - 1 :][:limit] and seen.total_lines == len(expected)


def test_an_index_is_kept_only_while_the_file_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_module, "IN_MEMORY_BYTES", 1000)
    reads: list[str] = []
    original = content_module._read_index
    monkeypatch.setattr(content_module, "_read_index", lambda *a: reads.append("read") or original(*a))
    path = tmp_path / "f"
    path.write_text("".join(f"line {i}\n" for i in range(20_000)))
    window(path, 5000, 1)
    window(path, 6000, 1)
    assert len(reads) == 2, "a file that changed just now may change again unnoticed, so nothing is kept"
    monkeypatch.setattr(content_module, "SETTLED_NS", -(10**9))
    assert window(path, 19_999, 1).lines == ("line 19998",)
    assert window(path, 7, 1).lines == ("line 6",)
    assert len(reads) == 3, "the second look at the same file reads no whole file"
    path.write_text("".join(f"LINE {i}\n" for i in range(20_000)))
    assert window(path, 7, 1).lines == ("LINE 6",) and len(reads) == 4


def test_a_stopped_call_stops_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_module, "IN_MEMORY_BYTES", 1000)
    (tmp_path / "f").write_text("x\n" * 5000)
    stopped = Cancellation()
    stopped.cancel("enough")
    with pytest.raises(InterruptedToolError), open_content(str(tmp_path / "f"), stopped):
        pass
