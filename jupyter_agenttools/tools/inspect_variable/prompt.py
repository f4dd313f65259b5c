"""What the model is told of InspectVariable, and how its result reads to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .described import Described
    from .tool import InspectVariableOutput

DESCRIPTION = "Look at variables of the person's notebook: class, shape, columns, the first rows or the value."

PROMPT = """\
- Without a name it lists the variables. With one it says what that variable is: df, config.port, rows[0]["name"];
  several are separated by commas.
- It runs no code of the person's, so nobody has to be asked. Of an object of a class of their own you see the
  attributes that it holds; what a property or a method would say is a matter of REPL.
- Only the beginning of something long is shown; rows says how many rows of a table (5 by default, 50 at most).
- Values whose names speak of a key, a token or a password are hidden. Do not try to get at them in another way."""


def result_text(output: InspectVariableOutput) -> str:
    """The result as the model reads it."""
    return "\n".join(_lines(output))


def _lines(output: InspectVariableOutput) -> Iterator[str]:
    if output.listed is not None:
        yield f"{len(output.listed)} variables" if output.listed else "There are no variables."
        yield from (f"{name}: {kind}{f', {words}' if words else ''}" for name, kind, words in output.listed)
        if output.more:
            yield f"[{output.more:,} more are not listed]"
    for number, each in enumerate(output.variables):
        yield from ("",) if number else ()
        yield from described_lines(each)


def described_lines(each: Described) -> Iterator[str]:
    """One variable, line by line."""
    yield f"{each.path}: {each.type_name}"
    yield from (f"{label}: {said}" for label, said in each.facts)
    if each.columns:
        yield "columns:" if each.facts else "attributes:"
        yield from (f"  {name}: {kind}" for name, kind in each.columns)
    if each.text:
        yield each.text
    yield from (f"[{note}]" for note in each.notes)
