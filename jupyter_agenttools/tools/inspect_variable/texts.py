"""The value of something as text, without calling ``repr`` of any class that is not known to be harmless."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import pathlib
import types
import uuid
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ...core.secret_values import names_secret
from .known import is_a, is_plain_mapping, is_plain_sequence, library_of
from .paths import own_attributes

MAX_ITEMS = 30
MAX_DEPTH = 4
MAX_STRING_CHARS = 2_000
HIDDEN = "(hidden: its name says that it is secret)"

_PLAIN = (
    bool, int, float, complex, type(None), bytes, bytearray, range, slice, type(Ellipsis), type(NotImplemented),
    datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone, decimal.Decimal,
    fractions.Fraction, uuid.UUID, pathlib.PosixPath, pathlib.WindowsPath, pathlib.PurePosixPath,
)  # fmt: skip


def value_text(value: Any, depth: int = 0, max_string: int = MAX_STRING_CHARS) -> str:
    """``value`` as Python writes it, cut; an object of any other class is only named."""
    cls = type(value)
    if cls is str:
        return _string(value, max_string)
    if cls is int and value.bit_length() > 4_000:
        return f"<int of {value.bit_length():,} bits>"
    if cls in (bytes, bytearray) and len(value) > max_string:
        return f"{value[: max_string // 4]!r}… ({len(value):,} bytes)"
    if cls in _PLAIN:
        return repr(value)
    if is_plain_mapping(value):
        return _collection(_pairs(value, depth), len(value), "{", "}", depth)
    if is_plain_sequence(value) or cls in (set, frozenset):
        opening, closing = {list: "[]", tuple: "()"}.get(cls, "{}" if cls in (set, frozenset) else "[]")
        items = (value_text(item, depth + 1, 200) for item in islice(value, MAX_ITEMS))
        return _collection(items, len(value), opening, closing, depth)
    return named(value)


def _string(value: str, most: int) -> str:
    return repr(value) if len(value) <= most else f"{value[:most]!r}… ({len(value):,} characters)"


def _pairs(value: Any, depth: int) -> Iterator[str]:
    for key, item in islice(dict.items(value), MAX_ITEMS):
        secret = type(key) is str and names_secret(key) and type(item) in (str, bytes) and len(item) > 0
        shown = HIDDEN if secret else value_text(item, depth + 1, 200)
        yield f"{value_text(key, depth + 1, 200)}: {shown}"


def _collection(items: Iterator[str], count: int, opening: str, closing: str, depth: int) -> str:
    if depth >= MAX_DEPTH and count:
        return f"{opening}… {count:,} items{closing}"
    more = [f"… {count - MAX_ITEMS:,} more"] if count > MAX_ITEMS else []
    parts = [*items, *more]
    one_line = ", ".join(parts)
    if depth or len(one_line) <= 100:
        return f"{opening}{one_line}{closing}"
    return "\n".join((opening, *(f"  {part}," for part in parts), closing))


def named(value: Any) -> str:
    """What class an object is of, and which library's; nothing of its own is called."""
    if type(value) is types.ModuleType:
        return f"<module {value_text(own_attributes(value).get('__name__'))}>"
    if is_a(value, type):
        return f"<class {class_name(value)}>"
    if type(value) in (types.FunctionType, types.BuiltinFunctionType):
        return f"<function {value.__qualname__}>"
    if is_a(value, enum.Enum) and type(name := own_attributes(value).get("_name_")) is str:
        return f"<{class_name(type(value))} {name}>"
    if (kind := library_of(value)) and (shape := getattr(value, "shape", None)) is not None:
        return f"<{kind} {'×'.join(map(str, shape))}>"
    return f"<{class_name(type(value))} object>"


def class_name(cls: type) -> str:
    """The name of a class, with its module unless that is Python's or the notebook's own."""
    module, name = type.__dict__["__module__"].__get__(cls), type.__dict__["__qualname__"].__get__(cls)
    known = type(module) is str and module not in ("builtins", "__main__", "__repl__")
    return f"{module}.{name}" if known else name
