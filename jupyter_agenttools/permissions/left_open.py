"""What of a call does no rule allow? In words, and with the places of a command that they are about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from .command.coverage import Coverage, OpenPart, Overview
from .question import Question

PART_CHARS = 80
"""Of a part that a reason names; all of it is shown beside the reason."""

TOLD_PARTS = 3
"""So many parts are named; all of them are underlined where the command is shown."""

BEHIND = ", and what is behind that was not looked at"

_SUBJECT = re.compile(r"`[^`]*` is (?=not )")


class Told(NamedTuple):
    """``words`` for behind "no rule allows"; ``spans`` are the places in the command, ``[start, end)``."""

    words: str
    spans: tuple[tuple[int, int], ...] = ()


def what_is_open(question: Question, seen: Overview | None, covered: Coverage | None) -> Told:
    """What is it that no rule allows, and what is the matter with it?

    Args:
        seen: what rules leave open of a command for bash. covered: what they say of a command.
    """
    command, why = question.command, question.opinion.reason
    parts = seen.parts if seen is not None else ()
    if command is not None and covered is not None and not parts and len(question.parsed.commands) > 1:
        parts = (OpenPart(covered.missing, (0, 0), covered.why or why, ""),) if covered.missing else ()
    is_all = len(parts) == 1 and command is not None and _line(parts[0].text) == _line(command)
    if command is None or not parts or is_all or _is_unread(question):
        return Told(f"it ({why})" if why else "it", _spans(parts))
    named = ", ".join(_group(list(group)) for _, group in groupby(parts[:TOLD_PARTS], _matter))
    more = len(parts) - TOLD_PARTS
    rest = f" and {more} more part{'' if more == 1 else 's'} of it" if more > 0 else ""
    behind = "" if seen is None or seen.is_whole or _ends(parts[-1], command) else BEHIND
    return Told(named + rest + behind, _spans(parts))


def _spans(parts: Sequence[OpenPart]) -> tuple[tuple[int, int], ...]:
    return tuple(part.span for part in parts if part.span != (0, 0))


def _is_unread(question: Question) -> bool:
    """Whether it cannot be said what the parts of the command are."""
    return question.is_bash and question.parsed.kind == "too-complex"


def _line(text: str) -> str:
    return " ".join(text.split())


def _ends(part: OpenPart, command: str) -> bool:
    """Whether there is nothing behind the part."""
    return part.span == (0, 0) or not command[part.span[1] :].strip(" \t\n;&)")


def _matter(part: OpenPart) -> str:
    """What is the matter, without the name of what it is the matter with."""
    return _SUBJECT.sub("", part.why, count=1)


def _group(parts: Sequence[OpenPart]) -> str:
    """Neighbours with which the same is the matter: that is said once."""
    texts = [f"`{_short(part.text)}`" for part in parts]
    whys = {part.why for part in parts}
    why = parts[0].why if len(whys) == 1 else _matter(parts[0]).replace("not ", "none is ", 1)
    return ", ".join(texts) + (f" ({why})" if why else "")


def _short(text: str) -> str:
    line = _line(text)
    return line if len(line) <= PART_CHARS else line[: PART_CHARS - 1] + "…"
