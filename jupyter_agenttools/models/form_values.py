"""The values of single fields: from the text that was typed to a value, and back."""

from __future__ import annotations

import json
import re
from typing import Any

from ..core.blocks import to_json
from .form_fields import FormField

EMPTY = '""'
"""Typed into an optional text field: the empty text, where nothing at all leaves the field out. To say ``""`` itself
put a backslash before it."""

_EMPTY = re.compile(r'\\*""')
_INTEGER = re.compile(r"[-+]?[0-9]{1,4000}")
_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


class _LeftOut:
    def __repr__(self) -> str:
        return "LEFT_OUT"


LEFT_OUT: Any = _LeftOut()
"""The value of a field that is not part of the input."""


def parse_value(field: FormField, typed: str | None) -> Any:
    """The value that a text stands for, :data:`LEFT_OUT` for an optional field that is empty.

    Raises:
        ValueError: it stands for none; says what is accepted.
    """
    if field.kind == "text":
        return _parse_text(field, typed)
    word = (typed or "").strip()
    if not word:
        if field.required:
            raise ValueError(f"is missing: {accepted(field)}")
        return LEFT_OUT
    if field.nullable and word == "null":
        return None
    readers = {"integer": _integer, "number": _number, "boolean": _boolean, "json": _json}
    value = _chosen(field, word) if field.kind == "choice" else readers[field.kind](word)
    if value is LEFT_OUT:
        shown = word if len(word) <= 60 else f"{word[:59]}…"
        raise ValueError(f"{shown!r} is not {accepted(field)}")
    return value


def _parse_text(field: FormField, typed: str | None) -> Any:
    if field.required:
        if typed is None:
            raise ValueError("is missing: a text")
        return typed
    if not typed:
        return LEFT_OUT
    if _EMPTY.fullmatch(typed):
        return "" if typed == EMPTY else typed[1:]
    return typed


def _integer(word: str) -> Any:
    return int(word) if _INTEGER.fullmatch(word) else LEFT_OUT


def _number(word: str) -> Any:
    value = _json_value(word.removeprefix("+"))
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else LEFT_OUT


def _boolean(word: str) -> Any:
    folded = word.lower()
    return True if folded in _YES else False if folded in _NO else LEFT_OUT


def _chosen(field: FormField, word: str) -> Any:
    for fold in (str, str.casefold):
        if (found := [each for each in field.choices if fold(each.label) == fold(word)]) and len(found) == 1:
            return found[0].value
    return LEFT_OUT


def _json(word: str) -> Any:
    try:
        return json.loads(word, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        hint = "; a text stands in double quotes" if word[0] not in '[{"' else ""
        raise ValueError(f"is not JSON: line {error.lineno}, column {error.colno}: {error.msg}{hint}") from error
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error


def _json_value(word: str) -> Any:
    try:
        return _json(word)
    except ValueError:
        return LEFT_OUT


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is no JSON value")


def accepted(field: FormField) -> str:
    """What a field takes, in a few words."""
    match field.kind:
        case "choice":
            words = f"one of {', '.join(choice.label for choice in field.choices)}"
        case "boolean":
            words = "yes or no"
        case "integer":
            words = "a whole number"
        case "number":
            words = "a number"
        case "json":
            words = f"JSON such as {field.example}"
        case "text":
            words = "a text"
    return f"{words}, or null" if field.nullable and field.kind != "text" else words


def print_value(field: FormField, value: Any) -> str:
    """The text of one value."""
    if value is LEFT_OUT or (value is None and field.kind == "text"):
        return ""
    if field.kind == "text" and isinstance(value, str):
        if field.required:
            return value
        return EMPTY if not value else f"\\{value}" if _EMPTY.fullmatch(value) else value
    if field.kind == "choice" and value is not None:
        return next((c.label for c in field.choices if c.value == value and type(c.value) is type(value)), "")
    return json.dumps(to_json(value), ensure_ascii=False)


def reads_as_empty(text: str) -> bool:
    """Whether a text means something else than itself in an optional field, see :data:`EMPTY`."""
    return _EMPTY.fullmatch(text) is not None
