"""What a program at a terminal waits for, and the end of its input when nobody will ever type."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from ..core.errors import UsageError
from .keyboard import Keyboard
from .run import ShellRun
from .waiting import InputWait, is_question

WAITS_AFTER_S = 1.0
"""A program that has been silent this long at an unfinished line seems to wait for an answer."""

READS_AFTER_S = 0.2
"""The same, where the system says that it reads: so long its question may still be on its way."""

LOOK_S = 0.25
"""Least time between two looks."""

ENDS_AFTER_S = 5.0
"""How long a program may read without having asked for anything until it is told that nobody types."""


class InputWatch:
    """Watches one command. All methods may be called in any thread.

    Args:
        run: the command.
        tail: the end of what it has printed.

    Attributes:
        was_ended: a program read, nobody typed, and it was told that there is nothing to read.
    """

    def __init__(self, run: ShellRun, tail: Callable[[], str]) -> None:
        self._run, self._tail = run, tail
        self.was_ended = False
        self._is_held = False
        self._looked_at = 0.0
        self._waits: InputWait = ""
        self._waits_since = 0.0

    @property
    def state(self) -> InputWait:
        """Whether the program waits for somebody to type, as of a moment ago; did so when it ended, after that."""
        now = time.monotonic()
        if now - self._looked_at >= LOOK_S and self._run.keyboard is not None and self._run.keyboard.is_open:
            self._looked_at = now
            waits = self._look(now - self._run.last_output)
            if waits != self._waits:
                self._waits, self._waits_since = waits, now
        return self._waits

    def _look(self, silent_s: float) -> InputWait:
        keyboard = self._run.keyboard
        if keyboard is None or silent_s < READS_AFTER_S:
            return ""
        if keyboard.is_read:
            return "asked" if keyboard.was_changed or is_question(self._tail()) else "silent"
        return "asked" if silent_s >= WAITS_AFTER_S and self._is_at_prompt(keyboard) else ""

    def _is_at_prompt(self, keyboard: Keyboard) -> bool:
        tail = self._tail()
        return keyboard.was_changed or (bool(tail) and not tail.endswith("\n"))

    @property
    def ends_in_s(self) -> float | None:
        """When a program that reads without having asked will be told that nobody types; ``None`` for never."""
        if self.state != "silent" or self._is_held:
            return None
        patience_s = 0.0 if self.was_ended else ENDS_AFTER_S
        return max(0.0, self._waits_since + patience_s - time.monotonic())

    def hold(self) -> None:
        """A person types, or is about to: the program can wait."""
        self._is_held = True

    def end_vain_input(self, *, can_type: bool) -> None:
        """Have a read end that nobody will ever answer.

        Args:
            can_type: whether there is anybody who could: not in the background.
        """
        keyboard = self._run.keyboard
        if keyboard is None or not (self.ends_in_s == 0.0 if can_type else self.state):
            return
        self._looked_at = 0.0
        if keyboard.is_read:
            self.was_ended = True
            with suppress(UsageError):  # it ended, or reads no more
                keyboard.press("end")
