"""Reading words: quotes, escapes, expansions, comments and here-documents."""

from __future__ import annotations

import re
from typing import Literal

from .ansi_c import decode_ansi_c
from .parsed import TooComplex
from .script import Marks, Node, Piece, Redirect, Span, Word, make_word

_BARE = re.compile(r"[^\s'\"\\$`;|&()<>#]+")
_IN_DOUBLE_QUOTES = re.compile(r'[^"\\$`]+')
_IN_HEREDOC = re.compile(r"[^\\$`]+")
_VARIABLE = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*|[0-9?#$!@*-])|\{([A-Za-z_][A-Za-z0-9_]*|[0-9?#$!@*-])\})")
_PARAMETER = re.compile(r"\$\{(#?[A-Za-z_][A-Za-z0-9_]*(?:(?::?[-+]|%%?|##?)[\w./* :,@+?-]*)?)\}")
_ARITHMETIC = re.compile(r"[\w \t+*/%()<>=!&|^~?:,$-]*")
_TEST_OPERATOR = re.compile(r"&&|\|\||[()<>]")


class WordReader:
    """The position in a text, and words from there on.

    Attributes:
        at: the next character. end: where reading stops. depth, nodes: how much was read.
        heredocs: redirections whose bodies begin after the next line break.
    """

    def __init__(self, text: str, end: int, marks: Marks, at: int = 0, depth: int = 0) -> None:
        self.text, self.end, self.marks, self.at = text, end, marks, at
        self.depth, self.nodes = depth, 0
        self.heredocs: list[Redirect] = []

    def fault(self, check_id: str, reason: str, start: int | None = None) -> TooComplex:
        at = self.at if start is None else start
        return TooComplex(check_id, reason, at, max(at + 1, min(self.at + 1, self.end)))

    def read_list(self, closers: frozenset[str]) -> Node:
        raise NotImplementedError

    def skip_blanks(self) -> Literal[True]:
        """Blanks, joined lines and a comment; always true, to stand in a condition."""
        text, at, end = self.text, self.at, self.end
        while at < end:
            char = text[at]
            if char in " \t":
                at += 1
            elif char == "\\" and text.startswith("\\\n", at, end):
                self.marks.joints.append(at)
                at += 2
            elif char == "#":
                self.at = at
                self.read_comment()
                at = self.at
            else:
                break
        self.at = at
        return True

    def read_comment(self) -> None:
        before = self.text[self.at - 1] if self.at else "\n"
        if before not in " \t\n;":
            raise self.fault("comment", "`#` directly after an operator")
        stop = self.text.find("\n", self.at, self.end)
        stop = self.end if stop < 0 else stop
        self.marks.comments.append(Span(self.at, stop))
        self.at = stop

    def skip_lines(self) -> Literal[True]:
        """Like :meth:`skip_blanks`, line breaks too; the bodies of here-documents are read at the first one."""
        while self.skip_blanks() and self.text.startswith("\n", self.at, self.end):
            self.at += 1
            while self.heredocs:
                self.read_heredoc(self.heredocs.pop(0))
        return True

    def read_word(self, *, may_be_empty: bool = False) -> Word:
        start = self.at
        if (plain := _BARE.match(self.text, start, self.end)) and self.ends_word(plain.end()):
            self.at = plain.end()
            return Word(start, self.at, (Piece("bare", plain[0]),), plain[0])
        pieces: list[Piece] = []
        while self.at < self.end:
            char = self.text[self.at]
            bare = _BARE.match(self.text, self.at, self.end)
            if bare:
                pieces.append(Piece("bare", bare.group()))
                self.at = bare.end()
            elif char in " \t\n;|&()<>":
                if char not in "<>" or not self.text.startswith("(", self.at + 1) or pieces:
                    break
                pieces.append(self.read_process())
            elif char == "#":
                pieces.append(Piece("bare", "#"))
                self.at += 1
            elif char == "\\" and self.text.startswith("\\\n", self.at):
                self.check_joint()
                break
            else:
                self.read_special(char, pieces)
        if self.at == start and not may_be_empty:
            raise self.fault("malformed", "a word is missing")
        if self.heredocs and "\n" in self.text[start : self.at]:
            raise self.fault("heredoc", "a line break inside of a word before the body of a here-document", start)
        return make_word(start, self.at, tuple(pieces))

    def ends_word(self, at: int) -> bool:
        return at >= self.end or self.text[at] in " \t\n;|&()"

    def check_joint(self) -> None:
        """A joined line in the middle of a word changes the word; only one that ends it is accepted."""
        following = self.text[self.at + 2 : self.at + 3]
        if following not in ("", " ", "\t", "\n"):
            raise self.fault("line-continuation", "a backslash joins two lines inside of a word")

    def read_special(self, char: str, pieces: list[Piece]) -> None:
        """A quote, an escape or an expansion outside of quotes."""
        if char == "'":
            stop = self.text.find("'", self.at + 1, self.end)
            if stop < 0:
                raise self.fault("unclosed-quote", "a single quote is never closed")
            pieces.append(Piece("text", self.text[self.at + 1 : stop], True))
            self.at = stop + 1
        elif char == '"':
            self.read_double_quotes(pieces)
        elif char == "\\":
            if self.at + 1 >= self.end:
                raise self.fault("incomplete", "the text ends in a backslash")
            pieces.append(Piece("text", self.text[self.at + 1], True))
            self.at += 2
        elif self.text.startswith("$'", self.at):
            self.read_ansi_c(pieces)
        elif self.text.startswith('$"', self.at):
            raise self.fault("expansion", '`$"` translates a text')
        elif char == "`" or char == "$":
            pieces.append(self.read_expansion(quoted=False))
        else:
            raise self.fault("control-character", f"an odd blank U+{ord(char):04X}")

    def read_ansi_c(self, pieces: list[Piece]) -> None:
        at = self.at + 2
        while at < self.end and self.text[at] != "'":
            at += 2 if self.text[at] == "\\" else 1
        if at >= self.end:
            raise self.fault("unclosed-quote", "`$'` is never closed")
        decoded = decode_ansi_c(self.text[self.at + 2 : at])
        if decoded is None:
            raise self.fault("expansion", "an escape in `$'…'` that is not known")
        pieces.append(Piece("text", decoded, True))
        self.at = at + 1

    def read_double_quotes(self, pieces: list[Piece]) -> None:
        start = self.at
        self.at += 1
        before = len(pieces)
        while True:
            if self.at >= self.end:
                raise self.fault("unclosed-quote", "a double quote is never closed", start)
            char = self.text[self.at]
            if char == '"':
                break
            self.read_quoted(char, pieces, _IN_DOUBLE_QUOTES, '$`"\\')
        self.at += 1
        if len(pieces) == before:
            pieces.append(Piece("text", "", True))

    def read_quoted(self, char: str, pieces: list[Piece], run: re.Pattern[str], escapable: str) -> None:
        """One step inside of double quotes or a here-document."""
        plain = run.match(self.text, self.at, self.end)
        following = self.text[self.at + 1 : self.at + 2]
        if plain:
            pieces.append(Piece("text", plain.group(), True))
            self.at = plain.end()
        elif char == "\\":
            if following == "\n":
                raise self.fault("line-continuation", "a backslash joins two lines inside of quotes")
            pieces.append(Piece("text", following if following in escapable else char + following, True))
            self.at += 1 + len(following)
        elif char == "$" and (following in ('"', "'", " ", "", "\n") or following in "|)]/.,:;%^~=&\\"):
            if following in ("'", '"') and escapable == "$`\\":
                raise self.fault("expansion", "`$` before a quote in a here-document")
            pieces.append(Piece("text", char, True))
            self.at += 1
        else:
            pieces.append(self.read_expansion(quoted=True))

    def read_expansion(self, *, quoted: bool) -> Piece:
        text, at = self.text, self.at
        if text[at] == "`":
            return self.read_backticks(quoted)
        if text.startswith("$((", at):
            self.at += 3
            return Piece("arith", self.arithmetic_text(), quoted)
        if text.startswith("$(", at):
            self.at += 2
            return Piece("sub", "", quoted, self.read_inner())
        if variable := _VARIABLE.match(text, at, self.end):
            self.at = variable.end()
            return Piece("var", variable.group(1) or variable.group(2), quoted)
        if parameter := _PARAMETER.match(text, at, self.end):
            self.at = parameter.end()
            return Piece("param", parameter.group(1), quoted)
        following = text[at + 1 : at + 2]
        if following in ("", " ", "\t", "\n") or (following and following in "/.,:%^+=~]|;"):
            self.at += 1
            return Piece("text", "$", True)
        raise self.fault("expansion", "`$` expands to something that is not known beforehand")

    def read_inner(self) -> Node:
        """A command substitution after its ``$(``, its ``)`` included."""
        waiting, self.heredocs = self.heredocs, []
        node = self.read_list(frozenset())
        if not self.text.startswith(")", self.at, self.end):
            raise self.fault("unclosed-quote", "`$(` is never closed")
        if self.heredocs or not node.items:
            raise self.fault("substitution", "a substitution that is empty or ends before a here-document's body")
        self.at += 1
        self.heredocs = waiting
        return node

    def read_process(self) -> Piece:
        value = self.text[self.at]
        self.at += 2
        return Piece("proc", value, False, self.read_inner())

    def read_backticks(self, quoted: bool) -> Piece:
        stop = self.text.find("`", self.at + 1, self.end)
        if stop < 0:
            raise self.fault("unclosed-quote", "a backtick is never closed")
        if "\\" in self.text[self.at : stop] or self.heredocs:
            raise self.fault("substitution", "a backslash inside of backticks")
        if quoted and '"' in self.text[self.at : stop]:
            raise self.fault("substitution", "a double quote in backticks inside of double quotes")
        inner = type(self)(self.text, stop, self.marks, self.at + 1, self.depth)
        node = inner.read_list(frozenset())
        if inner.at != stop or inner.heredocs or not node.items:
            raise self.fault("substitution", "backticks whose inside is no command")
        self.nodes += inner.nodes
        self.at = stop + 1
        return Piece("sub", "`", quoted, node)

    def arithmetic_text(self) -> str:
        """What stands between here and the ``))`` that closes it, which is skipped."""
        level, at = 0, self.at
        while at < self.end:
            char = self.text[at]
            if char == "(":
                level += 1
            elif char == ")" and level:
                level -= 1
            elif char == ")":
                break
            at += 1
        inner = self.text[self.at : at]
        if not self.text.startswith("))", at, self.end) or not _ARITHMETIC.fullmatch(inner):
            raise self.fault("expansion", "an arithmetic expression that is not looked into")
        self.at = at + 2
        return inner

    def announce_heredoc(self, redirect: Redirect) -> Redirect:
        delimiter = redirect.target.literal
        if delimiter is None or not delimiter or "\n" in delimiter:
            raise self.fault("heredoc", "a here-document whose end is not plain", redirect.start)
        redirect.literal = any(piece.kind == "text" for piece in redirect.target.pieces)
        self.heredocs.append(redirect)
        return redirect

    def read_heredoc(self, redirect: Redirect) -> None:
        """The body, which begins here, and the line that ends it."""
        delimiter, start, strips = redirect.target.literal or "", self.at, redirect.operator == "<<-"
        at = start
        while True:
            stop = self.text.find("\n", at, self.end)
            line_end = self.end if stop < 0 else stop
            line = self.text[at:line_end]
            if (line.lstrip("\t") if strips else line) == delimiter:
                break
            if line.strip(" \t") == delimiter:
                raise self.fault("heredoc", "a line that only looks like the end of a here-document", at)
            if stop < 0:
                raise self.fault("heredoc", "a here-document without an end", start)
            at = stop + 1
        self.marks.endings.append(Span(line_end - len(delimiter), line_end))
        redirect.body = self.heredoc_body(start, at, redirect.literal, strips)
        self.at = line_end

    def heredoc_body(self, start: int, end: int, literal: bool, strips: bool) -> Word:
        body = self.text[start:end]
        if literal:
            return make_word(start, end, (Piece("text", body, True),))
        if strips and re.search(r"[$`\\]", body):
            raise self.fault("heredoc", "`<<-` with a body in which something is expanded", start)
        inner = type(self)(self.text, end, self.marks, start, self.depth)
        pieces: list[Piece] = []
        while inner.at < end:
            inner.read_quoted(self.text[inner.at], pieces, _IN_HEREDOC, "$`\\")
        self.nodes += inner.nodes
        return make_word(start, end, tuple(pieces))

    def read_test_word(self, before: list[Word]) -> Word:
        """One word inside of ``[[ … ]]``; operators are words of their own there."""
        operator = _TEST_OPERATOR.match(self.text, self.at, self.end)
        if operator:
            start, self.at = self.at, operator.end()
            return make_word(start, self.at, (Piece("bare", operator.group()),))
        if self.text[self.at] in ";|&":
            raise self.fault("malformed", "an operator inside of `[[`")
        word = self.read_word()
        if before and before[-1].literal == "=~":
            if self.text.startswith(("(", "|", "<", ">"), self.at):
                raise self.fault("test", "a regular expression that is not plain")
        return word
