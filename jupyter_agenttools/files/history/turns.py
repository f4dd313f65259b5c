"""Which turn changed what: the steps of each path, in order, and what an undo of the last turns has to put back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from .held import Held
from .report import FileTurnSummary, TurnState

TurnKind = Literal["work", "undo", "redo"]

Source = Literal["tool", "command", "notebook"]
"""Who made a change: a tool of ours; whoever changed files while a command ran; the same, and it is a notebook."""

NOTEBOOK_KEPT = "a notebook that changed while a command ran: Jupyter may have saved it"


@dataclass
class Step:
    """One path's way from what it held to what it held after that; changes of one turn that follow each other are one.

    Attributes:
        id: counts the steps of a history, from 1.
        turn: the number of the turn.
        before, after: what the path held; ``after`` is ``None`` before the first change is confirmed, and when nobody
            can tell.
        planned: what the path is to hold next, ``None`` when no change is going on.
        reverts: the steps that this one undid, or did again.
        undone: whether another step took it back.
        source: who made the change.
        passed: whether an undo came to it and left it, as it may be a person's work.
    """

    id: int
    turn: int
    path: str
    before: Held
    after: Held | None = None
    planned: Held | None = None
    reverts: tuple[int, ...] = ()
    undone: bool = False
    source: Source = "tool"
    passed: bool = False

    @property
    def counts(self) -> bool:
        """Whether there is something in it to take back, if only what it says of other steps."""
        return not self.undone and (bool(self.reverts) or not self.before.same(self.after))

    @property
    def is_of_folder(self) -> bool:
        return "folder" in (self.before.kind, self.after and self.after.kind)


@dataclass
class Turn:
    """One turn that changed files.

    Attributes:
        number: as people see it; undoing and doing again have numbers of their own below 0.
        not_covered: paths that it changed and that no copy was kept of, the first ones.
        not_covered_count: how many these were.
    """

    number: int
    kind: TurnKind
    label: str
    time: float
    steps: list[Step] = field(default_factory=list)
    not_covered: tuple[str, ...] = ()
    not_covered_count: int = 0

    @property
    def may_be_undone(self) -> bool:
        """Whether there is something to take back without force: more than what an earlier undo had to leave."""
        return any(step.counts and not step.passed for step in self._left())

    @property
    def may_be_forced(self) -> bool:
        """Whether there is something to take back with force: more than a folder that an earlier undo had to leave."""
        return any(step.counts for step in self._left())

    def _left(self) -> Iterator[Step]:
        touched = any(step.undone for step in self.steps)
        return (step for step in self.steps if not (touched and step.is_of_folder))

    def summary(self) -> FileTurnSummary:
        files = [step for step in self.steps if not step.is_of_folder]
        left = {step.path for step in files if step.counts and not step.passed}
        undone = {step.path for step in files if step.undone}
        paths = left or undone or {step.path for step in files if step.counts}
        state: TurnState = "done" if left or not any(step.passed for step in files) else "kept"
        if any(step.undone for step in self.steps):
            state = "partly" if left else "undone"
        by_command = paths & {step.path for step in files if step.source != "tool"}
        named = tuple(sorted(paths)), self.not_covered_count, state, tuple(sorted(by_command))
        return FileTurnSummary(self.number, self.label, self.time, *named)


class Way(NamedTuple):
    """What one path should hold after an undo.

    Attributes:
        target: what to make it hold.
        reverts: the steps that are taken back by that, newest first.
        blocked: why not all of them could be, ``""`` when all could.
        passed: the steps that are left as they may be a person's work.
    """

    target: Held
    reverts: tuple[Step, ...]
    blocked: str = ""
    passed: tuple[Step, ...] = ()


class TurnBook:
    """All turns of a history, in memory. Not thread-safe: its owner holds a lock."""

    def __init__(self) -> None:
        self.turns: dict[int, Turn] = {}
        self.steps: dict[int, Step] = {}
        self._last: dict[tuple[int, str], Step] = {}
        self._highest = self._lowest = 0

    def reserve(self, kind: TurnKind) -> int:
        """A number for a turn that may come."""
        if kind == "work":
            self._highest += 1
            return self._highest
        self._lowest -= 1
        return self._lowest

    def reserved(self, number: int) -> None:
        """That number is taken."""
        self._highest, self._lowest = max(self._highest, number), min(self._lowest, number)

    def add(self, turn: Turn, steps: Iterable[Step] = ()) -> None:
        """Add a turn, unless it is there, and more steps of it."""
        self.turns.setdefault(turn.number, turn)
        self.reserved(turn.number)
        for step in steps:
            self.steps[step.id] = step
            turn.steps.append(step)
            self._last[step.turn, step.path] = step

    def drop(self, steps: Sequence[Step]) -> None:
        """Forget steps: they were never taken."""
        gone = {step.id for step in steps}
        for turn in {step.turn for step in steps}:
            self.turns[turn].steps = [step for step in self.turns[turn].steps if step.id not in gone]
        for step in steps:
            del self.steps[step.id]
            if self._last.get((step.turn, step.path)) is step:
                del self._last[step.turn, step.path]

    def continued(self, turn: int, path: str, present: Held, source: Source = "tool") -> Step | None:
        """The step of that turn and path that a change of ``present`` belongs to; ``None`` when it begins a new one."""
        last = self._last.get((turn, path))
        if last is None or last.undone or (last.source != source and "notebook" in (last.source, source)):
            return None
        return last if present.same_content(last.after or last.before) else None

    def finish(self, step: Step, after: Held, *, reached: bool = True) -> None:
        """Note what a step came to, and what it took back; nothing when it did not get there (``reached``)."""
        step.after, step.planned = after, None
        if not reached:
            step.reverts = ()
            return
        kind = self.turns[step.turn].kind
        for reverted in (self.steps[id] for id in step.reverts):
            reverted.undone = True
            if kind == "redo":
                for again in (self.steps[id] for id in reverted.reverts):
                    again.undone = False

    def last(self, turn: int, path: str) -> Step | None:
        """The last step of that turn and path."""
        return self._last.get((turn, path))

    def of_kind(self, kind: TurnKind, *, force: bool) -> list[Turn]:
        """The turns of that kind in which there is something to take back, the newest first."""
        turns = (turn for turn in reversed(self.turns.values()) if turn.kind == kind)
        return [turn for turn in turns if (turn.may_be_forced if force else turn.may_be_undone)]


def by_path(turns: Iterable[Turn]) -> dict[str, list[Step]]:
    """The steps to take back, for each path, the newest first. ``turns`` are given newest first."""
    found: dict[str, list[Step]] = {}
    for turn in turns:
        for step in reversed(turn.steps):
            if step.counts:
                found.setdefault(step.path, []).append(step)
    return found


def way_back(present: Held, steps: Sequence[Step], *, force: bool) -> Way:
    """What should a path hold that holds ``present``, when its ``steps`` (newest first) are taken back?

    A step is taken back when the path holds what that step left. Where it does not, somebody else changed it, and
    nothing before that is touched; with ``force`` it is. A notebook that was found changed after a command is kept in
    the same way: a person's browser saves notebooks by itself, at any moment.
    """
    target, reverted = present, []
    for number, step in enumerate(steps):
        if step.source == "notebook" and not force and not target.same_content(step.before):
            blocked = f"put back as far as {NOTEBOOK_KEPT}" if reverted else NOTEBOOK_KEPT
            return Way(target, tuple(reverted), blocked, tuple(steps[number:]))
        if target.same_content(step.after) or force:
            target = _taken_back(target, step)
        elif not target.same_content(step.before):
            return Way(target, tuple(reverted), _why(reverted))
        reverted.append(step)
    return Way(target, tuple(reverted))


def _why(reverted: Sequence[Step]) -> str:
    if reverted:
        return "put back as far as the last change that was not the agent's; what the agent did before that is kept"
    return "it was changed after the turn"


def _taken_back(present: Held, step: Step) -> Held:
    """What was there before the step; a mode that somebody changed after it stays as it is now."""
    before, after = step.before, step.after
    if after is None or present.kind != before.kind or after.kind != before.kind or present.kind == "link":
        return before
    if before.mode == after.mode or present.mode != after.mode:
        return replace(before, mode=present.mode)
    return before


def open_steps(turns: Iterable[Turn]) -> Iterator[Step]:
    """The steps in which a change was begun whose end nobody has noted."""
    return (step for turn in turns for step in turn.steps if step.after is None or step.planned)


def is_settled(step: Step, present: Held) -> bool:
    """Whether an open step came to ``present``, which the path holds now. Otherwise nobody can tell."""
    known = (step.planned, step.after, step.before if step.after is None else None)
    return any(present.same_content(held) for held in known if held is not None)


def is_reached(step: Step, present: Held) -> bool:
    """Whether a settled step, when it was to take others back, did so."""
    return not step.reverts or step.planned is None or present.same(step.planned)
