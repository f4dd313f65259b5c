"""What the model can write at all: one JSON object, an answer or a call that fits the tool's schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...core.immutable import thaw
from ...core.tool import Tool

_ABOUT = frozenset({"title", "description", "default", "examples"})
"""Words about a schema, which would only make the grammar longer."""


def reply_schema(tools: Sequence[Tool], *, needed_only: bool = False) -> dict[str, Any]:
    """The JSON schema that the engine decodes by. All definitions stand at its top, where it looks for them.

    Args:
        needed_only: leave out what a call can do without: a small model fills in every field that it may.
    """
    definitions: dict[str, Any] = {}
    forms = [_object({"answer": {"type": "string"}})]
    for tool in tools:
        schema = thaw(tool.json_schema)
        if needed_only:
            needed = schema.get("required", ())
            schema["properties"] = {key: each for key, each in schema.get("properties", {}).items() if key in needed}
        form = {"tool": {"const": tool.name}, "input": _own(schema, tool.name, definitions)}
        forms.append(_object(form))
    return {"anyOf": forms, **({"$defs": definitions} if definitions else {})}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _own(schema: dict[str, Any], name: str, definitions: dict[str, Any]) -> dict[str, Any]:
    """The tool's schema with its definitions moved into ``definitions``, under names of its own."""
    for key in ("$defs", "definitions"):
        for each, definition in (schema.pop(key, None) or {}).items():
            definitions[f"{name}.{each}"] = _plain(definition, name)
    schema.setdefault("type", "object")
    schema.setdefault("additionalProperties", False)
    return _plain(schema, name)


def _plain(schema: Any, name: str, *, is_schema: bool = True) -> Any:
    """The schema without words about it, and with references that lead to the tool's own definitions.

    Args:
        is_schema: whether the keys of a mapping are JSON Schema's; those under ``properties`` are names of fields.
    """
    if isinstance(schema, Mapping):
        kept = {key: value for key, value in schema.items() if not (is_schema and key in _ABOUT)}
        if is_schema and isinstance(kept.get("$ref"), str):
            return {"$ref": f"#/$defs/{name}.{kept['$ref'].rpartition('/')[2]}"}
        return {
            key: _plain(value, name, is_schema=not (is_schema and key == "properties")) for key, value in kept.items()
        }
    if isinstance(schema, list):
        return [_plain(each, name) for each in schema]
    return schema
