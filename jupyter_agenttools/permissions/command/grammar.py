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
    look = _Look(data, place, {joint for joint in script.marks.joints})
    look.visit(root)
    look.gap(len(data))
    seen = sorted(look.events)
    read = sorted(_events(script))
    if seen != read:
        odd = min(set(seen) ^ set(read), key=lambda event: event[1], default=("", 0, len(script.text)))
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

    def __init__(self, data: bytes, place: Callable[[int, int], tuple[int, int]], joints: set[int]) -> None:
        self.data, self.place, self.joints = data, place, joints
        self.events: list[Event] = []
        self.leaf_end, self.count = 0, 0

    def note(self, sort: str, node: TreeNode) -> None:
        self.events.append((sort, *self.place(node.start_byte, node.end_byte)))

    def fault(self, check_id: str, reason: str, start: int, end: int) -> TooComplex:
        return TooComplex(check_id, reason, *self.place(start, end))

    def gap(self, until: int) -> None:
        """Between two leaves only blanks may stand: anything else is text that the tree does not show."""
        between = self.data[self.leaf_end : until]
        if between.strip(b" \t\n"):
            for i, byte in enumerate(between, self.leaf_end):
                joint = byte == 92 and self.data[i + 1 : i + 2] == b"\n" and self.place(i, i)[0] in self.joints
                if byte not in b" \t\n" and not joint:
                    raise self.fault("gap", "a text that the grammar's tree does not show", self.leaf_end, until)

    def visit(self, node: TreeNode) -> None:
        self.count += 1
        if self.count > MAX_TREE_NODES:
            raise self.fault("nesting", "more parts than are looked through", 0, len(self.data))
        kind, children = node.type, node.children
        allowed = CHILDREN.get(kind)
        if node.is_missing:
            raise self.fault("grammar-error", f"`{kind}` is missing", node.start_byte, node.end_byte)
        if not children:
            return self.leaf(node)
        if allowed is None:
            raise self.fault("grammar-kind", f"`{kind}` is not looked into", node.start_byte, node.end_byte)
        for child in children:
            if child.type not in allowed:
                said = f"`{child.type}` inside of `{kind}` is not expected"
                raise self.fault("grammar-kind", said, child.start_byte, child.end_byte)
        self.events_of(node, kind)
        for child in children:
            if kind == "heredoc_body":
                self.body_text(child.start_byte)
            self.visit(child)
        if kind == "heredoc_body":
            self.body_text(node.end_byte)

    def body_text(self, until: int) -> None:
        """The grammar leaves plain text of a here-document out of its tree; it may hide no substitution."""
        if hidden := _HIDDEN.search(self.data[self.leaf_end : until]):
            at = self.leaf_end + hidden.start()
            raise self.fault("hidden-substitution", "a substitution that the grammar's tree does not show", at, until)
        self.leaf_end = max(self.leaf_end, until)

    def leaf(self, node: TreeNode) -> None:
        self.gap(node.start_byte)
        self.leaf_end = node.end_byte
        if not node.is_named:
            return
        kind = node.type
        if kind == "comment":
            self.note("c", node)
        elif kind == "heredoc_end":
            self.note("h", node)
        elif kind in ("word", "string_content", "number", "heredoc_content", "extglob_pattern", "regex"):
            self.check_hidden(node)

    def check_hidden(self, node: TreeNode) -> None:
        """Text that could still hold a substitution which the tree does not show."""
        if _HIDDEN.search(self.data[node.start_byte : node.end_byte]):
            said = "a substitution that the grammar's tree does not show"
            raise self.fault("hidden-substitution", said, node.start_byte, node.end_byte)

    def events_of(self, node: TreeNode, kind: str) -> None:
        if kind == "command":
            for child in node.children:
                if child.type not in ("variable_assignment", "herestring_redirect", "file_redirect"):
                    self.note("w", child)
        elif kind in ("declaration_command", "unset_command"):
            for child in node.children:
                self.note("w", child)
        elif kind == "test_command":
            for atom in _atoms(node):
                if atom.type != "command_substitution":
                    self.note("w", atom)
        elif kind == "for_statement":
            for child in node.children_by_field_name("value"):
                self.note("w", child)
        elif kind in ("case_statement", "case_item"):
            for child in node.children_by_field_name("value"):
                self.note("w", child)
        elif kind == "function_definition":
            for child in node.children_by_field_name("name"):
                self.note("w", child)
        elif kind == "variable_assignment" and node.parent is not None:
            if node.parent.type not in ("declaration_command", "unset_command"):
                self.note("a", node)
        elif kind in ("file_redirect", "herestring_redirect"):
            self.note("r", node)
        elif kind == "heredoc_redirect":
            self.heredoc(node)

    def heredoc(self, node: TreeNode) -> None:
        starts = [child for child in node.children if child.type == "heredoc_start"]
        for start in starts:
            self.events.append(("r", *self.place(node.start_byte, start.end_byte)))
        # Words that the grammar puts behind the delimiter belong to the command in front of it.
        for child in node.children_by_field_name("argument"):
            self.note("w", child)


def _atoms(node: TreeNode) -> Iterator[TreeNode]:
    for child in node.children:
        if child.type in TRANSPARENT_IN_TESTS:
            yield from _atoms(child)
        else:
            yield child


def _events(script: Script) -> Iterator[Event]:
    for span in script.marks.comments:
        yield ("c", *span)
    for span in script.marks.endings:
        yield ("h", *span)
    for node in script.nodes:
        yield from _node_events(node)


def _node_events(node: Node) -> Iterator[Event]:
    if node.kind == "test":
        yield ("w", node.start, node.start + 2)
        yield ("w", _test_close(node), _test_close(node) + 2)
    for word in node.words:
        yield ("w", word.start, word.end)
    for assignment in node.assignments:
        yield ("a", assignment.start, assignment.end)
    for redirect in node.redirects:
        yield ("r", redirect.start, redirect.end)


def _test_close(node: Node) -> int:
    end = node.redirects[0].start if node.redirects else node.end
    return end - 2
