"""Which programs does a command line run, with which words?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from .grammar import check_grammar
from .parsed import Operator, ParsedCommand, SimpleCommand, TooComplex
from .reader import read_script
from .script import Node, Piece, Script, Word


@lru_cache(maxsize=512)
def _understood(command: str) -> Script | TooComplex:
    try:
        script = read_script(command)
        check_grammar(script)
    except TooComplex as refusal:
        return refusal
    except RecursionError:
        return TooComplex("nesting", "more nested than is looked through", 0, len(command))
    return script


def understand(command: str) -> Script:
    """The tree of a command line on which both readers agree.

    Raises:
        TooComplex: one of them does not understand it, or they do not agree.
    """
    found = _understood(command)
    if isinstance(found, TooComplex):
        raise TooComplex(found.check_id, found.reason, *found.span)
    return found


@lru_cache(maxsize=512)
def parse_command(command: str) -> ParsedCommand:
    """Which programs does this command line run, with which words?

    Returns:
        ``simple`` with every call, or ``too-complex`` with the reason, the place and the id of the check. Never raises.
    """
    try:
        script = understand(command)
    except TooComplex as found:
        return ParsedCommand("too-complex", reason=found.reason, check_id=found.check_id, span=found.span)
    calls = tuple(simple_command(node, command) for node in script.calls if node.words)
    return ParsedCommand("simple", calls, tuple(_operators(script.root)))


def _operators(node: Node) -> Iterator[Operator]:
    for item, operator in zip(node.items, (*node.operators, ""), strict=False):
        yield from _operators(item)
        if operator:
            yield operator  # type: ignore[misc]


def simple_command(node: Node, text: str) -> SimpleCommand:
    """One call as data; what is expanded stands there as it is written."""
    argv, globs, dynamic = [], set(), set()
    for i, word in enumerate(node.words):
        spelt = spelling(word, text)
        argv.append(spelt)
        if word.literal is None or _is_expanded(word):
            dynamic.add(i)
        if is_wild(word):
            globs.add(i)
    raw = tuple(text[word.start : word.end] for word in node.words)
    env = tuple((a.name, spelling(a.word, text)) for a in node.assignments)
    return SimpleCommand(tuple(argv), raw, env, frozenset(globs), frozenset(dynamic))


def _is_expanded(word: Word) -> bool:
    """Whether braces or a leading ``~`` may turn a word without variables into something else."""
    first = word.pieces[0] if word.pieces else None
    if first is not None and first.kind == "bare" and first.value.startswith("~"):
        return True
    return any(piece.kind == "bare" and "{" in piece.value and piece.value != "{}" for piece in word.pieces)


def spelling(word: Word, text: str) -> str:
    """The word after quote removal; what is expanded in it stands there as ``$x`` or ``$(…)``."""
    literal = word.literal
    return "".join(_spelt(piece, text) for piece in word.pieces) if literal is None else literal


def _spelt(piece: Piece, text: str) -> str:
    if piece.script is not None:
        inner = text[piece.script.start : piece.script.end]
        return f"{piece.value}({inner})" if piece.kind == "proc" else f"$({inner})"
    if piece.kind in ("bare", "text"):
        return piece.value
    return {"var": f"${piece.value}", "arith": f"$(({piece.value}))"}.get(piece.kind, f"${{{piece.value}}}")


def is_wild(word: Word) -> bool:
    """Whether the word is a file name wildcard that bash would expand."""
    for piece in word.pieces:
        if piece.kind == "bare" and ("*" in piece.value or "?" in piece.value or "[" in piece.value):
            return word.literal != "["
    return False
