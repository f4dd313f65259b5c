"""Code as lines of HTML, with the few classes that matter for reading."""

from __future__ import annotations

import html
from functools import lru_cache
from typing import Any

from .ansi import html_lines
from .chars import escape, visible

TERMINAL = "terminal"
PROSE = "text"
"""Words for people or models, in lines that may be broken."""

MAX_CHARS = 60_000
"""Longer text stays plain: colouring it costs more than it tells (about 1 µs and 20 bytes a character)."""

_CLASSES = (
    ("Token.Keyword", "k"),
    ("Token.Operator.Word", "k"),
    ("Token.Literal.String", "s"),
    ("Token.Literal.Number", "m"),
    ("Token.Comment", "c"),
    ("Token.Name.Function", "nf"),
    ("Token.Name.Class", "nf"),
    ("Token.Name.Decorator", "nd"),
    ("Token.Name.Builtin", "nb"),
    ("Token.Name.Variable", "nv"),
    ("Token.Name.Tag", "nt"),
    ("Token.Name.Attribute", "nd"),
    ("Token.Generic.Heading", "nf"),
    ("Token.Generic.Strong", "nf"),
)


def code_lines(lines: list[str], language: str) -> list[str]:
    """Each line as HTML; no language, an unknown one, or a very long text stays plain.

    Args:
        language: a Pygments lexer name, or ``terminal`` for output with ANSI colours.
    """
    if language == TERMINAL:
        return html_lines(lines)
    shown = [visible(line) for line in lines]
    text = "\n".join(shown)
    lexer = _lexer(language) if language and len(text) <= MAX_CHARS else None
    tokens = [(_class_of(kind), value) for kind, value in lexer.get_tokens(text)] if lexer else []
    if "".join(value for _, value in tokens) != text:  # no lexer, or one that drops something
        return [escape(line) for line in shown]
    return _split(tokens)


@lru_cache(maxsize=64)
def _lexer(language: str) -> Any:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _class_of(kind: Any) -> str:
    name = str(kind)
    return next((short for prefix, short in _CLASSES if name.startswith(prefix)), "")


def _split(tokens: list[tuple[str, str]]) -> list[str]:
    """Tokens with their class, as lines; a token that spans lines is closed and opened again."""
    lines = [""]
    for css, value in tokens:
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append("")
            if part:
                escaped = html.escape(part)
                lines[-1] += f'<span class="{css}">{escaped}</span>' if css and part.strip() else escaped
    return lines
