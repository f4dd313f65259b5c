"""The second opinion: an independent grammar (tree-sitter-bash) has to see exactly the same words.

The grammar never fails and misreads some texts in which bash runs more than its tree shows, so its tree is not what is
judged. It is compared: whatever one of the two readers sees and the other does not makes the line too complex.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from .kinds import CHILDREN, TRANSPARENT_IN_TESTS
from .parsed import TooComplex
from .script import Node, Script

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode
    from tree_sitter import Parser, Tree

_HIDDEN = re.compile(rb"`|\$[({\[]|[<>]\(")

MAX_TREE_NODES = 6_000

Event = tuple[str, int, int]
"""What both readers have to see: its sort, and its span in bytes."""


@cache
def _parser() -> Parser:
    # Loading the grammar takes a few milliseconds, so only the first command pays for it.
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def parse_tree(text: str) -> Tree:
    """The grammar's tree of a command line."""
    return _parser().parse(text.encode())


def check_grammar(script: Script) -> None:
    """Compare what was read with the grammar's tree.

    Raises:
        TooComplex: the grammar reports an error, a kind of node at a place where it is not expected, a text that no
            node covers, or other words, redirections, comments or bodies than were read.
    """
    data = script.text.encode()
    offsets = None if len(data) == len(script.text) else _char_offsets(script.text, len(data))

    def place(start: int, end: int) -> tuple[int, int]:
        return (start, end) if offsets is None else (offsets[start], offsets[end])

    root = _parser().parse(data).root_node
    if root.has_error:
        raise TooComplex("grammar-error", "the grammar finds a mistake in it", *_first_error(root, place))
    look = _Look(data, None if offsets is None else place, script.marks.joints)
    look.visit(root, root.type)
    look.gap(len(data))
    seen = sorted(look.events)
    read = sorted(_events(script))
    if seen != read:
        odd = min(set(seen) ^ set(read), key=lambda event: (event[1:], event[0]), default=("", 0, len(script.text)))
        who = "only the grammar sees" if odd in seen else "the grammar does not see"
        raise TooComplex("readers-differ", f"{who} a {_SORTS.get(odd[0], 'part')} here", odd[1], odd[2])


_SORTS = {"w": "word", "a": "assignment", "r": "redirection", "c": "comment", "h": "here-document's end"}


def _char_offsets(text: str, size: int) -> list[int]:
    offsets = [0] * (size + 1)
    at = 0
    for i, char in enumerate(text):
        width = len(char.encode())
        offsets[at : at + width] = [i] * width
        at += width
    offsets[size] = len(text)
    return offsets


def _first_error(node: TreeNode, place: Callable[[int, int], tuple[int, int]]) -> tuple[int, int]:
    for child in node.children:
        if child.is_missing or child.type == "ERROR":
            return place(child.start_byte, child.end_byte)
        if child.has_error:
            return _first_error(child, place)
    return place(node.start_byte, node.end_byte)


class _Look:
    """One walk over the grammar's tree: kinds by position, gaps between leaves, and the events."""

    def __init__(self, data: bytes, place: Callable[[int, int], tuple[int, int]] | None, joints: list[int]) -> None:
        self.data, self.place, self.joints = data, place, joints
        self.may_hide = _HIDDEN.search(data) is not None
        self.events: list[Event] = []
        self.leaf_end, self.count = 0, 0

    def span(self, start: int, end: int) -> tuple[int, int]:
        return (start, end) if self.place is None else self.place(start, end)

    def note(self, sort: str, node: TreeNode) -> None:
        self.events.append((sort, *self.span(node.start_byte, node.end_byte)))

    def fault(self, check_id: str, reason: str, start: int, end: int) -> TooComplex:
        return TooComplex(check_id, reason, *self.span(start, end))

    def gap(self, until: int) -> None:
        """Between two leaves only blanks may stand: anything else is text that the tree does not show."""
        between = self.data[self.leaf_end : until]
        if between.strip(b" \t\n"):
            for i, byte in enumerate(between, self.leaf_end):
                joint = byte == 92 and self.data[i + 1 : i + 2] == b"\n" and self.span(i, i)[0] in self.joints
                if byte not in b" \t\n" and not joint:
                    raise self.fault("gap", "a text that the grammar's tree does not show", self.leaf_end, until)

    def visit(self, node: TreeNode, kind: str) -> None:
        self.count += 1
        if self.count > MAX_TREE_NODES:
            raise self.fault("nesting", "more parts than are looked through", 0, len(self.data))
        children = node.children
        if not children:
            return self.leaf(node, kind)
        allowed = CHILDREN.get(kind)
        if allowed is None:
            raise self.fault("grammar-kind", f"`{kind}` is not looked into", node.start_byte, node.end_byte)
        kinds = [child.type for child in children]
        if not allowed.issuperset(kinds):
            child, odd = next(pair for pair in zip(children, kinds, strict=True) if pair[1] not in allowed)
            said = f"`{odd}` inside of `{kind}` is not expected"
            raise self.fault("grammar-kind", said, child.start_byte, child.end_byte)
        if (note := _NOTES.get(kind)) is not None:
            note(self, node, children, kinds)
        if kind == "heredoc_body":
            return self.body(node, children, kinds)
        for child, its in zip(children, kinds, strict=True):
            self.visit(child, its)

    def body(self, node: TreeNode, children: list[TreeNode], kinds: list[str]) -> None:
        for child, its in zip(children, kinds, strict=True):
            self.body_text(child.start_byte)
            self.visit(child, its)
        self.body_text(node.end_byte)

    def body_text(self, until: int) -> None:
        """The grammar leaves plain text of a here-document out of its tree; it may hide no substitution."""
        if hidden := _HIDDEN.search(self.data[self.leaf_end : until]):
            at = self.leaf_end + hidden.start()
            raise self.fault("hidden-substitution", "a substitution that the grammar's tree does not show", at, until)
        self.leaf_end = max(self.leaf_end, until)

    def leaf(self, node: TreeNode, kind: str) -> None:
        if node.is_missing:
            raise self.fault("grammar-error", f"`{kind}` is missing", node.start_byte, node.end_byte)
        start = node.start_byte
        if start != self.leaf_end:
            self.gap(start)
        self.leaf_end = node.end_byte
        if kind == "comment":
            self.note("c", node)
        elif kind == "heredoc_end":
            self.note("h", node)
        elif self.may_hide and kind in _TEXTS and node.is_named:
            self.check_hidden(node)

    def check_hidden(self, node: TreeNode) -> None:
        """Text that could still hold a substitution which the tree does not show."""
        if _HIDDEN.search(self.data[node.start_byte : node.end_byte]):
            said = "a substitution that the grammar's tree does not show"
            raise self.fault("hidden-substitution", said, node.start_byte, node.end_byte)

    def command(self, node: TreeNode, children: list[TreeNode], kinds: list[str]) -> None:
        for child, kind in zip(children, kinds, strict=True):
            if kind not in _BESIDE_WORDS:
                self.note("w", child)

    def declaration(self, node: TreeNode, children: list[TreeNode], kinds: list[str]) -> None:
        for child in children:
            self.note("w", child)

    def test(self, node: TreeNode, children: list[TreeNode], kinds: list[str]) -> None:
        for atom in _atoms(node):
            self.note("w", atom)

    def values(self, node: TreeNode, children: list[TreeNode], kinds: list[str]) -> None:
        for child in node.children_by_field_name("value"):
            self.note("w", child)

    def function(self, node: TreeNode, children: list[TreeNode], kinds: list[str]) -> None:
        for child in node.children_by_field_name("name"):
            self.note("w", child)

    def assignment(self, node: TreeNode, children: list[TreeNode], kinds: list[str]) -> None:
        if node.parent is not None and node.parent.type not in ("declaration_command", "unset_command"):
            self.note("a", node)

    def redirect(self, node: TreeNode, children: list[TreeNode], kinds: list[str]) -> None:
        self.note("r", node)

    def heredoc(self, node: TreeNode, children: list[TreeNode], kinds: list[str]) -> None:
        for child, kind in zip(children, kinds, strict=True):
            if kind == "heredoc_start":
                self.events.append(("r", *self.span(node.start_byte, child.end_byte)))
        # Words that the grammar puts behind the delimiter belong to the command in front of it.
        for child in node.children_by_field_name("argument"):
            self.note("w", child)


_TEXTS = frozenset({"word", "string_content", "number", "heredoc_content", "extglob_pattern", "regex"})
_BESIDE_WORDS = frozenset({"variable_assignment", "herestring_redirect", "file_redirect"})
_NOTES: dict[str, Callable[[_Look, TreeNode, list[TreeNode], list[str]], None]] = {
    "command": _Look.command,
    "declaration_command": _Look.declaration,
    "unset_command": _Look.declaration,
    "test_command": _Look.test,
    "for_statement": _Look.values,
    "case_statement": _Look.values,
    "case_item": _Look.values,
    "function_definition": _Look.function,
    "variable_assignment": _Look.assignment,
    "file_redirect": _Look.redirect,
    "herestring_redirect": _Look.redirect,
    "heredoc_redirect": _Look.heredoc,
}
"""What there is to note of a node, by its kind."""


def _atoms(node: TreeNode) -> Iterator[TreeNode]:
    for child in node.children:
        if child.type in TRANSPARENT_IN_TESTS:
            yield from _atoms(child)
        else:
            yield child


def _events(script: Script) -> list[Event]:
    events = [("c", start, end) for start, end in script.marks.comments]
    events += [("h", start, end) for start, end in script.marks.endings]
    for node in script.nodes:
        if node.kind == "test":
            close = _test_close(node)
            events += (("w", node.start, node.start + 2), ("w", close, close + 2))
        events += [("w", word.start, word.end) for word in node.words]
        events += [("a", assignment.start, assignment.end) for assignment in node.assignments]
        events += [("r", redirect.start, redirect.end) for redirect in node.redirects]
    return events


def _test_close(node: Node) -> int:
    end = node.redirects[0].start if node.redirects else node.end
    return end - 2
