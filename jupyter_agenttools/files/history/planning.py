"""What each path of an undo should come to: looked at, and kept, before the first of them is changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ...core.cancel import Cancellation
from ...core.errors import InterruptedToolError, ToolError
from ..encoding import decode_visibly, detect_format
from .held import Held, Identity, identity_of, status_of
from .report import FileUndo
from .restore import present_of
from .turns import Step, Way, way_back

SHOWN_TEXT_BYTES = 200_000
"""A text longer than this is not shown as a difference."""

SHOWN_FILES = 500
"""Of how many files the texts are in the report; a person looks at a few, and thousands would fill the memory."""

BATCH_BYTES = 8_000_000
"""So much is read before it is written to the history."""

NOT_KEPT = "what it holds could not be kept"


class Intent(NamedTuple):
    """What is about to happen to one path.

    Attributes:
        present: what it holds, ``data`` are the bytes of a file.
        target: what it is to hold.
        reverts: the steps that are taken back by that.
    """

    path: str
    present: Held
    data: bytes
    target: Held
    reverts: Sequence[Step]


class Writer(Protocol):
    """Who keeps the records of an undo."""

    def begin(self, intents: Sequence[Intent]) -> list[Step]:
        """Keep what the paths hold, and note what they are to hold; on the disk after :meth:`sync`."""

    def sync(self) -> None:
        """Wait until the disk itself has what was begun."""

    def finish(self, ended: Sequence[tuple[Step, Held]]) -> None:
        """Note what the paths hold now."""

    def drop(self, steps: Sequence[Step]) -> None:
        """Forget what was begun: nothing was done."""

    def passed(self, steps: Sequence[Step]) -> None:
        """Note that an undo kept what these steps left, as it may be a person's work."""


@dataclass
class Job:
    """One path on its way back.

    Attributes:
        steps: what is to be taken back, the newest first.
        shows_text: whether its text belongs into the report.
        present, identity: what it held when it was looked at; ``None`` before that.
        way: what it should hold.
        old: its text then.
        step: the record of it.
        result: what became of it, ``None`` as long as nobody knows.
    """

    path: str
    steps: Sequence[Step]
    shows_text: bool = True
    present: Held | None = None
    identity: Identity | None = None
    way: Way | None = None
    old: str | None = None
    step: Step | None = None
    result: FileUndo | None = None


class Planner:
    """Looks at the paths of an undo.

    Args:
        force: whether what somebody changed after the turn is taken back as well.
    """

    def __init__(self, writer: Writer, cancellation: Cancellation, *, force: bool) -> None:
        self._writer, self._cancellation, self._force = writer, cancellation, force

    def plan(self, jobs: Iterable[Job]) -> None:
        """Keep what the paths hold, all on the disk when this returns.

        A path whose folder leads over a link is left for later: its folder may be about to be put back itself.
        """
        begun: list[Job] = []
        batch: list[tuple[Job, Intent]] = []
        size = 0
        real = _RealFolders()
        for job in jobs:
            try:
                self._cancellation.check()
            except InterruptedToolError as stop:
                job.result = FileUndo(job.path, "failed", f"not looked at: {stop}")
                continue
            if real.holds(job.path) and (intent := self._looked_at(job)) is not None:
                batch.append((job, intent))
                size += len(intent.data)
            if size > BATCH_BYTES:
                begun += self._begun(batch)
                batch, size = [], 0
        begun += self._begun(batch)
        try:
            self._writer.sync()
        except OSError as error:
            self._writer.drop([job.step for job in begun if job.step is not None])
            for job in begun:
                job.result = FileUndo(job.path, "failed", f"{NOT_KEPT}: {error.strerror or error}")

    def _looked_at(self, job: Job) -> Intent | None:
        """``None`` when there is nothing to do; the result of the job says why."""
        try:
            status = status_of(job.path)
            present, data = present_of(job.path)
        except ToolError as refusal:
            job.result = FileUndo(job.path, "failed", refusal.message)
            return None
        except OSError as error:
            job.result = FileUndo(job.path, "failed", error.strerror or str(error))
            return None
        way = way_back(present, job.steps, force=self._force)
        if fresh := [step for step in way.passed if not step.passed]:
            self._writer.passed(fresh)
        if not way.reverts:
            job.result = FileUndo(job.path, "kept", way.blocked)
            return None
        job.present, job.identity, job.way = present, None if status is None else identity_of(status), way
        job.old = text_of(present, data) if job.shows_text else None
        return Intent(job.path, present, data, way.target, way.reverts)

    def _begun(self, batch: Sequence[tuple[Job, Intent]]) -> Iterator[Job]:
        try:
            steps = self._writer.begin([intent for _, intent in batch])
        except OSError as error:
            if len(batch) > 1:  # one of them may be too large for the disk
                for one in batch:
                    yield from self._begun([one])
                return
            for job, _ in batch:
                job.result = FileUndo(job.path, "failed", f"{NOT_KEPT}: {error.strerror or error}")
            return
        for (job, _), step in zip(batch, steps, strict=True):
            job.step = step
            yield job


class _RealFolders:
    """Whether a path is in a folder that is reached without links."""

    def __init__(self) -> None:
        self._known: dict[str, bool] = {}

    def holds(self, path: str) -> bool:
        folder = os.path.dirname(path)
        if folder not in self._known:
            self._known[folder] = os.path.realpath(folder) == folder
        return self._known[folder]


def text_of(held: Held, data: bytes) -> str | None:
    """The text of a file, or of a link; nothing for what is missing, ``None`` for what cannot be shown."""
    if held.kind == "link":
        return f"→ {held.target}\n"
    if held.kind != "file":
        return ""
    form = detect_format(data)
    if len(data) > SHOWN_TEXT_BYTES or (b"\0" in data and not form.encoding.startswith(("utf-16", "utf-32"))):
        return None
    return decode_visibly(data, form)[0]
