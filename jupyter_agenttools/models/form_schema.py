"""From the JSON Schema of one field to how it is filled in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .form_fields import Choice, FieldKind, FormField
from .form_values import print_value, reads_as_empty

_LONG = frozenset({"code", "command", "content", "message", "new_source", "new_string", "old_string", "plan", "prompt"})
"""Names of text fields that mostly have several lines."""


def form_field(
    name: str, spec: Mapping[str, Any], definitions: Mapping[str, Any], *, required: bool, body: bool
) -> FormField:
    """The field ``name``, whose schema is ``spec``.

    Args:
        definitions: the ``$defs`` of the whole schema.
        body: whether it takes the body of a cell, which has many lines.
    """
    kind, meant, nullable = _kind(spec, definitions)
    choices = _choices(meant["enum"] if "enum" in meant else [meant["const"]]) if kind == "choice" else ()
    has_default = "default" in spec
    if nullable and kind == "text" and (required or spec.get("default") is not None):
        kind = "json"  # an empty field could be the empty text, null or the default
    made = FormField(
        name=name,
        kind=kind,
        required=required,
        description=str(spec.get("description") or meant.get("description") or "").strip(),
        choices=choices,
        nullable=nullable,
        multiline=kind == "text" and (body or name in _LONG),
        example=json.dumps(example_of(meant, definitions), ensure_ascii=False) if kind == "json" else "",
    )
    default = spec.get("default")
    shown = print_value(made, default) if has_default and default is not None else ""
    return FormField(**{**made.__dict__, "default": shown})


_SCALARS: Mapping[str, FieldKind] = {
    "string": "text", "integer": "integer", "number": "number", "boolean": "boolean",
}  # fmt: skip


def _kind(spec: Mapping[str, Any], definitions: Mapping[str, Any]) -> tuple[FieldKind, Mapping[str, Any], bool]:
    """How a field is filled in, the schema of its value without ``null``, and whether it may be ``null``."""
    meant, nullable = _without_null(_resolved(spec, definitions), definitions)
    if _is_closed(meant):
        return "choice", meant, nullable
    return _SCALARS.get(str(meant.get("type")), "json"), meant, nullable


def _is_closed(spec: Mapping[str, Any]) -> bool:
    """Whether the value is one of a few plain ones."""
    values = spec["enum"] if "enum" in spec else [spec["const"]] if "const" in spec else []
    return bool(values) and all(isinstance(v, (str, int, float)) and not isinstance(v, bool) for v in values)


def _resolved(spec: Mapping[str, Any], definitions: Mapping[str, Any], depth: int = 0) -> Mapping[str, Any]:
    """``spec`` with a reference, or an ``allOf`` of one, replaced by what it refers to."""
    target = spec.get("$ref", "")
    if not target and isinstance(spec.get("allOf"), list) and len(spec["allOf"]) == 1:
        return _resolved({**spec["allOf"][0], **{k: v for k, v in spec.items() if k != "allOf"}}, definitions, depth)
    found = definitions.get(target.rpartition("/")[2]) if target.startswith("#/$defs/") else None
    if not isinstance(found, Mapping) or depth > 20:
        return spec
    return _resolved({**found, **{k: v for k, v in spec.items() if k != "$ref"}}, definitions, depth + 1)


def _without_null(spec: Mapping[str, Any], definitions: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    for key in ("anyOf", "oneOf"):
        if isinstance(spec.get(key), list):
            others = [each for each in spec[key] if each.get("type") != "null"]
            if len(others) == 1:
                return _resolved(others[0], definitions), len(others) < len(spec[key])
            return {"description": spec.get("description", ""), key: others}, len(others) < len(spec[key])
    kinds = spec.get("type")
    if isinstance(kinds, list):
        others = [each for each in kinds if each != "null"]
        return {**spec, "type": others[0] if len(others) == 1 else others}, "null" in kinds
    if isinstance(spec.get("enum"), list) and None in spec["enum"]:
        return {**spec, "enum": [each for each in spec["enum"] if each is not None]}, True
    return spec, False


def _choices(values: Sequence[Any]) -> tuple[Choice, ...]:
    """The values with labels that differ: a text as it is, unless it is empty or reads like something else."""
    texts = all(isinstance(v, str) and v.strip() == v not in ("", "null") and not reads_as_empty(v) for v in values)
    return tuple(Choice(v if texts else json.dumps(v, ensure_ascii=False), v) for v in dict.fromkeys(values))


def example_of(spec: Mapping[str, Any], definitions: Mapping[str, Any], depth: int = 0) -> Any:
    """A value that shows the form of what fits ``spec``."""
    spec = _without_null(_resolved(spec, definitions), definitions)[0]
    if _is_closed(spec):
        return spec["enum"][0] if "enum" in spec else spec["const"]
    for key in ("anyOf", "oneOf"):
        if spec.get(key):
            return example_of(spec[key][0], definitions, depth + 1)
    match spec.get("type"):
        case "object" if depth < 4:
            properties, required = spec.get("properties", {}), spec.get("required", ())
            shown = [name for name in properties if name in required] or list(properties)
            return {name: example_of(properties[name], definitions, depth + 1) for name in shown}
        case "array" if depth < 4 and isinstance(spec.get("items"), Mapping):
            return [example_of(spec["items"], definitions, depth + 1)]
        case "object":
            return {}
        case "array":
            return []
        case "integer":
            return spec.get("minimum", 1)
        case "number":
            return spec.get("minimum", 1.5)
        case "boolean":
            return True
    return "…"
