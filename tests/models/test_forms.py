"""Forms for tools: what each field is, that typed texts become the input, and clear words where they cannot."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from jupyter_agenttools import build_tool
from jupyter_agenttools.core.schema import StrictInput, parse_input
from jupyter_agenttools.models import FormError, parse_form, parse_value, print_form, tool_form
from jupyter_agenttools.models.form_fields import Choice
from jupyter_agenttools.registry import get_all_base_tools


async def _call(input: Any, context: Any) -> str:
    return ""


def tool_of(model: type[BaseModel] | dict[str, Any], **more: Any) -> Any:
    schema = {"input_json_schema": model} if isinstance(model, dict) else {"input_model": model}
    return build_tool(name="Shape", call=_call, description="Shapes.\nSecond line.", **schema, **more)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Point(StrictInput):
    x: int
    y: int = 0


class Everything(StrictInput):
    title: str = Field(description="What it is called")
    size: int
    share: float = 0.5
    bold: bool = False
    how: Literal["fast", "slow"] = "fast"
    colour: Colour | None = None
    note: str | None = None
    level: Literal[1, 2] | None = None
    limit: int | None = 10
    alias: str | None = "none"
    points: list[Point]
    at: Point | None = None
    any: Any = None


FORM = tool_form(tool_of(Everything))
FIELDS = {field.name: field for field in FORM.fields}


def test_the_form_of_a_tool() -> None:
    assert (FORM.tool, FORM.summary) == ("Shape", "Shapes.")
    assert [field.name for field in FORM.fields] == list(Everything.model_fields)
    assert FIELDS["title"].description == "What it is called"


@pytest.mark.parametrize(
    ("name", "kind", "required", "default"),
    [
        ("title", "text", True, ""), ("size", "integer", True, ""), ("share", "number", False, "0.5"),
        ("bold", "boolean", False, "false"), ("how", "choice", False, "fast"), ("colour", "choice", False, ""),
        ("note", "text", False, ""), ("level", "choice", False, ""), ("limit", "integer", False, "10"),
        ("alias", "json", False, '"none"'), ("points", "json", True, ""), ("at", "json", False, ""),
        ("any", "json", False, ""),
    ],
)  # fmt: skip
def test_each_field(name: str, kind: str, required: bool, default: str) -> None:
    field = FIELDS[name]
    assert (field.kind, field.required, field.default) == (kind, required, default)


def test_choices_and_examples() -> None:
    assert FIELDS["colour"].choices == (Choice("red", "red"), Choice("blue", "blue"))
    assert FIELDS["level"].choices == (Choice("1", 1), Choice("2", 2))
    assert json.loads(FIELDS["points"].example) == [{"x": 1}]
    assert json.loads(FIELDS["at"].example) == {"x": 1}
    odd = tool_of({"type": "object", "properties": {"a": {"enum": ["", "null", "1", 1, '""']}}})
    labels = [choice.label for choice in tool_form(odd).fields[0].choices]
    assert labels == ['""', '"null"', '"1"', "1", r'"\"\""']


def test_what_only_a_person_answers_is_no_field() -> None:
    assert [f.name for f in tool_form(tool_of(Point, person_fields=("y",))).fields] == ["x"]


def test_texts_of_many_lines() -> None:
    class Script(StrictInput):
        path: str
        body: str
        command: str

    fields = tool_form(tool_of(Script, primary_field="path", body_field="body")).fields
    assert [field.multiline for field in fields] == [False, True, True]


def test_what_was_typed_is_the_input() -> None:
    typed = {
        "title": "  kept as it is ", "size": " 3 ", "share": "", "bold": "Yes", "how": "SLOW", "colour": "red",
        "note": '""', "level": "2", "limit": "null", "alias": "null", "points": '[{"x": 1}]', "at": "", "any": "[1]",
    }  # fmt: skip
    assert parse_form(tool_of(Everything), typed) == {
        "title": "  kept as it is ", "size": 3, "bold": True, "how": "slow", "colour": "red", "note": "", "level": 2,
        "limit": None, "alias": None, "points": [{"x": 1}], "any": [1],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "field", "words"),
    [
        ({"size": "three"}, "size", "'three' is not a whole number"),
        ({"size": "3.5"}, "size", "whole number"),
        ({"size": "٣"}, "size", "whole number"),
        ({"size": "9" * 5_000}, "size", "whole number"),
        ({"size": ""}, "size", "is missing: a whole number"),
        ({"title": None}, "title", "is missing"),
        ({"share": "nan"}, "share", "is not a number"),
        ({"share": "Infinity"}, "share", "is not a number"),
        ({"share": "true"}, "share", "is not a number"),
        ({"bold": "perhaps"}, "bold", "yes or no"),
        ({"how": "quick"}, "how", "one of fast, slow"),
        ({"points": ""}, "points", 'JSON such as [{"x": 1}]'),
        ({"points": "[1,\n}"}, "points", "line 2, column 1"),
        ({"points": "hello"}, "points", "double quotes"),
        ({"points": "[" * 100_000}, "points", "nested too deeply"),
        ({"points": "[NaN]"}, "points", "no JSON value"),
        ({"points": '[{"z": 1}]'}, "", "points.0.x"),
        ({"colour_": "red"}, "colour_", "is no field of Shape; it has title"),
    ],
)
def test_what_cannot_be_read_names_the_field(typed: dict[str, str | None], field: str, words: str) -> None:
    whole = {"title": "t", "size": "3", "points": "[]", **typed}
    with pytest.raises(FormError) as error:
        parse_form(tool_of(Everything), {name: text for name, text in whole.items() if text is not None})
    assert list(error.value.problems) == [field] and words in error.value.problems[field]
    assert str(error.value).startswith("Shape: ")


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(FormError) as error:
        parse_form(tool_of(Everything), {"size": "x", "bold": "y"})
    assert set(error.value.problems) == {"title", "size", "bold", "points"}


def test_a_person_can_send_what_does_not_fit() -> None:
    typed = {"title": "t", "size": "3", "points": '["no point"]'}
    assert parse_form(tool_of(Everything), typed, check=False)["points"] == ["no point"]


# ---- there and back

TEXTS = st.text(max_size=8) | st.sampled_from(["", '""', '\\""', "null", "true", "1", " ", "\n"])
SMALL = st.integers(-(10**20), 10**20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | SMALL
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(["a", "b", "-i", "two words", "ö"])


@st.composite
def field_and_value(draw: st.DrawFn) -> tuple[dict[str, Any], Any]:
    """The schema of a field, and a value of it."""
    values: dict[str, st.SearchStrategy[Any]] = {
        "string": TEXTS, "integer": SMALL, "number": NUMBERS, "boolean": st.booleans(),
        "array": st.lists(JSON, max_size=3), "object": st.dictionaries(TEXTS, JSON, max_size=3),
    }  # fmt: skip
    kind = draw(st.sampled_from([*values, "enum", "any", "union"]))
    match kind:
        case "enum":
            options = draw(st.lists(TEXTS | st.integers(0, 3), min_size=1, max_size=4, unique=True))
            schema, value = {"enum": options}, draw(st.sampled_from(options))
        case "any":
            schema, value = {}, draw(JSON)
        case "union":
            schema, value = {"anyOf": [{"type": "string"}, {"type": "integer"}]}, draw(TEXTS | SMALL)
        case _:
            schema, value = {"type": kind}, draw(values[kind])
    if draw(st.booleans()):
        schema = {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}
        value = draw(st.sampled_from([None, value]))
    if draw(st.booleans()):
        schema = {**schema, "default": draw(st.sampled_from([None, value]))}
    return schema, value


@given(st.dictionaries(NAMES, st.tuples(field_and_value(), st.booleans()), max_size=4), st.data())
def test_a_printed_input_is_read_again(fields: dict[str, Any], data: st.DataObject) -> None:
    properties = {name: schema for name, ((schema, _), _) in fields.items()}
    required = [name for name, (_, needed) in fields.items() if needed]
    tool = tool_of({"type": "object", "properties": properties, "required": required})
    left_out = [name for name in fields if name not in required and data.draw(st.booleans())]
    input = {name: value for name, ((_, value), _) in fields.items() if name not in left_out}
    printed = print_form(tool, input)
    assert all(isinstance(text, str) for text in printed.values()) and printed.keys() == fields.keys()
    read = parse_form(tool, printed)
    expected = {n: v for n, v in input.items() if v is not None or n in read}
    assert read == expected and json.dumps(read) == json.dumps(expected)
    for name in input.keys() - read.keys():
        assert properties[name].get("default") is None, "only a null that is the default anyway is left out"


@given(st.fixed_dictionaries({"size": SMALL, "share": st.floats(-1e6, 1e6), "note": st.none() | TEXTS}))
def test_a_typed_model_gets_the_same_values(values: dict[str, Any]) -> None:
    fields: dict[str, Any] = {"size": (int, ...), "share": (float, 1.0), "note": (str | None, None)}
    tool = tool_of(create_model("M", __base__=StrictInput, **fields))
    parsed = parse_input(tool, parse_form(tool, print_form(tool, values)))
    assert parsed.model_dump() == values


@pytest.mark.parametrize("tool", get_all_base_tools(), ids=lambda tool: tool.name)
def test_every_tool_of_the_house_has_a_form(tool: Any) -> None:
    form = tool_form(tool)
    assert form.summary
    for field in form.fields:
        assert field.kind != "choice" or field.choices
        if field.kind == "json" and (field.required or field.default):
            assert isinstance(parse_value(field, field.default or field.example), (str, list, dict))
