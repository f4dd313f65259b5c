"""Timing with a floor in the same run: what is reported is a ratio."""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Figure(NamedTuple):
    """One measured figure.

    Attributes:
        name: what was measured.
        value: the measured value.
        floor: the same run's floor (``None`` where the target is absolute).
        unit: of both.
        target: the most it may be: a ratio where there is a floor, else a value.
        detail: anything else worth knowing.
    """

    name: str
    value: float
    floor: float | None
    unit: str
    target: float
    detail: Mapping[str, Any] = MappingProxyType({})

    def to_json(self) -> dict[str, Any]:
        reached = self.value / self.floor if self.floor else self.value
        fields = {
            "name": self.name,
            "value": round(self.value, 4),
            "unit": self.unit,
            "floor": None if self.floor is None else round(self.floor, 4),
            "ratio": round(reached, 3) if self.floor else None,
            "target": self.target,
            "ok": reached <= self.target,
        }
        return {**fields, **({"detail": dict(self.detail)} if self.detail else {})}


async def cpu_us(work: Callable[[], Awaitable[Any]], *, repeats: int, per: int = 1) -> list[float]:
    """Process CPU time of ``work`` in microseconds, divided by ``per``; one value for each repeat."""
    values = []
    for _ in range(repeats):
        before = time.process_time()
        await work()
        values.append((time.process_time() - before) * 1e6 / per)
    return values


async def wall_s(work: Callable[[], Awaitable[Any]], *, repeats: int) -> list[float]:
    """Wall time of ``work`` in seconds; one value for each repeat."""
    values = []
    for _ in range(repeats):
        before = time.perf_counter()
        await work()
        values.append(time.perf_counter() - before)
    return values


median = statistics.median
