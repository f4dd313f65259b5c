"""Inside of bubblewrap: judge commands, run those that need no asking as the Bash tool does, and look after each.

Reads ``{"commands": [...]}`` on stdin; writes which were allowed, and the harms, on stdout.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import anyio

from jupyter_agenttools.permissions import classify_read_only
from jupyter_agenttools.shell import ShellCommand, ShellRun, hardened_environment
from tests.support.bash_project import TOKEN
from tests.support.bubblewrap import HOME, PROJECT

TIMEOUT_S = 5.0
MAX_BLOCKS = 2_000
"""Of the output of a command that never ends, more is not kept."""

Snapshot = dict[str, tuple[int, int, int, int]]


def snapshot() -> Snapshot:
    """Every file below the home folder and the temporary folder, with what changes when it is written to."""
    return {path: state for folder in (HOME, "/tmp") for path, state in _states(folder)}


def _states(folder: str) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        if entry.is_dir(follow_symlinks=False):
            if os.access(entry.path, os.W_OK):
                yield entry.path, (status.st_mode, 0, status.st_ino, 0)
                yield from _states(entry.path)
        else:
            yield entry.path, (status.st_mode, status.st_size, status.st_ino, status.st_mtime_ns)


async def run_one(command: str) -> str:
    """Everything that the command prints."""
    parts: list[bytes] = []
    env = {**hardened_environment(os.environ, PROJECT, command), "PWD": PROJECT}

    def keep(block: bytes) -> None:
        if len(parts) < MAX_BLOCKS:
            parts.append(block)

    sinks: Any = {"stdout": keep, "stderr": keep}
    run = ShellRun(ShellCommand(command, PROJECT, env, "pipes", TIMEOUT_S), sinks, lambda elapsed_ms: None)
    await run.run()
    return b"".join(parts).decode(errors="replace")


async def look_after(commands: list[str]) -> list[dict[str, str]]:
    """Run these commands; what harm each of them did."""
    harms = []
    before = snapshot()
    for command in commands:
        printed = await run_one(command)
        after = snapshot()
        changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
        if changed:
            harms.append({"command": command, "what": f"it changed {', '.join(changed[:5])}"})
        elif TOKEN in printed:
            harms.append({"command": command, "what": "it printed what stands outside"})
        before = after
    return harms


async def main() -> None:
    commands = json.load(sys.stdin)["commands"]
    allowed = [command for command in commands if classify_read_only(command, cwd=PROJECT, roots=[PROJECT]).ok]
    json.dump({"allowed": allowed, "harms": await look_after(allowed)}, sys.stdout)


if __name__ == "__main__":
    anyio.run(main)
