"""What a part of a command line prints, where that can be told from its text: what a shell may then be fed with.

For deny and ask rules only: a filter that is not known is taken to hand its input on.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .ansi_c import decode_ansi_c
from .script import Node, Word
from .wrappers import WRAPPERS, Argv, inner_calls, program_name

MAX_CHARS = 20_000
"""More than this is not worked out."""

_CONVERSION = re.compile(r"%[-+ #0]*[\d*]*(?:\.[\d*]+)?([a-zA-Z%])|\\")
_RANGE = re.compile(r"(.)-(.)", re.DOTALL)
_FILTERS = frozenset(
    "awk cat cut fold grep head less more nl pv sed sort strings stdbuf tail tee uniq unbuffer dos2unix".split()
)


class Look(NamedTuple):
    """How the words of the line are read: the words of a call, and the text of one word; ``None`` when not known."""

    argv: Callable[[Node], Argv | None]
    text: Callable[[Word], str | None]


def printed(node: Node, look: Look, given: str | None = None) -> str | None:
    """What ``node`` prints; ``None`` when that cannot be told.

    Args:
        given: what it reads from its standard input.
    """
    if node.kind == "pipeline":
        for item in node.items:
            given = printed(item, look, given)
        return given
    fed = fed_text(node, look)
    given = given if fed is None else fed
    if node.kind == "call":
        argv = look.argv(node)
        out = _output(argv, given) if argv else given
        return out if out is None or len(out) <= MAX_CHARS else None
    parts = [part for item in node.items if (part := printed(item, look, given)) is not None]
    return "".join(parts) if parts else None


def fed_text(node: Node, look: Look) -> str | None:
    """What the redirections of ``node`` feed it with: a here-document, a here-string, or what ``< <(…)`` prints."""
    for redirect in node.redirects:
        if redirect.body is not None:
            return look.text(redirect.body)
        if redirect.operator == "<<<":
            text = look.text(redirect.target)
            return None if text is None else text + "\n"
        if redirect.operator == "<":
            for piece in redirect.target.pieces:
                if piece.kind == "proc" and piece.script is not None:
                    return printed(piece.script, look)
    return None


def _output(argv: Argv, given: str | None) -> str | None:
    name, words = program_name(argv[0]), argv[1:]
    if name in WRAPPERS and name != "xargs" and words and not (name == "command" and words[0].startswith("-")):
        return next((out for inner in inner_calls(argv) if (out := _output(inner, given)) is not None), None)
    printer = _PRINTERS.get(name)
    if printer is not None:
        return printer(words)
    if name in _FILTERS or (name == "xargs" and not any(not word.startswith("-") for word in words)):
        return given
    change = _CHANGES.get(name)
    return change(words, given) if change is not None and given is not None else None


def _echo(words: Argv) -> str:
    decodes = False
    while words and re.fullmatch(r"-[neE]+", words[0]):
        decodes = decodes or "e" in words[0]
        words = words[1:]
    text = " ".join(words)
    return (_decoded(text) if decodes or "\\n" in text else text) + "\n"


def _decoded(text: str) -> str:
    found = decode_ansi_c(text.replace("\\0", "\\"))
    return text if found is None else found


def printf(words: Argv) -> str:
    """What ``printf`` prints when it is given these words."""
    words = words[1:] if words[:1] == ("--",) else words
    if not words:
        return ""
    form, rest = words[0], list(words[1:])
    out = ""
    while len(out) < MAX_CHARS:
        left = len(rest)
        out += "".join(_formatted(form, rest))
        if not rest or len(rest) == left:
            return out
    return out


def _formatted(form: str, rest: list[str]) -> Iterator[str]:
    at = 0
    for match in _CONVERSION.finditer(form):
        if match[1] is None:
            continue
        yield _decoded(form[at : match.start()])
        at = match.end()
        if match[1] == "%":
            yield "%"
        else:
            word = rest.pop(0) if rest else ""
            yield _decoded(word) if match[1] == "b" else word
    yield _decoded(form[at:])


def _found_program(words: Argv) -> str | None:
    names = [word for word in words if not word.startswith("-")]
    return f"/usr/bin/{names[-1]}\n" if len(names) == 1 and "/" not in names[0] else None


def _base(words: Argv) -> str | None:
    names = [word for word in words if not word.startswith("-")]
    return (
        names[0].rstrip("/").rpartition("/")[2].removesuffix(names[1] if len(names) > 1 else "") + "\n"
        if names
        else None
    )


def _command(words: Argv) -> str | None:
    return _found_program(words[1:]) if words[:1] in (("-v",), ("-V",)) else None


_PRINTERS: dict[str, Callable[[Argv], str | None]] = {
    ":": lambda words: "",
    "basename": _base,
    "command": _command,
    "echo": _echo,
    "false": lambda words: "",
    "printf": printf,
    "true": lambda words: "",
    "type": _found_program,
    "which": _found_program,
    "yes": lambda words: " ".join(words) + "\n",
}


def _from_base64(words: Argv, given: str) -> str | None:
    if not any(word in ("-d", "-D", "--decode", "-di", "-id") for word in words):
        return None
    try:
        return base64.b64decode("".join(given.split())).decode()
    except (binascii.Error, ValueError):
        return None


def _from_hex(words: Argv, given: str) -> str | None:
    if not any("r" in word for word in words if word.startswith("-")):
        return None
    try:
        return bytes.fromhex("".join(given.split())).decode()
    except ValueError:
        return None


def _openssl(words: Argv, given: str) -> str | None:
    is_base64 = bool({"base64", "-base64", "-a"} & set(words))
    return _from_base64(words, given) if is_base64 else None


def _translated(words: Argv, given: str) -> str:
    sets = [_signs(word) for word in words if not word.startswith("-") or word == "-"]
    if "-d" in words and sets:
        return "".join(sign for sign in given if sign not in sets[0])
    if len(sets) == 2 and sets[1]:
        padded = sets[1].ljust(len(sets[0]), sets[1][-1])
        return given.translate({ord(old): new for old, new in zip(sets[0], padded, strict=False)})
    return given


def _signs(word: str) -> str:
    spelt = _decoded(word.replace("[:upper:]", "A-Z").replace("[:lower:]", "a-z").replace("[:digit:]", "0-9"))
    return _RANGE.sub(lambda match: "".join(map(chr, range(ord(match[1]), ord(match[2]) + 1))), spelt)


_CHANGES: dict[str, Callable[[Argv, str], str | None]] = {
    "base64": _from_base64,
    "openssl": _openssl,
    "rev": lambda words, given: "\n".join(line[::-1] for line in given.split("\n")),
    "tac": lambda words, given: "\n".join(reversed(given.split("\n"))),
    "tr": _translated,
    "xxd": _from_hex,
}
