"""A turn and the cell that shows it: waited for, in the background, or only its record shown again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ..core.blocks import Message
from ..core.sequences import same_beginning
from ..core.updates import TurnEnded
from .agent_run_line import AgentRun
from .agent_turn import PreparedTurn, play_turn, played_file, turn_bundle
from .agent_view import TurnWatcher
from .background import BackgroundRun
from .cell import current_cell
from .live import LiveDisplay
from .note import note_bundle
from .output import show
from .run import Run
from .sigint import open_to_interrupts
from .watcher import watching

if TYPE_CHECKING:
    from .cell_records_place import CellPlace
    from .runtime import Runtime

IN_CELL = "The agent is working …"
IN_BACKGROUND = "The agent is working in the background …"
NOBODY_STAYS = "Nobody stays to see what is done in the background here: this turn is run to its end."
WHY_STOPPED = "the cell was interrupted"


class CellTurn:
    """A turn that is about to run, with all that its cell shows of it.

    Args:
        runtime: the kernel's extension.
        turn: what to run.
        place: where its record is kept, ``None`` for nowhere.
        background: whether the cell is not to wait for it. Where nobody is there it does.

    Attributes:
        run: what runs.

    Raises:
        UsageError: a turn runs in the background, whose conversation this one would go on with.
    """

    def __init__(self, runtime: Runtime, turn: PreparedTurn, place: CellPlace | None, *, background: bool) -> None:
        runtime.background.require_none("start another turn")
        self._runtime, self._turn, self._place = runtime, turn, place
        self._session = runtime.session
        self._before = self._session.messages
        cell = current_cell(runtime.shell)
        if background and cell.headless:
            show(note_bundle(NOBODY_STAYS))
        self.run: Run
        if background and not cell.headless:
            self.run = runtime.background.new_run(self._work, turn.prompt, cell)
        else:
            self.run = runtime.new_run(self._work)
        title = IN_BACKGROUND if self.run.in_background else IN_CELL
        self.run.live = self._live = LiveDisplay(cell, title, runtime.front_ends)
        self._watcher = TurnWatcher(self.run, self._live, runtime, turn.model.name)

    async def _work(self) -> None:
        story = self._watcher.story
        cell, turns = self.run.cell, self._runtime.turns
        with self._runtime.saying.heard_by(story.said), turns.during(self._turn.prompt, cell.cell_id, cell.client):
            await watching(self._session, self._watcher, play_turn(self._session, self._turn, self._watcher))

    def finish(self) -> TurnEnded:
        """Put the record of the turn into the place of all that was shown, and keep it for a later run of the cell."""
        ended = self._watcher.story.ending(self.run.why_stop() or WHY_STOPPED)
        bundle = turn_bundle(self._watcher, ended)
        added = added_to(self._before, self._session.messages)
        kept = self._runtime.cell_records.keep(self._place, bundle, ended, self._turn.prompt, added)
        self._live.finish(kept)
        if isinstance(self.run, BackgroundRun):
            self.run.record = kept
            self.run.problem = ended.detail if ended.reason == "error" else ""
        return ended


def added_to(before: Sequence[Message], now: Sequence[Message]) -> Sequence[Message]:
    """What a turn added to the conversation; nothing where the conversation was shortened meanwhile."""
    return now[len(before) :] if same_beginning(before, now) == len(before) else ()


def more_of(runtime: Runtime, asked: AgentRun) -> str:
    """What the answer of a cell hangs on besides the cell's own text: what its variables and the files it plays hold.

    Args:
        asked: with the variables in their places.

    Raises:
        UsageError: a file that cannot be played.
    """
    digests = [asked.prompt] if asked.expand else []
    for file in filter(None, (asked.script, asked.replay)):
        with suppress(OSError), open_to_interrupts():
            digests.append(hashlib.sha256(played_file(runtime.session, file).read_bytes()).hexdigest())
    return " ".join(digests)
