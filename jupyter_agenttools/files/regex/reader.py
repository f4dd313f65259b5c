"""The reader of patterns: alternatives, repetitions, groups, escapes."""

from __future__ import annotations

import re

from ..plain_search.words import BOUNDARY, NOT_BOUNDARY, WORD
from .classes import ClassReader, Member, NestedClassError, any_character, set_of, shorthand, single
from .pieces import EMPTY, Mode, PatternError, Piece, any_of, grouped, joined, literal, nothing

_COUNT = re.compile(r"\{(\d*)(,?)(\d*)\}")
_GROUP_NAME = re.compile(r"\?P?<([A-Za-z_]\w*)>")
_FLAGS = re.compile(r"\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])")
_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a"}
_HEX = {"x": 2, "u": 4, "U": 8}
_AROUND = {"?=": "looking ahead", "?!": "looking ahead", "?<=": "looking behind", "?<!": "looking behind"}

MAX_DEPTH = 60
"""Groups in groups; more is no pattern that somebody means."""


class _RawPatternError(Exception):
    """The pattern uses a flag that changes how patterns are read: it goes to ripgrep as it is."""


class PatternReader:
    """Reads one pattern.

    Attributes:
        python_only, ripgrep_only: what in it only one engine knows, in words; ``""`` for nothing. ``…_at``: where.
        is_raw: ripgrep has to be given the pattern as it is.
        mixed_case: some part of it ignores case by a flag of its own.
    """

    def __init__(self, text: str, mode: Mode) -> None:
        self._text = text
        self._mode = mode
        self._at = 0
        self._depth = 0
        self.python_only = self.ripgrep_only = ""
        self.python_only_at = self.ripgrep_only_at = 0
        self.is_raw = self.mixed_case = False

    def read(self) -> Piece:
        """The whole pattern.

        Raises:
            PatternError: it is none.
        """
        try:
            piece = self._alternatives(self._mode)
        except _RawPatternError:
            self.is_raw = True
            return EMPTY
        if self._at < len(self._text):
            raise self._error(self._at, r"a `)` closes nothing; a plain one is written `\)`")
        return piece

    def _error(self, position: int, why: str) -> PatternError:
        return PatternError(self._text, position, why)

    def _peek(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _for_python(self, what: str, position: int) -> None:
        self.python_only, self.python_only_at = self.python_only or what, position

    def _for_ripgrep(self, what: str, position: int) -> None:
        self.ripgrep_only, self.ripgrep_only_at = self.ripgrep_only or what, position

    # ---- structure

    def _alternatives(self, mode: Mode) -> Piece:
        branches = [self._sequence(mode)]
        while self._peek("|"):
            self._at += 1
            branches.append(self._sequence(mode))
        return any_of([_as_branch(branch) for branch in branches]) if len(branches) > 1 else branches[0]

    def _sequence(self, mode: Mode) -> Piece:
        pieces: list[Piece] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            flags = self._flags_for_the_rest(mode)
            if flags is not None:
                return joined([*pieces, self._rest_with(flags, mode)])
            pieces.append(self._repeated(self._atom(mode)))
        return joined(pieces)

    def _rest_with(self, changed: Mode, mode: Mode) -> Piece:
        """``(?i)`` in the middle: what follows in the same group, further alternatives among it."""
        inside = self._alternatives(changed)
        return grouped(inside, _case_group(changed, mode))

    def _flags_for_the_rest(self, mode: Mode) -> Mode | None:
        found = _FLAGS.match(self._text, self._at + 1) if self._peek("(") else None
        if found is None or found[3] != ")" or not (found[1] or found[2]):
            return None
        changed = self._with_flags(mode, found[1], found[2] or "", self._at)
        self._at = found.end()
        return changed

    def _with_flags(self, mode: Mode, on: str, off: str, position: int) -> Mode:
        for letter in on + off:
            if letter not in "imsu":
                if letter not in "xUR":
                    raise self._error(position, f"`{letter}` is no flag; i, m, s, u, x, U and R are")
                self._for_ripgrep(f"the flag `{letter}`", position)
                raise _RawPatternError
            if letter in "um" and letter in off:
                self._for_ripgrep(f"turning the flag `{letter}` off", position)
                raise _RawPatternError
        if "i" in on + off:
            self.mixed_case = True
        dot_all = ("s" in on or mode.dot_all) and "s" not in off
        return mode._replace(dot_all=dot_all, ignore_case=("i" in on or mode.ignore_case) and "i" not in off)

    # ---- repetition

    def _repeated(self, piece: Piece) -> Piece:
        while True:
            count = self._count()
            if count is None:
                return piece
            lazy = "?" if self._peek("?") else ""
            self._at += len(lazy)
            least = not count.startswith(("*", "?", "{0"))
            required = ((piece.literal,) if piece.literal else piece.required) if least else ()
            rust = piece.rust if piece.literal is not None and len(piece.literal) == 1 else f"(?:{piece.rust})"
            empty = piece.may_be_empty or not least
            piece = Piece(f"{rust}{count}{lazy}", f"(?:{piece.python}){count}{lazy}", required, may_be_empty=empty)

    def _count(self) -> str | None:
        """The repetition that stands here, read over; a brace that counts nothing is none."""
        char = self._text[self._at : self._at + 1]
        if char and char in "*+?":
            self._at += 1
            return char
        found = _COUNT.match(self._text, self._at) if char == "{" else None
        if found is None or not (found[1] or found[3]):
            return None
        low, high = int(found[1] or 0), int(found[3] or found[1]) if found[3] or not found[2] else None
        if high is not None and high < low:
            raise self._error(self._at, f"{found[0]} counts from more to less")
        if max(low, high or 0) > 1000:
            raise self._error(self._at, f"{found[0]} counts further than 1000")
        self._at = found.end()
        return f"{{{low}}}" if high == low else f"{{{low},{'' if high is None else high}}}"

    # ---- single parts

    def _atom(self, mode: Mode) -> Piece:
        char, start = self._text[self._at], self._at
        if char == "(":
            return self._group(mode)
        if char == "[":
            return self._class(mode)
        if char == "\\":
            return self._escape(mode)
        if char in "*+?" or (char == "{" and self._count() is not None):
            hint = "; to find files by name use the field `glob`" if start == 0 and char == "*" else ""
            raise self._error(start, f"`{char}` repeats nothing; a plain one is written `\\{char}`{hint}")
        self._at += 1
        if char == ".":
            return any_character(mode)
        if char in "^$":
            return _anchor(char, mode)
        if char == "\n" and mode.by_line:
            raise self._error(start, "a line end can only be matched with multiline: true")
        return literal(char)

    def _group(self, mode: Mode) -> Piece:
        start = self._at
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._error(start, f"groups lie more than {MAX_DEPTH} deep in each other")
        self._at += 1
        piece = self._group_body(mode, start)
        self._depth -= 1
        return piece

    def _group_body(self, mode: Mode, start: int) -> Piece:
        if self._peek("?#"):
            end = self._text.find(")", self._at)
            self._at = end + 1 if end >= 0 else len(self._text)
            return nothing("(?:)", "(?:)")
        if not self._peek("?"):
            return grouped(self._inside(mode, start), "(")
        for opening, words in _AROUND.items():
            if self._peek(opening):
                self._at += len(opening)
                self._for_python(words, start)
                inside = self._inside(mode, start)
                return nothing("", f"({opening}{inside.python})")
        if name := _GROUP_NAME.match(self._text, self._at):
            self._at = name.end()
            return grouped(self._inside(mode, start), f"(?P<{name[1]}>")
        return self._special_group(mode, start)

    def _special_group(self, mode: Mode, start: int) -> Piece:
        if self._peek("?>"):
            self._at += 2
            self._for_python("an atomic group", start)
            inside = self._inside(mode, start)
            return Piece("", f"(?>{inside.python})", inside.required, may_be_empty=inside.may_be_empty)
        if found := re.compile(r"\?P=(\w+)\)").match(self._text, self._at):
            self._at = found.end()
            self._for_python("a back reference", start)
            return nothing("", f"(?P={found[1]})")
        if found := _FLAGS.match(self._text, self._at):
            if found[3] == ":":
                self._at = found.end()
                changed = self._with_flags(mode, found[1], found[2] or "", start)
                return grouped(self._inside(changed, start), _case_group(changed, mode))
            if not found[1] and not found[2]:
                self._at = found.end()
                return nothing("(?:)", "(?:)")
        raise self._error(start, r"no group begins with this; a plain `(` is written `\(`")

    def _inside(self, mode: Mode, start: int) -> Piece:
        piece = self._alternatives(mode)
        if not self._peek(")"):
            raise self._error(start, r"the group is never closed; a plain `(` is written `\(`")
        self._at += 1
        return _as_branch(piece)

    def _class(self, mode: Mode) -> Piece:
        start = self._at
        reader = ClassReader(self._text, start + 1, self._member_escape)
        try:
            members, negated = reader.read()
        except NestedClassError:
            self._for_ripgrep("an operation on classes", start)
            self._at = _end_of_nested(self._text, start)
            return Piece(self._text[start : self._at], "")
        self._at = reader.at
        return set_of(members, negated, mode)

    def _member_escape(self, at: int) -> tuple[Member, int]:
        letter = self._text[at + 1 : at + 2]
        if letter in tuple("dDwWsS"):
            return shorthand(letter), at + 2
        if letter == "b":
            return single("\b"), at + 2
        if letter in ("p", "P"):
            raise NestedClassError
        self._at = at
        char = self._escaped_character()
        return single(char), self._at

    # ---- escapes

    def _escape(self, mode: Mode) -> Piece:
        start, letter = self._at, self._text[self._at + 1 : self._at + 2]
        if letter and letter in "dDwWsS":
            self._at += 2
            return set_of([shorthand(letter)], False, mode)
        if letter and letter in "bB":
            self._at += 2
            return nothing(f"\\{letter}", BOUNDARY if letter == "b" else NOT_BOUNDARY)
        if letter and letter in "AzZ":
            self._at += 2
            return _text_anchor(letter, mode)
        if letter and letter in "<>":
            self._at += 2
            self._for_python(f"`\\{letter}`", start)
            return nothing("", f"(?<![{WORD}])(?=[{WORD}])" if letter == "<" else f"(?<=[{WORD}])(?![{WORD}])")
        if letter and letter in "pP":
            return self._property(start)
        if letter and letter in "123456789":
            self._at += 2
            self._for_python("a back reference", start)
            return nothing("", f"(?:\\{letter})")
        char = self._escaped_character()
        if char == "\n" and mode.by_line:
            raise self._error(start, "a line end can only be matched with multiline: true")
        if char == "\n" and not mode.raw_ends:
            return Piece(r"\r?\n", r"\r?\n")
        return literal(char)

    def _property(self, start: int) -> Piece:
        found = re.compile(r"\\[pP](?:\{[^}]*\}|[A-Za-z])").match(self._text, start)
        if found is None:
            raise self._error(start, r"a property of characters is written `\p{Name}`")
        self._at = found.end()
        self._for_ripgrep(f"`{found[0]}`", start)
        return Piece(found[0], "")

    def _escaped_character(self) -> str:
        """The character that an escape stands for, read over."""
        start, letter = self._at, self._text[self._at + 1 : self._at + 2]
        self._at += 2
        if letter in _CONTROL:
            return _CONTROL[letter]
        if letter in _HEX:
            return self._hex(start, _HEX[letter])
        if letter == "":
            raise self._error(start, r"a `\` ends the pattern; a plain one is written `\\`")
        if letter.isascii() and letter.isalnum():
            raise self._error(start, rf"`\{letter}` means nothing; a plain backslash is written `\\`")
        return letter

    def _hex(self, start: int, digits: int) -> str:
        braced = re.compile(r"\{([0-9A-Fa-f]{1,8})\}").match(self._text, self._at)
        plain = re.compile(f"[0-9A-Fa-f]{{{digits}}}").match(self._text, self._at)
        found = braced or plain
        point = int((found[1] if braced else found[0]) if found else "110000", 16)
        if found is None or point > 0x10FFFF or 0xD800 <= point <= 0xDFFF or point == 0:
            raise self._error(start, "this is no character; write e.g. `\\x41` or `\\u{1F600}`")
        self._at = found.end()
        return chr(point)


def _as_branch(piece: Piece) -> Piece:
    required = (piece.literal,) if piece.literal else piece.required
    return Piece(piece.rust, piece.python, required, may_be_empty=piece.may_be_empty)


def _case_group(changed: Mode, mode: Mode) -> str:
    if changed.ignore_case == mode.ignore_case:
        return "(?:"
    return "(?i:" if changed.ignore_case else "(?-i:"


_PYTHON_ANCHORS = {
    ("^", True): r"(?:\A|(?<=\n))",
    ("$", True): r"(?:(?=\n)|\Z)",
    ("^", False): r"(?:\A|(?<=\n)|(?<=\r)(?!\n))",
    ("$", False): r"(?:(?=\r)|(?<!\r)(?=\n)|\Z)",
}
"""By whether a CR belongs to its line. Else lines end with CR, LF or CR LF, between which is no end."""


def _anchor(char: str, mode: Mode) -> Piece:
    return nothing(char, _PYTHON_ANCHORS[char, mode.raw_ends])


def _text_anchor(letter: str, mode: Mode) -> Piece:
    if mode.by_line:
        return _anchor("^" if letter == "A" else "$", mode)
    return nothing(r"\A", r"\A") if letter == "A" else nothing(r"\z", r"\Z")


def _end_of_nested(text: str, start: int) -> int:
    """Behind the bracket that closes the class which begins at ``start``, with classes in it."""
    depth, at = 0, start
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char == "[":
            depth += 1
            at += text.startswith("^", at + 1)
            at += text.startswith("]", at + 1)
        elif char == "]":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    raise PatternError(text, start, r"the class is never closed; a plain `[` is written `\[`")
