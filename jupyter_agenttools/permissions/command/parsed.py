"""What a shell command is, as data."""

from __future__ import annotations

from typing import Literal, NamedTuple

Operator = Literal["&&", "||", ";", "|", "|&", "&", "\n"]


class SimpleCommand(NamedTuple):
    """One program call, as bash would make it.

    Attributes:
        argv: the words after quote removal; a word with a wildcard stands here unexpanded.
        raw: the same words as they are written.
        env: the assignments before the program, e.g. ``(("LANG", "C"),)``.
        globs: positions in ``argv`` of the words that bash would expand to file names.
        dynamic: positions of the words in which a variable or the output of a command stands, as it is written.
    """

    argv: tuple[str, ...]
    raw: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()
    globs: frozenset[int] = frozenset()
    dynamic: frozenset[int] = frozenset()

    @property
    def text(self) -> str:
        """The call as it is written, without redirections, one blank between words."""
        return " ".join(self.raw)


class ParsedCommand(NamedTuple):
    """A whole command line: its program calls, or why it cannot be said for certain what they are.

    Attributes:
        kind: ``simple`` when ``commands`` is every call that would be made, those in substitutions, branches and loops
            included.
        commands: the calls in the order of the text.
        operators: what joins them, in the order of the text.
        reason: with ``too-complex``: one sentence.
        check_id: with ``too-complex``: the stable id of the check that refused.
        span: with ``too-complex``: where, as characters ``[start, end)``.
    """

    kind: Literal["simple", "too-complex"]
    commands: tuple[SimpleCommand, ...] = ()
    operators: tuple[Operator, ...] = ()
    reason: str = ""
    check_id: str = ""
    span: tuple[int, int] = (0, 0)


class TooComplex(Exception):
    """The text holds something that is not claimed to be understood, or not known to only read.

    Attributes:
        check_id: the stable id of the check that refused. reason: one sentence.
        span: where in the command, as characters ``[start, end)``; ``(0, 0)`` when it is no single place.
    """

    def __init__(self, check_id: str, reason: str, start: int = 0, end: int = 0) -> None:
        super().__init__(reason)
        self.check_id = check_id
        self.reason = reason
        self.span = (start, end)
