"""The scripted model: every written form of a turn, every failure it can show, clear words for the unreadable ones."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import ScriptedModel, UsageError
from jupyter_agenttools.core import TextBlock, ToolUse
from jupyter_agenttools.core.blocks import ThinkingBlock
from jupyter_agenttools.core.errors import (
    ContextOverflowError,
    ModelBusyError,
    ModelConnectionError,
    ModelError,
)
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.models import (
    FAULT_KINDS,
    Fault,
    ModelRequest,
    RawToolUse,
    StopPart,
    TextPart,
    ThinkingPart,
    ToolUsePart,
    Turn,
)
from jupyter_agenttools.models.scripts import TURN_KEYS

pytestmark = pytest.mark.anyio

CALL = {"type": "tool_use", "name": "Read", "input": {"file_path": "a"}}


async def parts(model: ScriptedModel) -> list[Any]:
    return [part async for part in model.stream(ModelRequest("", (), ()))]


async def parts_until_fault(model: ScriptedModel) -> tuple[list[Any], Exception | None]:
    seen: list[Any] = []
    try:
        async for part in model.stream(ModelRequest("", (), ())):
            seen.append(part)
    except Exception as error:
        return seen, error
    return seen, None


def text_of(streamed: list[Any]) -> str:
    return "".join(p.text for p in streamed if isinstance(p, TextPart))


@pytest.mark.parametrize(
    "turn",
    [
        [{"type": "text", "text": "I look."}, CALL],
        {"text": "I look.", "tool_uses": [{"name": "Read", "input": {"file_path": "a"}}]},
        {"content": ["I look.", CALL]},
        ["I look.", CALL],
        Turn((TextBlock("I look."), ToolUse("Read", {"file_path": "a"}))),
        lambda messages: ["I look.", CALL],
    ],
)
async def test_forms_of_one_turn(turn: Any) -> None:
    streamed = await parts(ScriptedModel([turn]))
    assert text_of(streamed) == "I look."
    use = next(p.tool_use for p in streamed if isinstance(p, ToolUsePart))
    assert (use.name, dict(use.input)) == ("Read", {"file_path": "a"})
    assert streamed[-1] == StopPart("tool_use")


async def test_text_streams_in_pieces_and_the_script_ends_politely() -> None:
    model = ScriptedModel(["one two three"])
    assert [p.text for p in await parts(model) if isinstance(p, TextPart)] == ["one ", "two ", "three"]
    assert model.turns_left == 0
    assert "no more turns" in text_of(await parts(model))


@given(st.text())
async def test_no_character_of_a_text_is_lost(text: str) -> None:
    streamed = await parts(ScriptedModel([{"text": text, "thinking": text}]))
    assert text_of(streamed) == TextBlock(text).text
    assert "".join(p.text for p in streamed if isinstance(p, ThinkingPart)) == text


async def test_thinking_comes_first_and_its_signature_with_its_last_piece() -> None:
    streamed = await parts(ScriptedModel([[{"thinking": "let me see", "signature": "proof"}, "Yes."]]))
    thoughts = [p for p in streamed if isinstance(p, ThinkingPart)]
    assert [p.text for p in thoughts] == ["let ", "me ", "see"]
    assert [p.signature for p in thoughts] == [None, None, "proof"]
    assert isinstance(streamed[3], TextPart)
    hidden = await parts(ScriptedModel([[ThinkingBlock("", "proof"), "Yes."]]))
    assert hidden[0] == ThinkingPart("", "proof")


async def test_stop_reason_usage_and_detail() -> None:
    usage = {"input_tokens": 12, "output_tokens": 3, "cache_read_tokens": 900}
    turn = {"text": "I will not.", "stop_reason": "refusal", "detail": "a policy", "usage": usage}
    assert (await parts(ScriptedModel([turn])))[-1] == StopPart("refusal", Usage(**usage), "a policy")


@pytest.mark.parametrize(
    ("turn", "error", "words"),
    [
        ({"error": "rate_limit", "message": "slow down", "retry_after_s": 7}, ModelBusyError, "slow down"),
        ({"error": "overloaded"}, ModelBusyError, "overloaded"),
        ({"error": "connection"}, ModelConnectionError, "connection"),
        ({"error": "context_overflow"}, ContextOverflowError, "window"),
        ({"error": "setup", "message": "no key"}, UsageError, "no key"),
        ({"error": "failure"}, ModelError, "refused"),
        (Fault("connection", "reset"), ModelConnectionError, "reset"),
    ],
)
async def test_each_fault_is_the_exception_of_its_kind(turn: Any, error: type[Exception], words: str) -> None:
    streamed, raised = await parts_until_fault(ScriptedModel([turn, "after"]))
    assert type(raised) is error and words in str(raised) and not streamed
    if isinstance(turn, dict) and "retry_after_s" in turn:
        assert getattr(raised, "retry_after_s", None) == 7


async def test_a_fault_in_the_middle_of_an_answer() -> None:
    model = ScriptedModel([{"text": "I beg", "error": "connection"}, "again"])
    streamed, raised = await parts_until_fault(model)
    assert text_of(streamed) == "I beg" and isinstance(raised, ModelConnectionError)
    assert text_of(await parts(model)) == "again"


async def test_a_stream_that_breaks_off_has_no_end() -> None:
    streamed = await parts(ScriptedModel([{"text": "I beg", "cut": True}]))
    assert text_of(streamed) == "I beg" and not any(isinstance(p, StopPart) for p in streamed)


async def test_a_call_that_is_cut_in_its_json_never_comes() -> None:
    turn = {"text": "I run.", "tool_uses": [CALL, {"name": "Bash", "raw_input": '{"comm'}]}
    for end in ({"cut": True}, {"error": "connection"}):
        streamed, _ = await parts_until_fault(ScriptedModel([{**turn, **end}]))
        assert [p.tool_use.name for p in streamed if isinstance(p, ToolUsePart)] == ["Read"]


@pytest.mark.parametrize("raw", ['{"comm', "[1]", '"x"', "{'a': 1}", '{"a": NaN}', "[" * 100_000])
async def test_broken_json_comes_as_a_call_with_its_problem(raw: str) -> None:
    streamed = await parts(ScriptedModel([{"tool_uses": [{"name": "Bash", "raw_input": raw, "id": "t1"}]}]))
    (part,) = (p for p in streamed if isinstance(p, ToolUsePart))
    assert part.problem and part.tool_use == ToolUse("Bash", {}, "t1")
    assert streamed[-1] == StopPart("tool_use")


@pytest.mark.parametrize(("raw", "input"), [("", {}), ('{"a": [1]}', {"a": [1]})])
async def test_raw_input_that_is_an_object_is_that(raw: str, input: dict[str, Any]) -> None:
    (part, _) = await parts(ScriptedModel([RawToolUse("Bash", raw)]))
    assert (part.problem, dict(part.tool_use.input)) == ("", input)


async def test_pauses_of_a_model_a_turn_and_a_block() -> None:
    async def seconds(model: ScriptedModel) -> float:
        began = time.monotonic()
        await parts(model)
        return time.monotonic() - began

    turn = {"content": [{"text": "a b", "delay_ms": 20}, {"name": "Read", "delay_ms": 60}]}
    assert await seconds(ScriptedModel([turn])) >= 0.1
    assert await seconds(ScriptedModel([{"text": "a b c", "delay_ms": 20}])) >= 0.06
    assert await seconds(ScriptedModel(["a b c"], delay_s=0.02)) >= 0.06
    assert await seconds(ScriptedModel([{"text": "a b c", "delay_ms": 0}], delay_s=60)) < 5


async def test_json_and_yaml_say_the_same(tmp_path) -> None:
    data = {
        "delay_ms": 0,
        "context_window": 4000,
        "turns": ["hello", {"thinking": "hm", "tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "ls"}}]}],
    }
    yaml = (
        "delay_ms: 0\ncontext_window: 4000\nturns:\n  - hello\n  - thinking: hm\n    tool_uses:\n"
        "      - {id: t1, name: Bash, input: {command: ls}}\n"
    )
    files = {"a.json": json.dumps(data), "b.yaml": yaml, "c.yml": yaml, "d": yaml, "e": json.dumps(data)}
    played = []
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        model = ScriptedModel.load(tmp_path / name)
        played.append([await parts(model), await parts(model), model.context_window])
    assert all(each == played[0] for each in played) and played[0][2] == 4000


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("no", "no"), ("on", "on"), ("12:30", "12:30"), ("2024-01-01", "2024-01-01"), ("0x1f", "0x1f"), ("010", "010"),
        ("1_000", "1_000"), (".inf", ".inf"), ("true", True), ("null", None), ("~", None), ("-3", -3), ("1e3", 1000.0),
        ("'7'", "7"), ("|\n        a\n        b", "a\nb\n"), ("[1, x]", [1, "x"]), ("{}", {}),
    ],
)  # fmt: skip
async def test_yaml_has_no_surprises(written: str, read: Any) -> None:
    model = ScriptedModel.from_yaml(f"- tool_uses:\n  - name: A\n    input:\n      x: {written}\n")
    part = (await parts(model))[0]
    assert part.tool_use.input == {"x": read} and type(part.tool_use.input["x"]) is type(read)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a\n- b: [1\n- c", r"line 3, column 4"),
        ("- {a: 1, a: 2}", "'a' stands twice"),
        ("- &x hello\n- *x", r"line 2, column 3.*aliases"),
        ("- !!python/object/apply:os.system ['true']", "line 1, column 3"),
        ("- 1: x", "key 1 is not a text"),
        ("- a\n- \x00", "character that cannot"),
        ("a: 1", "list of turns"),
        ("", "list of turns"),
        ("- " * 20_000 + "a", "nested too deeply|turn 1"),
    ],
)
def test_unreadable_yaml_names_the_place(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ScriptedModel.from_yaml(text, where="lesson.yaml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[\n1,\n}", "not JSON: line 3, column 1"),
        ('["a", {"text": "x", "text": "y"}]', "'text' stands twice"),
        ('[{"tool_uses": [{"name": "A", "input": {"x": NaN}}]}]', "NaN"),
        ('{"a": 1}', "list of turns"),
        ('{"turns": [], "speed": 1}', "unknown key 'speed'"),
        ('{"turns": [], "delay_ms": "1"}', "`delay_ms` is a number"),
        ('{"turns": [], "context_window": -1}', "context_window"),
        ("[3]", "turn 1"),
        ('["a", [{"nme": "x"}]]', "turn 2.*'nme'"),
        ('[{"txt": "a"}]', "turn 1: unknown key 'txt'"),
        ('["a", "b", [{"type": "text", "text": "a", "colour": "red"}]]', "turn 3: unknown key 'colour'"),
        ('[{"text": 3}]', "`text` is a text"),
        ('[{"tool_uses": {"name": "A"}}]', "`tool_uses` is a list"),
        ('[[{"name": "A", "input": "x"}]]', "`input` of A is an object.*raw_input"),
        ('[[{"name": "A", "input": {}, "raw_input": "x"}]]', "one of them"),
        ('[[{"name": ""}]]', "`name` is empty"),
        ('[{"text": "a", "content": ["b"]}]', "`content` stands in place of `text`"),
        ('[{"stop_reason": "tired"}]', "`stop_reason` is one of"),
        ('[{"error": "bad_luck"}]', "turn 1: 'bad_luck' is no fault"),
        ('[{"error": "connection", "retry_after_s": 3}]', "goes with rate_limit"),
        ('[{"message": "x"}]', "`message` goes with `error`"),
        ('[{"error": "connection", "cut": true}]', "exclude each other"),
        ('[{"cut": "yes"}]', "`cut` is true or false"),
        ('[{"cut": true, "usage": {}}]', "breaks off has no `usage`"),
        ('[{"usage": {"tokens": 3}}]', "unknown key 'tokens'"),
        ('[{"usage": {"input_tokens": -3}}]', "number of tokens"),
        ('[{"delay_ms": -1}]', "number from 0"),
        ('[[{"type": "image", "source": {}}]]', "type 'image'"),
    ],
)
def test_an_unreadable_script_names_the_place(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ScriptedModel.from_json(text)


def test_the_file_is_named_with_the_turn(tmp_path) -> None:
    (tmp_path / "lesson.json").write_text('["a", 3]')
    with pytest.raises(UsageError, match=r"lesson\.json: turn 2"):
        ScriptedModel.load(tmp_path / "lesson.json")
    with pytest.raises(UsageError, match=r"nowhere\.json"):
        ScriptedModel.load(tmp_path / "nowhere.json")


async def test_a_function_that_returns_nonsense_is_told_when_it_plays() -> None:
    with pytest.raises(UsageError, match="turn 1"):
        await parts(ScriptedModel([lambda messages: {"txt": 1}]))


async def test_the_script_in_the_readme_shows_what_it_says() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    model = ScriptedModel.from_yaml(readme.partition("```yaml\n")[2].partition("```")[0])
    looks, busy, broken, cut, done = [await parts_until_fault(model) for _ in range(model.turns_left)]
    assert isinstance(looks[0][0], ThinkingPart) and looks[0][-1].usage == Usage(900, 40)
    assert isinstance(busy[1], ModelBusyError) and busy[1].retry_after_s == 2
    assert broken[0][0].problem and not isinstance(cut[0][-1], StopPart) and done[0][-1] == StopPart("end_turn")


def test_every_fault_kind_can_be_written() -> None:
    assert {type(Fault(kind).error()) for kind in FAULT_KINDS} >= {ModelBusyError, ModelConnectionError, ModelError}


KEYS = [*TURN_KEYS, "type", "name", "input", "raw_input", "id", "x"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*TURN_KEYS, "type", "name", "input", "raw_input", "id", "x"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@given(JSON)
async def test_whatever_is_written_is_played_or_refused_in_words(turn: Any) -> None:
    try:
        model = ScriptedModel([turn])
    except UsageError as error:
        assert str(error).startswith("turn 1: ")
        return
    streamed, raised = await parts_until_fault(model)
    assert isinstance(raised, (ModelError, UsageError, type(None)))
    assert raised is not None or not streamed or isinstance(streamed[-1], StopPart) or "cut" in turn


@given(JSON | st.text(), st.booleans())
def test_whatever_a_file_holds_is_read_or_refused_in_words(data: Any, as_text: bool) -> None:
    text = data if isinstance(data, str) and as_text else json.dumps(data)
    for read in (ScriptedModel.from_json, ScriptedModel.from_yaml, ScriptedModel.from_text):
        try:
            read(text, where="lesson")
        except UsageError as error:
            assert str(error).startswith("lesson")
