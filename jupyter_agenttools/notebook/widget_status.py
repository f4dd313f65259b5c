"""Telling the front end that a widget's message was dealt with while a cell runs.

ipykernel 7.4 handles such messages at once and publishes no status for them (seen in 7.4.0: ``dispatch_shell`` with
``concurrent=True``). Front ends count on the ``idle`` of each message: a widget's second value is held back until it
comes, that is until the cell has ended. A person could type into a card only once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .heartbeat import Heartbeat

FIRST_WITHOUT_STATUS = (7, 4)
COMM_MSG = "comm_msg"


def answer_widget_messages(kernel: Any, heartbeat: Heartbeat) -> Callable[[], None]:
    """From now on publish the missing status. Returns the undo; does nothing for kernels that need no help.

    Args:
        kernel: an ipykernel, or ``None``: ``shell_handlers``, ``session``, ``iopub_socket``, ``get_parent`` are used.
        heartbeat: knows whether a cell runs, and whether something waits for a widget.
    """
    if kernel is None or not _publishes_none():
        return lambda: None
    handle = kernel.shell_handlers.get(COMM_MSG)
    if handle is None:
        return lambda: None

    def handle_and_answer(stream: Any, ident: Any, message: Any) -> Any:
        try:
            return handle(stream, ident, message)
        finally:
            if heartbeat.waits_for_widget and heartbeat.cell_parent is not None:
                _publish(kernel, "idle", message)
                _publish(kernel, "busy", heartbeat.cell_parent)  # the cell itself still runs, and the page shows it

    kernel.shell_handlers[COMM_MSG] = handle_and_answer

    def undo() -> None:
        if kernel.shell_handlers.get(COMM_MSG) is handle_and_answer:
            kernel.shell_handlers[COMM_MSG] = handle

    return undo


def _publishes_none() -> bool:
    import ipykernel

    return ipykernel.version_info[:2] >= FIRST_WITHOUT_STATUS


def _publish(kernel: Any, state: str, parent: Any) -> None:
    kernel.session.send(kernel.iopub_socket, "status", {"execution_state": state}, parent=parent)
