"""A command as a plan: it says what to wait for, and is driven by a cell that awaits or by one that cannot."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from ..core import errors as core
from .errors import UsageError
from .run import Run

Plan = Generator[Run, None, Any]
"""Yields each :class:`Run` that must be over before it can go on; returns the command's value."""


async def drive(plan: Plan) -> Any:
    """Carry out a plan in an awaiting cell.

    Raises:
        UsageError: a person's mistake, in one line.
    """
    try:
        run = next(plan)
        while True:
            await run.wait()
            run = next(plan)
    except StopIteration as end:
        return end.value
    except core.UsageError as mistake:
        raise _one_line(mistake) from None


def drive_blocking(plan: Plan) -> Any:
    """Carry out a plan where nothing can be awaited.

    Raises:
        UsageError: a person's mistake, in one line.
    """
    try:
        run = next(plan)
        while True:
            run.wait_blocking()
            run = next(plan)
    except StopIteration as end:
        return end.value
    except core.UsageError as mistake:
        raise _one_line(mistake) from None


def _one_line(mistake: core.UsageError) -> core.UsageError:
    return mistake if isinstance(mistake, UsageError) else UsageError(str(mistake))
