"""Texts that can go over a wire, and names that nothing has yet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

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


def numbered(name: str) -> Iterator[str]:
    """The name itself, then ``name-2``, ``name-3`` and so on, for whoever looks for one that is free."""
    yield name
    for number in count(2):
        yield f"{name}-{number}"
