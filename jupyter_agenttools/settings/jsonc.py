"""JSON as people write it by hand (comments, commas at the end of a list), with where each value stands."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*[\s\S]*?\*/)*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\[\s\S])*+"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.+-])|(?:true|false|null)(?!\w)")

MAX_DEPTH = 200
"""Objects and lists in one another. Settings have five; what has more than this is not read by hand."""


class TextFault(Exception):
    """This text cannot be read.

    Attributes:
        offset: where in the text, in characters.
    """

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True)
class Node:
    """A value with its place in the text.

    Args:
        value: the plain value.
        start, end: ``text[start:end]`` is the value as it is written.
        members: for an object: its values by key. items: for a list: its values.
        comma: whether a comma stands behind the last of them.
    """

    value: Any
    start: int
    end: int
    members: dict[str, Node] = field(default_factory=dict)
    items: tuple[Node, ...] = ()
    comma: bool = False

    @property
    def children(self) -> tuple[Node, ...]:
        return (*self.members.values(), *self.items)


def parse_jsonc(text: str) -> Node | None:
    """The value in ``text``; ``None`` when there are only blanks and comments.

    Raises:
        TextFault: it is not JSON, also with comments and commas at the end of lists left out of account, or a key
            stands twice in one object.
    """
    at = after_blank(text, 0)
    if at == len(text):
        return None
    node = _value(text, at, 0)
    at = after_blank(text, node.end)
    if at != len(text):
        raise TextFault(f"this is not JSON (nothing may follow the end of the value, got {_seen(text, at)})", at)
    return node


def after_blank(text: str, at: int) -> int:
    """Where the next thing stands that is neither blank nor comment."""
    match = _BLANK.match(text, at)
    assert match is not None
    return match.end()


def find_node(root: Node, location: tuple[str | int, ...]) -> Node:
    """The value at ``location``, or the last one on the way to it that is there."""
    for part in location:
        if isinstance(part, str) and part in root.members:
            root = root.members[part]
        elif isinstance(part, int) and part < len(root.items):
            root = root.items[part]
        else:
            break
    return root


def _value(text: str, at: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise TextFault("nested too deeply", at)
    sign = text[at : at + 1]
    if sign == "{":
        return _object(text, at, depth)
    if sign == "[":
        return _list(text, at, depth)
    match = (_STRING if sign == '"' else _SCALAR).match(text, at)
    if match is None:
        raise TextFault(f"this is not JSON (expected a value, got {_seen(text, at)}{_hint(text, at)})", at)
    try:
        return Node(json.loads(match.group()), at, match.end())
    except ValueError as error:
        raise TextFault(f"this is not JSON ({str(error).split(':')[0]})", at) from error


def _object(text: str, start: int, depth: int) -> Node:
    members: dict[str, Node] = {}
    at, comma = after_blank(text, start + 1), False
    while text[at : at + 1] != "}":
        if members and not comma:
            raise TextFault(f"this is not JSON (expected `,` or `}}`, got {_seen(text, at)})", at)
        match = _STRING.match(text, at)
        if match is None:
            raise TextFault(f'this is not JSON (expected a key in "…", got {_seen(text, at)}{_hint(text, at)})', at)
        key = _value(text, at, depth).value
        if key in members:
            raise TextFault(f"the key {key!r} stands twice in one object", at)
        at = after_blank(text, match.end())
        if text[at : at + 1] != ":":
            raise TextFault(f"this is not JSON (expected `:` after the key {key!r}, got {_seen(text, at)})", at)
        members[key] = node = _value(text, after_blank(text, at + 1), depth + 1)
        at, comma = _after_item(text, node.end)
    return Node({key: node.value for key, node in members.items()}, start, at + 1, members, comma=comma)


def _list(text: str, start: int, depth: int) -> Node:
    items: list[Node] = []
    at, comma = after_blank(text, start + 1), False
    while text[at : at + 1] != "]":
        if items and not comma:
            raise TextFault(f"this is not JSON (expected `,` or `]`, got {_seen(text, at)})", at)
        items.append(_value(text, at, depth + 1))
        at, comma = _after_item(text, items[-1].end)
    return Node([node.value for node in items], start, at + 1, items=tuple(items), comma=comma)


def _after_item(text: str, end: int) -> tuple[int, bool]:
    at = after_blank(text, end)
    if text[at : at + 1] != ",":
        return at, False
    return after_blank(text, at + 1), True


def _seen(text: str, at: int) -> str:
    return repr(text[at : at + 12].split("\n")[0].rstrip() or text[at]) if at < len(text) else "the end of the file"


def _hint(text: str, at: int) -> str:
    start = text[at : at + 2]
    if start[:1] == "'":
        return "; texts stand in double quotes"
    if start == "/*":
        return "; this comment is never closed"
    if start[:1] == '"':
        return "; this text is never closed, or holds a line break"
    return ""
