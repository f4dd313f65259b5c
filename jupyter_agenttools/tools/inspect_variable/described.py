"""What can be said of one variable, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Described:
    """One variable, or a part of one.

    Args:
        path: how it is written, e.g. ``df["price"]``.
        type_name: its class, with the module where that is not obvious.
        facts: what is known of it: shape, length, memory …, each with a label.
        columns: of a table: name and type of each.
        text: its value, or the beginning of it; ``""`` where it cannot be told without running code.
        notes: what is missing, and why.
    """

    path: str
    type_name: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    text: str = ""
    notes: tuple[str, ...] = ()
