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
        globs: positions in ``argv`` of the words that bash would expand.
    """

    argv: tuple[str, ...]
    raw: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()
    globs: frozenset[int] = frozenset()

    @property
    def text(self) -> str:
        """The call as it is written, without redirections, one blank between words."""
        return " ".join(self.raw)


class ParsedCommand(NamedTuple):
    """A whole command line: its program calls, or why it cannot be said for certain what they are.

    Attributes:
        kind: ``simple`` when ``commands`` is everything that would run and nothing is expanded but file names.
        commands: the calls in the order of the text.
        operators: what stands between them (and, for ``&``, after the last one).
        reason: with ``too-complex``: one sentence.
        check_id: with ``too-complex``: the stable id of the check that refused.
    """

    kind: Literal["simple", "too-complex"]
    commands: tuple[SimpleCommand, ...] = ()
    operators: tuple[Operator, ...] = ()
    reason: str = ""
    check_id: str = ""


class TooComplex(Exception):
    """The text holds something that this reader does not claim to understand."""

    def __init__(self, check_id: str, reason: str) -> None:
        super().__init__(reason)
        self.check_id = check_id
        self.reason = reason
