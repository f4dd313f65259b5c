"""What a call of a listed program reads."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from .arguments import Arguments, sort_arguments
from .fields import Field
from .parsed import TooComplex
from .places import Places, ReadPath, Role
from .programs import Program
from .trees import check_links_stay

_PLAIN_NAME = re.compile(r"[\w.:-]+", re.ASCII)


def program_reads(name: str, program: Program, fields: Sequence[Field], places: Places) -> Iterator[ReadPath]:
    """Every path that the call reads.

    Raises:
        TooComplex: a word has no listed role, or leads outside.
    """
    found = sort_arguments(name, program, fields)
    if program.one_of and program.one_of.isdisjoint(found.options):
        raise _fault("option", f"`{name}` without an option that makes it only print", fields)
    for path in found.paths:
        yield from places.read(path, "files")
    operands, role = _operands(name, program, found)
    if program.max_operands is not None:
        _check_count(name, program.max_operands, operands)
    if role in ("paths", "files", "names"):
        yield from _paths(name, program, found, operands, role, places)
    else:
        _check_texts(name, role, program, operands)


def _fault(check_id: str, reason: str, fields: Sequence[Field]) -> TooComplex:
    return TooComplex(check_id, reason, fields[0].start if fields else 0, fields[-1].end if fields else 0)


def _operands(name: str, program: Program, found: Arguments) -> tuple[list[Field], str]:
    operands, role = found.operands, program.operands
    if role != "pattern":
        return operands, role
    has_pattern = not program.pattern_options.isdisjoint(found.options)
    if not has_pattern and operands[:1] and (operands[0].pattern is not None or operands[0].many):
        raise _fault("glob", f"`{name}`: an unquoted wildcard as the pattern", operands)
    return operands[0 if has_pattern else 1 :], "paths"


def _check_count(name: str, most: int, operands: Sequence[Field]) -> None:
    if len(operands) > most or any(f.pattern is not None or f.many for f in operands):
        raise _fault("operands", f"`{name}` takes at most {most} operand(s) here", operands)


def _paths(
    name: str, program: Program, found: Arguments, operands: list[Field], role: str, places: Places
) -> Iterator[ReadPath]:
    options = set(found.options)
    tree = program.walks or not program.recursive.isdisjoint(options)
    names_only = not program.naming.isdisjoint(options) and program.not_naming.isdisjoint(options)
    used: Role = "names" if names_only or role == "names" else "files" if role == "files" and not tree else "paths"
    if not operands and (tree or name in ("ls", "fd", "fdfind", "rg", "tree", "du")):
        operands = [Field(".", 0, 0)]
    for field in operands:
        if field.text == "-" and field.unknown is None:
            continue
        if name == "strings" and field.text.startswith("@"):
            raise TooComplex("operands", "`strings @file` reads options from a file", field.start, field.end)
        if name in ("less", "more") and field.text.startswith("+"):
            raise TooComplex("operands", f"`{name} {field.text}` is a command of the pager", field.start, field.end)
        for read in places.read(field, used, tree):
            if (
                tree
                and not program.follows.isdisjoint(options)
                and places.roots is not None
                and os.path.isdir(read.path)
            ):
                check_links_stay(read.path, places.roots, field)
            yield read


def _check_texts(name: str, role: str, program: Program, operands: Sequence[Field]) -> None:
    if any(field.pattern is not None for field in operands):
        raise _fault("glob", f"`{name}`: an unquoted wildcard", operands)
    if role == "none" and operands:
        raise _fault("operands", f"`{name}` takes no operands here", operands)
    for field in operands:
        known = field.unknown is None
        if role == "format" and not (known and field.text.startswith("+")):
            raise _fault("operands", f"`{name}` takes only a `+format` here", [field])
        if role == "name" and not (known and _PLAIN_NAME.fullmatch(field.text)):
            raise _fault("operands", f"`{name}` takes only a plain name here", [field])
        if program.only and field.text not in program.only:
            raise _fault("operands", f"`{name} {field.text}` is not known to only print", [field])
