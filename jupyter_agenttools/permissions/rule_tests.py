"""The rules of one behaviour about one tool, with their tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..core.faults import faults
from .command.rule_index import FiringIndex
from .command.spellings import forms_of
from .domains import HostIndex, HostPattern
from .matchers import Matcher
from .path_index import PathIndex, ReachIndex
from .paths import PathForms, PathPattern, Reach
from .patterns import Wildcard
from .question import Question
from .rules import PermissionRule

MANY = 24
"""From so many rules on it costs less to look for those that could be about a call than to try them all."""


class RuleTest(NamedTuple):
    """A rule with its test for calls of one tool."""

    rule: PermissionRule
    matches: Matcher


class RuleTests(tuple[RuleTest, ...]):
    """Rules with their tests, in the order in which they are tried."""

    _index: _Index | None = None

    def likely(self, question: Question) -> Iterable[RuleTest]:
        """Every rule that could be about the call, in their order; the others are not."""
        if len(self) < MANY or (question.tool.rule_family == "command" and question.may_write_anything):
            return self
        try:
            if self._index is None:
                self._index = _Index(self)
            return [self[at] for at in sorted(self._index.candidates(question))]
        except faults():  # what cannot be looked up is tried one by one, and says itself what is wrong
            return self


class _Index:
    def __init__(self, tests: Sequence[RuleTest]) -> None:
        commands: list[tuple[int, Wildcard]] = []
        paths: list[tuple[int, PathPattern]] = []
        reaches: list[tuple[int, Reach]] = []
        hosts: list[tuple[int, HostPattern]] = []
        self._others: list[int] = []
        for at, (_, matcher) in enumerate(tests):
            if isinstance(matcher.subject, Wildcard):
                commands.append((at, matcher.subject))
            elif isinstance(matcher.subject, PathPattern):
                paths.append((at, matcher.subject))
            elif isinstance(matcher.subject, Reach):
                reaches.append((at, matcher.subject))
            elif isinstance(matcher.subject, HostPattern):
                hosts.append((at, matcher.subject))
            else:
                self._others.append(at)
        self._commands = FiringIndex(commands) if commands else None
        self._unread = [at for at, _ in commands]
        self._paths = PathIndex(paths) if paths else None
        self._reaches = ReachIndex(reaches) if reaches else None
        self._hosts = HostIndex(hosts) if hosts else None
        self._named = [at for at, _ in hosts]

    def candidates(self, question: Question) -> set[int]:
        found = set(self._others)
        if self._commands is not None:
            is_read = question.is_bash and question.command is not None
            found.update(self._commands.candidates(forms_of(question.command or "")) if is_read else self._unread)
        if self._paths is not None:
            found.update(self._paths.candidates(_paths(question)))
        if self._reaches is not None:
            found.update(self._reaches.candidates(question.trees, question.base))
        if self._hosts is not None:
            found.update(self._named if question.host is None else self._hosts.candidates(question.host))
        return found


def _paths(question: Question) -> tuple[PathForms, ...]:
    """Every path that a rule may be compared with."""
    if question.tool.rule_family == "command":
        return (*question.command_paths, *question.edited_paths, *question.reached_paths)
    return () if question.paths is None else (question.paths,)
