"""What an undo came to, and what there is to undo: data for people and programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

TurnState = Literal["done", "partly", "undone", "kept"]
FileResult = Literal["restored", "removed", "already", "kept", "failed"]


@dataclass(frozen=True)
class FileTurnSummary:
    """One turn that changed files.

    Args:
        number: counts the turns of a session that changed files, from 1.
        label: the prompt, or the call.
        time: when it began, seconds since the epoch.
        paths: what it changed and what was not undone since, sorted; folders that it made or removed are not in it.
        not_covered: how many files it changed that no copy was kept of.
        state: ``undone`` when everything of it was undone, ``partly`` when some of it was; ``kept`` when an undo left
            all that there is, as it may be a person's work.
        while_command: those of ``paths`` that were found changed after a command, which may be anybody's doing.
    """

    number: int
    label: str
    time: float
    paths: tuple[str, ...]
    not_covered: int = 0
    state: TurnState = "done"
    while_command: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileUndo:
    """What an undo did with one path.

    Args:
        path: absolute.
        result: ``restored`` (it holds what it held before the turn), ``removed`` (there was nothing before the turn),
            ``already`` (it did so without our help), ``kept`` (somebody changed it after the turn, or may have done so
            meanwhile; untouched), ``failed`` (untouched; the detail says why).
        detail: one sentence for a person, ``""`` when there is nothing to add.
        content_hash: SHA-256 of what a file holds now, hex; ``""`` where there is no file, or nobody looked.
        old, new: what a text file held before and after the undo, ``None`` for anything long or not text, and for all
            but the first files.
        while_command: it was found changed after a command, so that somebody else may have changed it meanwhile.
    """

    path: str
    result: FileResult
    detail: str = ""
    content_hash: str = field(default="", repr=False)
    old: str | None = field(default=None, repr=False)
    new: str | None = field(default=None, repr=False)
    while_command: bool = False

    @property
    def changed(self) -> bool:
        """Whether the undo changed what is on disk."""
        return self.result in ("restored", "removed")


@dataclass(frozen=True)
class UndoReport:
    """What an undo, or a redo, did.

    Args:
        action: which of the two.
        turns: the turns that it was about, the newest first, as they were before it.
        files: what became of each path.
        stopped: somebody stopped it half-way; the paths that it did not come to are in ``files`` as ``failed``.
        note: what else a person should know, one sentence, ``""`` for nothing.
    """

    action: Literal["undo", "redo"]
    turns: tuple[FileTurnSummary, ...]
    files: tuple[FileUndo, ...]
    stopped: bool = False
    note: str = ""

    def __repr__(self) -> str:
        counts = Counter(file.result for file in self.files)
        files = ", ".join(f"{count} {result}" for result, count in counts.items()) or "none"
        return f"<UndoReport {self.action} of {len(self.turns)} turn{'s' * (len(self.turns) != 1)}; files: {files}>"

    @property
    def changed(self) -> tuple[FileUndo, ...]:
        """The paths that hold something else now."""
        return tuple(file for file in self.files if file.changed)

    @property
    def untouched(self) -> tuple[FileUndo, ...]:
        """The paths that were to be put back and were not."""
        return tuple(file for file in self.files if file.result in ("kept", "failed"))
