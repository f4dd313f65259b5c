"""The escapes of ``$'…'``."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|([abeEfnrtv\\'\"?])|(c.)|(.?))",
    re.DOTALL,
)
_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def decode_ansi_c(inner: str) -> str | None:
    """The text that ``$'inner'`` stands for, ``None`` when it holds an escape that is not read.

    Bytes above 127, control characters by ``\\c`` and a NUL (which ends the text early) are not read.
    """
    parts: list[str] = []
    at = 0
    for match in _ESCAPE.finditer(inner):
        parts.append(inner[at : match.start()])
        at = match.end()
        byte, short, long, octal, letter, control, other = match.groups()
        if letter is not None:
            parts.append(_LETTERS.get(letter, letter))
            continue
        if control is not None or (not other == "" and other is not None):
            return None
        code = int(byte or short or long or "0", 16) if octal is None else int(octal, 8)
        if not 0 < code < (128 if byte or octal else 0x110000) or 0xD800 <= code < 0xE000:
            return None
        parts.append(chr(code))
    parts.append(inner[at:])
    return "".join(parts)
