"""Programs of the shell itself that change what holds afterwards, or that print."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from ..look import Look
from .conditions import check_test
from .feed import has_input
from .fields import Field
from .follow import Call, Follower
from .links import follow
from .outcome import Result
from .parsed import TooComplex
from .state import ANY, Ends, State, Value, settable

_PRINTF_DIRECTIVE = re.compile(
    r"%(?:%|\([^()]*\)T|[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?(?:[hlLjzt]*)?[diouxXfFeEgGaAcsbq])"
)
_SET_OPTIONS = re.compile(r"[-+][eu]+|[-+][eu]*o")
_READ_FLAGS = re.compile(r"-[rs]+")
_READ_VALUED = re.compile(r"-r?[dnNpt]")


def _same(call: Call) -> Ends:
    return Ends(call.state, call.state)


def _fault(call: Call, check_id: str, reason: str) -> TooComplex:
    return TooComplex(check_id, reason, call.start, call.end)


def _plain(call: Call) -> list[str]:
    """The words, all of them known and written without wildcards."""
    for field in call.fields:
        if field.unknown is not None or field.pattern is not None or field.process:
            raise TooComplex("expansion", f"`{call.name}` with a word that is not known", field.start, field.end)
    return [field.text for field in call.fields]


def change_directory(follower: Follower, call: Call) -> Result:
    words = [word for word in _plain(call) if word not in ("--",)]
    physical = words[:1] == ["-P"]
    words = words[1:] if words[:1] in (["-P"], ["-L"]) else words
    if len(words) != 1 or words[0].startswith("-") or not words[0]:
        raise _fault(call, "directory", "`cd` to somewhere that is not written out")
    field = Field(words[0], call.fields[-1].start, call.fields[-1].end)
    reads = tuple(call.places.read(field, "paths"))
    targets = tuple(dict.fromkeys(_targets(call.state, words[0], physical, call.places.known)))
    for target in targets:
        tuple(call.places.inside(target, field, "paths"))
    follower.visited.extend(targets)
    moved = call.state._replace(directories=targets)
    # Into a folder that is there `cd` goes, so that what follows starts there also after `;`.
    certain = call.places.roots is not None and all(os.path.isdir(t) and os.access(t, os.X_OK) for t in targets)
    return Result(Ends(moved, moved if certain else call.state), reads)


def _targets(state: State, word: str, physical: bool, known: Look | None) -> list[str]:
    """Where the shell may be afterwards: it takes ``..`` off the name first, and follows links when that fails."""
    found = []
    for directory in state.directories:
        logical, real = os.path.normpath(os.path.join(directory, word)), follow(word, directory, known)
        if not physical:
            found.append(logical)
        if physical or follow(logical, "/", known) != real:
            found.append(real)
    return found


def push_directory(follower: Follower, call: Call) -> Result:
    if not call.fields or call.fields[0].text.startswith(("+", "-")):
        raise _fault(call, "directory", "`pushd` without a folder")
    return change_directory(follower, call)


def pop_directory(follower: Follower, call: Call) -> Result:
    if call.fields:
        raise _fault(call, "directory", "`popd` with words")
    moved = call.state._replace(directories=tuple(dict.fromkeys(follower.visited)))
    return Result(Ends(moved, call.state))


def leave_loop(follower: Follower, call: Call) -> Result:
    _plain(call)
    follower.escapes.append(call.state)
    return Result(_same(call))


def leave(follower: Follower, call: Call) -> Result:
    words = _plain(call)
    if len(words) > 1 or any(not re.fullmatch(r"\d{1,3}", word) for word in words):
        raise _fault(call, "option", f"`{call.name}` with odd words")
    return Result(_same(call))


def set_options(follower: Follower, call: Call) -> Result:
    words = _plain(call)
    at = 0
    while at < len(words):
        if not _SET_OPTIONS.fullmatch(words[at]):
            raise _fault(call, "option", f"`set {words[at]}` changes what later commands do")
        at += 1
        if words[at - 1].endswith("o"):
            if words[at : at + 1] not in (["pipefail"], ["errexit"], ["nounset"]):
                raise _fault(call, "option", "`set -o` with an option that is not followed")
            at += 1
    if not words:
        raise _fault(call, "environment", "`set` alone prints every variable")
    return Result(_same(call))


def print_format(follower: Follower, call: Call) -> Result:
    fields = call.fields[1:] if call.fields and call.fields[0].text == "--" else call.fields
    if not fields or fields[0].unknown is not None or fields[0].pattern is not None or fields[0].many:
        raise _fault(call, "option", "`printf` whose format is not known")
    if fields[0].text.startswith("-") and fields is call.fields:
        raise _fault(call, "option", "`printf` with an option")
    if "%" in _PRINTF_DIRECTIVE.sub("", fields[0].text):
        raise _fault(call, "option", "a directive of `printf` that does more than print")
    for field in fields[1:]:
        if field.pattern is not None:
            for directory in call.state.directories:
                call.places.hits(field, directory)
    return Result(_same(call))


def test(follower: Follower, call: Call) -> Result:
    fields = call.fields
    if call.name == "[":
        if not fields or fields[-1].text != "]" or fields[-1].unknown is not None:
            raise _fault(call, "test", "`[` without `]`")
        fields = fields[:-1]
    return Result(_same(call), tuple(check_test(fields, call.places, call.start, call.end)))


def read_line(follower: Follower, call: Call) -> Result:
    words, at, state = _plain(call), 0, call.state
    while at < len(words) and words[at].startswith("-"):
        if _READ_FLAGS.fullmatch(words[at]):
            at += 1
        elif _READ_VALUED.fullmatch(words[at]) and at + 1 < len(words):
            at += 2
        else:
            raise _fault(call, "option", f"`read {words[at]}` is not followed")
    names = words[at:] or ["REPLY"]
    value = _line(follower, call, words[:at], len(names))
    for name in names:
        if name != "REPLY" and not settable(name):
            raise _fault(call, "assignment", f"`read` sets `{name}`")
        state = state.but(name, value)
    return Result(Ends(state, state))


def _line(follower: Follower, call: Call, options: list[str], count: int) -> Value:
    """One line of what the programs in front of a loop print, for a ``read`` with ``count`` variables."""
    feed = follower.feed
    if feed is None or has_input(call.node):
        return ANY
    zero = options[-2:] in (["-d", ""], ["-rd", ""])
    whole = all(word in ("-r", "-s", "-rs", "-sr") for word in (options[:-2] if zero else options))
    line = feed.line(
        lambda nuls: follower.listed(call.node, feed.state, feed.stages, zero=nuls), whole=whole, zero=zero
    )
    # Several variables share the line, and `IFS=,` takes signs away at its ends.
    return ANY if count > 1 or any(a.word.literal for a in call.node.assignments) else line


def where_am_i(follower: Follower, call: Call) -> Result:
    if _plain(call) not in ([], ["-P"], ["-L"]):
        raise _fault(call, "option", "`pwd` with odd words")
    directories = call.state.directories
    known = directories[0] if len(directories) == 1 and not call.fields else ANY
    return Result(_same(call), output=known)


BUILTINS: dict[str, Callable[[Follower, Call], Result]] = {
    "[": test,
    "break": leave_loop,
    "cd": change_directory,
    "continue": leave_loop,
    "exit": leave,
    "popd": pop_directory,
    "printf": print_format,
    "pushd": push_directory,
    "pwd": where_am_i,
    "read": read_line,
    "set": set_options,
    "test": test,
}
"""Programs of the shell that are followed."""
