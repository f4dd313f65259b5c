"""Tools and hooks that were written in cells, and which of them a new one takes the place of."""

from __future__ import annotations

from typing import Any, NamedTuple


class Definition(NamedTuple):
    """One tool or hook, and where it was written.

    Attributes:
        made: the tool or hook.
        name: its module and its name there; one that stands in a function, or has no name, has ``<`` in it.
        event: of a hook, ``""`` for a tool.
        cell: the id of its cell, ``""`` where none is known. run: the execution in which it was made.
    """

    made: Any
    name: str
    event: str = ""
    cell: str = ""
    run: int = 0

    def replaces(self, other: Definition) -> bool:
        """Whether ``other`` is an earlier form of this.

        A tool goes by its name. A hook is replaced when its cell is run again, and when a function of its name becomes
        a hook of the same event in another cell, as a name means something else then in Python. What one execution
        makes stays side by side: it may make several guards of one function.
        """
        if self.name != other.name or bool(self.event) != bool(other.event):
            return False
        if not self.event:
            return True
        if self.run == other.run:
            return False
        return self.cell == other.cell != "" or (self.event == other.event and "<" not in self.name)


class Definitions:
    """Those that count, in the order in which they were written."""

    def __init__(self) -> None:
        self._all: tuple[Definition, ...] = ()

    def __iter__(self) -> Any:
        return iter(self._all)

    def replaced_by(self, new: Definition) -> tuple[Any, ...]:
        """The tools or hooks that this one takes the place of."""
        return tuple(each.made for each in self._all if new.replaces(each))

    def add(self, new: Definition) -> None:
        """Let it count, in place of what it replaces."""
        self._all = (*(each for each in self._all if not new.replaces(each)), new)
