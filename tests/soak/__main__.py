"""``python -m tests.soak [TURNS] [SEED]``: a long life of one session, with what it holds on the way."""

from __future__ import annotations

import random
import sys
import tempfile
from functools import partial
from pathlib import Path

import anyio

from tests.soak.life import live
from tests.soak.test_soak import complaints


def main() -> int:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1_000_000)
    print(f"{turns} turns, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        report = anyio.run(partial(live, turns, seed, Path(folder), partial(print, flush=True)))
    print(f"ends: {dict(report.ends)}\nthe model: {dict(report.did)}")
    print(f"shortened: {report.shortened}, results replaced: {report.replaced}")
    print(f"before: {report.before}\nafter:  {report.after}")
    wrong = complaints(report)
    print("\n".join(wrong) or "nothing is left over, every call has its result, the transcript tells the same")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
