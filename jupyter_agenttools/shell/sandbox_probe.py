"""Is there a sandbox on this machine, and does it work? Asked once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import ExitStack
from itertools import product
from typing import NamedTuple

from .environment import system_path
from .sandbox_calls import call_filter
from .starter import memory_file

PROBE_TIMEOUT_S = 10.0

INSTALL = "sudo apt-get install bubblewrap (Debian, Ubuntu), sudo dnf install bubblewrap (Fedora)"

_TRIED_OPTIONS = (("--disable-userns",), ())
"""The first that works is used; before version 0.8 bubblewrap cannot forbid further user namespaces inside."""


class SandboxSupport(NamedTuple):
    """What there is.

    Attributes:
        program: absolute path of bubblewrap, ``None`` when there is no sandbox.
        options: what it can do beyond the least.
        problem: why there is none, and what to do about it.
        filters: whether system calls can be kept from it, see :mod:`.sandbox_calls`.
    """

    program: str | None
    options: tuple[str, ...] = ()
    problem: str = ""
    filters: bool = False


_lock = threading.Lock()
_known: SandboxSupport | None = None


def sandbox_support() -> SandboxSupport:
    """What this machine can do. Starts bubblewrap at the first question; later ones are answered from memory."""
    global _known
    with _lock:
        if _known is None:
            _known = probe(system_path())
        return _known


def probe(path: str) -> SandboxSupport:
    """The same for bubblewrap in the folders of ``path``, asked anew."""
    if sys.platform != "linux":
        return SandboxSupport(None, problem="there is no sandbox for this operating system; on Linux it is bubblewrap")
    # Only there: elsewhere a command could have put a program of that name.
    program = next(filter(_is_program, (os.path.join(f, "bwrap") for f in path.split(os.pathsep) if f)), None)
    if program is None:
        return SandboxSupport(None, problem=f"bubblewrap is not installed: {INSTALL}, then restart the kernel")
    said = ""
    for options, filters in product(_TRIED_OPTIONS, (True, False) if call_filter() else (False,)):
        said = _try(program, options, filters)
        if not said:
            return SandboxSupport(program, options, filters=filters)
    return SandboxSupport(
        None,
        problem=f"bubblewrap is installed and does not work here: {said}. In a container it needs user namespaces "
        "(seccomp and AppArmor must allow them); on Ubuntu 24.04 and later an AppArmor profile for "
        "/usr/bin/bwrap with the rule `userns,`",
    )


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _try(program: str, options: tuple[str, ...], filters: bool) -> str:
    """Why it does not work with these options; empty when it does."""
    with ExitStack() as cleanup:
        kept: list[int] = []
        if filters:
            kept.append(memory_file(call_filter() or b""))
            cleanup.callback(os.close, kept[0])
            options = (*options, "--seccomp", str(kept[0]))
        return _try_words(program, options, kept)


def _try_words(program: str, options: tuple[str, ...], kept: list[int]) -> str:
    words = [program, *options, "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"]
    words += ["--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
    try:
        done = subprocess.run(
            [*words, "--", "/bin/sh", "-c", "exec <> /dev/null"], stdin=subprocess.DEVNULL, capture_output=True,
            timeout=PROBE_TIMEOUT_S, start_new_session=True, check=False, cwd="/", env={"PATH": system_path()},
            pass_fds=kept,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = done.stderr.decode(errors="replace").strip().partition("\n")[0]
    return (said or f"exit code {done.returncode}") if done.returncode else ""
