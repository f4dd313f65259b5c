"""The record of an ``%%agent`` cell: what it was asked, what came of it, and whether it is still the record of a text.

It is a part of the trace that a turn leaves in the notebook, so it goes wherever the notebook goes. Whoever can write
to the file can write a record: its HTML is shown again as it is, and its turn told to the model, only where the record
has the seal of this user's machine. Any other is made anew from its data, for a person alone.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import os
import secrets
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from typing import Any

from ..core.home import working_folder
from ..core.names import TRACE_MIME_TYPE
from ..core.texts import visible
from ..core.updates import TurnEnded

Bundle = Mapping[str, Any]

KEY = "record"
"""Where the record stands in the trace."""
VERSION = 1
ANSWER_CHARS = 8_000
PROMPT_CHARS = 4_000
CUT_CHARS = 60
"""Room for the words that say how much is missing: what was cut once is cut no more."""
MOST_LEVELS = 100
"""So deep is the data of a record at most: Python itself gives up at some hundred."""
MOST_CHARS = 400_000
"""Of all the texts of a bundle, each thing in it counted as one more: some times what a turn leaves."""
NOT_ASKED = frozenset({"--rerun", "--background"})
"""Options that say how a cell is run, and not what the model is asked."""
RECORDED = frozenset({"end_turn", "max_turns", "max_tokens", "hook", "refusal"})
"""Endings that are kept. After an error or an interrupt the cell is run again like any other."""
LAST_SECOND = 253_402_300_799
"""The end of the year 9999: what is later is no time that a calendar knows."""
KEY_BYTES = 32


@dataclass(frozen=True)
class CellRecord:
    """What is kept of a turn so that its cell need not be run again.

    Args:
        fingerprint: of the cell's text, see :func:`fingerprint_of`.
        session, turn: ids of the session and of the turn in which it ran.
        at: when it ended, seconds since 1970.
        reason: how it ended, as in a ``TurnEnded``.
        prompt, answer: what was asked and answered, cut where they are long.
    """

    fingerprint: str
    session: str
    turn: str
    at: float
    reason: str
    prompt: str
    answer: str

    @property
    def ended(self) -> TurnEnded:
        """The turn's end, as the cell's value."""
        return TurnEnded(self.reason, self.answer)  # type: ignore[arg-type]

    @property
    def day(self) -> str:
        """When it ran, in this machine's time."""
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(self.at))


def fingerprint_of(line: str, body: str, more: str = "") -> str:
    """What tells one question to a model from another: the cell's options, its text, and what they stand for.

    Args:
        line: the text after ``%%agent``. body: the cell below it.
        more: what the text does not hold itself: values of variables, the contents of a script.
    """
    words = [word for word in line.split() if word not in NOT_ASKED]
    return hashlib.sha256(json.dumps([words, body.rstrip(), more]).encode()).hexdigest()


def cut(text: str, chars: int) -> str:
    """The beginning of a text, and how much is missing; a text that was cut already stays as it is."""
    if len(text) <= chars + CUT_CHARS:
        return text
    return f"{text[:chars]}… [{len(text) - chars:,} more characters are not kept here]"


# ---- in a bundle


def with_record(bundle: Bundle, record: CellRecord) -> dict[str, Any]:
    """The turn's bundle with its record in the trace, sealed."""
    kept = {**bundle, TRACE_MIME_TYPE: {**bundle.get(TRACE_MIME_TYPE, {}), KEY: {"version": VERSION, **asdict(record)}}}
    kept[TRACE_MIME_TYPE][KEY]["seal"] = _seal(kept, record)
    return kept


def record_of(bundle: Bundle) -> CellRecord | None:
    """The record in an output's data, ``None`` when there is none that can be used."""
    trace = bundle.get(TRACE_MIME_TYPE)
    data = trace.get(KEY) if isinstance(trace, Mapping) else None
    if not isinstance(data, Mapping) or not is_plain(bundle) or data.get("version") != VERSION:
        return None
    kinds = {field.name: (int, float) if field.name == "at" else str for field in fields(CellRecord)}
    if not all(isinstance(data.get(name), kind) for name, kind in kinds.items()):
        return None
    texts = {"prompt": cut(data["prompt"], PROMPT_CHARS), "answer": cut(data["answer"], ANSWER_CHARS)}
    record = CellRecord(**{name: data[name] for name in kinds} | texts)
    return record if record.reason in RECORDED and 0 <= record.at <= LAST_SECOND else None


def is_plain(data: Any) -> bool:
    """Whether this data can be sealed and shown: not too deep, not too much, and nothing that no encoder takes.

    It is looked at level by level, as it may be nested deeper than Python can follow.
    """
    level, left = [data], MOST_CHARS
    for _ in range(MOST_LEVELS):
        left -= sum(len(each) if isinstance(each, str) else 1 for each in level) + len(level)
        if left < 0 or not all(map(_is_plain_value, level)):
            return False
        level = [part for each in level for part in _parts(each)]
        if not level:
            return True
    return False


def _is_plain_value(value: Any) -> bool:
    if isinstance(value, str):
        return visible(value) is value
    return not isinstance(value, float) or math.isfinite(value)


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return (*value.keys(), *value.values())
    return value if isinstance(value, (list, tuple)) else ()


def is_sealed(bundle: Bundle, record: CellRecord) -> bool:
    """Whether this user's own machine made this bundle, and nobody changed it since."""
    given = bundle[TRACE_MIME_TYPE][KEY].get("seal")
    return isinstance(given, str) and given.isascii() and hmac.compare_digest(given, _seal(bundle, record))


def _seal(bundle: Bundle, record: CellRecord) -> str:
    """A code of all that is shown, which only this user can have made; ``""`` is never one that counts."""
    shown = {mime: text for mime, text in sorted(bundle.items()) if mime != TRACE_MIME_TYPE}
    trace = {name: value for name, value in bundle[TRACE_MIME_TYPE].items() if name != KEY}
    sealed = json.dumps(_canonical([asdict(record), shown, trace]), sort_keys=True).encode()
    return hmac.new(_key(), sealed, hashlib.sha256).hexdigest()


def _canonical(value: Any) -> Any:
    """The same JSON data with whole numbers written in one way: a page writes 12 for 12.0."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {name: _canonical(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(item) for item in value]
    return value


def _key() -> bytes:
    """This user's key, made when first needed. Where it cannot be kept, each seal is good for nothing later."""
    try:
        path = os.path.join(working_folder("keys"), "cell-records")
        with suppress(FileExistsError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as new:
                new.write(secrets.token_bytes(KEY_BYTES))
        with open(path, "rb") as kept:
            key = kept.read()
    except OSError:
        key = b""
    return key if len(key) == KEY_BYTES else secrets.token_bytes(KEY_BYTES)
