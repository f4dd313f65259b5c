"""Telling options from operands, by the list of what a program may be given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .fields import GAP, Field
from .parsed import TooComplex
from .programs import Program

_COUNT = re.compile(r"-\d+[bkmcl]?")


class Arguments(NamedTuple):
    """The words of a call, sorted.

    Attributes:
        operands: the words that are no options. options: names of the options in order.
        paths: values of options that name a file to read. values: every option's value that was a word of its own or
            stood behind the option, with the option.
    """

    operands: list[Field]
    options: list[str]
    paths: list[Field]
    values: list[tuple[str, Field]]


def sort_arguments(name: str, program: Program, fields: Sequence[Field]) -> Arguments:
    """Sort ``fields`` by ``program``.

    Raises:
        TooComplex: an option that is not listed, a value that is missing or not known, a word that may turn out to be
            an option.
    """
    sorter = _Sorter(name, program, fields)
    return sorter.run()


class _Sorter:
    def __init__(self, name: str, program: Program, fields: Sequence[Field]) -> None:
        self.name, self.program, self.fields, self.at = name, program, fields, 0
        self.found = Arguments([], [], [], [])

    def run(self) -> Arguments:
        fields, program = self.fields, self.program
        while self.at < len(fields):
            field = fields[self.at]
            self.at += 1
            word = field.text
            if word == "--" and field.unknown is None:
                self.behind_dashes(fields[self.at :])
                break
            if word.startswith(GAP):
                self.check_unknown(field)
            elif not word.startswith("-") or (word == "-" and field.unknown is None):
                self.found.operands.append(field)
            elif field.pattern is not None:
                raise self.fault("glob", f"`{word}`: a wildcard in an option", field)
            elif field.unknown is not None and not self.value_is_unknown(field):
                raise self.fault("option", f"`{self.name}`: an option that is not known beforehand", field)
            elif word.startswith("--"):
                self.long(field)
            elif not (program.numeric and _COUNT.fullmatch(word)):
                self.short(field)
        return self.found

    def behind_dashes(self, rest: Sequence[Field]) -> None:
        """Operands behind ``--``. One with a dash asks: a release in which the option in front of it takes a value
        would take the ``--`` for that value. Only a pattern is often written so."""
        before = self.fields[self.at - 2].text if self.at > 1 else ""
        is_pattern = self.program.operands == "pattern" and not self.found.operands and not before.startswith("--")
        for i, field in enumerate(rest):
            if looks_like_option(field) and not (is_pattern and i == 0):
                raise self.fault("option", f"`{self.name}`: `{field.text}` behind `--`", field)
        self.found.operands.extend(rest)

    def fault(self, check_id: str, reason: str, field: Field) -> TooComplex:
        return TooComplex(check_id, reason, field.start, field.end)

    def check_unknown(self, field: Field) -> None:
        if field.unknown is not None and field.unknown.kind in ("hash", "path") and field.text == GAP:
            self.found.operands.append(field)
            return
        raise self.fault("option", f"`{self.name}`: a word that may turn out to be an option", field)

    def value_is_unknown(self, field: Field) -> bool:
        """Whether only the value of a known option is not known: ``--format=$x``."""
        option, equals, _ = field.text.partition("=")
        return bool(equals) and option.startswith("--") and not field.many

    def long(self, field: Field) -> None:
        option, equals, value = field.text.partition("=")
        program = self.program
        self.found.options.append(option)
        if option in program.long_paths:
            self.path(Field(value, field.start, field.end, unknown=field.unknown) if equals else self.value(option))
        elif option in program.long_valued:
            given = Field(value, field.start, field.end, unknown=field.unknown) if equals else self.value(option)
            self.found.values.append((option, given))
        elif option not in program.long:
            raise self.unlisted(option, field)

    def short(self, field: Field) -> None:
        word = field.text
        if word in program_words(self.program):
            self.found.options.append(word)
            if word in self.program.word_valued:
                self.value(word)
            return
        for i, letter in enumerate(word[1:], start=1):
            option = "-" + letter
            self.found.options.append(option)
            if letter in self.program.short_paths:
                rest = word[i + 1 :]
                self.path(Field(rest, field.start, field.end) if rest else self.value(option))
                return
            if letter in self.program.short_valued:
                rest = word[i + 1 :]
                self.found.values.append((option, Field(rest, field.start, field.end) if rest else self.value(option)))
                return
            if letter not in self.program.short:
                raise self.unlisted(option, field)

    def unlisted(self, option: str, field: Field) -> TooComplex:
        return self.fault("option", f"`{self.name}`: `{option}` is not on the list of options that only read", field)

    def value(self, option: str) -> Field:
        """The next word, which is the value of ``option``."""
        if self.at >= len(self.fields):
            last = self.fields[-1]
            raise self.fault("option", f"`{self.name}`: the value of `{option}` is missing", last)
        field = self.fields[self.at]
        self.at += 1
        if field.pattern is not None or field.many:
            raise self.fault("option", f"`{self.name}`: the value of `{option}` may become several words", field)
        if looks_like_option(field) and option not in self.program.pattern_options:
            raise self.fault("option", f"`{self.name}`: the value of `{option}` looks like an option", field)
        return field

    def path(self, field: Field) -> None:
        self.found.paths.append(field)


_NO_OPTION = re.compile(r"-(?:\d.*)?", re.DOTALL)


def looks_like_option(field: Field) -> bool:
    """Whether a program, or another release of it, could take a word for an option where another word is meant."""
    return field.text.startswith("-") and not _NO_OPTION.fullmatch(field.text)


def program_words(program: Program) -> frozenset[str]:
    """Options of more than one letter behind a single ``-``."""
    return program.words | program.word_valued
