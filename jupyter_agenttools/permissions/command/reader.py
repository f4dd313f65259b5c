"""Reading a command line strictly: every character is understood, or the line is too complex.

A recursive reader of the part of bash's grammar that means the same in every state of the shell. What is not claimed
to be understood raises :class:`TooComplex` with the place. The result is compared with an independent grammar
(:mod:`.grammar`) before anything is allowed by it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .parsed import TooComplex
from .precheck import check_text
from .script import Assignment, Marks, Node, Redirect, Script, Word, make_script
from .word_reader import WordReader

MAX_DEPTH = 24
"""Levels of nesting (groups, substitutions) above which a line is too complex."""

MAX_NODES = 400
"""Calls and compound commands above which a line is too complex."""

_KEYWORD = re.compile(r"(?:!|\{|\}|\[\[|[a-z]+)(?=[ \t\n;|&()<>]|\Z)")
_OPENERS = frozenset("if for while until case select coproc function { [[".split())
_CLOSERS = frozenset("then else elif fi do done esac } in".split())
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_REDIRECTION = re.compile(r"(\d*)(&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||<|>)")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")
_ELEMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\[")
_DECLARERS = frozenset("declare export local readonly typeset".split())


@lru_cache(maxsize=512)
def read_script(text: str) -> Script:
    """The tree of a command line.

    Raises:
        TooComplex: something in it is not understood; says what and where.
    """
    check_text(text)
    marks = Marks()
    root = Reader(text, len(text), marks).whole()
    return make_script(text, root, marks)


class Reader(WordReader):
    """One pass over ``text`` up to ``end``."""

    def whole(self) -> Node:
        node = self.read_list(frozenset())
        if self.at < self.end:
            raise self.fault("malformed", f"`{self.text[self.at]}` stands where no command can begin")
        if self.heredocs:
            raise self.fault("heredoc", "a here-document has no body")
        if not node.items:
            raise TooComplex("empty", "there is no command", 0, len(self.text))
        return node

    def read_list(self, closers: frozenset[str]) -> Node:
        """Commands up to the end, a ``)``, or one of the keywords ``closers`` (which are not consumed)."""
        self.enter()
        start, items, operators = self.at, [], []
        while True:
            self.skip_lines()
            if self.at >= self.end or self.text[self.at] == ")" or self.text.startswith(";;", self.at):
                break
            if closers and self.keyword() in closers:
                break
            items.append(self.read_pipeline())
            operators.append(self.read_separator())
        if operators and operators[-1] in ("&&", "||"):
            raise self.fault("incomplete", f"nothing follows `{operators[-1]}`")
        self.depth -= 1
        return Node("list", start, self.at, tuple(items), tuple(operators))

    def enter(self) -> None:
        self.depth += 1
        self.nodes += 1
        if self.depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise self.fault("nesting", "more nested or more numerous commands than are looked through")

    def keyword(self) -> str:
        match = _KEYWORD.match(self.text, self.at, self.end)
        return match.group() if match else ""

    def read_separator(self) -> str:
        self.skip_blanks()
        text, at = self.text, self.at
        if at >= self.end or text[at] not in "&|;\n":
            return ""
        for operator in ("&&", "||", ";", "&", "\n"):
            if text.startswith(operator, at, self.end):
                break
        else:
            return ""
        if operator == ";" and text.startswith(";;", at):
            return ""
        if operator == "\n":
            return "\n"
        self.at += len(operator)
        if operator in ("&&", "||"):
            self.skip_lines()
            if self.at < self.end and text[self.at] in ";&|)":
                raise self.fault("malformed", f"there is no command after `{operator}`")
        return operator

    def read_pipeline(self) -> Node:
        start, negated = self.at, False
        if self.text.startswith("!", start) and self.keyword() == "!":
            negated = True
            self.at += 1
            self.skip_blanks()
            if self.keyword() == "!":
                raise self.fault("keyword", "a doubled `!`")
        items, operators = [self.read_command()], []
        while True:
            self.skip_blanks()
            if not self.text.startswith("|", self.at, self.end) or self.text.startswith("||", self.at):
                break
            operators.append("|&" if self.text.startswith("|&", self.at) else "|")
            self.at += len(operators[-1])
            self.skip_lines()
            if self.at >= self.end:
                raise self.fault("incomplete", "nothing follows `|`")
            if self.keyword() == "!":
                raise self.fault("keyword", "`!` inside of a pipeline")
            items.append(self.read_command())
        if len(items) == 1 and not negated:
            return items[0]
        return Node("pipeline", start, self.at, tuple(items), tuple(operators), negated=negated)

    def read_command(self) -> Node:
        self.nodes += 1
        char, word = self.text[self.at : self.at + 1], self.keyword()
        if char == "(":
            node = self.read_arithmetic() if self.text.startswith("((", self.at) else self.read_subshell()
        elif word in _OPENERS:
            node = self.read_compound(word)
        elif word in _CLOSERS and word != "in":
            raise self.fault("keyword", f"`{word}` stands where no command can begin")
        else:
            return self.read_simple()
        redirects = []
        while (redirect := self.read_redirect()) is not None:
            redirects.append(redirect)
        self.skip_blanks()
        if self.at < self.end and self.text[self.at] not in ";&|)\n#":
            raise self.fault("malformed", "a word directly after a compound command")
        return node if not redirects else _with_redirects(node, tuple(redirects), redirects[-1].end)

    def read_subshell(self) -> Node:
        start = self.at
        self.at += 1
        body = self.read_list(frozenset())
        self.expect(")")
        if not body.items:
            raise self.fault("malformed", "empty parentheses")
        return Node("subshell", start, self.at, (body,))

    def read_arithmetic(self) -> Node:
        start = self.at
        self.at += 2
        inner = self.arithmetic_text()
        return Node("arith", start, self.at, name=inner)

    def read_compound(self, word: str) -> Node:
        if word == "{":
            return self.read_group()
        if word == "if":
            return self.read_if()
        if word in ("while", "until"):
            start = self.take_keyword(word)
            condition = self.body({"do"})
            self.take_keyword("do")
            body = self.body({"done"})
            self.take_keyword("done")
            return Node("while" if word == "while" else "until", start, self.at, (condition, body))
        if word == "for":
            return self.read_for()
        if word == "[[":
            return self.read_test()
        if word == "case":
            return self.read_case()
        raise self.fault("keyword", f"`{word}` is not looked into")

    def read_group(self) -> Node:
        start = self.take_keyword("{")
        body = self.body({"}"})
        self.take_keyword("}")
        return Node("group", start, self.at, (body,))

    def read_if(self) -> Node:
        start = self.take_keyword("if")
        items = [self.body({"then"})]
        self.take_keyword("then")
        items.append(self.body({"elif", "else", "fi"}))
        while self.keyword() == "elif":
            self.take_keyword("elif")
            items.append(self.body({"then"}))
            self.take_keyword("then")
            items.append(self.body({"elif", "else", "fi"}))
        if self.keyword() == "else":
            self.take_keyword("else")
            items.append(self.body({"fi"}))
        self.take_keyword("fi")
        return Node("if", start, self.at, tuple(items))

    def read_for(self) -> Node:
        start = self.take_keyword("for")
        self.skip_blanks()
        name = _NAME.match(self.text, self.at, self.end)
        if name is None:
            raise self.fault("keyword", "`for` without a plain variable")
        self.at = name.end()
        self.skip_lines()
        if self.keyword() != "in":
            raise self.fault("keyword", "`for` without `in`")
        self.take_keyword("in")
        words = []
        while self.skip_blanks() and self.at < self.end and self.text[self.at] not in ";\n":
            words.append(self.read_word())
        if self.text.startswith(";", self.at):
            self.at += 1
        self.skip_lines()
        self.take_keyword("do")
        body = self.body({"done"})
        self.take_keyword("done")
        return Node("for", start, self.at, (body,), words=tuple(words), name=name.group())

    def read_case(self) -> Node:
        start = self.take_keyword("case")
        self.skip_blanks()
        words = [self.read_word()]
        self.skip_lines()
        self.take_keyword("in")
        items: list[Node] = []
        while self.skip_lines() and self.keyword() != "esac":
            if self.text.startswith("(", self.at):
                self.at += 1
            while True:
                self.skip_blanks()
                words.append(self.read_word())
                self.skip_blanks()
                if not self.text.startswith("|", self.at):
                    break
                self.at += 1
            self.expect(")")
            items.append(self.read_list(frozenset({"esac"})))
            if self.text.startswith((";;&", ";&"), self.at):
                raise self.fault("keyword", "an arm of `case` that falls through")
            if self.text.startswith(";;", self.at):
                self.at += 2
            elif self.keyword() != "esac":
                raise self.fault("malformed", "an arm of `case` is not closed")
        self.take_keyword("esac")
        return Node("case", start, self.at, tuple(items), words=tuple(words))

    def read_test(self) -> Node:
        start = self.take_keyword("[[")
        words: list[Word] = []
        while True:
            self.skip_lines()
            if self.at >= self.end:
                raise self.fault("malformed", "`[[` is never closed")
            if self.keyword() == "]]" or self.text.startswith("]]", self.at):
                self.at += 2
                break
            words.append(self.read_test_word(words))
        if self.at < self.end and self.text[self.at] not in " \t\n;|&)":
            raise self.fault("malformed", "`]]` is not the end of its word")
        return Node("test", start, self.at, words=tuple(words))

    def body(self, closers: set[str]) -> Node:
        node = self.read_list(frozenset(closers))
        if not node.items:
            raise self.fault("malformed", "a body without a command")
        return node

    def take_keyword(self, word: str) -> int:
        start = self.at
        if self.keyword() != word:
            raise self.fault("keyword", f"`{word}` is missing")
        self.at += len(word)
        return start

    def expect(self, char: str) -> None:
        self.skip_lines()
        if not self.text.startswith(char, self.at, self.end):
            raise self.fault("malformed", f"`{char}` is missing")
        self.at += 1

    def read_simple(self) -> Node:
        start = self.at
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        last = start
        while self.skip_blanks() and self.at < self.end:
            char = self.text[self.at]
            if char in ";|\n)" or (char == "&" and not self.text.startswith("&>", self.at)):
                break
            if (char in "<>&{" or char.isdecimal()) and (redirect := self.read_redirect()) is not None:
                redirects.append(redirect)
            elif char == "(":
                self.read_after_parenthesis(words)
                return self.read_function(start, words[0])
            elif not words and (found := self.read_assignment()) is not None:
                assignments.append(found)
            else:
                words.append(self.read_argument(words))
            last = self.at
        if not (words or assignments or redirects):
            raise self.fault("malformed", f"there is no command before `{self.text[self.at : self.at + 1]}`")
        return Node("call", start, last, words=tuple(words), assignments=tuple(assignments), redirects=tuple(redirects))

    def read_argument(self, words: list[Word]) -> Word:
        """The next word; after ``export`` and its like a value may be a list in parentheses, which is not read."""
        word = self.read_word()
        if words and self.text.startswith("(", self.at, self.end) and words[0].literal in _DECLARERS:
            raise self.fault("assignment", "a list is assigned")
        if self.text.startswith("{", word.start) and self.text[self.at - 1] == "}":
            if self.text.startswith(("<", ">"), self.at, self.end):
                raise self.fault("redirection", "a descriptor kept in a variable", word.start)
        return word

    def read_after_parenthesis(self, words: list[Word]) -> None:
        if len(words) != 1 or words[0].literal is None:
            raise self.fault("subshell", "a parenthesis inside of a command")
        self.at += 1
        self.skip_blanks()
        if not self.text.startswith(")", self.at, self.end):
            raise self.fault("subshell", "a parenthesis inside of a command")
        self.at += 1

    def read_function(self, start: int, name: Word) -> Node:
        self.skip_lines()
        if self.keyword() != "{":
            raise self.fault("keyword", "a function whose body is no group")
        body = self.read_group()
        return Node("function", start, self.at, (body,), words=(name,), name=name.literal or "")

    def read_assignment(self) -> Assignment | None:
        match = _ASSIGNMENT.match(self.text, self.at, self.end)
        if match is None:
            if _ELEMENT.match(self.text, self.at, self.end):
                raise self.fault("assignment", "an element of a list is set, or a wildcard looks like one")
            return None
        start = self.at
        self.at = match.end()
        if self.text.startswith("(", self.at, self.end):
            raise self.fault("assignment", "a list is assigned")
        word = self.read_word(may_be_empty=True)
        return Assignment(match.group(1), word, start, self.at, bool(match.group(2)))

    def read_redirect(self) -> Redirect | None:
        self.skip_blanks()
        match = _REDIRECTION.match(self.text, self.at, self.end)
        if match is None:
            if self.text.startswith("{", self.at) and re.compile(r"\{\w+\}[<>]").match(self.text, self.at):
                raise self.fault("redirection", "a descriptor kept in a variable")
            return None
        digits, operator = match.groups()
        if digits and operator.startswith("&"):
            raise self.fault("redirection", "a number directly before `&>`")
        if operator in ("<", ">") and self.text.startswith("(", match.end()):
            return None  # a process substitution: a word
        start = self.at
        self.at = match.end()
        self.skip_blanks()
        target = self.read_word()
        end = self.at
        redirect = Redirect(operator, digits, target, start, end)
        if operator in ("<<", "<<-"):
            return self.announce_heredoc(redirect)
        return redirect


def _with_redirects(node: Node, redirects: tuple[Redirect, ...], end: int) -> Node:
    return node._replace(redirects=redirects, end=end)
