"""Does a sed script only print?

A small grammar of its own: what it does not know (``w``, ``W``, ``r``, ``R``, ``e``, ``v``, the flags ``e`` and ``w``
of ``s``, unknown letters) is refused.
"""

from __future__ import annotations

import re
from typing import Literal

_NUMBER_ADDRESS = re.compile(r"\d+(?:~\d+)?|\$")
_RANGE_END = re.compile(r"[+~]?\d+|\$")
_BLANKS = re.compile(r"[ \t]*")
_SEPARATORS = re.compile(r"[ \t\n;]*")
_LABEL = re.compile(r"[ \t]*[A-Za-z0-9_]*")
_COUNT = re.compile(r"[ \t]*\d*")
_PLAIN_COMMANDS = frozenset("=dDgGhHnNpPxzF")
_S_FLAGS = re.compile(r"[gpiImM0-9]*")
_BRACKETS = re.compile(r"\[\^?(?:\[:[a-z]+:\]|[^\]\[\n\\])(?:\[:[a-z]+:\]|[^\]\[\n])*\]")
_TEXT = re.compile(r"(?:[ \t]*\\(?=[^\n\\]))?[^\\\n]*")


class BadScript(Exception):
    """The script does, or may do, more than print."""


def check_sed(script: str) -> None:
    """Check a whole sed script.

    Raises:
        BadScript: says which part is not known to only print.
    """
    reader = _Sed(script)
    reader.commands()
    if reader.level:
        raise BadScript("a `{` that is never closed")


class _Sed:
    def __init__(self, script: str) -> None:
        self.text, self.at, self.level = script, 0, 0

    def commands(self) -> None:
        while True:
            self.at = _SEPARATORS.match(self.text, self.at).end()  # type: ignore[union-attr]
            if self.at >= len(self.text):
                return
            self.command()

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match.group()

    def command(self) -> None:
        if self.address():
            self.skip(_BLANKS)
            if self.peek() == ",":
                self.at += 1
                self.skip(_BLANKS)
                if not self.skip(_RANGE_END) and not self.address():
                    raise BadScript("a range without an end")
        self.skip(_BLANKS)
        while self.peek() == "!":
            self.at += 1
            self.skip(_BLANKS)
        letter = self.peek()
        self.at += 1
        self.run(letter)

    def address(self) -> bool:
        if self.skip(_NUMBER_ADDRESS):
            return True
        char = self.peek()
        if char == "\\":
            self.at += 1
            char = self.peek()
        elif char != "/":
            return False
        self.at += 1
        self.delimited(char, ("pattern",))
        while self.peek() in ("I", "M"):
            self.at += 1
        return True

    def delimited(self, delimiter: str, parts: tuple[Literal["pattern", "text"], ...]) -> None:
        """Text up to the next delimiters, one for each of ``parts``."""
        if not delimiter or delimiter in "\\\n[]" or delimiter.isalnum() or delimiter.isspace():
            raise BadScript("a delimiter that is not plain")
        for part in parts:
            while self.peek() != delimiter:
                if self.at >= len(self.text) or self.peek() == "\n":
                    raise BadScript("a pattern that is never closed")
                if part == "pattern" and self.peek() == "[":
                    self.brackets(delimiter)
                elif self.peek() == "\\":
                    self.at += 2
                else:
                    self.at += 1
            self.at += 1

    def brackets(self, delimiter: str) -> None:
        """``[…]`` in a pattern: where a delimiter in it or a ``]`` at its start counts, versions of sed differ."""
        match = _BRACKETS.match(self.text, self.at)
        if match is None or delimiter in match.group():
            raise BadScript("brackets that are not plain")
        self.at = match.end()

    def run(self, letter: str) -> None:
        if letter == "{":
            self.level += 1
            return
        if letter == "}":
            self.level -= 1
            if self.level < 0:
                raise BadScript("a `}` too many")
        elif letter == "#":
            self.skip(re.compile(r"[^\n]*"))
        elif letter == "s":
            delimiter = self.peek()
            self.at += 1
            self.delimited(delimiter, ("pattern", "text"))
            self.skip(_S_FLAGS)
        elif letter == "y":
            delimiter = self.peek()
            self.at += 1
            self.delimited(delimiter, ("text", "text"))
        elif letter in ("b", "t", "T", ":"):
            self.skip(_LABEL)
            if self.peek() == "#":  # to some releases it is a part of the label, and the rest is no comment
                raise BadScript("a `#` directly after a label")
        elif letter in ("q", "Q", "l"):
            self.skip(_COUNT)
        elif letter in ("a", "i", "c") and letter:
            self.skip(_TEXT)
        elif not letter or letter not in _PLAIN_COMMANDS:
            raise BadScript(f"`{letter or 'nothing'}` is no command that only prints")
        self.end_of_command()

    def end_of_command(self) -> None:
        self.skip(_BLANKS)
        if self.at < len(self.text) and self.peek() not in ";\n}#":
            raise BadScript(f"`{self.text[self.at : self.at + 12]}` after a command")
