"""What a command may touch, for rules about reading and editing files."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .fields import Field
from .parsed import TooComplex
from .places import ReadPath
from .read_only import follow_command
from .script import Node, words_of

_WORD = re.compile(r"[^\s'\"`$(){};|&<>]+")


class Survey(NamedTuple):
    """The paths in a command.

    Attributes:
        reads: what calls that are known to only read would read, wherever it is.
        words: every word of the rest that could be a path.
    """

    reads: tuple[ReadPath, ...]
    words: tuple[str, ...]


def survey(command: str, cwd: str) -> Survey:
    """Look at every word of a command that could be a path.

    Args:
        command: the line. cwd: absolute path where it would run.
    """
    collector = _Collector(command)
    verdict = follow_command(command, cwd, ("/",), collector)
    words = collector.words
    if not verdict.ok:
        words = [*words, *_all_words(command)]
    reads = tuple(dict.fromkeys(read for call in verdict.calls for read in call.reads))
    return Survey(reads, tuple(dict.fromkeys(word for word in words if "\0" not in word)))


@lru_cache(maxsize=128)
def _all_words(command: str) -> tuple[str, ...]:
    return tuple(part for word in _WORD.findall(command) for part in _parts(word))


def _parts(word: str) -> tuple[str, ...]:
    return (word, word.partition("=")[2]) if "=" in word else (word,)


class _Collector:
    """Lets every call pass and keeps its words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words: list[str] = []

    def __call__(self, node: Node, fields: list[Field] | None, refusal: TooComplex | None) -> bool:
        if refusal is None:
            return True
        spelt = [field.text for field in fields] if fields is not None else []
        for word in words_of(node):
            spelt.append(word.literal if word.literal is not None else self.text[word.start : word.end])
        for word in spelt:
            self.words.extend(_parts(word))
        return True
