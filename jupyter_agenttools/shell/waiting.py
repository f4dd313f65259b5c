"""Does a program wait for somebody to type, and has it asked for that?"""

from __future__ import annotations

import array
import fcntl
import os
import re
import termios
from contextlib import suppress
from typing import Literal

from .supervisor import descendants

InputWait = Literal["", "silent", "asked"]
"""``asked``: a program waits after a question; ``silent``: it reads what a person types and has asked nothing."""

GET_SESSION = getattr(termios, "TIOCGSID", 0x5429)
OWN_TERMINAL = os.makedev(5, 0)
"""``/dev/tty``, whichever that is for a process."""

_READ_CALLS: dict[str, frozenset[str]] = {
    "x86_64": frozenset({"0", "19"}),
    "aarch64": frozenset({"63", "65"}),
    "riscv64": frozenset({"63", "65"}),
}
"""The numbers of ``read`` and ``readv``. On other machines nothing is known of what a process waits for."""

_QUESTION = re.compile(
    r"[^\n]\Z|[?:>][ \t]*\n\Z|\by(?:es)?[ /|]+no?\b[^\n]*\n\Z|\b(?:press|enter|type)\b[^\n]*\n\Z", re.IGNORECASE
)


def is_question(printed: str) -> bool:
    """Whether an output looks as if its end were a question: an unfinished line, or one that reads like one."""
    return _QUESTION.search(printed[-400:]) is not None


def is_read(terminal: int, device: int) -> bool | None:
    """Whether a process of this terminal waits in a read from it; ``None`` where the system does not say that.

    Args:
        terminal: our end of it.
        device: the number of the command's end.
    """
    calls = _READ_CALLS.get(os.uname().machine)
    session = array.array("i", [0])
    try:
        fcntl.ioctl(terminal, GET_SESSION, session)
    except OSError:  # nobody owns it (yet, or any more)
        return False
    if calls is None:
        return None
    known = [_reads(pid, device, calls) for pid in (session[0], *descendants(session[0]))]
    return True if True in known else None if None in known else False


def _reads(pid: int, device: int, calls: frozenset[str]) -> bool | None:
    """The same of one process, by the system call in which it is."""
    try:
        with open(f"/proc/{pid}/syscall", encoding="ascii") as file:
            number, *arguments = file.read().split()
    except (FileNotFoundError, ProcessLookupError):
        return False if os.path.exists("/proc/self/syscall") else None
    except OSError:
        return None
    if number not in calls or not arguments:
        return False
    with suppress(OSError):
        return os.stat(f"/proc/{pid}/fd/{int(arguments[0], 16)}").st_rdev in (device, OWN_TERMINAL)
    return False
