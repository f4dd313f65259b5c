"""Does data fit a JSON Schema, and where does it not?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...core.blocks import to_json
from ...core.errors import UsageError

WRAPPED = "output"
"""A tool's input is an object: data of another kind stands in this field of it."""
MAX_MESSAGE_CHARS = 300
MAX_SCHEMA_CHARS = 200_000


def check_output_schema(schema: Any) -> None:
    """Do nothing for a schema that can be used.

    Raises:
        UsageError: it is none; says what is wrong, and where in it.
    """
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for

    if not isinstance(schema, Mapping):
        raise UsageError(f"output_schema is a JSON Schema object, not {type(schema).__name__}")
    plain = to_json(schema)
    if len(repr(plain)) > MAX_SCHEMA_CHARS:
        raise UsageError(f"output_schema is longer than {MAX_SCHEMA_CHARS:,} characters: no model is sent that")
    if outside := next((ref for ref in _references(plain) if not ref.startswith("#")), None):
        raise UsageError(f"output_schema points to {outside!r}: put what it needs into the schema itself ($defs)")
    try:
        validator_for(plain).check_schema(plain)
    except SchemaError as error:
        where = "/".join(map(str, error.absolute_path)) or "its top"
        raise UsageError(f"output_schema is no JSON Schema, at {where}: {error.message}") from None


def _references(schema: Any) -> Iterator[str]:
    """Every ``$ref`` in a schema."""
    if isinstance(schema, dict):
        if isinstance(ref := schema.get("$ref"), str):
            yield ref
        schema = list(schema.values())
    for part in schema if isinstance(schema, list) else ():
        yield from _references(part)


def is_object_schema(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "object"


def input_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of the tool's input: the same, or an object around data of another kind."""
    plain = to_json(schema)
    if is_object_schema(plain):
        return plain
    shared = {key: plain.pop(key) for key in ("$defs", "definitions", "$schema") if key in plain}
    wrapped = {"type": "object", "properties": {WRAPPED: plain}, "required": [WRAPPED], "additionalProperties": False}
    return {**wrapped, **shared}


def schema_problems(value: Any, schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Every place where ``value`` does not fit, in their order: ``items/0/price: 'x' is not of type 'number'``."""
    from jsonschema.validators import validator_for

    plain = to_json(schema)
    validator = validator_for(plain)(plain)
    errors = sorted(validator.iter_errors(to_json(value)), key=lambda error: [str(p) for p in error.absolute_path])
    return tuple(f"{'/'.join(map(str, e.absolute_path)) or 'output'}: {_short(e.message)}" for e in errors)


def _short(message: str) -> str:
    return message if len(message) <= MAX_MESSAGE_CHARS else message[: MAX_MESSAGE_CHARS - 1] + "…"
