"""Random command lines: what is allowed without asking neither changes a file nor prints what stands outside."""

from __future__ import annotations

import os

import pytest

from tests.support.bubblewrap import find_bubblewrap

from .generate import commands
from .run import fuzz

COUNT = int(os.environ.get("FUZZ_COUNT", "20000"))
SEED = int(os.environ.get("FUZZ_SEED", "20260601"))


@pytest.mark.timeout(1500)
def test_whatever_is_allowed_does_no_harm() -> None:
    try:
        find_bubblewrap()
    except RuntimeError as missing:
        pytest.fail(str(missing))
    trial = fuzz(COUNT, SEED)
    assert not trial.harms
    assert len(trial.allowed) > COUNT // 50, "the strings are too wild to show anything"


def test_a_seed_gives_the_same_strings() -> None:
    assert list(commands(50, 7)) == list(commands(50, 7)) != list(commands(50, 8))
