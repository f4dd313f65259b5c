"""Showing what is recorded of an ``%%agent`` cell instead of asking the model again: so Run All is safe."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.blocks import Message, TextBlock
from ..core.names import TRACE_MIME_TYPE
from ..core.secrets import redact, redact_json
from ..core.texts import visible
from ..core.updates import TurnEnded
from ..render.chars import code_span, one_line
from ..session.adopting import adopt, messages_of
from .cell_records import (
    ANSWER_CHARS,
    PROMPT_CHARS,
    RECORDED,
    Bundle,
    CellRecord,
    cut,
    is_plain,
    is_sealed,
    record_of,
    with_record,
)
from .cell_records_place import CellCounter, CellPlace
from .cell_records_store import store, stored_bundles, stored_messages
from .note import note_bundle
from .output import show

if TYPE_CHECKING:
    from .own_notebook import NotebookFile
    from .runtime import Runtime

LISTED_CALLS = 100
NAME_CHARS = 100


class CellRecords:
    """The records of the cells of one kernel's notebook.

    Args:
        runtime: the kernel's extension.
        at_start: the notebook when the extension was loaded.
    """

    def __init__(self, runtime: Runtime, at_start: NotebookFile) -> None:
        self._runtime = runtime
        self._counter = CellCounter(at_start)
        self._lock = threading.Lock()
        self._told: dict[str, Message] = {}

    def place(self, more: str = "") -> CellPlace | None:
        """The cell that runs, ``None`` where nothing of it is recorded: see :meth:`.CellCounter.place`."""
        return self._counter.place(self._runtime.shell, self._runtime.own_notebook, more)

    # ---- instead of a turn

    def replay(self, place: CellPlace | None, prompt: str) -> TurnEnded | None:
        """Show the record of this cell and let the conversation hold its turn; ``None`` when it has to run.

        Into a conversation that a turn in the background is going on with, nothing can be put. What was recorded
        elsewhere never gets into one: its words are anybody's, and would stand there as this user's.

        Args:
            place: the cell that runs. prompt: what its text asks.
        """
        if place is None:
            return None
        bundle = _newest((*place.bundles, *stored_bundles(place, self._runtime.session.id)))
        record = record_of(bundle) if bundle is not None else None
        if bundle is None or record is None:
            return None
        sealed = is_sealed(bundle, record)
        shown = bundle if sealed else made_anew(bundle, record)
        turn = self._runtime.background.running
        show(note_bundle(replay_words(record, sealed=sealed, beside=turn.id if turn is not None else "")))
        show(shown)
        if sealed and turn is None:
            self._tell(record, prompt)
        return record.ended

    def _tell(self, record: CellRecord, prompt: str) -> None:
        """Let the session's conversation hold the turn of a sealed record, once."""
        session = self._runtime.session
        with self._lock:
            held = self._told.get(record.turn)
            if held is not None and any(message is held for message in session.messages):
                return
            messages = messages_of(stored_messages(record)) or (
                Message("user", (TextBlock(prompt or "(nothing)"),)),
                Message("assistant", (TextBlock(record.answer or "(no answer)"),)),
            )
            self._told[record.turn] = adopt(session, messages)

    # ---- after a turn

    def keep(
        self, place: CellPlace | None, bundle: Bundle, ended: TurnEnded, prompt: str, messages: Sequence[Message]
    ) -> Bundle:
        """The bundle that the cell is to show, with its record where a later run may use it.

        Args:
            place: the cell that ran.
            bundle: what it is to show.
            ended: how the turn ended. prompt: what was asked.
            messages: what the turn added to the conversation.
        """
        if place is None or ended.reason not in RECORDED or not is_plain(bundle):
            return bundle
        session, turn = self._runtime.session, uuid.uuid4().hex
        said = _kept(prompt, PROMPT_CHARS), _kept(ended.text, ANSWER_CHARS)
        record = CellRecord(place.fingerprint, session.id, turn, round(time.time(), 3), ended.reason, *said)
        kept = with_record(bundle, record)
        if messages:
            self._told[turn] = messages[0]
        try:
            store(session.dir, place, record, with_record(redact_json(bundle), record), messages)
        except OSError as fault:
            show(note_bundle(f"the record of this cell is in the notebook alone: {fault}"))
        return kept


def _kept(text: str, chars: int) -> str:
    """What a record says of a text: secrets go first, as half of one is not known for one."""
    return cut(visible(redact(text)), chars)


def _newest(bundles: Sequence[Bundle]) -> Bundle | None:
    """The one whose turn ran last: the file may be older than what was run since it was saved, or newer."""
    records = [(record.at, at) for at, bundle in enumerate(bundles) if (record := record_of(bundle))]
    return bundles[max(records)[1]] if records else None


def replay_words(record: CellRecord, *, sealed: bool, beside: str = "") -> str:
    """What a person has to know of a record that is shown again.

    Args:
        record: what is shown. sealed: whether it was made here.
        beside: the turn that has the conversation now.
    """
    if not sealed:
        return (
            f"Not run again: this is a record of {record.day}, from another machine or person; it is not told to the "
            "model. To ask the model here, write %%agent --rerun."
        )
    untold = f" It is no part of the conversation now, which {beside} is going on with in the background."
    return (
        f"Not run again: this is the record of {record.day}, and the cell's text is what it was. "
        f"To ask the model again, write %%agent --rerun.{untold if beside else ''}"
    )


def made_anew(bundle: Bundle, record: CellRecord) -> dict[str, Any]:
    """What a record says, shown by our own means: whoever wrote the file may have put anything into its HTML."""
    from ..render import turn_record

    shown = turn_record([text] if (text := _calls_text(bundle)) else [], record.ended)
    return {**shown, TRACE_MIME_TYPE: bundle[TRACE_MIME_TYPE]}


def _calls_text(bundle: Bundle) -> str:
    """The calls of a turn that was run elsewhere, as a list in Markdown."""
    calls = bundle[TRACE_MIME_TYPE].get("calls")
    told = [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    lines = [f"- {_span(call.get('tool'))}: {_span(call.get('status'))}" for call in told[:LISTED_CALLS]]
    return "\n".join(lines)


def _span(value: Any) -> str:
    return code_span(one_line(str(value), NAME_CHARS))
