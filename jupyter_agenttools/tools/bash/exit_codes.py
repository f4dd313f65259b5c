"""What an exit code means for programs that answer a question with it: ``grep`` that finds nothing has not failed."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence

_NO_MATCH = "no lines matched"
_FALSE = "the condition is false"
_DIFFERENT = "the inputs differ"
_NO_SUCH_PROGRAM = "there is no such program"

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
    "type": _NO_SUCH_PROGRAM,
    "which": _NO_SUCH_PROGRAM,
}

_WITH_WORD: Mapping[tuple[str, int], tuple[frozenset[str], str]] = {
    ("command", 1): (frozenset({"-v", "-V"}), _NO_SUCH_PROGRAM),
    ("jq", 1): (frozenset({"-e", "--exit-status"}), "the result is false or null"),
    ("systemctl", 3): (frozenset({"is-active", "status"}), "the unit is not active"),
    ("systemctl", 1): (frozenset({"is-enabled"}), "the unit is not enabled"),
}
"""Programs that answer with this code only when one of these words is given."""

_MEANING_OF_ONE_IN_GIT: Mapping[str, tuple[str, str]] = {
    "config": ("", "the setting is not there"),
    "diff": ("", _DIFFERENT),
    "grep": ("", _NO_MATCH),
    "merge-base": ("--is-ancestor", "it is no ancestor"),
    "rev-parse": ("--verify", "there is no such revision"),
    "show-ref": ("", "there is no such reference"),
}
"""By sub-command: the option without which the code means nothing special, and the meaning."""

_GIT_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree"})

_PASSES_ON = frozenset({"env", "nice", "stdbuf", "time", "timeout"})
"""Programs that end with the code of the program that they run."""

_OF_WRAPPER = re.compile(r"-[-\w=.]*|\d+(?:\.\d+)?[smhd]?|[A-Za-z_]\w*=.*")

_CODES = frozenset({1, *(code for _, code in _WITH_WORD)})

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
    if code not in _CODES:
        return None
    chain = _last_chain(command)
    if not chain or ("cd" in {words[0] for words in chain} and re.search(r"\bcd: ", output)):
        return None
    meanings = [_meaning(words, code, output) for words in chain if words[0] not in _NEVER_DECIDES]
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


def _meaning(words: Sequence[str], code: int, output: str) -> str | None:
    name = os.path.basename(words[0])
    if name in _PASSES_ON:
        inner = next((at for at in range(1, len(words)) if not _OF_WRAPPER.fullmatch(words[at])), None)
        return None if inner is None else _meaning(words[inner:], code, output)
    if found := _WITH_WORD.get((name, code)):
        return found[1] if found[0] & set(words[1:]) else None
    if code != 1:
        return None
    if name == "!":
        return _FALSE if len(words) > 1 and _meaning(words[1:], code, output) else None
    if name == "git":
        return _meaning_in_git(words)
    if name == "find" and re.search(r"^find: (?!.*Permission denied)", output, re.MULTILINE):
        return None
    return _MEANING_OF_ONE.get(name)


def _meaning_in_git(words: Sequence[str]) -> str | None:
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _GIT_VALUED else 1
    option, meaning = _MEANING_OF_ONE_IN_GIT.get(words[at] if at < len(words) else "", ("", None))
    return meaning if not option or option in words else None
