"""Which images are known to be sound? Every image in a conversation is decoded once before it gets there."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict

MAX_KNOWN = 1_000

_lock = threading.Lock()
_known: OrderedDict[bytes, None] = OrderedDict()


def remember(data: str) -> None:
    """Note that the image with this base64 text is sound and within the providers' limits."""
    with _lock:
        _known[_digest(data)] = None
        while len(_known) > MAX_KNOWN:
            _known.popitem(last=False)


def is_known(data: str) -> bool:
    with _lock:
        return _digest(data) in _known


def _digest(data: str) -> bytes:
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).digest()
