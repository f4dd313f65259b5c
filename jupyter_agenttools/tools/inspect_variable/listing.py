"""Which variables are there?"""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any

from ...core.secret_values import names_secret
from .describe import describe
from .texts import class_name, named

MAX_LISTED = 200
_NOT_THE_PERSONS = frozenset({"In", "Out", "exit", "quit", "get_ipython", "open"})


def list_variables(namespace: Mapping[str, Any]) -> tuple[tuple[tuple[str, str, str], ...], int]:
    """Name, class and a few words for each variable, by name, and how many more there are.

    Modules, what begins with an underscore, and what the shell puts there are left out.
    """
    names = sorted(
        name
        for name, value in namespace.items()
        if type(name) is str
        and not name.startswith("_")
        and name not in _NOT_THE_PERSONS
        and type(value) is not types.ModuleType
    )
    rows = tuple((name, *_words(name, namespace[name])) for name in names[:MAX_LISTED])
    return rows, len(names) - len(rows)


def _words(name: str, value: Any) -> tuple[str, str]:
    if type(value) in (str, bytes) and names_secret(name):
        return class_name(type(value)), "(hidden)"
    told = describe(name, value, 0)
    facts = ", ".join(f"{said}" if label in ("shape", "dtype") else f"{label} {said}" for label, said in told.facts[:2])
    short = told.text if len(told.text) <= 60 and "\n" not in told.text and told.text != named(value) else ""
    return told.type_name, facts or short
