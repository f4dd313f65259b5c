"""Whether file name wildcards in a call could become a text that a rule matches."""

from __future__ import annotations

import re
from functools import lru_cache

from ..patterns import Wildcard

_CLASS = re.compile(r"\[(?:[!^]?\]?(?:\[:\w+:\]|[^\]])*)\]")
_FIRST_SIGN = re.compile(r"[^*?\[]*")
_STAR, _ONE = "*", "?"

Token = tuple[str, str]
"""A sign of a text: ``("=", sign)``, ``("?", class)`` for one unknown sign, ``("*", "")`` for any number of them."""


def could_match(pattern: Wildcard, words: tuple[str, ...], globs: frozenset[int]) -> bool:
    """Whether ``words``, with wildcards at the positions ``globs``, could become a text that ``pattern`` matches.

    A word that begins with a wildcard is not taken for an option, nor for several words.
    """
    head, known = pattern.pieces[0], _before_wildcard(words, min(globs))
    if not (known.startswith(head) or head.startswith(known)):
        return False
    tokens: list[Token] = []
    for i, word in enumerate(words):
        tokens += [("=", " ")] if i else []
        tokens += _glob_tokens(word) if i in globs else [("=", sign) for sign in word]
    pieces = (*pattern.pieces[:-1], pattern.pieces[-1] + " ", "") if pattern.boundary else pattern.pieces
    return _meets(pieces, tuple(tokens)) or (pattern.boundary and _meets(pattern.pieces, tuple(tokens)))


def _before_wildcard(words: tuple[str, ...], at: int) -> str:
    """The text of a call up to its first wildcard, which is in the word ``at``."""
    plain = _FIRST_SIGN.match(words[at])
    return " ".join((*words[:at], plain[0] if plain else ""))


def _glob_tokens(word: str) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while at < len(word):
        sign = word[at]
        if found := _CLASS.match(word, at) if sign == "[" else None:
            tokens.append((_ONE, found[0]))
            at = found.end()
            continue
        tokens.append((_STAR, "") if sign == "*" else (_ONE, "") if sign == "?" else ("=", sign))
        at += 1
    return tokens


def _meets(pieces: tuple[str, ...], tokens: tuple[Token, ...]) -> bool:
    """Whether one text fits both. Steps through the rule's signs, keeping every position in ``tokens``."""
    states = _reached({0}, tokens)
    for i, piece in enumerate(pieces):
        for sign in piece:
            states = _reached(_after(states, sign, tokens), tokens)
            if not states:
                return False
        if i < len(pieces) - 1:  # a star of the rule: any number of signs
            states = set(range(min(states), len(tokens) + 1))
    return len(tokens) in states


def _reached(states: set[int], tokens: tuple[Token, ...]) -> set[int]:
    """The positions behind stars that may stand for nothing."""
    found = set(states)
    for at in sorted(states):
        while at < len(tokens) and tokens[at][0] == _STAR:
            at += 1
            found.add(at)
    return found


def _after(states: set[int], sign: str, tokens: tuple[Token, ...]) -> set[int]:
    found = set()
    for at in states:
        if at == len(tokens):
            continue
        kind, value = tokens[at]
        begins_word = at == 0 or tokens[at - 1] == ("=", " ")
        if kind == "=":
            found.update({at + 1} if value == sign else ())
        elif sign not in " /" and not (begins_word and sign == "-"):
            if kind == _STAR:
                found.add(at)
            elif not value or _class(value).fullmatch(sign):
                found.add(at + 1)
    return found


_NAMED = {"alpha": "a-zA-Z", "lower": "a-z", "upper": "A-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "word": r"\w"}


@lru_cache(maxsize=256)
def _class(text: str) -> re.Pattern[str]:
    body = re.sub(r"\[:(\w+):\]", lambda match: _NAMED.get(match[1], r"\S"), text[1:-1])
    negated = body[:1] in ("!", "^")
    body = (body[1:] if negated else body).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    body = body.replace("\\\\w", "\\w").replace("\\\\S", "\\S")
    try:
        return re.compile(f"[{'^' if negated else ''}{body}]")
    except re.error:
        return re.compile(".", re.DOTALL)
