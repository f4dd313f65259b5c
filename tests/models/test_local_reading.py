"""The constrained model's JSON becomes text that streams and calls that are complete, however it is cut."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from jupyter_agenttools import Session
from jupyter_agenttools.core import ToolResult, build_tool
from jupyter_agenttools.models import ModelPart, TextPart, ToolUsePart
from jupyter_agenttools.models.local.constraint import reply_schema
from jupyter_agenttools.models.local.reading import ReplyReader

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
_styles = st.sampled_from([{}, {"indent": 2}, {"ensure_ascii": False}])


def read(text: str, places: set[int], *, cut: bool = False) -> list[ModelPart]:
    reader, bounds = ReplyReader(), [0, *sorted(place for place in places if place < len(text)), len(text)]
    pieces = [text[a:b] for a, b in pairwise(bounds)]
    return [part for piece in pieces for part in reader.feed(piece)] + list(reader.finish(cut=cut))


@given(_texts, _styles, st.sets(st.integers(1, 80), max_size=12))
def test_an_answer_streams_as_it_is(text: str, style: Any, places: set[int]) -> None:
    parts = read(json.dumps({"answer": text}, **style), places)
    assert all(isinstance(part, TextPart) for part in parts)
    assert "".join(part.text for part in parts) == text


@given(st.dictionaries(_texts, _texts | st.integers(), max_size=4), _styles, st.sets(st.integers(1, 80), max_size=12))
def test_a_call_comes_whole_and_once(input: Any, style: Any, places: set[int]) -> None:
    (part,) = read(json.dumps({"tool": "Read", "input": input}, **style), places)
    assert isinstance(part, ToolUsePart)
    assert (part.tool_use.name, dict(part.tool_use.input), part.problem) == ("Read", input, "")


def test_the_beginning_of_an_answer_streams_before_its_end() -> None:
    reader = ReplyReader()
    assert list(reader.feed('{"answer": "Hel')) == [TextPart("Hel")]
    assert list(reader.feed("lo \\")) == [TextPart("lo ")]
    assert list(reader.feed('n"')) == [TextPart("\n")]


def test_a_call_that_was_cut_off_is_a_problem() -> None:
    (part,) = read('{"tool": "Write", "input": {"content": "abc', set(), cut=True)
    assert part.tool_use.name == "Write"
    assert "cut off" in part.problem


@pytest.mark.parametrize("needed_only", [True, False])
def test_the_schema_of_every_built_in_tool_keeps_its_meaning(tmp_path: Any, needed_only: bool) -> None:
    """Definitions stand at the top under names of their own, and every reference leads to one."""
    tools = Session(tmp_path, {}, session_dir=tmp_path / "session").tools
    schema = reply_schema(tools, needed_only=needed_only)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    good = {"tool": "TodoWrite", "input": {"todos": [{"content": "a", "status": "pending", "activeForm": "b"}]}}
    assert validator.is_valid(good)
    assert validator.is_valid({"answer": "x"})
    assert not validator.is_valid({"tool": "TodoWrite", "input": {"todos": [{"content": 3}]}})
    assert not validator.is_valid({"tool": "Nothing", "input": {}})
    optional = {"tool": "Read", "input": {"file_path": "/a", "limit": 3}}
    assert validator.is_valid(optional) is not needed_only


def test_fields_that_are_called_like_words_of_json_schema_stay() -> None:
    async def call(input: Any, context: Any) -> ToolResult[Any]:
        return ToolResult("")

    schema = {
        "type": "object",
        "properties": {"title": {"type": "string", "title": "T"}, "description": {"$ref": "#/$defs/text"}},
        "required": ["title", "description"],
        "$defs": {"text": {"type": "string", "description": "a text"}},
    }
    tool = build_tool(name="Note", description="Notes.", input_json_schema=schema, call=call)
    validator = Draft202012Validator(reply_schema([tool]))
    assert validator.is_valid({"tool": "Note", "input": {"title": "a", "description": "b"}})
    assert not validator.is_valid({"tool": "Note", "input": {"title": "a", "description": 1}})
    assert not validator.is_valid({"tool": "Note", "input": {"title": "a"}})
