"""Changing single values in a settings text: everything else in it, comments too, stays byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .jsonc import Node, after_blank, find_node, parse_jsonc

_INDENT = re.compile(r"\n([ \t]+)[^\s/]")
_REST_OF_LINE = re.compile(r"[ \t]*(?:/\*(?:[^*\n]|\*(?!/))*\*/[ \t]*)*(?://[^\r\n]*)?(?=\r?\n)")

KeyPath = tuple[str, ...]


class AddItems(NamedTuple):
    """Put these texts into the list at ``path``, behind what is in it; what is there already is not put in twice."""

    path: KeyPath
    items: tuple[str, ...]


class RemoveItems(NamedTuple):
    """Take these texts out of the list at ``path``."""

    path: KeyPath
    items: tuple[str, ...]


class PutValue(NamedTuple):
    """Let the key at ``path`` have this value."""

    path: KeyPath
    value: Any


Edit = AddItems | RemoveItems | PutValue


def splice(text: str, edits: Sequence[Edit]) -> str:
    """``text`` with these changes in it.

    Raises:
        TextFault: the text cannot be read.
        TypeError: an object or a list is needed where the text has something else.
    """
    for edit in edits:
        text = _spliced(text, edit)
    return text


def _spliced(text: str, edit: Edit) -> str:
    root = parse_jsonc(text)
    if root is None:
        style = _Style(text)
        text = f"{text}{style.newline if text.strip() and not text.endswith(chr(10)) else ''}{{}}{style.newline}"
        root = parse_jsonc(text)
        assert root is not None
    match edit:
        case PutValue(path, value):
            return _put(text, root, path, value)
        case AddItems(path, items):
            return _add_items(text, root, path, items)
        case RemoveItems(path, items):
            return _remove_items(text, root, path, items)


def _put(text: str, root: Node, path: KeyPath, value: Any) -> str:
    style = _Style(text)
    parent, rest = _deepest(root, path)
    if not rest:
        if parent.value == value and type(parent.value) is type(value):
            return text
        return text[: parent.start] + style.dumped(value, style.indent_at(parent.start)) + text[parent.end :]
    for key in reversed(rest[1:]):
        value = {key: value}
    if not isinstance(parent.value, dict):
        raise TypeError(f"`{'.'.join(path[: len(path) - len(rest)])}` is not an object")
    return _insert(text, parent, style, lambda indent: f"{style.quoted(rest[0])}: {style.dumped(value, indent)}")


def _add_items(text: str, root: Node, path: KeyPath, items: Sequence[str]) -> str:
    node, rest = _deepest(root, path)
    if rest:
        return _put(text, root, path, list(dict.fromkeys(items)))
    if not isinstance(node.value, list):
        raise TypeError(f"`{'.'.join(path)}` is not a list")
    new = [item for item in dict.fromkeys(items) if item not in node.value]
    for item in new:
        style = _Style(text)
        text = _insert(text, node, style, lambda _, item=item, style=style: style.quoted(item))
        root = parse_jsonc(text)
        assert root is not None
        node = find_node(root, path)
    return text


def _remove_items(text: str, root: Node, path: KeyPath, items: Sequence[str]) -> str:
    node, rest = _deepest(root, path)
    if rest or not isinstance(node.value, list):
        return text
    for index in reversed(range(len(node.items))):
        if node.value[index] in items:
            text = _cut(text, find_node(_parsed(text), path), index)
    return text


def _parsed(text: str) -> Node:
    root = parse_jsonc(text)
    assert root is not None
    return root


def _cut(text: str, node: Node, index: int) -> str:
    """Without one item and the comma that goes with it; a line that is empty then goes as well."""
    item = node.items[index]
    start, end = item.start, item.end
    after = after_blank(text, end)
    if text[after] == ",":
        text = text[:after] + text[after + 1 :]
    elif index:
        comma = text.index(",", after_blank(text, node.items[index - 1].end))
        text = text[:comma] + text[comma + 1 :]
        start, end = start - 1, end - 1
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    if line_end >= 0 and not text[line_start:start].strip() and not text[end:line_end].strip():
        return text[:line_start] + text[line_end + 1 :]
    if text[start - 1] == " " and text[end] in " ]":
        start -= 1
    elif text[start - 1] == "[" and text[end] == " ":
        end += 1
    return text[:start] + text[end:]


def _deepest(root: Node, path: KeyPath) -> tuple[Node, KeyPath]:
    """The deepest value on the way that is there, and the keys that are missing below it."""
    for depth, key in enumerate(path):
        if key not in root.members:
            return root, path[depth:]
        root = root.members[key]
    return root, ()


def _insert(text: str, node: Node, style: _Style, made: Callable[[str], str]) -> str:
    """``text`` with one more thing at the end of an object or a list; ``made`` writes it for an indentation."""
    if not node.children:
        return _fill(text, node, style, made)
    last = max(node.children, key=lambda child: child.end)
    end = text.index(",", after_blank(text, last.end)) if node.comma else last.end
    behind = "," if node.comma else ""
    text = text if node.comma else f"{text[:end]},{text[end:]}"
    at = end + 1
    if node.start >= text.rfind("\n", 0, last.start) + 1:  # all of it in one line
        return f"{text[:at]} {made('')}{behind}{text[at:]}"
    if rest := _REST_OF_LINE.match(text, at):
        at = rest.end()
    indent = style.indent_at(last.start)
    return f"{text[:at]}{style.newline}{indent}{made(indent)}{behind}{text[at:]}"


def _fill(text: str, node: Node, style: _Style, made: Callable[[str], str]) -> str:
    """The first thing in an empty object or list; comments that stand in it stay in front."""
    inner = text[node.start + 1 : node.end - 1]
    outer = style.indent_at(node.start)
    if style.compact:
        return f"{text[: node.start + 1]}{inner.rstrip()}{made('')}{text[node.end - 1 :]}"
    indent = outer + style.unit
    return (
        f"{text[: node.start + 1]}{inner.rstrip()}{style.newline}{indent}{made(indent)}"
        f"{style.newline}{outer}{text[node.end - 1 :]}"
    )


class _Style:
    """How a text is written, so that what is put in looks like the rest of it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        found = _INDENT.search(text)
        self.unit = found.group(1) if found else "  "
        self.compact = "\n" not in text.strip() and text.strip() not in ("", "{}")

    def indent_at(self, at: int) -> str:
        line = self._text[self._text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def quoted(self, value: Any) -> str:
        text = json.dumps(value, ensure_ascii=False)
        try:
            text.encode()
        except UnicodeEncodeError:  # half a surrogate pair, which only an escape can hold
            return json.dumps(value)
        return text

    def dumped(self, value: Any, indent: str) -> str:
        """The value as JSON whose later lines begin with ``indent``; in one line where the text is in one line."""
        if self.compact or not isinstance(value, (dict, list)) or not value:
            return self.quoted(value)
        open_, close = "{}" if isinstance(value, dict) else "[]"
        inner = indent + self.unit
        parts = (
            [f"{self.quoted(key)}: {self.dumped(item, inner)}" for key, item in value.items()]
            if isinstance(value, dict)
            else [self.dumped(item, inner) for item in value]
        )
        lines = f",{self.newline}{inner}".join(parts)
        return f"{open_}{self.newline}{inner}{lines}{self.newline}{indent}{close}"
