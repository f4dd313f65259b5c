"""Whether allow rules cover a whole command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from ..patterns import Wildcard
from ..rules import PermissionRule
from .calls import judge_call
from .fields import Field
from .follow import WRITES_A_FILE, Follower, Judged, MayWrite
from .matching import allow_texts, covers, whole_text
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
            return next((self[at][1] for at in self._index.candidates(call) if covers(self[at][0], call)), None)
        texts = tuple(allow_texts(unwrap(call)))
        for pattern, rule in self:
            fits = pattern.exact or any(map(pattern.matches, texts))
            if fits and covers(pattern, call):
                return rule
        return None


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
    more: Rules = (),
) -> Coverage:
    """Do these allow rules cover the whole command line?

    Args:
        command: the line. rules: the allow rules with their patterns. more: rules beside them, which come last.
        cwd: where it would run. roots: the working directories, links followed.
        may_mix: calls that provably only read need no rule; else every call does.
        may_write: whether a redirection may write a file; without it none may.
    """
    cover = _Cover(command, rules, more)
    if (whole := cover.rules.whole(command) or cover.more.whole(command)) is not None:
        return Coverage(True, (whole,))
    if not rules and not more and may_write is None:
        return Coverage(False, missing=command)
    try:
        judged = _follow(cover, cwd, roots, may_mix, may_write)
    except TooComplex as refusal:
        missing = cover.missing or command[slice(*refusal.span)] or command
        return Coverage(False, missing=missing, why=refusal.reason)
    except (OSError, ValueError, RecursionError):
        return Coverage(False, missing=command)
    return _found(cover, judged)


class OpenPart(NamedTuple):
    """A part of a command line that no rule allows.

    Attributes:
        text: as it is written. span: where, as characters ``[start, end)``.
        why, check_id: what is the matter with it.
    """

    text: str
    span: tuple[int, int]
    why: str
    check_id: str


class Uncovered(NamedTuple):
    """What allow rules leave open.

    Attributes:
        calls: those that no rule is about. written: the files that redirections write.
        separate: each call could be allowed by itself: none changes what another one means, and nothing is written.
    """

    calls: tuple[SimpleCommand, ...]
    written: tuple[str, ...]
    separate: bool = False


class Overview(NamedTuple):
    """What allow rules say of a command line, and what they leave open.

    Attributes:
        coverage: as :func:`coverage` finds it.
        left: what would still have to be allowed; ``None`` when something stands in the way that no rule about a call
            or a file can allow, and when nothing is left.
        parts: each part that no rule allows, in their order.
        is_whole: the line was gone through to its end, so there are no other such parts.
    """

    coverage: Coverage
    left: Uncovered | None
    parts: tuple[OpenPart, ...] = ()
    is_whole: bool = True


def left_open(
    command: str,
    rules: Rules,
    *,
    cwd: str = "/",
    roots: Sequence[str] = (),
    may_mix: bool = False,
    may_write: MayWrite | None = None,
    could_write: MayWrite | None = None,
) -> Overview:
    """What would still have to be allowed for the whole line to be covered?

    Args:
        command, rules, cwd, roots, may_mix, may_write: as for :func:`coverage`, which alone knows whether the line is
            covered where it is not :func:`is_flat`.
        could_write: whether a rule could allow writing a file that no rule is about yet.
    """
    return _walk(_Cover(command, rules), cwd, roots, may_mix, may_write, could_write)


_NESTED = re.compile(r"[(`]")


def is_flat(command: str) -> bool:
    """Whether no call in the line stands inside of the words of another one, which could be covered with it."""
    return _NESTED.search(command) is None


def overview(
    command: str, rules: Rules, *, cwd: str, roots: Sequence[str], may_write: MayWrite, could_write: MayWrite
) -> Overview:
    """Both answers about a line that :func:`is_flat`, from going through it once.

    Args:
        command, rules, cwd, roots, may_write, could_write: as there; calls that provably only read need no rule.
    """
    cover = _Cover(command, rules)
    if (whole := cover.rules.whole(command)) is not None:
        return Overview(Coverage(True, (whole,)), None)
    return _walk(cover, cwd, roots, True, may_write, could_write)


def _walk(
    cover: _Cover,
    cwd: str,
    roots: Sequence[str],
    may_mix: bool,
    may_write: MayWrite | None,
    could_write: MayWrite | None,
) -> Overview:
    """The line gone through as if everything that no rule is about were allowed, and noted."""
    files: dict[str, None] = {}
    cover.open = {}

    def note(given: str, resolved: str) -> bool:
        if may_write is not None and may_write(given, resolved):
            return True
        cover.note_write()
        files[given] = None
        cover.is_blocked = cover.is_blocked or could_write is None or not could_write(given, resolved)
        return True

    try:
        judged = _follow(cover, cwd, roots, may_mix, note)
    except TooComplex as refusal:
        cover.note(*cover.around(refusal.span), refusal)
        missing = cover.missing or cover.text[slice(*refusal.span)] or cover.text
        found = cover.refused or Coverage(False, missing=missing, why=refusal.reason)
        return Overview(found, None, cover.open_parts, is_whole=False)
    except (OSError, ValueError, RecursionError):
        found = cover.refused or Coverage(False, missing=cover.text)
        return Overview(found, None, cover.open_parts, is_whole=False)
    left = None if cover.is_blocked else _left(cover, files)
    return Overview(cover.refused or _found(cover, judged), left, cover.open_parts)


def _left(cover: _Cover, files: Iterable[str]) -> Uncovered:
    calls = tuple(cover.open or ())
    separate = not cover.writes and all(unwrap(call).argv[0] not in _STATEFUL_BUILTINS for call in calls)
    return Uncovered(calls, tuple(files), separate)


def _found(cover: _Cover, judged: Sequence[Judged]) -> Coverage:
    """What to say of a line of which nothing was refused."""
    if not cover.used and not (cover.writes and all(call.argv[0] in _QUIET for call in judged if call.argv)):
        return Coverage(False, missing=cover.text)
    return Coverage(True, tuple(cover.used), writes=cover.writes)


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

    def __init__(self, text: str, rules: Rules, more: Rules = ()) -> None:
        self.text = text
        self.rules = rules if isinstance(rules, CommandRules) else CommandRules(rules)
        self.more = CommandRules(more)
        self.used: dict[PermissionRule, None] = {}
        self.missing = ""
        self.follower: Follower | None = None
        self.writes = False
        self.may_relink = False
        self.open: dict[SimpleCommand, None] | None = None
        self.refused: Coverage | None = None
        self.is_blocked = False
        self.parts: dict[tuple[int, int], OpenPart] = {}

    @property
    def open_parts(self) -> tuple[OpenPart, ...]:
        return tuple(sorted(self.parts.values(), key=lambda part: part.span))

    def note_write(self) -> None:
        """A file is written that no rule allows."""
        redirect = self.follower.writing if self.follower is not None else None
        span = (redirect.start, redirect.end) if redirect is not None else (0, 0)
        self.note(self.text[slice(*span)], span, TooComplex("redirection", WRITES_A_FILE))

    def note(self, text: str, span: tuple[int, int], refusal: TooComplex) -> None:
        """No rule allows this part."""
        self.parts.setdefault(span, OpenPart(text or self.text, span, refusal.reason, refusal.check_id))
        self.refused = self.refused or Coverage(False, missing=text or self.text, why=refusal.reason)

    def checked(self, may_write: MayWrite | None) -> MayWrite | None:
        """``may_write``, no more once a call may have changed where a path leads."""
        if may_write is None:
            return None

        def checked(given: str, resolved: str) -> bool:
            self.writes = True
            if self.may_relink and self.open is not None:
                self.note_write()
                self.is_blocked = True
                return True
            return not self.may_relink and may_write(given, resolved)

        return checked

    def __call__(self, node: Node, fields: list[Field] | None, refusal: TooComplex | None) -> bool:
        call = self.command(node, fields)
        rule = (self.rules.first(call) or self.more.first(call)) if call is not None else None
        if call is None or rule is None:
            if refusal is None:
                return True
            if self.open is not None:
                self.note(*self._place(node), refusal)
                self.is_blocked = self.is_blocked or call is None
                self.open.update({call: None} if call is not None else {})
                return True
            self.missing = self.missing or self._place(node)[0]
            return False
        self.used[rule] = None
        if refusal is not None:
            name = unwrap(call).argv[0]
            self.may_relink = self.may_relink or name not in _LEAVE_LINKS
            if name in _STATEFUL_BUILTINS and self.follower is not None:
                self.follower.spoiled = True
        return True

    def around(self, span: tuple[int, int]) -> tuple[str, tuple[int, int]]:
        """The call that a place lies in, as it is written and where; the place itself where there is none."""
        try:
            calls = [node for node in understand(self.text).calls if node.start <= span[0] and span[1] <= node.end]
        except TooComplex:
            calls = []
        inner = min(calls, key=lambda node: node.end - node.start, default=None)
        if inner is None or span == (0, 0):
            return self.text[slice(*span)], span
        return self.text[inner.start : inner.end], (inner.start, inner.end)

    def _place(self, node: Node) -> tuple[str, tuple[int, int]]:
        """A call as it is written, without the redirections at its end, and where."""
        end = max([part.end for part in (*node.words, *node.assignments)], default=node.end)
        return self.text[node.start : end], (node.start, end)

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
