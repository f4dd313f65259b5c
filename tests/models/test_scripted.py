"""The scripted model: every written form of a turn, and clear words for the unreadable ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_agenttools import ScriptedModel, UsageError
from jupyter_agenttools.models import ModelRequest, StopPart, TextPart, ToolUsePart

pytestmark = pytest.mark.anyio

CALL = {"type": "tool_use", "name": "Read", "input": {"file_path": "a"}}


async def parts(model: ScriptedModel) -> list[Any]:
    return [part async for part in model.stream(ModelRequest("", (), ()))]


@pytest.mark.parametrize(
    "turn",
    [
        [{"type": "text", "text": "I look."}, CALL],
        {"text": "I look.", "tool_uses": [{"name": "Read", "input": {"file_path": "a"}}]},
        ["I look.", CALL],
        lambda messages: ["I look.", CALL],
    ],
)
async def test_forms_of_one_turn(turn: Any) -> None:
    streamed = await parts(ScriptedModel([turn]))
    assert "".join(p.text for p in streamed if isinstance(p, TextPart)) == "I look."
    use = next(p.tool_use for p in streamed if isinstance(p, ToolUsePart))
    assert (use.name, dict(use.input)) == ("Read", {"file_path": "a"})
    assert streamed[-1] == StopPart("tool_use")


async def test_text_streams_in_pieces_and_the_script_ends_politely() -> None:
    model = ScriptedModel(["one two three"])
    assert [p.text for p in await parts(model) if isinstance(p, TextPart)] == ["one ", "two ", "three"]
    assert "no more turns" in "".join(p.text for p in await parts(model) if isinstance(p, TextPart))


async def test_a_file(tmp_path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"turns": ["hello"]}))
    assert (await parts(ScriptedModel.load(path)))[0] == TextPart("hello")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[", "not JSON"),
        ('{"a": 1}', "list of turns"),
        ("[3]", "turn 1"),
        ('["a", [{"nme": "x"}]]', "turn 2"),
        ('[{"txt": "a"}]', "unknown key 'txt'"),
    ],
)
def test_an_unreadable_script_names_the_place(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ScriptedModel.from_json(text)


def test_a_missing_file_is_told(tmp_path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.json"):
        ScriptedModel.load(tmp_path / "nowhere.json")
