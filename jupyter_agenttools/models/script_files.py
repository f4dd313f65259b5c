"""The text of a script as plain data, from JSON or YAML; what cannot be read names line and column."""

from __future__ import annotations

import json
from typing import Any

from ..core.errors import UsageError


def read_data(text: str, where: str) -> Any:
    """The data of a script: JSON where it begins like that (``[`` or ``{``), else YAML.

    Raises:
        UsageError: it cannot be read; names line and column.
    """
    return read_json(text, where) if text.lstrip("\ufeff \t\r\n")[:1] in ("[", "{") else read_yaml(text, where)


def read_json(text: str, where: str) -> Any:
    """The data of a JSON text.

    Raises:
        UsageError: see :func:`read_data`.
    """
    try:
        return json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise UsageError(f"{where} is not JSON: line {error.lineno}, column {error.colno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where} is not JSON: {error}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is not a number in JSON")


def read_yaml(text: str, where: str) -> Any:
    """The data of a YAML text. Only what JSON has is read: no dates, no aliases, and ``yes`` and ``no`` are texts.

    Raises:
        UsageError: see :func:`read_data`.
    """
    import yaml

    from .yaml_loader import JsonLoader

    try:
        return yaml.load(text, JsonLoader)  # a safe loader: it makes texts, numbers, lists and mappings only
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        told = " ".join(filter(None, (error.context, error.problem, error.note)))
        raise UsageError(f"{where} is not YAML: {place}{told}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise UsageError(f"{where} is not YAML: line {line}: a character that cannot stand in it") from error
    except RecursionError as error:
        raise UsageError(f"{where} is not YAML: it is nested too deeply") from error
