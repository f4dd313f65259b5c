"""Programs about processes, networks and packages whose words do not follow the usual pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from .parsed import TooComplex
from .places import ReadPath

if TYPE_CHECKING:
    from .follow import Call

_FORMS: dict[str, re.Pattern[str]] = {
    # A name instead of a number would be asked of the network.
    "lsof": re.compile(
        r"(?: -[nPtRlw]+| -i| -[nPtRlw]*i ?(?:[46]?(?:TCP|UDP|tcp|udp)?(?::\d+(?:[,-]\d+)*)?)| -sTCP:[A-Z]+"
        r"| -[nPtRlw]*[pu] ?[\w,]+)*"
    ),
    "ip": re.compile(
        r"(?: -(?:br|brief|4|6|j|json|p|pretty|s|d|o|c|color))*"
        r" (?:a|addr|address|l|link|r|route|n|neigh|neighbour|rule)(?: (?:s|show|list|ls)(?: (?:dev )?[a-z][\w.-]*)?)?"
    ),
    "dpkg": re.compile(
        r" (?:-l|--list|-s|--status|-L|--listfiles|--get-selections|--print-architecture)(?: [a-z0-9][\w.+:*-]*)*"
    ),
    "dpkg-query": re.compile(r" (?:-l|--list|-s|--status|-L|--listfiles|-W|--show)(?: [a-z0-9][\w.+:*-]*)*"),
}
"""By program: what its words may be, each behind a blank."""

_ZGREP = re.compile(r"-[ivcnlhHowEFxqs]+")
_ZGREP_PATTERN = re.compile(r"[\w .:,=/@%+^$*|()?-]+", re.ASCII)


def _texts(call: Call) -> list[str]:
    for field in call.fields:
        if field.unknown is not None or field.pattern is not None or field.process or " " in field.text:
            said = f"`{call.name}` with a word that is not plain"
            raise TooComplex("expansion", said, field.start, field.end)
    return [field.text for field in call.fields]


def form_reads(call: Call) -> Iterable[ReadPath]:
    """Nothing: a program that tells about the system, in one of the forms in which it changes nothing there."""
    words = _texts(call)
    if words not in (["--version"], ["--help"]) and not _FORMS[call.name].fullmatch("".join(f" {w}" for w in words)):
        said = f"`{call.name} {' '.join(words)}` is not known to only tell"
        raise TooComplex("option", said, call.start, call.end)
    return ()


def zgrep_reads(call: Call) -> Iterator[ReadPath]:
    """What ``zgrep`` reads. It is a script of the shell, so that only plain patterns and names are let through."""
    fields = list(call.fields)
    while fields and fields[0].unknown is None and _ZGREP.fullmatch(fields[0].text):
        fields.pop(0)
    pattern = fields[0] if fields else None
    if pattern is None or pattern.unknown is not None or pattern.pattern is not None:
        raise TooComplex("option", "`zgrep` without a plain pattern", call.start, call.end)
    if not _ZGREP_PATTERN.fullmatch(pattern.text) or pattern.text.startswith("-"):
        raise TooComplex("option", "`zgrep` with an odd pattern", pattern.start, pattern.end)
    for field in fields[1:]:
        if field.text.startswith("-"):
            raise TooComplex("option", f"`zgrep {field.text}`", field.start, field.end)
        for read in call.places.read(field, "contents"):
            if not re.fullmatch(r"[\w./+-]+", read.given):
                raise TooComplex("path", "`zgrep` with a file whose name is not plain", field.start, field.end)
            yield read


SYSTEM: dict[str, Callable[[Call], Iterable[ReadPath]]] = {
    **dict.fromkeys(_FORMS, form_reads),
    "zgrep": zgrep_reads,
}
"""What a call of a listed program reads."""
