"""Read what bash's ``export -p`` prints: the exported variables, in bash's own quoting."""

from __future__ import annotations

import os
import re

_QUOTED = rb"\"(?:[^\"\\]|\\.)*\"|\$'(?:[^'\\]|\\.)*'"
_LINE = re.compile(
    rb"(?:declare -[A-Za-z]+|export) (?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    rb"(?:=(?:(?P<value>" + _QUOTED + rb")|\((?:[^\"$)]|" + _QUOTED + rb")*\)))?\n",
    re.DOTALL,
)
_PLAIN_ESCAPE = re.compile(rb"\\([\"$`\\])")
_ANSI_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_ANSI_NAMED = {b"a": b"\a", b"b": b"\b", b"E": b"\x1b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def read_exports(printed: bytes) -> dict[str, str]:
    """The exported variables that have a value. Arrays are left out: bash does not pass them on either."""
    return {
        os.fsdecode(line["name"]): os.fsdecode(_unquote(line["value"]))
        for line in _LINE.finditer(printed)
        if line["value"] is not None
    }


def _unquote(word: bytes) -> bytes:
    if b"\\" not in word:
        return word.lstrip(b"$")[1:-1]
    if word.startswith(b'"'):
        return _PLAIN_ESCAPE.sub(rb"\1", word[1:-1])
    return _ANSI_ESCAPE.sub(_ansi_character, word[2:-1])


def _ansi_character(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    if code.isdigit():
        return bytes([int(code, 8) & 0xFF])
    return _ANSI_NAMED.get(code, code)
