"""What came of judging one call."""

from __future__ import annotations

from typing import NamedTuple

from .places import ReadPath
from .state import ANY, Ends, Value


class Result(NamedTuple):
    """What holds after a call, what it reads, and what is known of its output."""

    ends: Ends
    reads: tuple[ReadPath, ...] = ()
    output: Value = ANY
