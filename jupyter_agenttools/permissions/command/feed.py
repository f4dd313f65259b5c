"""What a loop reads line by line, and which calls in it may take a part of that away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .fields import Field
from .parsed import TooComplex
from .places import ReadPath
from .script import Node, Redirect
from .state import ANY, State, Unknown, Value

WRITERS = frozenset({">", ">>", ">|", "&>", "&>>"})
"""Redirections that write."""

_WITHOUT_INPUT = frozenset(
    "read echo printf test [ basename dirname true false : pwd date continue break exit sleep stat ls du realpath "
    "readlink cd git uname whoami id".split()
)
"""Programs that do not read their standard input; of the others, those do not that are given a path."""


@dataclass(slots=True)
class Feed:
    """What a loop reads.

    Attributes:
        stages: the calls that print it. state: what holds before them. path: what each line is, when that is known.
        zero: lines end with a NUL. spoilt: lines may have been taken apart.
    """

    stages: tuple[tuple[Field, ...], ...]
    state: State
    path: Unknown | None = None
    zero: bool | None = None
    spoilt: bool = False

    def line(self, look: Callable[[bool], Unknown | None], *, whole: bool, zero: bool) -> Value:
        """What one call of ``read`` gets.

        Args:
            look: what a line is, for either way in which lines end. whole: it takes whole lines. zero: up to a NUL.

        Raises:
            TooComplex: it takes a part of a line, after another call relied on whole ones.
        """
        if not whole or self.zero not in (None, zero):
            if self.path is not None:
                raise TooComplex("path", "`read` that takes a part of a line")
            self.spoilt = True
        if self.spoilt:
            return ANY
        if self.zero is None:
            self.zero, found = zero, look(zero)
            self.path = found if found is not None and found.kind == "path" else None
        return self.path or ANY

    def check(self, fields: Sequence[Field], reads: Sequence[ReadPath]) -> None:
        """Refuse a call in the loop that may take a part of a line away, so that the rest would be another path.

        Raises:
            TooComplex: it may read what the loop reads.
        """
        given = self.path.reads if self.path is not None else ()
        takes_nothing = fields[0].text in _WITHOUT_INPUT or not set(reads).isdisjoint(given)
        if not takes_nothing or any(field.text == "-" for field in fields):
            raise TooComplex("path", "a call that may read what the loop reads", fields[0].start, fields[-1].end)


def only_hides_errors(redirect: Redirect) -> bool:
    """Whether what a program prints and reads is the same with this redirection."""
    return redirect.descriptor == "2" and redirect.operator in WRITERS and redirect.target.literal == "/dev/null"


def has_input(node: Node) -> bool:
    """Whether its standard input is redirected."""
    return any(redirect.operator.startswith("<") for redirect in node.redirects)


def reads_lines(node: Node) -> bool:
    """Whether it is a loop whose condition is nothing but ``read``."""
    items = node.items[0].items if node.kind in ("while", "until") else ()
    return len(items) == 1 and items[0].kind == "call" and bool(items[0].words) and items[0].words[0].literal == "read"
