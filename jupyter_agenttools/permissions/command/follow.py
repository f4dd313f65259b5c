"""Following a command line step by step: which calls does it make, with which words, and does each only read?

The working directories and variables that come into question are followed through lists, branches and loops, so that
every path is judged from every place where the shell may be by then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..look import Look, current_look
from .assignments import check_prefix
from .conditions import check_double_bracket
from .feed import WRITERS, Feed, has_input, only_hides_errors, reads_lines
from .fields import GAP, Field, arithmetic, expand, expand_to_text
from .links import follow
from .listing import known_output
from .outcome import Result
from .parsed import TooComplex
from .places import Places, ReadPath
from .script import Node, Redirect, Word
from .state import ANY, NUMBER, Ends, State, Unknown, Value, either_of, join, settable

MAX_CALLS = 200
"""More calls than this, loops unrolled, always ask."""

MAX_TURNS = 60
"""Words of a ``for`` loop that are gone through."""

MAX_ROUNDS = 4
"""Rounds of a loop of unknown length until nothing new may hold before a round."""

WRITES_A_FILE = "a redirection writes a file"
_DEVICES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
_STREAMS = frozenset({"", "0", "1", "2"})


class Call(NamedTuple):
    """One call about to be judged.

    Attributes:
        node: where it is written. name: the program, wrappers taken off. fields: the words after the name.
        every: all words, wrappers included. state: what holds before it. before: the calls in front of it in a pipe.
        first_directory: where the whole line starts.
    """

    node: Node
    name: str
    fields: list[Field]
    every: list[Field]
    state: State
    places: Places
    first_directory: str
    before: tuple[tuple[Field, ...], ...] = ()

    @property
    def start(self) -> int:
        return self.node.start

    @property
    def end(self) -> int:
        return self.node.end

    @property
    def argv(self) -> tuple[str, ...]:
        return tuple(f.text for f in self.every)


class Judged(NamedTuple):
    """What was found of one call: its words, what it reads, and the refusal if there was one."""

    argv: tuple[str, ...]
    start: int
    end: int
    reads: tuple[ReadPath, ...] = ()
    refusal: TooComplex | None = None


MayWrite = Callable[[str, str], bool]
"""Whether something else (a rule about editing) allows writing a file: its absolute path, and where that leads."""

Cover = Callable[[Node, "list[Field] | None", "TooComplex | None"], bool]
"""Whether something else (a rule) allows a call that is not known to only read; told of the others with ``None``."""


JudgeCall = Callable[["Follower", Node, "list[Field]", State, "tuple[tuple[Field, ...], ...]"], Result]


@dataclass(slots=True)
class Follower:
    """One walk over one command line.

    Args:
        roots: the working directories, links followed; ``None`` when paths are not looked at.
        directory: where the line starts. judge_call: judges a single call whose words are known.
        cover: asked about every call that is refused, told of the others.
        may_write: asked about every file that a redirection writes. in_background: follow what is left running too.

    Attributes:
        judged: what was found of each call. escapes: what held where a loop was left early. visited: every directory.
        known: what was seen of the file system. spoiled: what later calls mean is not known, only rules allow them.
        output: what the last call is known to print. feed: what a loop reads. writing: the redirection asked about.
    """

    roots: tuple[str, ...] | None
    directory: str
    judge_call: JudgeCall
    cover: Cover | None = None
    may_write: MayWrite | None = None
    in_background: bool = False
    judged: list[Judged] = field(default_factory=list)
    escapes: list[State] = field(default_factory=list)
    visited: list[str] = field(default_factory=list)
    known: Look = field(default_factory=current_look)
    spoiled: bool = False
    output: Value = ANY
    feed: Feed | None = None
    writing: Redirect | None = None

    def run(self, root: Node) -> None:
        """Judge everything.

        Raises:
            TooComplex: something is not known to only read, and nothing covers it.
        """
        self.visited.append(self.directory)
        self.node(root, State((self.directory,)), ())

    def places(self, state: State) -> Places:
        return Places(self.roots, state.directories, self.known)

    def node(self, node: Node, state: State, before: tuple[tuple[Field, ...], ...]) -> Ends:
        if node.kind == "call":
            return self.call(node, state, before)
        for redirect in node.redirects:
            self.redirect(redirect, state)
        handler = _HANDLERS.get(node.kind)
        if handler is None:
            raise TooComplex("compound", f"`{node.kind}` is not followed", node.start, node.end)
        if not before and not has_input(node):
            return handler(self, node, state)
        outer, self.feed = self.feed, None
        if before and reads_lines(node) and not has_input(node):
            self.feed = Feed(before, state)
        ends = handler(self, node, state)
        self.feed = outer
        return ends

    def list(self, node: Node, state: State) -> Ends:
        ends = start = Ends(state, state)
        operator = ";"
        for item, following in zip(node.items, node.operators, strict=True):
            if following == "&" and not self.in_background:
                raise TooComplex("background", "`&` leaves a program running in the background", item.start, item.end)
            if operator == "&&":
                then = self.node(item, ends.success, ())
                ends = Ends(then.success, join(ends.failure, then.failure))
            elif operator == "||":
                then = self.node(item, ends.failure, ())
                ends = Ends(join(ends.success, then.success), then.failure)
            else:
                start, ends = ends, self.node(item, ends.either, ())
            operator = following
            ends = start if following == "&" else ends  # what is left running changes a shell of its own
        return ends

    def pipeline(self, node: Node, state: State) -> Ends:
        if len(node.items) == 1:
            ends = self.node(node.items[0], state, ())
            return Ends(ends.failure, ends.success)
        before: tuple[tuple[Field, ...], ...] = ()
        for item, operator in zip(node.items, (*node.operators, ""), strict=True):
            self.node(item, state, before)
            plain = item.kind == "call" and operator == "|" and all(map(only_hides_errors, item.redirects))
            before = (*before, tuple(self.quiet_fields(item, state)) if plain else ())
        return Ends(state, state)

    def quiet_fields(self, node: Node, state: State) -> Iterable[Field]:
        """The words of a call once more, for the one behind it in a pipe; none when it does more than take words."""
        if node.assignments:
            return ()
        return [f for word in node.words for f in expand(word, state, lambda inner, at: ANY)]

    def subshell(self, node: Node, state: State) -> Ends:
        self.node(node.items[0], state, ())
        return Ends(state, state)

    def group(self, node: Node, state: State) -> Ends:
        return self.node(node.items[0], state, ())

    def branch(self, node: Node, state: State) -> Ends:
        parts = list(node.items)
        last = parts.pop() if len(parts) % 2 else None
        results: list[State] = []
        at = state
        for condition, body in zip(parts[::2], parts[1::2], strict=True):
            ends = self.node(condition, at, ())
            results.append(self.node(body, ends.success, ()).either)
            at = ends.failure
        results.append(self.node(last, at, ()).either if last is not None else at)
        return either_of(results)

    def loop_over(self, node: Node, state: State) -> Ends:
        if not settable(node.name):
            raise TooComplex("assignment", f"`for` sets `{node.name}`", node.start, node.end)
        values = [value for word in node.words for value in self.values(word, state)]
        if len(values) > MAX_TURNS:
            raise TooComplex("too-many-calls", f"a loop of more than {MAX_TURNS} turns", node.start, node.end)
        mark, at = len(self.escapes), state
        for value in values:
            # One value of which only the kind is known may be many turns, each after what the one before it did.
            turns = 1 if isinstance(value, str) else MAX_ROUNDS
            for _ in range(turns):
                before = at
                at = join(at, self.node(node.items[0], at.but(node.name, value), ()).either)
                at = self.with_escapes(at, mark)
                if at == before:
                    break
            else:
                if turns > 1:
                    raise TooComplex("compound", "a loop that changes what it works with", node.start, node.end)
        return Ends(at, at)

    def values(self, word: Word, state: State) -> Iterator[Value]:
        for found in expand(word, state, self.follow):
            if found.process:
                raise TooComplex("expansion", "a pipe in the words of a loop", found.start, found.end)
            if found.pattern is not None:
                places = self.places(state)
                for directory in state.directories:
                    yield from places.hits(found, directory)
            else:
                yield found.text if found.unknown is None else found.unknown if found.text == GAP else ANY

    def with_escapes(self, state: State, mark: int) -> State:
        for escaped in self.escapes[mark:]:
            state = join(state, escaped)
        return state

    def loop_while(self, node: Node, state: State) -> Ends:
        condition, body = node.items
        mark, at = len(self.escapes), state
        for _ in range(MAX_ROUNDS):
            ends = self.node(condition, at, ())
            goes_in, goes_out = (ends.success, ends.failure) if node.kind == "while" else (ends.failure, ends.success)
            after = self.with_escapes(join(at, self.node(body, goes_in, ()).either), mark)
            if after == at:
                left = self.with_escapes(join(goes_out, goes_in), mark)
                return Ends(left, left)
            at = after
        raise TooComplex("compound", "a loop that changes what it works with", node.start, node.end)

    def choice(self, node: Node, state: State) -> Ends:
        for word in node.words:
            expand_to_text(word, state, self.follow)
        return either_of([state, *(self.node(item, state, ()).either for item in node.items)])

    def test(self, node: Node, state: State) -> Ends:
        values = [(w, "=~" if w.literal == "=~" else expand_to_text(w, state, self.follow)) for w in node.words]
        for read in check_double_bracket(values, self.places(state)):
            self.judged.append(Judged(("[[",), node.start, node.end, (read,)))
        return Ends(state, state)

    def arith(self, node: Node, state: State) -> Ends:
        expression = node.name
        for operator in ("++", "--"):
            name = expression.strip().removesuffix(operator)
            if expression.strip().endswith(operator) and settable(name):
                arithmetic(name, state, node.start, node.end)
                after = state.but(name, NUMBER)
                return Ends(after, after)
        arithmetic(expression, state, node.start, node.end)
        return Ends(state, state)

    def follow(self, script: Node, state: State) -> Value:
        """Judge a substitution; what is known of its output."""
        self.output = ANY
        self.node(script, state, ())
        output, self.output = self.output, ANY
        item = script.items[-1]
        calls = item.items if item.kind == "pipeline" and not item.negated else (item,)
        if len(script.items) > 1 or any(call.kind != "call" for call in calls):
            return ANY
        if output != ANY or any(operator == "|&" for operator in item.operators):
            return output
        plain = all(map(only_hides_errors, (redirect for call in calls for redirect in call.redirects)))
        stages = [tuple(self.quiet_fields(call, state)) for call in calls] if plain else []
        found = self.listed(script, state, stages, zero=False)
        return found._replace(many=True) if found is not None else ANY

    def listed(self, node: Node, state: State, stages: Sequence[tuple[Field, ...]], *, zero: bool) -> Unknown | None:
        call = Call(node, "", [], [], state, self.places(state), self.directory)
        return known_output(call, stages, zero=zero)

    def redirect(self, redirect: Redirect, state: State) -> None:
        """Refuse every redirection that could write, or read from outside."""
        operator, target = redirect.operator, redirect.target.literal
        span = (redirect.start, redirect.end)
        if redirect.descriptor not in _STREAMS:
            raise TooComplex("redirection", "a descriptor other than 0, 1 and 2", *span)
        if redirect.body is not None:
            expand_to_text(redirect.body, state, self.follow)
        elif operator == "<<<":
            expand_to_text(redirect.target, state, self.follow)
        elif operator in WRITERS or (operator == ">&" and redirect.descriptor == "" and target == "/dev/null"):
            if target not in _DEVICES and not self.writes(redirect, state):
                raise TooComplex("redirection", WRITES_A_FILE, *span)
        elif operator == ">&":
            if target not in ("1", "2", "-"):
                raise TooComplex("redirection", "a redirection that is not plain", *span)
        elif operator == "<" and redirect.descriptor in ("", "0"):
            self.read_target(redirect, state)
        else:
            raise TooComplex("redirection", f"`{operator}` is not followed", *span)

    def writes(self, redirect: Redirect, state: State) -> bool:
        """Whether the one file that a redirection writes is known, and something allows that."""
        found = expand(redirect.target, state, self.follow) if self.may_write is not None else []
        if self.may_write is None or len(found) != 1:
            return False
        word = found[0]
        if word.unknown is not None or word.pattern is not None or word.many or word.process or not word.text:
            return False
        self.writing = redirect
        for directory in state.directories:
            given = os.path.normpath(os.path.join(directory, word.text))
            if not self.may_write(given, follow(word.text, directory, self.known)):
                return False
        return True

    def read_target(self, redirect: Redirect, state: State) -> None:
        for found in expand(redirect.target, state, self.follow):
            if found.pattern is not None:
                raise TooComplex("glob", "a wildcard after `<`", redirect.start, redirect.end)
            reads = tuple(self.places(state).read(found, "files"))
            self.judged.append(Judged(("<", found.text), redirect.start, redirect.end, reads))

    def call(self, node: Node, state: State, before: tuple[tuple[Field, ...], ...]) -> Ends:
        if len(self.judged) >= MAX_CALLS:
            raise TooComplex("too-many-calls", f"more than {MAX_CALLS} calls in one line", node.start, node.end)
        fields: list[Field] | None = None
        if self.spoiled:
            state = State(state.directories)
        for redirect in node.redirects:
            self.redirect(redirect, state)
        try:
            if not node.words:
                return self.assign(node, state)
            fields = [found for word in node.words for found in expand(word, state, self.follow)]
            check_prefix(node, fields, state, self.follow)
            return self.judge(node, fields, state, before)
        except TooComplex as refusal:
            argv = tuple([f.text.replace(GAP, "…") for f in fields or ()])
            is_covered = self.cover is not None and self.cover(node, fields, refusal)
            self.judged.append(Judged(argv, node.start, node.end, (), refusal))
            if not is_covered:
                raise
            return Ends(state, state)

    def assign(self, node: Node, state: State) -> Ends:
        for assignment in node.assignments:
            if not settable(assignment.name) or assignment.appends:
                said = f"`{assignment.name}=…` may change what later commands do"
                raise TooComplex("assignment", said, assignment.start, assignment.end)
            state = state.but(assignment.name, expand_to_text(assignment.word, state, self.follow))
        return Ends(state, state)

    def judge(self, node: Node, fields: list[Field], state: State, before: tuple[tuple[Field, ...], ...]) -> Ends:
        if not fields:
            raise TooComplex("dynamic-name", "a call without a program", node.start, node.end)
        if self.spoiled:
            raise TooComplex("shell-state", "what this does depends on an earlier command", node.start, node.end)
        self.output = ANY
        result = self.judge_call(self, node, fields, state, before)
        if self.feed is not None and self.feed.path is not None and not before and not has_input(node):
            self.feed.check(fields, result.reads)
        argv = tuple([f.text.replace(GAP, "…") for f in fields])
        self.judged.append(Judged(argv, node.start, node.end, tuple(result.reads)))
        if self.cover is not None:
            self.cover(node, fields, None)
        self.output = result.output
        return result.ends


_HANDLERS: dict[str, Callable[[Follower, Node, State], Ends]] = {
    "list": Follower.list,
    "pipeline": Follower.pipeline,
    "subshell": Follower.subshell,
    "group": Follower.group,
    "if": Follower.branch,
    "for": Follower.loop_over,
    "while": Follower.loop_while,
    "until": Follower.loop_while,
    "case": Follower.choice,
    "test": Follower.test,
    "arith": Follower.arith,
}
