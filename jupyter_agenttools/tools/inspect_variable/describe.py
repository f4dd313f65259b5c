"""What is this value? Python's own classes, the tables and arrays of the well-known libraries, and anything else."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import types
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ...core.secret_values import names_secret
from ...core.secrets import redact
from .described import Described
from .known import is_a, is_plain_mapping, is_plain_sequence, library_of
from .paths import own_attributes
from .texts import HIDDEN, MAX_ITEMS, class_name, named, value_text

MAX_COLUMNS = 60
MAX_TEXT_CHARS = 8_000
MAX_WIDTH = 200
Facts = list[tuple[str, str]]


def describe(path: str, value: Any, rows: int) -> Described:
    """What can be said of ``value``, which stands at ``path``, with up to ``rows`` rows of it."""
    kind = library_of(value)
    if _is_secret(path, value):
        return Described(path, class_name(type(value)), notes=(f"its value is {HIDDEN.strip('()')}",))
    if kind:
        made = _LIBRARIES[kind.partition(".")[0]](path, value, kind, rows)
    else:
        made = _of_python(path, value)
    text = redact(made.text)
    if len(text) > MAX_TEXT_CHARS:
        text = f"{text[:MAX_TEXT_CHARS]}\n… {len(text) - MAX_TEXT_CHARS:,} characters left out …"
    return dataclasses.replace(made, text=text)


_TEXT_TYPES = ("object", "str", "string")


def _is_secret(path: str, value: Any) -> bool:
    """Whether the last name of the path says that what it holds is secret. A table or a function is no secret."""
    last = path.rpartition(".")[2].rstrip("]").rpartition("[")[2].strip("'\"")
    if type(value) in (str, bytes, bytearray):
        return bool(value) and names_secret(last)
    texts = library_of(value) in ("pandas.Series", "polars.Series") and str(value.dtype).lower() in _TEXT_TYPES
    return texts and (names_secret(last) or names_secret(str(value.name)))


def _size(value: Any) -> Facts:
    return [("memory", bytes_text(sys.getsizeof(value)))]


def bytes_text(count: int) -> str:
    """``12 bytes``, ``3.4 kB``, ``5.6 MB``."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count} bytes"


def _of_python(path: str, value: Any) -> Described:
    name = class_name(type(value))
    if type(value) is str:
        return Described(path, name, (("characters", f"{len(value):,}"),), text=value_text(value))
    if is_plain_mapping(value) or is_plain_sequence(value) or type(value) in (set, frozenset):
        return Described(path, name, (("length", f"{len(value):,}"), *_size(value)), text=value_text(value))
    if type(value) is types.FunctionType:
        return Described(path, name, text=_signature(value))
    if is_a(value, type):
        return Described(path, "class", text=f"class {class_name(value)}", columns=tuple(_members(value)))
    text = value_text(value)
    if text != named(value):
        return Described(path, name, text=text)
    note = "its repr is code of its own and is not run here; REPL can"
    columns = tuple(_members(value))
    return Described(path, name, text=text, columns=columns, notes=() if columns else (note,))


def _signature(function: types.FunctionType) -> str:
    """How it is called, and the first line of what it says of itself; defaults only as far as they are harmless."""
    code, keywords = function.__code__, function.__kwdefaults__ or {}
    names, only = code.co_varnames[: code.co_argcount], code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    given = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False)) | keywords
    rest = iter(code.co_varnames[code.co_argcount + code.co_kwonlyargcount :])
    star = (f"*{next(rest)}",) if code.co_flags & inspect.CO_VARARGS else ("*",) if only else ()
    stars = (f"**{next(rest)}",) if code.co_flags & inspect.CO_VARKEYWORDS else ()
    told = {name: f"{name}={value_text(given[name], 3, 40)}" if name in given else name for name in (*names, *only)}
    shown = ", ".join((*(told[n] for n in names), *star, *(told[n] for n in only), *stars))
    doc = function.__doc__ if type(function.__doc__) is str else ""
    return f"def {function.__name__}({shown})" + (f"\n{doc.strip().splitlines()[0][:200]}" if doc.strip() else "")


def _members(value: Any) -> Iterator[tuple[str, str]]:
    """The public attributes that an object itself holds, with what they are."""
    held = {name: item for name, item in own_attributes(value).items() if type(name) is str and name[:1] != "_"}
    for name, item in islice(held.items(), MAX_ITEMS):
        secret = type(item) in (str, bytes) and names_secret(name)
        yield name, HIDDEN if secret else redact(value_text(item, 3, 100))
    if len(held) > MAX_ITEMS:
        yield "…", f"{len(held) - MAX_ITEMS:,} more attributes"


# ---- libraries


def _of_numpy(path: str, value: Any, kind: str, rows: int) -> Described:
    if not hasattr(value, "shape") or kind != "numpy.ndarray":
        return Described(path, kind, text=str(value))
    facts: Facts = [("shape", str(tuple(value.shape))), ("dtype", str(value.dtype))]
    facts.append(("memory", bytes_text(value.nbytes)))
    facts += _spread(value)
    return Described(path, kind, tuple(facts), text=_numpy_text(value))


def _numpy_text(value: Any) -> str:
    if value.dtype.hasobject:
        return value_text(value.ravel()[:MAX_ITEMS].tolist())
    numpy: Any = sys.modules["numpy"]
    return numpy.array2string(value, threshold=100, edgeitems=3, max_line_width=MAX_WIDTH)


MAX_SPREAD = 5_000_000
"""Elements that are looked through for the smallest and the greatest one."""


def _spread(value: Any) -> Facts:
    if value.dtype.kind not in "iuf" or not 0 < value.size <= MAX_SPREAD:
        return []
    numpy: Any = sys.modules["numpy"]
    missing = int(numpy.isnan(value).sum()) if value.dtype.kind == "f" else 0
    if missing == value.size:
        return [("values", "all of them are NaN")]
    facts = [("range", f"{numpy.nanmin(value)} to {numpy.nanmax(value)}")]
    return [*facts, *([("NaN", f"{missing:,}")] if missing else [])]


def _of_pandas(path: str, value: Any, kind: str, rows: int) -> Described:
    if kind == "pandas.DataFrame":
        facts = [("shape", f"{value.shape[0]:,} rows × {value.shape[1]:,} columns")]
        facts += [("index", f"{type(value.index).__name__}"), ("memory", bytes_text(int(value.memory_usage().sum())))]
        columns = tuple((str(n), str(t)) for n, t in islice(value.dtypes.items(), MAX_COLUMNS))
        more = value.shape[1] - MAX_COLUMNS
        notes = (f"{more:,} more columns",) if more > 0 else ()
        text = _private(value).head(rows).to_string(max_cols=20, max_colwidth=60, line_width=MAX_WIDTH)
        return Described(path, kind, tuple(facts), columns, text if value.shape[0] and rows else "", notes)
    if kind == "pandas.Series":
        facts = [("length", f"{len(value):,}"), ("dtype", str(value.dtype)), ("name", str(value.name))]
        facts.append(("memory", bytes_text(int(value.memory_usage()))))
        return Described(path, kind, tuple(facts), text=value.head(rows).to_string() if len(value) and rows else "")
    return Described(path, kind, text=str(value))


def _private(frame: Any) -> Any:
    """The table with what secret columns hold left out."""
    secret = [name for name in frame.columns if type(name) is str and names_secret(name)]
    return frame.head(1_000).assign(**{name: "(hidden)" for name in secret}) if secret else frame


def _of_polars(path: str, value: Any, kind: str, rows: int) -> Described:
    if kind == "polars.DataFrame":
        facts = [("shape", f"{value.height:,} rows × {value.width:,} columns")]
        facts.append(("memory", bytes_text(int(value.estimated_size()))))
        columns = tuple((name, str(kind_)) for name, kind_ in islice(value.schema.items(), MAX_COLUMNS))
        secret = [name for name in value.columns if names_secret(name)]
        polars: Any = sys.modules["polars"]
        head = value.head(rows).with_columns(**{name: polars.lit("(hidden)") for name in secret})
        return Described(path, kind, tuple(facts), columns, str(head) if rows else "")
    if kind == "polars.Series":
        facts = [("length", f"{len(value):,}"), ("dtype", str(value.dtype)), ("name", value.name)]
        return Described(path, kind, tuple(facts), text=str(value.head(rows)) if rows else "")
    return Described(path, kind, notes=("a query that has not been run; REPL can collect it",))


def _of_torch(path: str, value: Any, kind: str, rows: int) -> Described:
    if kind != "torch.Tensor":
        return Described(path, kind, text=str(value))
    facts = [("shape", str(tuple(value.shape))), ("dtype", str(value.dtype)), ("device", str(value.device))]
    facts += [("requires_grad", str(value.requires_grad))]
    facts.append(("memory", bytes_text(value.element_size() * value.nelement())))
    return Described(path, kind, tuple(facts), text=str(value.detach()))


_LIBRARIES = {"numpy": _of_numpy, "pandas": _of_pandas, "polars": _of_polars, "torch": _of_torch}
