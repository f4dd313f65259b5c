"""Who sent the cell that runs, and what can be done there?"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Cell:
    """What is known about a cell's front end when the cell begins. Nothing here goes by a front end's name.

    Args:
        kernel: the ipykernel kernel, ``None`` in a terminal.
        allow_stdin: whether ``input()`` may be used.
        client: the id of the front end's session.
        cell_id: the cell's id in its notebook, ``""`` where the front end sends none (a console). A hint, no more.
    """

    kernel: Any
    allow_stdin: bool
    client: str = ""
    cell_id: str = ""

    @property
    def in_terminal(self) -> bool:
        return self.kernel is None

    @property
    def headless(self) -> bool:
        """Whether nobody is there at all (nbclient, papermill, a script)."""
        return not self.allow_stdin

    @property
    def may_show_widgets(self) -> bool:
        """Whether it makes sense to try; whether they are really shown, only their echo tells."""
        return self.kernel is not None and self.allow_stdin


def current_cell(shell: Any) -> Cell:
    """The cell that runs now, on the calling thread or in the calling context."""
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return Cell(None, sys.stdin is not None and sys.stdin.isatty())
    parent = shell.get_parent() or {}
    allow_stdin = bool(parent.get("content", {}).get("allow_stdin", False))
    client, cell_id = parent.get("header", {}).get("session", ""), parent.get("metadata", {}).get("cellId", "")
    return Cell(kernel, allow_stdin, str(client), str(cell_id))
