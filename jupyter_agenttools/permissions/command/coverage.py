"""Whether allow rules cover a whole command line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from ..patterns import Wildcard
from ..rules import PermissionRule
from .calls import judge_call
from .fields import Field
from .follow import Follower, Judged, MayWrite
from .matching import covers, whole_text
from .parse import simple_command, understand
from .parsed import SimpleCommand, TooComplex
from .rule_index import CoveringIndex
from .script import Node
from .wrappers import unwrap

_STATEFUL_BUILTINS = frozenset(
    ". alias bind builtin cd command declare enable eval exec export hash local popd pushd readonly set shopt source "
    "trap typeset unalias unset".split()
)
"""Programs of the shell itself that may change what later calls of the same line mean."""

_QUIET = frozenset("[ < cat cd cut date echo grep head ls printf pwd seq sort tail test tr true uniq wc".split())
"""Programs that take nothing from configuration: with only these, a rule about the written file is enough."""

_LEAVE_LINKS = frozenset(
    "bun cargo composer dotnet go gradle jest make meson mkdir mvn mypy ninja node nox npm npx pip pnpm poetry pytest "
    "python python3 rm ruff tox touch tsc uv vitest yarn".split()
)
"""Programs behind which a redirection may still write: whoever allows one allows it to run any code, or it can only
make and remove what is no link. Another one, like ``ln``, could lead the redirection somewhere else."""

Rules = Sequence[tuple[Wildcard, PermissionRule]]

MANY = 12
"""From so many rules on it costs less to look for those that could cover a call than to try them all."""


class CommandRules(tuple[tuple[Wildcard, PermissionRule], ...]):
    """Allow rules about some commands, in their order."""

    _index: CoveringIndex | None = None

    def whole(self, command: str) -> PermissionRule | None:
        """The first rule that spells out this very command line."""
        return self._by_text.get(whole_text(command))

    @cached_property
    def _by_text(self) -> dict[str, PermissionRule]:
        return {pattern.pieces[0]: rule for pattern, rule in reversed(self) if pattern.exact}

    def first(self, call: SimpleCommand) -> PermissionRule | None:
        """The first rule that covers this one call."""
        if len(self) >= MANY:
            self._index = self._index or CoveringIndex([pattern for pattern, _ in self])
            likely = [self[at] for at in self._index.candidates(call)]
        else:
            likely = list(self)
        return next((rule for pattern, rule in likely if covers(pattern, call)), None)


class Coverage(NamedTuple):
    """What allow rules say of a command line.

    Attributes:
        covered: every call is covered, at least one of them by a rule.
        rules: the rules that cover it, each once, in order.
        missing: with ``covered`` false: the first call that nothing covers, as it is written.
        why: what is the matter with that call, ``""`` when that is not known.
        writes: a redirection of the line writes a file.
    """

    covered: bool
    rules: tuple[PermissionRule, ...] = ()
    missing: str = ""
    why: str = ""
    writes: bool = False


def coverage(
    command: str,
    rules: Rules,
    *,
    cwd: str = "/",
    roots: Sequence[str] = (),
    may_mix: bool = False,
    may_write: MayWrite | None = None,
) -> Coverage:
    """Do these allow rules cover the whole command line?

    Args:
        command: the line. rules: the allow rules with their patterns.
        cwd: where it would run. roots: the working directories, links followed.
        may_mix: calls that provably only read need no rule; else every call does.
        may_write: whether a redirection may write a file; without it none may.
    """
    rules = rules if isinstance(rules, CommandRules) else CommandRules(rules)
    if (whole := rules.whole(command)) is not None:
        return Coverage(True, (whole,))
    if not rules and may_write is None:
        return Coverage(False, missing=command)
    cover = _Cover(command, rules)
    try:
        judged = _follow(cover, cwd, roots, may_mix, may_write)
    except TooComplex as refusal:
        missing = cover.missing or command[slice(*refusal.span)] or command
        return Coverage(False, missing=missing, why=refusal.reason)
    except (OSError, ValueError, RecursionError):
        return Coverage(False, missing=command)
    if not cover.used and not (cover.writes and all(call.argv[0] in _QUIET for call in judged if call.argv)):
        return Coverage(False, missing=command)
    return Coverage(True, tuple(cover.used), writes=cover.writes)


class Uncovered(NamedTuple):
    """What allow rules leave open: ``calls`` that no rule is about, and the files ``written`` by redirections."""

    calls: tuple[SimpleCommand, ...]
    written: tuple[str, ...]


def uncovered(
    command: str,
    rules: Rules,
    *,
    cwd: str = "/",
    roots: Sequence[str] = (),
    may_mix: bool = False,
    may_write: MayWrite | None = None,
    could_write: MayWrite | None = None,
) -> Uncovered | None:
    """What would still have to be allowed for the whole line to be covered?

    Args:
        command, rules, cwd, roots, may_mix, may_write: as for :func:`coverage`.
        could_write: whether a rule could allow writing a file that no rule is about yet.

    Returns:
        ``None`` when something stands in the way that no rule about a call or a file can allow.
    """
    cover = _Cover(command, rules)
    cover.open = {}
    files: dict[str, None] = {}

    def note(given: str, resolved: str) -> bool:
        if may_write is not None and may_write(given, resolved):
            return True
        files[given] = None
        return could_write is not None and could_write(given, resolved)

    try:
        _follow(cover, cwd, roots, may_mix, note)
    except (TooComplex, OSError, ValueError, RecursionError):
        return None
    return Uncovered(tuple(cover.open), tuple(files))


def _follow(
    cover: _Cover, cwd: str, roots: Sequence[str], may_mix: bool, may_write: MayWrite | None
) -> Sequence[Judged]:
    """Every call of the line in turn.

    Raises:
        TooComplex: something is neither known to only read nor covered.
    """
    follower = Follower(tuple(roots), cwd, judge_call, cover, cover.checked(may_write))
    cover.follower = follower
    follower.spoiled = not may_mix
    follower.run(understand(cover.text).root)
    return follower.judged


class _Cover:
    """Asked about each call that is not known to only read."""

    def __init__(self, text: str, rules: Rules) -> None:
        self.text, self.rules = text, rules if isinstance(rules, CommandRules) else CommandRules(rules)
        self.used: dict[PermissionRule, None] = {}
        self.missing = ""
        self.follower: Follower | None = None
        self.writes = False
        self.may_relink = False
        self.open: dict[SimpleCommand, None] | None = None

    def checked(self, may_write: MayWrite | None) -> MayWrite | None:
        """``may_write``, no more once a call may have changed where a path leads."""
        if may_write is None:
            return None

        def checked(given: str, resolved: str) -> bool:
            self.writes = True
            return not self.may_relink and may_write(given, resolved)

        return checked

    def __call__(self, node: Node, fields: list[Field] | None, refusal: TooComplex | None) -> bool:
        call = self.command(node, fields)
        rule = self.rules.first(call) if call is not None else None
        if call is None or rule is None:
            if refusal is None:
                return True
            if call is not None and self.open is not None:
                self.open[call] = None
                return True
            self.missing = self.missing or " ".join(self.text[word.start : word.end] for word in node.words)
            return False
        self.used[rule] = None
        if refusal is not None:
            name = unwrap(call).argv[0]
            self.may_relink = self.may_relink or name not in _LEAVE_LINKS
            if name in _STATEFUL_BUILTINS and self.follower is not None:
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
