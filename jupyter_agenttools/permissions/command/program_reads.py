"""What a call of a listed program reads."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from .arguments import Arguments, sort_arguments
from .fields import Field
from .odd_words import check_words, suffixed_reads
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
    check_words(name, fields, found)
    if program.one_of and found.operands and program.one_of.isdisjoint(found.options):
        raise _fault("option", f"`{name}` without an option that makes it only print", fields)
    for path in found.paths:
        if path.unknown is not None:
            raise _fault("path", f"`{name}` with a path that is not known beforehand", fields)
        yield from places.read(path, "names" if program.operands == "names" else "files")
    operands, role = _operands(name, program, found)
    if program.max_operands is not None:
        _check_count(name, program.max_operands, operands)
    if role in ("paths", "files", "contents", "names"):
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
    return operands[0 if has_pattern else 1 :], "contents"


def _check_count(name: str, most: int, operands: Sequence[Field]) -> None:
    if len(operands) > most or any(f.pattern is not None or f.many for f in operands):
        raise _fault("operands", f"`{name}` takes at most {most} operand(s) here", operands)


def _paths(
    name: str, program: Program, found: Arguments, operands: list[Field], role: str, places: Places
) -> Iterator[ReadPath]:
    options = set(found.options)
    tree = program.walks or not program.recursive.isdisjoint(options) or _recurses(name, found)
    used = _role(program, role, options, tree)
    if not operands and (tree or name in ("ls", "dir", "vdir", "fd", "fdfind", "rg", "tree", "du")):
        operands = [Field(".", 0, 0)]
    for field in operands:
        if field.unknown is None and (field.text == "-" or (name == "df" and field.text == "/")):
            continue
        if name in ("less", "more") and field.text.startswith("+"):
            raise TooComplex("operands", f"`{name} {field.text}` is a command of the pager", field.start, field.end)
        yield from suffixed_reads(name, field, places)
        for read in places.read(field, used, tree):
            if name == "strings" and os.path.basename(read.given).startswith("@"):
                raise TooComplex("operands", f"`{read.given}` would be read as a list of words", field.start, field.end)
            if not program.follows.isdisjoint(options) and places.roots is not None and os.path.isdir(read.path):
                check_links_stay(read.path, places.roots, field)
            yield read


def _role(program: Program, role: str, options: set[str], tree: bool) -> Role:
    follows = not program.not_naming.isdisjoint(options)
    if (role == "names" or not program.naming.isdisjoint(options)) and not follows:
        return "names"
    if tree or role not in ("files", "contents"):
        return "paths"
    return "files" if role == "files" else "contents"


def _recurses(name: str, found: Arguments) -> bool:
    """``grep -d recurse`` is ``grep -r``."""
    if name not in ("grep", "egrep", "fgrep"):
        return False
    return any(o in ("-d", "--directories") and field.text not in ("read", "skip") for o, field in found.values)


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
