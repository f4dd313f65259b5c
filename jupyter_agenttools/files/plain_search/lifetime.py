"""How the work of a search never outlives what it is for."""

from __future__ import annotations

import os
import select
import signal
import sys
import traceback
from collections.abc import Callable

FAILED = 70
LOOK_EVERY_S = 0.25
GRACE_S = 1.0
"""Whoever started the search ends it at its time limit; so long after that nobody has."""


def watched(work: Callable[[], None], limit_s: float) -> int:
    """Do the work in a process of its own; returns its exit status.

    A regular expression that runs away listens to nothing but a signal, so this process only waits. When the one that
    started it is gone (a killed kernel tells nobody), it ends the whole group of processes.

    Args:
        limit_s: how long the work may take, seconds.
    """
    starter = os.getppid()
    ended, held = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ended)
        end_after(limit_s)
        _finish(work)
    os.close(held)
    while not select.select([ended], [], [], LOOK_EVERY_S)[0]:
        if os.getppid() != starter:
            _end_all(child)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256


def end_after(limit_s: float) -> None:
    """End this process when it takes longer than the search may. A forked process has to ask for that anew."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limit_s + GRACE_S)


def _finish(work: Callable[[], None]) -> None:
    """Do the work and end with its status; what is above this call belongs to the process that waits."""
    status = FAILED
    try:
        work()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else FAILED
    except BaseException:
        traceback.print_exc()
        status = FAILED
    finally:
        sys.stderr.flush()
        os._exit(status)


def _end_all(child: int) -> None:
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os.kill(child, signal.SIGKILL)
