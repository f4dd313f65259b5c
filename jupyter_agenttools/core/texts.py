"""Texts that can go over a wire."""

from __future__ import annotations

import re

_SMUGGLED_BYTE = re.compile("[\udc80-\udcff]")


def visible(text: str) -> str:
    """``text`` in a form that every encoder takes: half characters read ``\\udXXX``, smuggled bytes ``\\xNN``."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        shown = _SMUGGLED_BYTE.sub(lambda found: f"\\x{ord(found[0]) - 0xDC00:02x}", text)
        return shown.encode("utf-8", "backslashreplace").decode()
    return text
