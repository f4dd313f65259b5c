"""What each call was judged by, for as long as it has not run, and what earlier calls of its message have changed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..core.context import ToolUseContext

MAX_JUDGED = 4
"""Whole files may be in here; one that is pushed out is only read again."""


class JudgedCalls:
    """Keeps one thing for each call, until the call is over. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Any] = OrderedDict()
        self._shifted: tuple[str, set[str]] = ("", set())

    def keep(self, context: ToolUseContext, judged: Any) -> None:
        """Note what the call of ``context`` is judged by."""
        name = context.tool_use_id
        with self._lock:
            self._kept[name] = judged
            self._kept.move_to_end(name)
            while len(self._kept) > MAX_JUDGED:
                self._kept.popitem(last=False)
        context.cancellation.add_closer(lambda: self.take(name))

    def get(self, tool_use_id: str) -> Any:
        """What :meth:`keep` noted for this call, or ``None``."""
        with self._lock:
            return self._kept.get(tool_use_id)

    def take(self, tool_use_id: str) -> Any:
        """The same, and it is forgotten."""
        with self._lock:
            return self._kept.pop(tool_use_id, None)

    def note_shift(self, path: str, context: ToolUseContext) -> None:
        """Note that this call has given places in the file at ``path`` other numbers."""
        with self._lock:
            message, paths = self._shifted
            asked_by = _message_of(context)
            self._shifted = (asked_by, {*(paths if message == asked_by else ()), path})

    def is_shifted(self, path: str, context: ToolUseContext) -> bool:
        """Whether an earlier call of the same message has: whoever wrote this one could not know the new numbers."""
        with self._lock:
            message, paths = self._shifted
            return bool(message) and message == _message_of(context) and path in paths


def _message_of(context: ToolUseContext) -> str:
    """Which message asked for the call, by the id of its first one: while it streams, it is another object each time.
    ``""`` where none did."""
    uses = context.parent_message.tool_uses if context.parent_message is not None else ()
    return uses[0].id if uses else ""
