"""The input of a tool: strict models, built when first needed, with errors that name the field."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from .errors import InputValidationError
from .immutable import freeze
from .schema_process import UncheckedError, problems_of_value

if TYPE_CHECKING:
    from .cancel import Cancellation
    from .tool import Tool

Model = TypeVar("Model", bound=BaseModel)


MAX_PROBLEMS = 50


class StrictInput(BaseModel):
    """Base of tool inputs: exact types, frozen, unknown keys refused (``strictObject``)."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class LazySchema(Generic[Model]):
    """A model class that is built on first use (``lazySchema``): no import cost, no cycles."""

    def __init__(self, factory: Callable[[], type[Model]]) -> None:
        self._factory = factory

    @cached_property
    def model(self) -> type[Model]:
        return self._factory()

    @cached_property
    def json_schema(self) -> Mapping[str, Any]:
        """The JSON Schema that the model is shown; fields marked ``exclude`` are not in it."""
        return freeze(self.model.model_json_schema())


def lazy_schema(factory: Callable[[], type[Model]]) -> LazySchema[Model]:
    """Put off building a model until somebody needs it."""
    return LazySchema(factory)


def parse_input(tool: Tool, raw: Mapping[str, Any], cancellation: Cancellation | None = None) -> Any:
    """The parsed input of ``tool``: a model instance, or a frozen mapping for a raw JSON Schema.

    An input is JSON data: an array is accepted where the model has a tuple or a set, a text where it has a date or an
    enumeration. A field that fails although its text reads as JSON of the right type (``"5"``, ``"true"``, ``"[…]"``)
    is accepted as that value: models write such inputs. This is tried only after the plain validation failed, so a
    text field is never touched.

    A raw JSON Schema is checked in another process, which is waited for: call it in a worker thread where others wait.

    Args:
        cancellation: ends that wait when it is thrown.

    Raises:
        InputValidationError: names each field that is wrong and what is accepted.
    """
    if tool.input_model is None:
        return _validate_json_schema(tool, raw, cancellation)
    model = tool.input_model.model
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        for candidate in (raw, _read_json_texts(raw, error)):
            with suppress(ValidationError, TypeError, ValueError):  # the first error speaks about what was really sent
                return model.model_validate_json(json.dumps(candidate, default=dict))
        raise InputValidationError(describe_validation_error(tool, error), check_id="schema") from error


def _read_json_texts(raw: Mapping[str, Any], error: ValidationError) -> Mapping[str, Any]:
    """``raw`` with each failing top-level text replaced by the JSON value it spells."""
    if not isinstance(raw, Mapping):
        return raw
    repaired = dict(raw)
    for name in {str(e["loc"][0]) for e in error.errors() if e["loc"]}:
        value = repaired.get(name)
        if not isinstance(value, str):
            continue
        try:
            decoded = json.loads(value)
        except ValueError:
            continue
        if not isinstance(decoded, str):
            repaired[name] = decoded
    return repaired


def describe_validation_error(tool: Tool, error: ValidationError) -> str:
    """One line that names each wrong field, what came, and what is accepted."""
    fields = tool.input_model.model.model_fields if tool.input_model else {}
    parts = [_describe_one(e, fields) for e in error.errors()]
    return f"{tool.name}: {'; '.join(dict.fromkeys(parts))}. Accepted fields: {describe_fields(tool)}."


def _describe_one(e: Any, fields: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in e["loc"]) or "input"
    if e["type"] == "missing":
        return f"`{where}` is missing"
    if e["type"] == "extra_forbidden":
        near = difflib.get_close_matches(where, list(fields), n=1)
        return f"`{where}` is not a field" + (f" (did you mean `{near[0]}`?)" if near else "")
    try:
        got = json.dumps(e.get("input"), default=repr, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):  # no JSON data at all
        got = type(e.get("input")).__name__
    got = got if len(got) <= 80 else got[:79] + "…"
    return f"`{where}`: {e['msg']}, got {got}"


def describe_fields(tool: Tool) -> str:
    """The fields of a tool in one line, e.g. ``file_path (string), limit (integer, optional)``."""
    schema = tool.json_schema
    required = set(schema.get("required", ()))
    properties = schema.get("properties", {})
    words = (
        f"{name} ({_type_of(spec)}{'' if name in required else ', optional'})" for name, spec in properties.items()
    )
    return ", ".join(words) or "none"


def _type_of(spec: Mapping[str, Any]) -> str:
    if "enum" in spec:
        return " | ".join(json.dumps(v) for v in spec["enum"])
    if "anyOf" in spec:
        return " | ".join(_type_of(s) for s in spec["anyOf"] if s.get("type") != "null")
    return str(spec.get("type", "any"))


def _validate_json_schema(tool: Tool, raw: Mapping[str, Any], cancellation: Cancellation | None) -> Mapping[str, Any]:
    schema = tool.input_json_schema or {"type": "object"}
    try:
        found = problems_of_value(raw, schema, cancellation, MAX_PROBLEMS)
    except UncheckedError as error:
        message = f"{tool.name}: the input could not be checked against its schema: {error}"
        raise InputValidationError(message, check_id="schema") from error
    if found.count:
        told = "; ".join(f"`{'.'.join(where) or 'input'}`: {said}" for where, said in found.problems)
        more = found.count - MAX_PROBLEMS
        told += f"; and {more} more" if more > 0 else ""
        raise InputValidationError(f"{tool.name}: {told}. Accepted fields: {describe_fields(tool)}.", check_id="schema")
    return freeze(raw)
