"""Whether allow rules cover a whole command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..patterns import Wildcard
from ..rules import PermissionRule
from .calls import judge_call
from .fields import Field
from .follow import Follower
from .matching import covers, covers_whole
from .parse import simple_command, understand
from .parsed import SimpleCommand, TooComplex
from .script import Node
from .wrappers import unwrap

_STATEFUL_BUILTINS = frozenset(
    ". alias bind builtin cd command declare enable eval exec export hash local popd pushd readonly set shopt source "
    "trap typeset unalias unset".split()
)
"""Programs of the shell itself that may change what later calls of the same line mean."""

Rules = tuple[tuple[Wildcard, PermissionRule], ...]


class Coverage(NamedTuple):
    """What allow rules say of a command line.

    Attributes:
        covered: every call is covered, at least one of them by a rule.
        rules: the rules that cover it, each once, in order.
        missing: with ``covered`` false: the first call that nothing covers, as it is written.
    """

    covered: bool
    rules: tuple[PermissionRule, ...] = ()
    missing: str = ""


def coverage(
    command: str,
    rules: Rules,
    *,
    cwd: str = "/",
    roots: Sequence[str] = (),
    may_mix: bool = False,
) -> Coverage:
    """Do these allow rules cover the whole command line?

    Args:
        command: the line. rules: the allow rules with their patterns.
        cwd: where it would run. roots: the working directories, links followed.
        may_mix: calls that provably only read need no rule; else every call does.
    """
    for pattern, rule in rules:
        if covers_whole(pattern, command):
            return Coverage(True, (rule,))
    if not rules:
        return Coverage(False, missing=command)
    cover = _Cover(command, rules)
    follower = Follower(tuple(roots), cwd, judge_call, cover)
    cover.follower = follower
    follower.spoiled = not may_mix
    try:
        follower.run(understand(command).root)
    except TooComplex as refusal:
        return Coverage(False, missing=cover.missing or command[slice(*refusal.span)] or command)
    except (OSError, ValueError, RecursionError):
        return Coverage(False, missing=command)
    return Coverage(bool(cover.used), tuple(cover.used))


class _Cover:
    """Asked about each call that is not known to only read."""

    def __init__(self, text: str, rules: Rules) -> None:
        self.text, self.rules = text, rules
        self.used: dict[PermissionRule, None] = {}
        self.missing = ""
        self.follower: Follower | None = None

    def __call__(self, node: Node, fields: list[Field] | None, refusal: TooComplex | None) -> bool:
        call = self.command(node, fields)
        rule = next((rule for pattern, rule in self.rules if covers(pattern, call)), None) if call is not None else None
        if call is None or rule is None:
            if refusal is None:
                return True
            self.missing = self.missing or " ".join(self.text[word.start : word.end] for word in node.words)
            return False
        self.used[rule] = None
        if refusal is not None and unwrap(call).argv[0] in _STATEFUL_BUILTINS and self.follower is not None:
            self.follower.spoiled = True
        return True

    def command(self, node: Node, fields: list[Field] | None) -> SimpleCommand | None:
        """The call as the shell would make it; ``None`` when a substitution in it was not judged."""
        if not node.words:
            return None
        written = simple_command(node, self.text)
        if fields is None:
            pieces = [piece for word in node.words for piece in word.pieces]
            return written if all(piece.kind in ("bare", "text", "var") for piece in pieces) else None
        if not written.dynamic or any(field.unknown is not None or field.process for field in fields):
            return written
        argv = tuple(field.text for field in fields)
        globs = frozenset(i for i, field in enumerate(fields) if field.pattern is not None)
        return SimpleCommand(argv, argv, written.env, globs)
