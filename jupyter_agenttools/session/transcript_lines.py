"""The lines of a transcript, read back. Nothing in a file can make this fail: what cannot be read is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..core.errors import UsageError

_BEGINNING = b'{"type":"'


class Line(NamedTuple):
    """One line.

    Attributes:
        number: from 1 on.
        kind: its ``type``; ``""`` when the line cannot be read.
        fields: everything in it; nothing when it cannot be read.
    """

    number: int
    kind: str
    fields: dict[str, Any]

    def text(self, name: str) -> str:
        """The field of that name if it is a text, else ``""``."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""

    def mapping(self, name: str) -> dict[str, Any]:
        """The field of that name if it is an object, else an empty one."""
        value = self.fields.get(name)
        return value if isinstance(value, dict) else {}

    def items(self, name: str) -> list[Any]:
        """The field of that name if it is a list, else an empty one."""
        value = self.fields.get(name)
        return value if isinstance(value, list) else []

    def count(self, name: str) -> float:
        """The field of that name if it is a number, else 0."""
        value = self.fields.get(name)
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0

    @property
    def tool_use_id(self) -> str | None:
        """The call that the line is about."""
        return self.text("tool_use_id") or None


@cache
def _decoder() -> Callable[[bytes], Any]:
    from msgspec.json import Decoder

    return Decoder().decode


def read_lines(path: Path, *, only: tuple[str, ...] = (), counted: Counter[str] | None = None) -> Iterator[Line]:
    """Every line of the file, empty ones left out, in one walk.

    Args:
        only: kinds; lines of others are passed over without being decoded, as far as their beginning tells the kind.
        counted: gets how many lines of which kind were passed over.

    Raises:
        UsageError: the file cannot be opened.
    """
    wanted = tuple(f'{{"type":"{kind}"'.encode() for kind in only)
    try:
        with open(path, "rb") as file:
            for number, raw in enumerate(file, 1):
                if only and raw.startswith(_BEGINNING) and not raw.startswith(wanted):
                    if counted is not None:
                        counted[raw[len(_BEGINNING) : raw.find(b'"', len(_BEGINNING))].decode(errors="replace")] += 1
                    continue
                if raw.strip():
                    yield _line(number, raw)
    except OSError as problem:
        raise UsageError(f"the transcript cannot be read: {problem}") from problem


def _line(number: int, raw: bytes) -> Line:
    try:
        fields = _decoder()(raw)
    except (ValueError, RecursionError):  # torn by a crash, or by somebody's editor
        return Line(number, "", {})
    if not isinstance(fields, dict) or not isinstance(fields.get("type"), str):
        return Line(number, "", {})
    return Line(number, fields["type"], fields)
