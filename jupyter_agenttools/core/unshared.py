"""Descriptors that children do not have. A lock belongs to the open file, which a forked child has as well: it would
hold the lock on when this process is dead."""

from __future__ import annotations

import os
from contextlib import suppress

_own: set[int] = set()


def own(descriptor: int) -> int:
    """The descriptor, which is from now on this process's alone; to be closed with :func:`close_own`.

    In a child it leads nowhere: what is written there is lost, so that never two processes write into one file.
    """
    _own.add(descriptor)
    return descriptor


def close_own(descriptor: int) -> None:
    _own.discard(descriptor)  # first: once it is closed, the number may be that of another file
    os.close(descriptor)


def _let_go() -> None:
    """In a child: the number stays taken, for whoever still writes to it or closes it."""
    if not _own:
        return
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        for descriptor in _own:
            with suppress(OSError):
                os.dup2(nowhere, descriptor, inheritable=False)
        os.close(nowhere)
    _own.clear()


os.register_at_fork(after_in_child=_let_go)
