"""What two sequences have in common."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, count
from operator import is_not
from typing import Any


def same_beginning(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many of the first items are the very same objects in both?

    Linear, in C: some 30 µs for 4,000 items. It lets work on a growing history begin where it left off.
    """
    differs = map(is_not, one, other)
    return next(compress(count(), differs), min(len(one), len(other)))
