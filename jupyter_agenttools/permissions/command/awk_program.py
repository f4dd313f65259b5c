"""Does an awk program only print?

Tokens are read strictly: where it is not certain whether a slash divides or begins a pattern, the program is refused.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_FORBIDDEN_ANYWHERE = re.compile(
    r"system|ENVIRON|PROCINFO|ARGV|ARGC|ARGIND|SYMTAB|FUNCTAB|fflush|close|extension|@|>>|\|&|/inet"
)
_FUNCTIONS = frozenset(
    "length substr index split sub gsub gensub match sprintf tolower toupper sin cos atan2 exp log sqrt int rand srand "
    "strftime systime mktime and or xor compl lshift rshift asort asorti strtonum typeof isarray patsplit".split()
)
_KEYWORDS = frozenset(
    "BEGIN END BEGINFILE ENDFILE if else while for do in break continue next nextfile exit return delete print printf "
    "function func".split()
)
_BEFORE_PATTERN = frozenset("if else while do in return print printf exit".split())
"""Words after which a slash begins a pattern."""

_TOKEN = re.compile(
    r"(?P<blank>[ \t]+|\\\n)|(?P<newline>\n)|(?P<comment>\#[^\n]*)|(?P<string>\"(?:[^\"\\\n]|\\[^\n])*\")"
    r"|(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|(?P<name>[A-Za-z_]\w*)|(?P<slash>/)"
    r"|(?P<operator>\+\+|--|\*\*=|\*\*|&&|\|\||[<>=!+*%^-]=|!~|[-+*%^!<>~?:,;(){}\[\]$=])"
)
_PATTERN = re.compile(r"/((?:[^/\\\n\[]|\\[^\n]|\[\^?\]?[^\]/\n\\]*\])*)/")


_GOES_ON = frozenset({",", "&&", "||", "?", ":", "\n"})
"""After these a statement may go on in the next line."""


class BadProgram(Exception):
    """The program does, or may do, more than print."""


class Token(NamedTuple):
    kind: str
    text: str


def check_awk(program: str) -> None:
    """Check a whole awk program.

    Raises:
        BadProgram: says which part is not known to only print.
    """
    found = _FORBIDDEN_ANYWHERE.search(program)
    if found:
        raise BadProgram(f"`{found.group()}` in the program")
    tokens = list(_tokens(program))
    _check_calls(tokens)
    _check_output(tokens)
    _check_lines(tokens)


def check_assignment(text: str) -> None:
    """Check ``name=value`` of ``-v`` or between the files.

    Raises:
        BadProgram: it sets what decides what is read.
    """
    name = text.partition("=")[0]
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) or _FORBIDDEN_ANYWHERE.search(name):
        raise BadProgram(f"`{name}` is set")


def _tokens(program: str) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while at < len(program):
        match = _TOKEN.match(program, at)
        if match is None:
            raise BadProgram(f"`{program[at : at + 12]}` is not read")
        kind = match.lastgroup or ""
        if kind == "slash":
            pattern = _pattern_at(program, at, tokens[-1] if tokens else None)
            if pattern is not None:
                tokens.append(Token("pattern", pattern))
                at += len(pattern)
                continue
            kind = "operator"
        if kind not in ("blank", "comment"):
            tokens.append(Token(kind, match.group()))
        at = match.end()
    return tokens


def _pattern_at(program: str, at: int, before: Token | None) -> str | None:
    """The pattern that a slash begins, ``None`` when it divides."""
    divides = before is not None and (
        before.kind in ("number", "string")
        or before.text == "]"
        or (before.kind == "name" and before.text not in _KEYWORDS)
    )
    begins = before is None or before.kind in ("newline", "operator") or before.text in _BEFORE_PATTERN
    if before is not None and (before.text in (")", "++", "--", "length", "/") or divides == begins):
        raise BadProgram("a slash that may divide or begin a pattern")
    if divides:
        return None
    match = _PATTERN.match(program, at)
    if match is None:
        raise BadProgram("a pattern that is not read")
    return match.group()


def _check_calls(tokens: list[Token]) -> None:
    own = {
        tokens[i + 1].text
        for i, token in enumerate(tokens[:-1])
        if token.text in ("function", "func") and tokens[i + 1].kind == "name"
    }
    for i, token in enumerate(tokens[:-1]):
        if token.kind == "name" and tokens[i + 1].text == "(":
            if token.text not in _FUNCTIONS and token.text not in _KEYWORDS and token.text not in own:
                raise BadProgram(f"`{token.text}(` is no function that is known")


def _check_lines(tokens: list[Token]) -> None:
    """``getline`` may only take the next line of what is read anyway, into nothing or into a plain variable."""
    for i, token in enumerate(tokens):
        if "getline" not in token.text or token.kind == "comment":
            continue
        after = tokens[i + 1 : i + 3]
        if after and after[0].kind == "name" and after[0].text not in _KEYWORDS:
            after = after[1:]
        ends = not after or after[0].kind == "newline" or after[0].text in (";", "}", ")")
        if token.kind != "name" or token.text != "getline" or not ends:
            raise BadProgram("`getline` that may read another file")


def _check_output(tokens: list[Token]) -> None:
    """In ``print`` and ``printf`` a ``>`` outside of parentheses writes a file."""
    printing, level = False, 0
    before = ""
    for token in tokens:
        last, before = before, token.text
        if token.kind == "name" and token.text in ("print", "printf"):
            printing, level = True, 0
        elif token.text in ("(", "["):
            level += 1
        elif token.text in (")", "]"):
            level -= 1
        elif token.kind == "newline" and (level > 0 or last in _GOES_ON):
            continue
        elif token.kind == "newline" or token.text in (";", "{", "}"):
            printing, level = False, 0
        elif token.text == ">" and printing and level <= 0:
            raise BadProgram("`print >` writes a file")
