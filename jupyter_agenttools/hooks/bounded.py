"""Comparing a name with a regular expression that might never end: in a process of its own, which can be killed."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from functools import lru_cache
from typing import NamedTuple

MAX_STEPS = 300_000
"""As many steps of backtracking take some 30 ms; what may take more is left to another process."""

MAX_NAME_CHARS = 1_000
"""A longer name is compared in another process, whatever the pattern is."""

MAX_REPETITIONS = 20
MAX_COUNT = 1_000
CPU_S = 1
"""What a comparison gets there, in seconds of processor time, so that a busy machine changes no answer."""

WALL_S = 20.0
MEMORY_BYTES = 1 << 30
YES, NO = 10, 11
"""The exit codes that are answers; an interpreter that fails ends with 1 or 2."""

_PROGRAM = f"""
import json, resource, sys
for limit, most in ((resource.RLIMIT_CPU, {CPU_S}), (resource.RLIMIT_AS, {MEMORY_BYTES}), (resource.RLIMIT_CORE, 0)):
    try:
        resource.setrlimit(limit, (most, most))
    except (OSError, ValueError):
        pass
folder, pattern, name = json.load(sys.stdin.buffer)
sys.path.append(folder)
from regress import Regex
sys.exit({YES} if Regex(pattern).find(name) is not None else {NO})
"""

_TOKEN = re.compile(
    r"\\. | \[ (?:\\.|[^\]\\])* \]"  # an escape, a class: nothing in them repeats
    r" | (?P<open> \( (?: \? (?: [:=!] | <[=!]? ) )? ) | (?P<close> \) ) | (?P<branch> \| )"
    r" | (?P<repeat> (?: [*+?] | \{ (?P<least>\d+) (?: , (?P<most>\d*) )? \} ) \?? )",
    re.DOTALL | re.VERBOSE | re.ASCII,
)


class Shape(NamedTuple):
    """What of a JavaScript pattern says how long it can take.

    Attributes:
        repetitions: how many of its parts may be there more or less often. branches: how many alternatives it has.
        depth: how deep its groups stand in each other.
        may_explode: what repeats, or has alternatives, is repeated itself, or a count is huge: the number of steps
            may double with every character.
    """

    repetitions: int = 0
    branches: int = 0
    depth: int = 0
    may_explode: bool = False

    def may_take_long(self, name: str) -> bool:
        """Whether a comparison with this name could need more steps than it may where it stops everybody else."""
        if self.may_explode or self.repetitions > MAX_REPETITIONS or len(name) > MAX_NAME_CHARS:
            return True
        ways = math.comb(len(name) + self.repetitions + 1, self.repetitions + 1)
        return ways * (1 + self.branches) > MAX_STEPS


def shape_of(pattern: str) -> Shape:
    """How long can this pattern take? It need not be a correct one."""
    repetitions = branches = depth = 0
    may_explode = False
    groups = [False]  # of each open group: whether something in it repeats, or is one of several
    closed_varies, closed_at = False, -1
    for token in _TOKEN.finditer(pattern):
        if token["open"]:
            groups.append(False)
            depth = max(depth, len(groups) - 1)
        elif token["close"] and len(groups) > 1:
            closed_varies, closed_at = groups.pop(), token.end()
            groups[-1] = groups[-1] or closed_varies
        elif token["branch"]:
            branches, groups[-1] = branches + 1, True
        elif token["repeat"]:
            repetitions, groups[-1] = repetitions + 1, True
            again = token["repeat"][0] != "?"
            may_explode = may_explode or (again and closed_varies and closed_at == token.start())
            may_explode = may_explode or int(token["most"] or token["least"] or 0) > MAX_COUNT
    return Shape(repetitions, branches, depth, may_explode)


@lru_cache(maxsize=1024)
def found_elsewhere(pattern: str, name: str) -> bool:
    """Whether the pattern is found in the name, by a process that is killed after its time.

    One that does not end, crashes or cannot be started counts as found: a guard must not stay silent.
    """
    import regress

    folder = os.path.dirname(os.path.dirname(os.path.abspath(regress.__file__)))
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _PROGRAM],
            input=json.dumps([folder, pattern, name]).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=WALL_S,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return True
    return done.returncode != NO
