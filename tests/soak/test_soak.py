"""Nothing is left over of a long life, every call has its result, and the transcript tells the same conversation."""

from __future__ import annotations

import os
from pathlib import Path
from statistics import median

import pytest

from tests.soak.life import Held, Report, live

pytestmark = pytest.mark.anyio

TURNS = int(os.environ.get("JUPYTER_AGENTTOOLS_SOAK_TURNS", "150"))
SEED = int(os.environ.get("JUPYTER_AGENTTOOLS_SOAK_SEED", "20240229"))

ALLOWED_MORE = Held(tasks=0, threads=2, files=4, children=0, objects=3_000, rss_kb=30_000)
"""What the second half of a life may hold beyond the first: a pool's idle threads with their pipes, a conversation that
happens to be longer."""

LEFT_OVER = Held(tasks=0, threads=5, files=8, children=1, objects=1_500, rss_kb=80_000)
"""What the process may hold beyond what it held before the session: the one helper that ends commands whose kernel
dies, idle threads, and modules that were imported meanwhile."""


def complaints(report: Report) -> list[str]:
    """What should not be so."""
    wrong = [f"turn {turn}: {fault.kind}: {fault.text}" for turn, fault in report.faults]
    wrong += [f"sent: {fault}" for fault in report.unsound]
    wrong += [f"turn {turn}: nobody told the model what the person said" for turn in sorted(report.said - report.heard)]
    middle = len(report.held) // 2
    first, second = report.held[1 : middle + 1], report.held[middle + 1 :]
    for name, more in ALLOWED_MORE._asdict().items():
        usual = [median(getattr(held, name) for held in half) for half in (first, second)]
        if usual[1] > usual[0] + more:
            wrong.append(f"{name} grow: usually {usual[0]} in the first half, {usual[1]} in the second")
    if report.before and report.after:
        for name, more in LEFT_OVER._asdict().items():
            before, after = getattr(report.before, name), getattr(report.after, name)
            if after > before + more:
                wrong.append(f"{name}: {before} before, {after} after the session was closed")
    return [*wrong, *([f"the transcript differs: {report.differs}"] if report.differs else [])]


@pytest.mark.timeout(max(180, TURNS * 2))
async def test_a_long_life_leaves_nothing_behind(tmp_path: Path) -> None:
    report = await live(TURNS, SEED, tmp_path)
    assert complaints(report) == []
    assert sum(report.ends.values()) == TURNS
    assert {"end_turn", "error", "interrupted", "left"} <= set(report.ends)
    assert report.shortened >= 1 and report.replaced >= 1 and report.said
