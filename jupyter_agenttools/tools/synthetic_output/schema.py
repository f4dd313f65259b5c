"""Does data fit a JSON Schema, and where does it not?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...core.blocks import to_json
from ...core.cancel import Cancellation
from ...core.errors import UsageError
from ...core.schema_process import UncheckedError, problems_of_schema, problems_of_value
from .references import check_references, check_size, moved_references

WRAPPED = "output"
"""A tool's input is an object: data of another kind stands in this field of it."""
MAX_SCHEMA_CHARS = 200_000


def check_output_schema(schema: Any, cancellation: Cancellation | None = None) -> None:
    """Do nothing for a schema that can be used. Waits for another process that looks.

    Raises:
        UsageError: it is none; says what is wrong, and where in it.
        InterruptedToolError: ``cancellation`` was thrown.
    """
    if not isinstance(schema, Mapping):
        raise UsageError(f"output_schema is a JSON Schema object, not {type(schema).__name__}")
    check_size(schema)
    try:
        text = json.dumps(to_json(schema))
    except (TypeError, ValueError) as error:
        raise UsageError(f"output_schema is no JSON data: {error}") from None
    if len(text) > MAX_SCHEMA_CHARS:
        raise UsageError(f"output_schema is longer than {MAX_SCHEMA_CHARS:,} characters: no model is sent that")
    plain = json.loads(text)
    check_references(plain)
    try:
        found = problems_of_schema(plain, cancellation)
    except UncheckedError as error:
        raise UsageError(f"output_schema cannot be used: {error}") from None
    if found.problems:
        where, message = found.problems[0]
        raise UsageError(f"output_schema is no JSON Schema, at {'/'.join(where) or 'its top'}: {message}")


def is_object_schema(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "object"


def input_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of the tool's input: the same, or an object around data of another kind."""
    plain = to_json(schema)
    if is_object_schema(plain):
        return plain
    shared = {key: plain.pop(key) for key in ("$defs", "definitions", "$schema") if key in plain}
    for key in ("$id", "id"):  # it would make the inner one a document of its own, without what is shared
        if isinstance(plain.get(key), str):
            del plain[key]
    for part in (plain, shared):
        moved_references(part, f"/properties/{WRAPPED}", shared)
    wrapped = {"type": "object", "properties": {WRAPPED: plain}, "required": [WRAPPED], "additionalProperties": False}
    return {**wrapped, **shared}


def schema_problems(value: Any, schema: Mapping[str, Any], cancellation: Cancellation | None = None) -> tuple[str, ...]:
    """Every place where ``value`` does not fit, in their order: ``items/0/price: 'x' is not of type 'number'``.

    What cannot be checked, or not in time, does not fit.

    Raises:
        InterruptedToolError: ``cancellation`` was thrown.
    """
    try:
        found = problems_of_value(value, schema, cancellation)
    except UncheckedError as error:
        return (f"{WRAPPED}: it could not be checked: {error}",)
    return tuple(f"{'/'.join(where) or WRAPPED}: {message}" for where, message in found.problems)
