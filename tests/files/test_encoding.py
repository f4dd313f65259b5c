"""Which encoding a content is in, told from the content alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.files import open_content, read_window
from jupyter_agenttools.files.encoding import MAX_DETECTED_BYTES, UTF8, decode_exactly, detect_format, encode
from jupyter_agenttools.files.present import Present, format_for


def named(data: bytes) -> tuple[str, str]:
    form = detect_format(data)
    return form.name, form.origin


@pytest.mark.parametrize(
    ("data", "name", "origin"),
    [
        (b"", "utf-8", "assumed"),
        (b"plain", "utf-8", "assumed"),
        ("é".encode(), "utf-8", "assumed"),
        ("\ufeffé".encode(), "utf-8-sig", "mark"),
        ("é".encode("utf-16"), "utf-16-le", "mark"),
        (b"\xfe\xff" + "é".encode("utf-16-be"), "utf-16-be", "mark"),
        ("é".encode("utf-32"), "utf-32-le", "mark"),
        ("Grüße an alle\n".encode("utf-16-le"), "utf-16-le", "guess"),
        ("Grüße an alle\n".encode("utf-16-be"), "utf-16-be", "guess"),
        (b"a\0b\0c\0d\0e\0f\0g\0h\0", "utf-16-le", "guess"),
        (b"a\0\1\0" * 8, "utf-8", "assumed"),
        (b"a\0b\0", "utf-8", "assumed"),
        (b"caf\xe9\n", "windows-1252", "guess"),
        (b"caf\xe9 \xe2\x80\x94 \xc3\xa9\n", "utf-8", "assumed"),
        (b"D\x92Artagnan \x96 \x93oui\x94 10 \x80\n", "windows-1252", "guess"),
        ("Straße, über, Öl, naïf, créée\n".encode("cp1252"), "windows-1252", "guess"),
        ("Привет мир".encode("cp1251"), "ASCII", "unknown"),
        ("Καλημέρα κόσμε".encode("cp1253"), "ASCII", "unknown"),
        ("これはテスト".encode("shift_jis"), "ASCII", "unknown"),
        ("ja¼ñ".encode("cp1252"), "ASCII", "unknown"),
        ("café".encode("mac-roman"), "ASCII", "unknown"),
        ("über".encode("cp850"), "ASCII", "unknown"),
        (b"\xe9", "ASCII", "unknown"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "iso-8859-1", "declared"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\n\xcf\xf0\xe8", "windows-1251", "declared"),
        (b"// -*- coding: iso-8859-15-unix -*-\n\xa4", "iso8859-15", "declared"),
        (b"x = 1\n# coding: latin-1\n\xe9a", "windows-1252", "guess"),
        (b"caf\xe9 \xc3\xa9 \xe9 \xe9 \xe9\n", "utf-8", "assumed"),
        (b"# coding: latin-1\n\xc3\xa9\n", "utf-8", "assumed"),
        (b"# coding: utf-8\n\xe9t\xe9 abc\n", "utf-8", "assumed"),
        (b"# coding: rot13\nabc \xe9\n", "windows-1252", "guess"),
        (b"# coding: no-such-thing\nabc \xe9\n", "windows-1252", "guess"),
        (b'<?xml version="1.0" encoding="ISO-8859-2"?><a>\xf8</a>', "iso8859-2", "declared"),
        (b'<?xml version="1.0" encoding="UTF-16"?><a>ascii</a>', "utf-8", "assumed"),
        (b'<!DOCTYPE html><html><head><meta charset="iso-8859-1">\x93hi\x94', "windows-1252", "declared"),
        (b'<html><meta http-equiv="Content-Type" content="text/html; charset=euc-kr">\xb0\xa1', "euc_kr", "declared"),
        (b'<p><meta charset="koi8-r">\xc1 is not in a page', "windows-1252", "guess"),
        (b'@charset "koi8-r"; a { content: "\xc1" }', "koi8-r", "declared"),
    ],
)
def test_what_a_content_is_in(data: bytes, name: str, origin: str) -> None:
    assert named(data) == (name, origin)


def test_a_guess_is_said_and_a_sure_thing_is_not() -> None:
    assert detect_format(b"caf\xe9\n").described == "windows-1252, a guess: the file does not say"
    assert detect_format("\ufeffé".encode()).described == "utf-8-sig"
    assert "as the file declares" in detect_format(b"# coding: latin-1\n\xe9").described


def test_large_files_are_read_as_utf8(tmp_path: Path) -> None:
    tail = b"caf\xe9 ends\n"
    data = b"# coding: latin-1\n" + b"x" * 99 + (b"y" * 99 + b"\n") * (MAX_DETECTED_BYTES // 100) + tail
    assert named(data) == ("ASCII", "unknown")
    assert named(data + "é".encode()) == ("utf-8", "assumed")
    (tmp_path / "f").write_bytes(data)
    with open_content(str(tmp_path / "f"), Cancellation()) as content:
        window = read_window(content, content.index.total_lines, 1, Cancellation())
    assert window.lines == ("caf\\xe9 ends",)


@pytest.mark.parametrize(
    ("content", "old", "expected"),
    [
        ("é", None, "é".encode()),
        ("é", "alt ü".encode(), "é".encode()),
        ("é", b"caf\xe9\n", b"\xe9"),
        ("→", b"caf\xe9\n", "→".encode()),
        ("é", "ü".encode("utf-16"), "é".encode("utf-16")),
        ("# coding: latin-1\né", None, b"# coding: latin-1\n\xe9"),
        ("# coding: latin-1\né", "# coding: latin-1\nü".encode(), "# coding: latin-1\né".encode()),
        ("# coding: utf-8\né", b"# coding: latin-1\n\xe9", "# coding: utf-8\né".encode()),
        ("é", b"# coding: latin-1\n\xe9", b"\xe9"),
        ("é", "Привет".encode("cp1251"), "é".encode()),
    ],
)
def test_how_a_whole_new_content_is_written(content: str, old: bytes | None, expected: bytes) -> None:
    present = None if old is None else Present(old, "")
    assert encode(content, format_for(content, present)) == expected


def test_a_declared_encoding_that_cannot_hold_the_text_is_an_error() -> None:
    text = '<?xml version="1.0" encoding="iso-8859-1"?>\n<a>→</a>'
    with pytest.raises(ToolValidationError, match=r"line 2 holds → \(U\+2192\)"):
        encode(text, format_for(text, None))


def test_undecodable_bytes_are_no_text() -> None:
    assert decode_exactly(b"\xff", UTF8) is None
