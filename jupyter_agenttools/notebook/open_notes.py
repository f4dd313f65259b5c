"""Questions that wait while other cells are run: said once on each page, and their cards drawn where they can be seen.

A page that is loaded anew takes the output only of cells that it started itself. The card of a question that was asked
before is on it when the notebook had been saved; else nobody sees it, and the next cell is the first place for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..render.chars import count_of, one_line
from .cell import Cell
from .note import lines_bundle
from .output import show

if TYPE_CHECKING:
    from .prompts import OpenPrompt, OpenPrompts

TITLE_CHARS = 100
LISTED = 6


class OpenQuestionNotes:
    """Tells of open questions at the beginning of a cell that did not ask them.

    Args:
        prompts: every open question of the kernel.
    """

    def __init__(self, prompts: OpenPrompts) -> None:
        self._prompts = prompts
        self._told: set[tuple[str, str]] = set()

    def tell(self, cell: Cell) -> None:
        """Say what waits, in the cell that begins now, unless its front end was told of all of it before."""
        waiting = [prompt for prompt in self._prompts.all() if prompt.is_open]
        told = {(prompt.key, cell.client) for prompt in waiting}
        if cell.in_terminal or told <= self._told:
            return
        self._told = {each for each in self._told if each[0] in {id for id, _ in told}} | told
        show(lines_bundle(waiting_lines(waiting, self._prompts)))
        for live in dict.fromkeys(prompt.live for prompt in waiting if prompt.live is not None):
            live.move_to(cell)


def waiting_lines(waiting: Sequence[OpenPrompt], prompts: OpenPrompts) -> list[str]:
    """Which questions are open, and how each can be answered without its card; nothing when there is none."""
    if not waiting:
        return []
    head = f"{count_of(len(waiting), 'open question')}: answer {'it' if len(waiting) == 1 else 'each'} on its card, or"
    names = prompts.names()
    listed = [
        f"  %agent approve {names[prompt]}   (or deny)   {one_line(prompt.request.view.title, TITLE_CHARS)}"
        for prompt in waiting[:LISTED]
        if prompt in names
    ]
    more = [f"  … and {len(waiting) - LISTED} more: %agent status"] if len(waiting) > LISTED else []
    return [head, *listed, *more]
