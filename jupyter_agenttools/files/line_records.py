"""What an engine says of the lines that match, read back from its records."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

MAX_PLAIN_RECORD_BYTES = 1 << 20
"""A longer record is a very long line, perhaps with a million matches in it: only its first ones are read."""

FEW_SPANS = 100
"""Matches in one record that are of interest where lines are what is shown."""

_LINES = b'"lines":'
_NUMBER = b'},"line_number":'
"""Cannot be inside of a JSON text, where its quotes would be escaped."""

_MATCHES = re.compile(rb'"matches":(\d+)')
_MATCHES_WITHIN = 60
"""Of Python's engine, which tells of the first matches only and then says how many there are."""

_START = re.compile(rb'"start":(\d+),"end":(\d+)')


class LineRecord(NamedTuple):
    """Lines that match, or one around them.

    Attributes:
        number: of the first line.
        text: the lines with their ends.
        is_match: whether they match.
        spans: the first matches that are not empty, in characters of the text.
        matches: how many there are.
    """

    number: int
    text: str
    is_match: bool
    spans: tuple[tuple[int, int], ...]
    matches: int


def read_records(output: bytes, most_spans: int = FEW_SPANS) -> Iterator[tuple[bytes, LineRecord]]:
    """The records with the path of each, ``./`` before it. One that was cut off in the middle ends them.

    Args:
        most_spans: how many matches of one record are of interest.
    """
    path = b""
    for raw in output.split(b"\n"):
        if raw.startswith(b'{"type":"begin"'):
            path = _bytes_of(json.loads(raw)["data"]["path"])
        elif raw.startswith((b'{"type":"match"', b'{"type":"context"')):
            if not raw.endswith(b"}}"):
                return
            yield path, _record(raw, most_spans)


def _record(raw: bytes, most_spans: int) -> LineRecord:
    is_match = raw.startswith(b'{"type":"match"')
    if len(raw) > MAX_PLAIN_RECORD_BYTES:
        return _long_record(raw, is_match, most_spans)
    data = json.loads(raw)["data"]
    places = [(found["start"], found["end"]) for found in data["submatches"] if found["start"] < found["end"]]
    matches = data.get("matches", len(places))
    return _made(data["lines"], data["line_number"], is_match, places[:most_spans], matches)


def _long_record(raw: bytes, is_match: bool, most_spans: int) -> LineRecord:
    start, end = raw.index(_LINES) + len(_LINES), raw.index(_NUMBER)
    rest = raw[end + len(_NUMBER) :]
    number = int(rest[: rest.index(b",")])
    found = ((int(place[1]), int(place[2])) for place in _START.finditer(rest))
    places = list(islice((place for place in found if place[0] < place[1]), most_spans))
    told = _MATCHES.search(rest, 0, _MATCHES_WITHIN)
    matches = int(told[1]) if told else rest.count(b'"start":')
    return _made(json.loads(raw[start : end + 1]), number, is_match, places, matches)


def _made(
    lines: dict[str, Any], number: int, is_match: bool, places: list[tuple[int, int]], matches: int
) -> LineRecord:
    if "text" in lines:
        text = lines["text"]
    else:
        text = _bytes_of(lines).decode("utf-8", "surrogateescape")
    return LineRecord(number, text, is_match, _in_characters(text, places), matches)


def _bytes_of(value: dict[str, str]) -> bytes:
    if "text" in value:
        return value["text"].encode("utf-8", "surrogateescape")
    return base64.b64decode(value["bytes"])


def _in_characters(text: str, places: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Places counted in bytes of UTF-8, as places in the text."""
    if not places or text.isascii():
        return tuple(places)
    data = text.encode("utf-8", "surrogateescape")
    at = count = 0
    known = {}
    for place in sorted({place for both in places for place in both}):
        count += len(data[at:place].decode("utf-8", "surrogateescape"))
        at, known[place] = place, count
    return tuple((known[start], known[end]) for start, end in places)
