"""``make bench``: every figure with its floor from the same run, as JSON lines; exits 1 when a target is missed."""

from __future__ import annotations

import json
import sys
from importlib import import_module

GROUPS = (
    "pipeline", "hooks", "bash", "files", "search", "notebooks", "history", "transcripts", "bash_run", "agent",
    "imports", "kernel", "browser",
)  # fmt: skip


def main(groups: list[str]) -> int:
    """Print the figures of the named groups (all of them by default)."""
    missed = 0
    for group in groups or GROUPS:
        for figure in import_module(f".{group}", __package__).figures():
            row = figure.to_json()
            missed += not row["ok"]
            print(json.dumps(row), flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
