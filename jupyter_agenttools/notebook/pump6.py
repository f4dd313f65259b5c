"""Letting widget messages in while an awaiting cell runs on ipykernel 6, which itself would keep them for later."""

from __future__ import annotations

from typing import Any

COMM_MESSAGES = ("comm_open", "comm_msg", "comm_close")


class ShellPump6:
    """Takes the messages of widgets out of the shell queue and handles them; everything else waits for its turn.

    Args:
        kernel: an ipykernel 6 kernel: ``msg_queue``, ``session``, ``get_parent`` and ``set_parent`` are used.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._held: list[Any] = []
        self._stepping = False

    async def step(self) -> None:
        """Handle the widget messages that have come in. Does nothing while another step is under way."""
        if self._stepping:
            return
        self._stepping = True
        try:
            while not self._kernel.msg_queue.empty():
                await self._take(self._kernel.msg_queue.get_nowait())
        finally:
            self._stepping = False

    async def _take(self, item: Any) -> None:
        _, dispatch, arguments = item
        if self._message_type(arguments) in COMM_MESSAGES:
            await self._handle(dispatch, arguments)
        else:
            self._held.append(item)

    def _message_type(self, arguments: tuple[Any, ...]) -> str:
        """The type of a raw message, found without the check of its signature: that can be done only once, later."""
        if not arguments:
            return ""
        session = self._kernel.session
        try:
            _, frames = session.feed_identities(arguments[0], copy=False)
            header = session.unpack(frames[1].bytes)
        except Exception:  # not a message that we understand: it keeps its place in the queue
            return ""
        return str(header.get("msg_type", ""))

    async def _handle(self, dispatch: Any, arguments: tuple[Any, ...]) -> None:
        """Handle one message, and make the running cell the parent of all output again."""
        kernel = self._kernel
        parent = kernel.get_parent("shell")
        identity = getattr(kernel, "_parent_ident", {}).get("shell", b"")
        try:
            await dispatch(*arguments)
        finally:
            kernel.set_parent(identity, parent, "shell")

    def close(self) -> None:
        """Put back what was held, before what has come in since."""
        queue = self._kernel.msg_queue
        waiting = self._held
        self._held = []
        while not queue.empty():
            waiting.append(queue.get_nowait())
        for item in waiting:
            queue.put_nowait(item)


def make_pump(kernel: Any) -> ShellPump6 | None:
    """A pump for a kernel that needs one: ipykernel 6, or ``None``."""
    if kernel is None:
        return None
    import ipykernel

    return ShellPump6(kernel) if ipykernel.version_info[0] < 7 else None
