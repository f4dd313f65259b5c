"""What an exit code means for programs that answer a question with it: ``grep`` that finds nothing has not failed."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence

_NO_MATCH = "no lines matched"
_FALSE = "the condition is false"
_DIFFERENT = "the inputs differ"

_MEANING_OF_ONE: Mapping[str, str] = {
    "ack": _NO_MATCH,
    "ag": _NO_MATCH,
    "egrep": _NO_MATCH,
    "fgrep": _NO_MATCH,
    "grep": _NO_MATCH,
    "rg": _NO_MATCH,
    "ugrep": _NO_MATCH,
    "zgrep": _NO_MATCH,
    "cmp": _DIFFERENT,
    "colordiff": _DIFFERENT,
    "diff": _DIFFERENT,
    "sdiff": _DIFFERENT,
    "zdiff": _DIFFERENT,
    "[": _FALSE,
    "[[": _FALSE,
    "expr": "the value is empty or zero",
    "pgrep": "no process matched",
    "test": _FALSE,
    "find": "some folders could not be read",
}

_MEANING_OF_ONE_IN_GIT: Mapping[str, str] = {"diff": _DIFFERENT, "grep": _NO_MATCH}

_NEVER_DECIDES = frozenset({":", "cd", "echo", "export", "printf", "pushd", "set", "true"})
"""Programs that, failing before a ``&&``, say so in the output."""

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_REDIRECTION = re.compile(r"\d*[<>]&[\d-]+|&(?=>)")
"""Where ``&`` is no operator of its own."""


def interpret_exit_code(command: str, code: int, output: str) -> str | None:
    """What this code means when it is an answer and no failure; ``None`` when it has to be taken as a failure.

    Only the last ``&&``/``||`` chain of the command can have set the code, and in a pipe only the last program. When
    another program of the chain might have failed with the same code, there is no interpretation.

    Args:
        command: the text that bash ran.
        code: its exit code.
        output: what was printed; a failed ``cd`` shows there.
    """
    if code != 1:
        return None
    chain = _last_chain(command)
    if not chain or ("cd" in {words[0] for words in chain} and re.search(r"\bcd: ", output)):
        return None
    meanings = [_meaning(words) for words in chain if words[0] not in _NEVER_DECIDES]
    return meanings[-1] if meanings and all(meanings) else None


def _last_chain(command: str) -> list[Sequence[str]]:
    """The program calls that can have set the exit code, in order; empty when they are not known for certain."""
    chain: list[Sequence[str]] = []
    words: list[str] = []
    for token in [*_tokens(command), "&&"]:
        if not set(token) <= set(";&|()\n"):
            words.append(token)
            continue
        call = _without_assignments(words)
        words = []
        if token in ("&&", "||") or (token in ("|", "|&") and "pipefail" in command):
            chain += [call] if call else []
        elif token not in ("|", "|&"):
            chain = []
        if "(" in token or ")" in token or token == "&":
            return []
    return chain


def _tokens(command: str) -> list[str]:
    """Words and operators; none when quotes do not pair."""
    text = _REDIRECTION.sub(" ", command).strip().rstrip(";\n")
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace, lexer.whitespace_split = " \t\r", True
    try:
        return list(lexer)
    except ValueError:
        return []


def _without_assignments(words: Sequence[str]) -> Sequence[str]:
    while words and _ASSIGNMENT.match(words[0]):
        words = words[1:]
    return words


def _meaning(words: Sequence[str]) -> str | None:
    name = os.path.basename(words[0])
    if name == "!":
        return _FALSE if len(words) > 1 and _meaning(words[1:]) else None
    if name == "git":
        return next((_MEANING_OF_ONE_IN_GIT[w] for w in words[1:3] if w in _MEANING_OF_ONE_IN_GIT), None)
    return _MEANING_OF_ONE.get(name)
