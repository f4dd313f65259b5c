"""Classes whose own code may be run to look at their objects: Python's, and those of the well-known data libraries.

Exactly these classes and no class made from them: what a person overrides is the person's code.
"""

from __future__ import annotations

import collections
import sys
from typing import Any

_CLASSES = {
    "numpy": ("ndarray", "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
              "float16", "float32", "float64", "complex64", "complex128", "datetime64", "timedelta64"),
    "pandas": ("DataFrame", "Series", "Index", "RangeIndex", "MultiIndex", "DatetimeIndex", "Categorical",
               "Timestamp", "Timedelta"),
    "polars": ("DataFrame", "Series", "LazyFrame"),
    "torch": ("Tensor", "Size"),
}  # fmt: skip
_SAFE_ATTRIBUTES = frozenset(
    {"shape", "dtype", "dtypes", "size", "ndim", "nbytes", "columns", "index", "name", "schema", "device", "T",
     "height", "width", "itemsize", "requires_grad"}
)  # fmt: skip
_SEQUENCES = (list, tuple, str, bytes, bytearray, range)
_MAPPINGS = (dict, collections.OrderedDict, collections.Counter, collections.defaultdict)


def library_of(value: Any) -> str:
    """The data library of which exactly this class is, e.g. ``pandas.DataFrame``; ``""`` for any other class."""
    cls = type(value)
    for library, names in _CLASSES.items():
        module = sys.modules.get(library)
        for name in names if module is not None else ():
            if module.__dict__.get(name) is cls or (library == "polars" and getattr(module, name, None) is cls):
                return f"{library}.{name}"
    return ""


def is_a(value: Any, cls: type | tuple[type, ...]) -> bool:
    """Whether an object really is of a class: ``isinstance`` also believes what the object says of itself."""
    return issubclass(type(value), cls)


def is_plain_mapping(value: Any) -> bool:
    return type(value) in _MAPPINGS


def is_plain_sequence(value: Any) -> bool:
    return type(value) in _SEQUENCES or type(value) is collections.deque


def trusted_attribute(value: Any, name: str) -> tuple[Any] | None:
    """An attribute that a library works out, such as ``shape``, in a tuple; ``None`` where it may be anything."""
    if name not in _SAFE_ATTRIBUTES or not library_of(value):
        return None
    try:
        return (getattr(value, name),)
    except AttributeError:
        return None


def column_of(value: Any, name: str) -> bool:
    """Whether a table has a column of that name, which its attributes give as well."""
    return library_of(value) == "pandas.DataFrame" and name in value.columns


def item_of(value: Any, key: str | int) -> tuple[Any] | None:
    """An item in a tuple; ``None`` where only code of the person's could tell.

    Raises:
        LookupError: there is no such item.
    """
    if is_plain_mapping(value):
        return (dict.__getitem__(value, key),)
    if is_plain_sequence(value):
        return (value[key],)  # type: ignore[index]
    kind = library_of(value)
    if kind in ("pandas.Series", "pandas.Index", "pandas.RangeIndex", "pandas.DatetimeIndex"):
        return (value.iloc[key] if isinstance(key, int) and kind == "pandas.Series" else value[key],)
    return (value[key],) if kind else None
