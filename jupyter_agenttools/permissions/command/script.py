"""A command line as a tree of our own: what runs, in which order, with which words.

Offsets count characters of the command; ``[start, end)``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

PieceKind = Literal["bare", "text", "var", "param", "sub", "arith", "proc"]
NodeKind = Literal[
    "list", "pipeline", "call", "subshell", "group", "if", "for", "while", "until", "case", "function", "test", "arith"
]


class Piece(NamedTuple):
    """A part of a word that one rule of the shell applies to.

    Attributes:
        kind: ``bare`` is unquoted text (wildcards, braces and ``~`` live here), ``text`` quoted or escaped text,
            ``var`` is ``$x``, ``param`` any other ``${…}``, ``sub`` a command substitution, ``arith`` is ``$((…))``,
            ``proc`` is ``<(…)``.
        value: the text after quote removal; for ``var`` the name, for ``arith`` and ``param`` what is inside.
        quoted: inside double quotes (or for ``text``: always).
        script: with ``sub`` and ``proc``: what runs.
    """

    kind: PieceKind
    value: str
    quoted: bool = False
    script: Node | None = None


class Word(NamedTuple):
    """One word as it is written. Made by :func:`make_word`.

    Attributes:
        literal: the text, when nothing in the word is expanded but perhaps wildcards; else ``None``.
    """

    start: int
    end: int
    pieces: tuple[Piece, ...]
    literal: str | None


def make_word(start: int, end: int, pieces: tuple[Piece, ...]) -> Word:
    """The word of these pieces."""
    if len(pieces) == 1:
        kind, value, _, _ = pieces[0]
        return Word(start, end, pieces, value if kind in ("bare", "text") else None)
    plain = all(piece.kind in ("bare", "text") for piece in pieces)
    return Word(start, end, pieces, "".join([piece.value for piece in pieces]) if plain else None)


class Assignment(NamedTuple):
    """``name=value`` in front of a call, or alone."""

    name: str
    word: Word
    start: int
    end: int
    appends: bool = False


@dataclass(slots=True)
class Redirect:
    """One redirection; a here-document gets its body when the reader comes to it.

    Attributes:
        operator: ``<``, ``>``, ``>>``, ``>|``, ``<>``, ``&>``, ``&>>``, ``>&``, ``<&``, ``<<``, ``<<-`` or ``<<<``.
        descriptor: the digits before it, or ``""``.
        target: the word after it; for a here-document its delimiter.
        body: the here-document as one word, ``None`` for others.
        literal: whether the delimiter is quoted, so that nothing in the body is expanded.
        start, end: without the body.
    """

    operator: str
    descriptor: str
    target: Word
    start: int
    end: int
    body: Word | None = None
    literal: bool = False


class Span(NamedTuple):
    start: int
    end: int


class Node(NamedTuple):
    """One command, simple or compound.

    Attributes:
        kind: what it is.
        items: the parts: of a list and a pipeline the members; of ``if`` condition and body in turn (and at last the
            body of ``else``); of ``while`` and ``until`` condition and body; of others the body.
        operators: of a list what stands after each member (``""`` at the end), of a pipeline what stands between.
        words: of a call, ``[[ … ]]`` and ``case`` their words; of ``for`` what is gone through.
        name: of ``for`` the variable, of a function its name, of ``(( … ))`` the expression.
        assignments, redirects: of this very node. negated: ``!`` stands before the pipeline.
    """

    kind: NodeKind
    start: int
    end: int
    items: tuple[Node, ...] = ()
    operators: tuple[str, ...] = ()
    words: tuple[Word, ...] = ()
    name: str = ""
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    negated: bool = False


@dataclass(slots=True)
class Marks:
    """What the reader left aside, for the comparison with the grammar."""

    comments: list[Span] = field(default_factory=list)
    joints: list[int] = field(default_factory=list)  # offsets of backslashes that join two lines between words
    endings: list[Span] = field(default_factory=list)  # the lines that end here-documents


class Script(NamedTuple):
    """A whole command line that was read.

    Attributes:
        nodes: the root and everything below it in the order of the text, substitutions included.
        calls: those of them that are calls.
    """

    text: str
    root: Node
    marks: Marks
    nodes: tuple[Node, ...]
    calls: tuple[Node, ...]


def make_script(text: str, root: Node, marks: Marks) -> Script:
    """The script of a tree."""
    nodes = nodes_below(root)
    return Script(text, root, marks, nodes, tuple(node for node in nodes if node.kind == "call"))


def nodes_below(root: Node) -> tuple[Node, ...]:
    """``root`` and everything below it in the order of the text, substitutions included."""
    nodes: list[Node] = []
    _collect(root, nodes)
    return tuple(nodes)


def _collect(node: Node, found: list[Node]) -> None:
    found.append(node)
    for word in words_of(node):
        if word.literal is None:
            for piece in word.pieces:
                if piece.script is not None:
                    _collect(piece.script, found)
    for item in node.items:
        _collect(item, found)


def words_of(node: Node) -> tuple[Word, ...]:
    """Every word of this very node: words, assigned values, targets and bodies of redirections."""
    if not node.assignments and not node.redirects:
        return node.words
    found = [*(assignment.word for assignment in node.assignments), *node.words]
    for redirect in node.redirects:
        found.append(redirect.target)
        if redirect.body is not None:
            found.append(redirect.body)
    return tuple(found)
