"""Judging and running random command lines, over all processors."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support.bash_project import build_project
from tests.support.bubblewrap import Trial, try_commands

from .generate import commands


def fuzz(count: int, seed: int) -> Trial:
    """Judge ``count`` random command lines, and run those that are allowed.

    Raises:
        RuntimeError: bubblewrap is missing, or a run inside of it failed.
    """
    texts = list(dict.fromkeys(commands(count, seed)))
    workers = max(2, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers) as pool:
        trials = list(pool.map(_try_in_new_home, [texts[i::workers] for i in range(workers)], range(workers)))
    return Trial([c for trial in trials for c in trial.allowed], [h for trial in trials for h in trial.harms])


def _try_in_new_home(texts: Sequence[str], number: int) -> Trial:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        # In half of the homes git runs nothing by itself, so that it comes to print what it was asked for.
        build_project(Path(folder), has_hostile_settings=bool(number % 2))
        return try_commands(texts, Path(folder))
