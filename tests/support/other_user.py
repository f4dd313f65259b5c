"""Running a function in a child process: as an ordinary user, or with limits that end with the child."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable

NOBODY = 65534


def as_ordinary_user(function: Callable[[], str]) -> str:
    """What ``function`` returns without any special rights, also when the tests run as root.

    Raises:
        AssertionError: the function raised; its traceback is in the message.
    """

    def without_rights() -> str:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        return function()

    return in_child(without_rights)


def in_child(function: Callable[[], str]) -> str:
    """What ``function`` returns in a forked child process.

    Raises:
        AssertionError: the function raised; its traceback is in the message.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _answer(function, writer)
    os.close(writer)
    with open(reader, encoding="utf-8") as answer:
        text = answer.read()
    os.waitpid(child, 0)
    assert not text.startswith("Traceback"), text
    return text


def _answer(function: Callable[[], str], writer: int) -> None:
    """The child: answers and ends without any of the parent's clean-up."""
    try:
        answer = function()
    except BaseException:
        answer = traceback.format_exc()
    os.write(writer, answer.encode())
    os._exit(0)
