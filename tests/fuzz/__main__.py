"""``make fuzz``: ``python -m tests.fuzz [COUNT] [SEED]``; exits 1 when something that was allowed did harm."""

from __future__ import annotations

import random
import sys

from .run import fuzz


def main(words: list[str]) -> int:
    """Run so many random command lines, and say what came of it."""
    count = int(words[0]) if words else 100_000
    seed = int(words[1]) if len(words) > 1 else random.SystemRandom().randrange(2**32)
    print(f"{count:,} command lines from seed {seed}", flush=True)
    trial = fuzz(count, seed)
    print(f"{len(trial.allowed):,} were allowed and run; {len(trial.harms)} did harm")
    for harm in trial.harms:
        print(f"  {harm.command!r}: {harm.what}")
    return 1 if trial.harms else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
