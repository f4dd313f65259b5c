"""Turns and steps as records, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .held import Held
from .record_log import Record
from .turns import Step, Turn, TurnBook


def turn_record(turn: Turn) -> Record:
    return {"is": "turn", "number": turn.number, "kind": turn.kind, "label": turn.label, "time": turn.time}


def steps_record(steps: list[Step]) -> Record:
    return {"is": "steps", "steps": [_step(step) for step in steps]}


def _step(step: Step) -> list[Any]:
    held = map(_json, (step.before, step.after, step.planned))
    return [step.id, step.turn, step.path, *held, step.reverts, step.source]


def _json(held: Held | None) -> list[Any] | None:
    return None if held is None else held.to_json()


def _held(value: list[Any] | None) -> Held | None:
    return None if value is None else Held(*value)


def plan_record(step: Step) -> Record:
    """The step goes on with another change."""
    return {"is": "plan", "id": step.id, "planned": _json(step.planned)}


def done_record(step: Step, *, reached: bool = True) -> Record:
    """The change is over."""
    return {"is": "done", "id": step.id, "after": _json(step.after), "reached": reached, "source": step.source}


def ended_record(steps: Sequence[Step]) -> Record:
    """The changes are over: many of them at once."""
    return {"is": "ended", "steps": [[step.id, _json(step.after)] for step in steps]}


def dropped_record(steps: Sequence[Step]) -> Record:
    """The steps were never taken."""
    return {"is": "dropped", "ids": [step.id for step in steps]}


def passed_record(steps: Sequence[Step]) -> Record:
    """An undo left what these steps left."""
    return {"is": "passed", "ids": [step.id for step in steps]}


def not_covered_record(turn: Turn) -> Record:
    count = turn.not_covered_count
    return {"is": "not-covered", "turn": turn.number, "paths": list(turn.not_covered), "count": count}


def load(book: TurnBook, record: Record) -> None:
    """Do to the book what was done when this record was written; other records say nothing about it.

    Raises:
        KeyError, TypeError, ValueError: it is not a record of ours.
    """
    match record["is"]:
        case "turn":
            book.add(Turn(record["number"], record["kind"], record["label"], record["time"]))
        case "steps":
            for id, turn, path, before, after, planned, reverts, *source in record["steps"]:
                step = Step(id, turn, path, Held(*before), None, _held(planned), tuple(reverts))
                step.source = source[0] if source else "tool"  # earlier versions wrote none
                book.add(book.turns[turn], [step])
                if after is not None:
                    book.finish(step, Held(*after))
        case "plan":
            book.steps[record["id"]].planned = _held(record["planned"])
        case "done":
            step = book.steps[record["id"]]
            step.source = record.get("source", step.source)
            book.finish(step, Held(*record["after"]), reached=record["reached"])
        case "ended":
            for id, after in record["steps"]:
                book.finish(book.steps[id], Held(*after))
        case "dropped":
            book.drop([book.steps[id] for id in record["ids"]])
        case "passed":
            for id in record["ids"]:
                book.steps[id].passed = True
        case "not-covered":
            turn = book.turns[record["turn"]]
            turn.not_covered, turn.not_covered_count = tuple(record["paths"]), record["count"]
