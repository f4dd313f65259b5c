"""Programs that take their words apart in a way of their own: what the list of options cannot say about them.

Most programs leave their options to getopt. These do not, or they make more of a value or an operand than its text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence

from .arguments import Arguments
from .fields import Field
from .parsed import TooComplex
from .places import Places, ReadPath

_XXD_OPTION = re.compile(
    r"-(?:[abeEipudr]|ps|plain|postscript|bits|include|uppercase|[cglso](?:[-+]?\d\w*)?|len|seek|cols)", re.ASCII
)
_XXD_APART = re.compile(r"-(?:[cglso]|len|seek|cols)")
_TREE_VALUED = re.compile(r"-[^-]*?[LPI](?!\Z)(?!\d+\Z)")
_CHARACTER_SET = re.compile(r"[\w.:+-]*(?://[A-Z/,]*)?", re.ASCII)
_OTHER_ZONE = re.compile(r"""TZ=["']?(?:[:/]|[^"']*\.\.)""")

_SUFFIXES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("gunzip", "gzip", "zcat", "zgrep"), (".gz", ".z", ".Z", "-gz", "-z", "_z", ".tgz", ".taz")),
    **dict.fromkeys(("unzip", "zipinfo"), (".zip", ".ZIP")),
}
"""What programs put behind the name of a file that is not there, to look for another one."""


def suffixed_reads(name: str, field: Field, places: Places) -> Iterator[ReadPath]:
    """The files that a program takes for one that is not there, when they are."""
    for directory in places.directories if name in _SUFFIXES and places.roots is not None else ():
        path = os.path.join(directory, field.text)
        if not os.path.exists(path):
            for suffix in _SUFFIXES[name]:
                if os.path.lexists(path + suffix):
                    yield from places.inside(field.text + suffix, field)


def check_words(name: str, fields: Sequence[Field], found: Arguments) -> None:
    """Check the words of a program that reads them in a way of its own.

    Raises:
        TooComplex: a word that means more, or something else, than the list of options says.
    """
    check = _CHECKS.get(name)
    if check is not None:
        check(fields, found)


def _fault(field: Field, check_id: str, reason: str) -> TooComplex:
    return TooComplex(check_id, reason, field.start, field.end)


def _check_xxd(fields: Sequence[Field], found: Arguments) -> None:
    """``xxd`` takes no clusters, and behind its first file everything is a file, the second one to be written."""
    at, behind_file = 0, False
    while at < len(fields):
        field = fields[at]
        at += 1
        if not field.text.startswith("-") or field.text == "-":
            behind_file = True
        elif field.text in ("--help", "--version"):
            continue
        elif behind_file or not _XXD_OPTION.fullmatch(field.text):
            raise _fault(field, "option", f"`xxd {field.text}` may name a file that is written")
        elif _XXD_APART.fullmatch(field.text):
            at += 1


def _check_tree(fields: Sequence[Field], found: Arguments) -> None:
    """``tree`` takes values from the next word only: what stands behind their letter are more options."""
    for field in fields:
        if _TREE_VALUED.match(field.text):
            raise _fault(field, "option", f"`tree {field.text}`: a value that `tree` reads as more options")


def _check_iconv(fields: Sequence[Field], found: Arguments) -> None:
    """A name of a character set with a slash in it is a file to ``iconv``."""
    for _, field in found.values:
        if field.unknown is None and not _CHARACTER_SET.fullmatch(field.text):
            raise _fault(field, "path", f"`iconv` may read `{field.text}` as a file")


def _check_date(fields: Sequence[Field], found: Arguments) -> None:
    """A date may name its time zone, which may be the name of any file."""
    for _, field in found.values:
        if _OTHER_ZONE.search(field.text):
            raise _fault(field, "path", "`date` with a time zone that is a file")


def _check_strings(fields: Sequence[Field], found: Arguments) -> None:
    """Wherever it stands, ``@file`` is replaced by the words in that file."""
    for field in fields:
        if field.text.startswith("@"):
            raise _fault(field, "operands", "`strings @file` reads options from a file")


_CHECKS: dict[str, Callable[[Sequence[Field], Arguments], None]] = {
    "date": _check_date,
    "iconv": _check_iconv,
    "strings": _check_strings,
    "tree": _check_tree,
    "xxd": _check_xxd,
}
