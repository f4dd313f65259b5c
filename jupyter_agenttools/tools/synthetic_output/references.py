"""What a JSON Schema refers to: only parts of itself, and never round in a circle."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from ...core.errors import UsageError

MAX_LEVELS = 100
MAX_PARTS = 100_000
MAX_STEPS = 100
"""How many schemas may stand for one value, each through a reference or an ``allOf`` of the last."""

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
ANCHORS = ("$anchor", "$dynamicAnchor")
NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
"""Their keys are names of whoever wrote the schema, and no keywords."""
DATA = frozenset({"const", "enum", "default", "example", "examples"})
SAME_VALUE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "extends"})
SAME_VALUE_NAMED = frozenset({"dependentSchemas", "dependencies"})
DIALECT = re.compile(r"https?://json-schema\.org/(?:draft-0[3467]/schema|draft/20(?:19-09|20-12)/schema)#?", re.ASCII)

Place = tuple[str, ...]


def check_size(schema: Any) -> None:
    """Refuse what is too deep or too large to be looked through.

    Raises:
        UsageError: it is; says where.
    """
    waiting: list[tuple[Place, Any]] = [((), schema)]
    for _ in range(MAX_PARTS):
        if not waiting:
            return
        where, part = waiting.pop()
        if len(where) > MAX_LEVELS:
            raise UsageError(f"output_schema is nested deeper than {MAX_LEVELS} levels, at {_told(where[:5])}/…")
        if isinstance(part, Mapping):
            waiting += [((*where, str(key)), value) for key, value in part.items()]
        elif isinstance(part, (list, tuple)):
            waiting += [((*where, str(index)), value) for index, value in enumerate(part)]
    raise UsageError(f"output_schema has more than {MAX_PARTS:,} parts: no model is sent that")


def check_references(schema: dict[str, Any]) -> None:
    """Refuse a schema that points out of itself, to nothing, or back to where it came from.

    Raises:
        UsageError: it does; says where.
    """
    parts = list(subschemas(schema))
    for where, part in parts:
        _check_names(where, part)
    walk = _Walk(schema, {part[key]: part for _, part in parts for key in ANCHORS if isinstance(part.get(key), str)})
    for where, part in parts:
        walk.steps(where, part, 0)


def subschemas(schema: Any, where: Place = ()) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Every schema in a schema, itself first, with its place. What only is data is none."""
    if isinstance(schema, list):
        for index, part in enumerate(schema):
            yield from subschemas(part, (*where, str(index)))
    elif isinstance(schema, dict):
        yield where, schema
        for key, value in schema.items():
            if key in NAMED and isinstance(value, dict):
                for name, part in value.items():
                    yield from subschemas(part, (*where, key, name))
            elif key not in DATA:
                yield from subschemas(value, (*where, key))


def _check_names(where: Place, schema: dict[str, Any]) -> None:
    dialect = schema.get("$schema")
    if isinstance(dialect, str) and (where or not DIALECT.fullmatch(dialect)):
        raise UsageError(f"output_schema, at {_told(where)}: $schema {dialect!r} is not known, or not at the top")
    for key in ("$id", "id"):
        if where and isinstance(schema.get(key), str):
            raise UsageError(f"output_schema, at {_told(where)}: only the top may have an {key}")


class _Walk:
    """Follows what stands for one and the same value."""

    def __init__(self, root: dict[str, Any], anchors: Mapping[str, Any]) -> None:
        self._root = root
        self._anchors = anchors
        self._known: dict[int, int] = {}
        self._open: set[int] = set()

    def steps(self, where: Place, schema: Any, before: int) -> int:
        """How many steps it takes at most until nothing more stands for the same value."""
        if not isinstance(schema, dict):
            return 0
        me = id(schema)
        if me in self._open:
            raise UsageError(f"output_schema, at {_told(where)}: it refers to itself without end")
        if before + self._known.get(me, 0) > MAX_STEPS:
            raise UsageError(f"output_schema, at {_told(where)}: more than {MAX_STEPS} references in a row")
        if me not in self._known:
            self._open.add(me)
            further = (self.steps(place, part, before + 1) for place, part in self._next(where, schema))
            self._known[me] = 1 + max(further, default=0)
            self._open.remove(me)
        return self._known[me]

    def _next(self, where: Place, schema: dict[str, Any]) -> Iterator[tuple[Place, Any]]:
        for key, value in schema.items():
            if key in REFERENCES and isinstance(value, str):
                yield (*where, key), self._target((*where, key), value)
            elif key in SAME_VALUE or key in SAME_VALUE_NAMED:
                parts = value if isinstance(value, list) else [value]
                if key in SAME_VALUE_NAMED and isinstance(value, dict):
                    parts = list(value.values())
                for part in parts:
                    yield (*where, key), part

    def _target(self, where: Place, ref: str) -> Any:
        if not ref.startswith("#"):
            said = "put what it needs into the schema itself ($defs)"
            raise UsageError(f"output_schema, at {_told(where)}, points to {ref!r}: {said}")
        pointer = unquote(ref[1:])
        named = pointer and not pointer.startswith("/")
        target = self._anchors.get(pointer) if named else _at(self._root, pointer)
        if not isinstance(target, (dict, bool)):
            raise UsageError(f"output_schema, at {_told(where)}: there is no schema at {ref!r} in it")
        return target


def _at(root: Any, pointer: str) -> Any:
    """What a JSON pointer leads to, ``None`` for nothing."""
    part = root
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(part, dict):
            part = part.get(name)
        elif isinstance(part, list) and re.fullmatch("[0-9]{1,6}", name) and int(name) < len(part):
            part = part[int(name)]
        else:
            return None
    return part


def moved_references(schema: dict[str, Any], into: str, kept: Mapping[str, Any]) -> None:
    """Mend the references in a schema that is put at the pointer ``into`` of another one, in place.

    Args:
        kept: keywords that stand at the top of the other one as well.
    """
    for _, part in subschemas(schema):
        for key in REFERENCES:
            ref = part.get(key)
            if not isinstance(ref, str) or (ref != "#" and not ref.startswith("#/")):
                continue
            if key == "$ref" and ref[2:].partition("/")[0] not in kept:
                part[key] = f"#{into}{ref[1:]}"
            elif key != "$ref" and ref == "#":
                part["$ref"] = f"#{into}"
                del part[key]


def _told(where: Place) -> str:
    text = "/".join(where) or "its top"
    return text if len(text) <= 200 else text[:199] + "…"
