"""What RunCell has done."""

from __future__ import annotations

from dataclasses import dataclass

from ...files.live_document import RunEnd
from ..read.output import NotebookRead


@dataclass(frozen=True)
class RunCellOutput:
    """What came of running cells.

    Args:
        notebook_path: absolute.
        end: how it ended.
        finished: the ids of the cells that were run to their end, in order; one that failed is among them.
        last: the cell at which it ended, ``""`` when all were run.
        left: the ids of those that were not begun.
        timeout_ms: how long they may take.
        shown: the cells that were begun, with their outputs.
    """

    notebook_path: str
    end: RunEnd
    finished: tuple[str, ...]
    last: str
    left: tuple[str, ...]
    timeout_ms: int
    shown: NotebookRead

    @property
    def is_error(self) -> bool:
        return self.end != "done"

    @property
    def words(self) -> str:
        """How it ended, in one sentence or two."""
        count = len(self.finished)
        ran = f"{count} cell{'' if count == 1 else 's'} of {self.notebook_path}"
        if self.end == "done":
            return f"Ran {ran}."
        limit = f"{self.timeout_ms / 1000:g} s"
        said = {
            "failed": f"Cell {self.last} failed.",
            "timeout": f"Cell {self.last} was still running after {limit}, all it may take, and was interrupted.",
            "stuck": f"Cell {self.last} was still running after {limit}; it was interrupted, and runs on all the same.",
            "busy": f"The kernel was busy with something else for {limit}: cell {self.last} was not begun.",
            "queued": f"The kernel took cell {self.last} and was busy with something else for {limit}. It cannot be "
            "taken back: it will be interrupted as soon as it begins, while the page is open.",
            "kernel-died": f"The kernel died or was restarted before cell {self.last} was begun."
            if self.last in self.left
            else f"The kernel died or was restarted while cell {self.last} ran: it may have done a part of its work.",
            "changed": f"Cell {self.last} was changed or deleted meanwhile, so it was not begun.",
            "cancelled": f"It was stopped at cell {self.last}.",
        }[self.end]
        left = [f"Not run: {', '.join(self.left)}."] if self.left else []
        return " ".join([said, f"Run to their end: {', '.join(self.finished) or 'none'}.", *left])
