"""A form for the input of a tool, as data: what a person who plays the model fills in, and what comes of it.

A form is made from the tool's JSON Schema. What has no field of its own (lists, objects, values of several kinds) is
one field of JSON text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.blocks import to_json
from ..core.context import ToolOptions
from ..core.errors import InputValidationError
from ..core.schema import parse_input
from ..core.tool import Tool
from .form_fields import FormError, ToolForm
from .form_schema import form_field
from .form_values import LEFT_OUT, parse_value, print_value


def tool_form(tool: Tool) -> ToolForm:
    """The form for the input of ``tool``, its fields in the order of the schema, without those that only a person fills
    in when the call is put before him."""
    schema = to_json(tool.json_schema)
    definitions = schema.get("$defs", {})
    required = set(schema.get("required", ()))
    fields = tuple(
        form_field(
            name,
            spec if isinstance(spec, dict) else {},
            definitions,
            required=name in required,
            body=name == tool.body_field != tool.primary_field,
        )
        for name, spec in schema.get("properties", {}).items()
        if name not in tool.person_fields
    )
    words = tool.description(None, ToolOptions()).strip().splitlines()
    return ToolForm(tool.name, words[0] if words else "", fields)


def parse_form(tool: Tool, typed: Mapping[str, str], *, check: bool = True) -> dict[str, Any]:
    """The input that was typed, as a model would send it.

    Args:
        typed: the text of each field; one that is not there was left empty.
        check: hold the whole input against the tool's schema. Without it a person can send what a model that makes
            mistakes would send.

    Raises:
        FormError: a field that cannot be read, is missing or is none of the tool's, or an input that does not fit.
    """
    form = tool_form(tool)
    names = [field.name for field in form.fields]
    problems: dict[str, str] = {
        name: f"is no field of {tool.name}; it has {', '.join(names) or 'none'}" for name in typed if name not in names
    }
    input: dict[str, Any] = {}
    for field in form.fields:
        try:
            if (value := parse_value(field, typed.get(field.name))) is not LEFT_OUT:
                input[field.name] = value
        except ValueError as error:
            problems[field.name] = str(error)
    if problems:
        raise FormError(tool.name, problems)
    if check:
        try:
            parse_input(tool, input)
        except InputValidationError as error:
            raise FormError(tool.name, {"": error.message.removeprefix(f"{tool.name}: ")}) from error
    return input


def print_form(tool: Tool, input: Mapping[str, Any]) -> dict[str, str]:
    """The texts for an input that is there already; :func:`parse_form` makes the same input of them.

    A field that is not in the input is empty. An optional ``null`` that is the default as well is left out.
    """
    return {field.name: print_value(field, input.get(field.name, LEFT_OUT)) for field in tool_form(tool).fields}
