"""Making tools: careful defaults, inputs from signatures, errors that name the field."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import Field

from jupyter_agenttools.core import StrictInput, ToolOptions, ToolUseContext, build_tool, find_tool_by_name, tool
from jupyter_agenttools.core.errors import InputValidationError, UsageError
from jupyter_agenttools.core.schema import parse_input

pytestmark = pytest.mark.anyio


class Plain(StrictInput):
    path: str
    count: int = 3
    tags: tuple[str, ...] = ()


async def nothing(input: object, context: object) -> str:
    return "done"


def plain_tool(**definition: object):
    return build_tool(name="Plain", call=nothing, input_model=Plain, **definition)


def test_forgetting_everything_is_the_careful_choice() -> None:
    made = plain_tool()
    value = parse_input(made, {"path": "x"})
    assert not made.is_read_only(value)
    assert not made.is_concurrency_safe(value)
    assert not made.is_destructive(value)
    assert made.is_enabled(ToolOptions())
    assert made.check_permissions is None
    assert made.to_auto_classifier_input(value) == ""
    assert made.user_facing_name({}) == "Plain"


def test_flags_may_be_plain_or_functions() -> None:
    made = plain_tool(is_read_only=True, is_concurrency_safe=lambda input: input.count < 5)
    assert made.is_read_only(None)
    assert made.is_concurrency_safe(parse_input(made, {"path": "x"}))
    assert not made.is_concurrency_safe(parse_input(made, {"path": "x", "count": 9}))


@pytest.mark.parametrize(
    ("definition", "words"),
    [({"colour": 1}, "no such field: colour"), ({"input_model": dict}, "input_model must be")],
)
def test_a_bad_definition_is_refused(definition: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        build_tool(name="T", call=nothing, **definition)


@pytest.mark.parametrize("name", ["", "a b", "ümlaut", "x" * 65, "a/b"])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="tool name"):
        build_tool(name=name, call=nothing)


def test_a_tool_must_be_async() -> None:
    with pytest.raises(UsageError, match="async"):
        build_tool(name="T", call=lambda input, context: None)
    with pytest.raises(UsageError, match="async def slow"):

        @tool
        def slow(x: int) -> int:
            return x


def test_schema_and_description_come_from_the_function() -> None:
    @tool
    async def weather(city: Annotated[str, Field(description="a town")], unit: Literal["C", "F"] = "C") -> str:
        """How warm will it be?

        Ask for one town at a time.
        """
        return city

    assert weather.name == "weather"
    assert weather.description(None, ToolOptions()) == "How warm will it be?"
    assert weather.prompt(ToolOptions()) == "Ask for one town at a time."
    assert weather.primary_field == "city"
    schema = weather.json_schema
    assert schema["properties"]["city"]["description"] == "a town"
    assert list(schema["required"]) == ["city"]


async def test_the_context_is_given_and_not_asked_for(make_context) -> None:
    @tool
    async def where(context: ToolUseContext, suffix: str = "!") -> str:
        """Where are we?"""
        return context.cwd + suffix

    assert list(where.json_schema["properties"]) == ["suffix"]
    result = await where.call(parse_input(where, {}), make_context())
    assert result.data.endswith("!")


def test_a_parameter_without_annotation_is_refused() -> None:
    with pytest.raises(UsageError, match="annotate `x`"):

        @tool
        async def f(x) -> None: ...


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({}, ["`path` is missing", "path (string)", "count (integer, optional)"]),
        ({"path": 3}, ["`path`", "string", "got 3"]),
        ({"pth": "x"}, ["`pth` is not a field (did you mean `path`?)", "`path` is missing"]),
        ({"path": "x", "count": "many"}, ["`count`", 'got "many"']),
    ],
)
def test_an_input_error_names_the_field_and_what_is_accepted(raw: dict[str, object], words: list[str]) -> None:
    with pytest.raises(InputValidationError) as caught:
        parse_input(plain_tool(), raw)
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_json_written_as_text_is_read_where_text_does_not_fit() -> None:
    made = plain_tool()
    value = parse_input(made, {"path": "[1, 2]", "count": "7", "tags": '["a"]'})
    assert (value.path, value.count, value.tags) == ("[1, 2]", 7, ("a",))


def test_a_raw_json_schema_is_used_as_it_is() -> None:
    schema = {"type": "object", "properties": {"m": {"const": "x"}}, "required": ["m"]}
    made = build_tool(name="Raw", call=nothing, input_json_schema=schema)
    assert parse_input(made, {"m": "x", "extra": 1})["extra"] == 1
    with pytest.raises(InputValidationError, match="'x' was expected"):
        parse_input(made, {"m": "y"})


def test_a_real_name_wins_over_an_alias() -> None:
    old = build_tool(name="New", call=nothing, aliases=("Old",))
    other = build_tool(name="Old", call=nothing)
    assert find_tool_by_name((old, other), "Old") is other
    assert find_tool_by_name((old,), "Old") is old
    assert find_tool_by_name((old,), "Nothing") is None
