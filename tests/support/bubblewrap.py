"""Running commands that were allowed without asking, cut off from everything: a copy of a project in bubblewrap."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.bash_project import TOKEN, build_project

HOME = "/home/dev"
PROJECT = f"{HOME}/proj"
REPOSITORY = Path(__file__).parents[2]
APT_TIMEOUT_S = 600


@dataclass(frozen=True)
class Harm:
    """A command that did what it must not: changed files, or printed what stands outside."""

    command: str
    what: str


def find_bubblewrap() -> str:
    """The path of ``bwrap``; as root it is installed where it is missing.

    Raises:
        RuntimeError: it is not there; says how to get it.
    """
    found = shutil.which("bwrap")
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for words in (["update", "-q"], ["install", "-y", "-q", "--no-install-recommends", "bubblewrap"]):
            subprocess.run(["apt-get", *words], env=env, timeout=APT_TIMEOUT_S, check=False, capture_output=True)
        found = shutil.which("bwrap")
    if found is None:
        raise RuntimeError("bubblewrap is missing, so nothing that was allowed can be run: apt-get install bubblewrap")
    return found


def sandbox(home: Path) -> list[str]:
    """The words before a command that run it with ``home`` as its only writable place, without a network."""
    python = {sys.prefix, sys.base_prefix, sysconfig.get_path("purelib"), str(REPOSITORY)}
    bound = [word for path in sorted(python) for word in ("--ro-bind", path, path)]
    return [
        find_bubblewrap(), "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/",
        "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/home", *bound,
        "--bind", str(home), HOME, "--chdir", PROJECT,
    ]  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """What came of judging commands and running those that were allowed."""

    allowed: list[str]
    harms: list[Harm]


def try_commands(commands: Sequence[str], home: Path, timeout_s: float = 1_500) -> Trial:
    """Judge these commands, and run those that nobody would be asked about, exactly as the tool runs them.

    Args:
        commands: texts for bash. home: a folder; the project is made in it when it is empty.

    Raises:
        RuntimeError: bubblewrap is missing, or the run inside of it failed.
    """
    if not (home / "proj").exists():
        build_project(home)
    words = [*sandbox(home), sys.executable, "-m", "tests.support.run_allowed"]
    own = {"PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"}
    env = {**os.environ, **own, "HOME": HOME, "AGENT_API_KEY": TOKEN}
    request = json.dumps({"commands": list(commands)})
    done = subprocess.run(words, input=request, capture_output=True, text=True, env=env, timeout=timeout_s, check=False)
    if done.returncode:
        raise RuntimeError(f"the run in bubblewrap failed: {done.stderr[-2000:]}")
    answer = json.loads(done.stdout)
    return Trial(answer["allowed"], [Harm(**row) for row in answer["harms"]])
