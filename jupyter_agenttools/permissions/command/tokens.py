"""Reading a command line strictly: every character is understood, or the line is too complex.

Only what bash does the same way in every state of the shell is accepted: plain and quoted words, file name wildcards,
the list and pipe operators, comments, and redirections that cannot touch a file.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import cast

from .parsed import Operator, ParsedCommand, SimpleCommand, TooComplex

MAX_COMMAND_CHARS = 10_000
"""Above this a person is always asked, whatever the text is (the limit of other agents in the field)."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_PLAIN = re.compile(r"[A-Za-z0-9_./,:@%+=^\]!-]+|[^\x00-\x7f]+")
_BLANKS = re.compile(r"[ \t]+")
_IN_DOUBLE_QUOTES = re.compile(r'[^"\\$`]+')
_OPERATOR = re.compile(r"&&|\|\||\|&|;;|;&|[;|&\n]")
_END = r"(?=[ \t\n;|&]|\Z)"
_SAFE_REDIRECTION = re.compile(r"(?:[12]?>>?|&>>?)[ \t]*/dev/null" + _END + r"|[12]?>&[12]" + _END)
_REDIRECTION = re.compile(r"\d*[<>]|&>")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)
_ODD_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\+=|\[)", re.ASCII)
_KEYWORDS = frozenset(
    "! if then else elif fi for while until do done case esac select function coproc in [[ ]] time".split()
) - {"in", "time"}
_ODD_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_SPECIAL = {
    "`": ("substitution", "a backtick runs another command"),
    "$": ("expansion", "`$` expands to something that is not known beforehand"),
    "{": ("braces", "braces expand or group"),
    "}": ("braces", "braces expand or group"),
    "(": ("subshell", "parentheses group, substitute or define a function"),
    ")": ("subshell", "parentheses group, substitute or define a function"),
}


def parse_command(command: str) -> ParsedCommand:
    """Which programs does this command line run, with which words?

    Returns:
        ``simple`` with every call, or ``too-complex`` with the reason and the id of the check. Never raises.
    """
    if len(command) > MAX_COMMAND_CHARS:
        return ParsedCommand("too-complex", reason=f"longer than {MAX_COMMAND_CHARS:,} characters", check_id="too-long")
    return _parse(command)


@lru_cache(maxsize=512)
def _parse(command: str) -> ParsedCommand:
    try:
        _refuse_odd_characters(command)
        commands, operators = _Reader(command).read()
    except TooComplex as found:
        return ParsedCommand("too-complex", reason=found.reason, check_id=found.check_id)
    return ParsedCommand("simple", commands, operators)


def _refuse_odd_characters(command: str) -> None:
    control = _CONTROL.search(command)
    if control:
        code = ord(control.group())
        check_id = "carriage-return" if code == 13 else "control-character"
        raise TooComplex(check_id, f"control character U+{code:04X} at position {control.start() + 1}")
    if command.isascii():
        return
    for position, char in enumerate(command):
        if char > "\x7f" and unicodedata.category(char) in _ODD_CATEGORIES:
            name = unicodedata.name(char, "no name")
            raise TooComplex(
                "unicode-blank", f"invisible or odd character U+{ord(char):04X} ({name}) at position {position + 1}"
            )


class _Reader:
    """One pass over one command line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.commands: list[SimpleCommand] = []
        self.operators: list[Operator] = []
        self.words: list[tuple[str, str, bool]] = []  # cooked, raw, has a wildcard
        self.start = -1  # where the word in progress begins, -1 between words
        self.cooked: list[str] = []
        self.wild = False

    def read(self) -> tuple[tuple[SimpleCommand, ...], tuple[Operator, ...]]:
        while self.at < len(self.text):
            self._step(self.text[self.at])
        self._end_word()
        if self.words:
            self._end_command()
        elif not self.commands:
            raise TooComplex("empty", "there is no command")
        elif len(self.operators) == len(self.commands) and self.operators[-1] in ("&&", "||", "|", "|&"):
            raise TooComplex("incomplete", f"nothing follows `{self.operators[-1]}`")
        return tuple(self.commands), tuple(self.operators)

    def _step(self, char: str) -> None:
        plain = _PLAIN.match(self.text, self.at)
        if plain and not (self.start < 0 and char.isdigit() and _REDIRECTION.match(self.text, self.at)):
            self._take(plain.group(), plain.end())
        elif char in " \t":
            self._end_word()
            self.at = _BLANKS.match(self.text, self.at).end()  # type: ignore[union-attr]
        elif char == "'":
            self._single_quotes()
        elif char == '"':
            self._double_quotes()
        elif char == "\\":
            self._backslash()
        elif _REDIRECTION.match(self.text, self.at):
            self._redirection()
        elif char in ";|&\n":
            self._operator()
        else:
            self._special(char)

    def _take(self, cooked: str, end: int) -> None:
        if self.start < 0:
            self.start = self.at
        self.cooked.append(cooked)
        self.at = end

    def _single_quotes(self) -> None:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise TooComplex("unclosed-quote", "a single quote is never closed")
        self._take(self.text[self.at + 1 : end], end + 1)

    def _double_quotes(self) -> None:
        text, at, parts = self.text, self.at + 1, []
        while True:
            run = _IN_DOUBLE_QUOTES.match(text, at)
            if run:
                parts.append(run.group())
                at = run.end()
            char, following = text[at : at + 1], text[at + 1 : at + 2]
            if not char:
                raise TooComplex("unclosed-quote", "a double quote is never closed")
            if char == '"':
                return self._take("".join(parts), at + 1)
            if char == "\\" and following == "\n":
                raise TooComplex("line-continuation", "a backslash joins two lines")
            if char == "\\":
                parts.append(following if following in '$`"\\' else char + following)
                at += 1 + len(following)
            elif char == "$" and following in ('"', " "):
                parts.append(char)
                at += 1
            else:
                raise TooComplex(*_SPECIAL[char])

    def _backslash(self) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        if following == "\n":
            raise TooComplex("line-continuation", "a backslash joins two lines")
        if not following:
            raise TooComplex("incomplete", "the text ends in a backslash")
        self._take(following, self.at + 2)

    def _redirection(self) -> None:
        harmless = _SAFE_REDIRECTION.match(self.text, self.at)
        if not harmless:
            raise TooComplex("redirection", "a redirection reads or writes a file")
        self._end_word()
        self.at = harmless.end()

    def _special(self, char: str) -> None:
        if char in "*?[":
            self.wild = True
            self._take(char, self.at + 1)
        elif char == "#":
            self._hash()
        elif char == "~":
            if self.start < 0 or self.text[self.at - 1] in "=:":
                raise TooComplex("tilde", "`~` expands to a folder")
            self._take(char, self.at + 1)
        elif char == "{" and self.text.startswith("{}", self.at) and not self._at_command_start():
            self._take("{}", self.at + 2)
        else:
            raise TooComplex(*_SPECIAL[char])

    def _at_command_start(self) -> bool:
        return self.start < 0 and not self.words

    def _hash(self) -> None:
        if self.start >= 0:
            return self._take("#", self.at + 1)
        if self.at and self.text[self.at - 1] not in " \t\n":
            raise TooComplex("comment", "`#` directly after an operator")
        end = self.text.find("\n", self.at)
        self.at = end if end >= 0 else len(self.text)

    def _operator(self) -> None:
        operator = _OPERATOR.match(self.text, self.at).group()  # type: ignore[union-attr]
        self._end_word()
        self.at += len(operator)
        if operator in (";;", ";&"):
            raise TooComplex("keyword", f"`{operator}` belongs to a `case`")
        if self.words:
            self._end_command()
            self.operators.append(cast(Operator, operator))
        elif operator != "\n":
            raise TooComplex("malformed", f"there is no command before `{operator}`")

    def _end_word(self) -> None:
        if self.start >= 0:
            raw = self.text[self.start : self.at]
            self.words.append(("".join(self.cooked), raw, self.wild and raw != "["))
            self.start, self.cooked, self.wild = -1, [], False

    def _end_command(self) -> None:
        words, self.words = self.words, []
        env: list[tuple[str, str]] = []
        while words and (assignment := _ASSIGNMENT.match(words[0][1])):
            env.append((assignment.group(1), words.pop(0)[0][assignment.end() :]))
        if not words:
            raise TooComplex("assignment", "a variable of the shell itself is set")
        self._check_head(words)
        globs = frozenset(i for i, word in enumerate(words) if word[2])
        argv, raw = tuple(w[0] for w in words), tuple(w[1] for w in words)
        self.commands.append(SimpleCommand(argv, raw, tuple(env), globs))

    def _check_head(self, words: list[tuple[str, str, bool]]) -> None:
        _, raw, wild = words[0]
        if raw in _KEYWORDS:
            raise TooComplex("keyword", f"`{raw}` is a keyword of the shell")
        if _ODD_ASSIGNMENT.match(raw):
            raise TooComplex("assignment", "a variable of the shell itself is changed")
        if wild:
            raise TooComplex("dynamic-name", "the program's name is a wildcard")
        if raw == "time":
            rest = words[2:] if len(words) > 1 and words[1][1] == "-p" else words[1:]
            if rest and _ASSIGNMENT.match(rest[0][1]):
                raise TooComplex("assignment", "an assignment after `time`")
            if rest:
                self._check_head(rest)
