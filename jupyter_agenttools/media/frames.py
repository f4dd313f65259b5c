"""What the two processes say to each other: a JSON header, then the raw bytes that it announces."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

LENGTH_BYTES = 4
MAX_HEADER_BYTES = 16 << 20


class Frame(NamedTuple):
    """One message. ``payloads`` are bytes that stand beside the header and not in it."""

    header: dict[str, Any]
    payloads: tuple[bytes, ...] = ()


def packed(header: dict[str, Any], payloads: Sequence[bytes] = ()) -> list[bytes]:
    """The pieces of a message, to be written one after the other."""
    head = json.dumps({**header, "sizes": [len(payload) for payload in payloads]}).encode()
    return [len(head).to_bytes(LENGTH_BYTES, "big"), head, *payloads]


def unpacked(read: Callable[[int], bytes]) -> Frame | None:
    """The next message, ``None`` at the end.

    Args:
        read: gives exactly so many bytes, fewer only at the end.

    Raises:
        ValueError: what comes is no message, or it is cut off.
    """
    length = read(LENGTH_BYTES)
    if not length:
        return None
    size = int.from_bytes(length, "big")
    if len(length) < LENGTH_BYTES or size > MAX_HEADER_BYTES:
        raise ValueError("not a message")
    header = json.loads(read(size))
    sizes = header.pop("sizes", None) if isinstance(header, dict) else None
    if not isinstance(sizes, list):
        raise ValueError("not a message")
    payloads = tuple(read(each) for each in sizes)
    if [len(payload) for payload in payloads] != sizes:
        raise ValueError("a message that is cut off")
    return Frame(header, payloads)
