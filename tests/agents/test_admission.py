"""What may enter a conversation: whatever comes, what goes in can be sent, and calls keep their results."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.agents.admission import MAX_IMAGES, MAX_MESSAGE_CHARS, MAX_TEXT_CHARS, admit, as_block
from jupyter_agenttools.core.blocks import (
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUse,
    to_json,
)
from tests.support.media_files import halves, saved

PNG = base64.b64encode(saved(halves(), "PNG")).decode()
HALF = "\ud83d"


def image(data: str = PNG, media_type: str = "image/png", **source: Any) -> ImageBlock:
    return ImageBlock({"type": "base64", "media_type": media_type, "data": data, **source})


def sent(*content: Any, role: Any = "user") -> Message:
    return Message(role, content)


def test_what_can_be_sent_is_the_same_object() -> None:
    message = sent(TextBlock("hello"), image(), ToolResultBlock("a", (TextBlock("x"), image())))
    admitted = admit(message)
    assert admitted.message is message and admitted.refusals == ()
    said = sent(ThinkingBlock("hm", "sig"), ToolUse("Read", {"deep": [{"x": 1.5}]}, "a"), role="assistant")
    assert admit(said).message is said


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (image("no base64!"), "cannot be read"),
        (image(""), "not here as base64"),
        (image(base64.b64encode(b"<svg/>").decode()), "none of PNG, JPEG, GIF, WEBP"),
        (image(PNG + "A" * 5_000_000), "at most 5,000,000"),
        (ImageBlock({"type": "url", "url": "https://example.org/a.png"}), "not here as base64"),
        (ImageBlock({}), "not here as base64"),
        ({"type": "document", "source": {}}, "'document' are not known"),
        ({"no": "type"}, "'dict' are not known"),
        (object(), "'object' are not known"),
        (ImageBlock(None), "cannot be read"),  # type: ignore[arg-type]
    ],
)
def test_what_no_provider_takes_becomes_a_text_that_says_so(block: Any, words: str) -> None:
    admitted = admit(sent(TextBlock("see"), block))
    first, second = admitted.message.content
    assert first == TextBlock("see")
    assert isinstance(second, TextBlock) and words in second.text and "left out here" in second.text
    assert len(admitted.refusals) == 1 and words in admitted.refusals[0]


def test_an_image_goes_in_under_the_type_that_its_bytes_show() -> None:
    admitted = admit(sent(image(media_type="image/jpeg")))
    assert admitted.message.content == (image(),)
    assert "'image/jpeg', but it is image/png" in admitted.refusals[0]


def test_empty_texts_stay_outside_and_something_is_always_there() -> None:
    assert admit(sent(TextBlock(""), TextBlock("so"), TextBlock(" \n"))).message.content == (TextBlock("so"),)
    assert [block.text for block in admit(sent(TextBlock(" "))).message.content] == ["(nothing)"]
    assert [block.text for block in admit(sent()).message.content] == ["(nothing)"]
    (result,) = admit(sent(ToolResultBlock("a", (TextBlock(""), image())))).message.content
    assert result.content == (image(),)
    assert admit(sent(ToolResultBlock("a", ""))).message.content == (ToolResultBlock("a", ""),)


def test_blocks_in_the_form_of_the_wire_become_blocks() -> None:
    blocks = (TextBlock("hello"), image(), ToolResultBlock("a", (TextBlock("x"),)))
    assert admit(sent(*(to_json(block) for block in blocks))).message.content == blocks


def test_a_message_holds_so_many_images_and_no_more() -> None:
    admitted = admit(sent(*(image() for _ in range(MAX_IMAGES + 2))))
    kinds = [type(block) for block in admitted.message.content]
    assert kinds == [ImageBlock] * MAX_IMAGES + [TextBlock] * 2


def test_a_text_that_is_too_long_is_cut_and_says_so() -> None:
    admitted = admit(sent(TextBlock("a" * MAX_TEXT_CHARS), ToolResultBlock("i", "b" * (MAX_TEXT_CHARS + 7))))
    whole, cut = admitted.message.content
    assert len(whole.text) == MAX_TEXT_CHARS and "7 characters left out" in cut.text
    assert len(cut.text) < 1_048_576


def test_a_whole_message_has_its_limit_too() -> None:
    blocks = [ToolResultBlock(str(number), "b" * MAX_TEXT_CHARS) for number in range(20)]
    admitted = admit(sent(*blocks))
    assert [block.tool_use_id for block in admitted.message.content] == [block.tool_use_id for block in blocks]
    assert len(json.dumps(to_json(admitted.message))) < MAX_MESSAGE_CHARS * 1.01
    assert "left out" in admitted.message.content[-1].text


def test_the_result_of_a_failed_call_holds_no_image() -> None:
    result = ToolResultBlock("a", (TextBlock("failed"), image()), is_error=True)
    (block,) = admit(sent(result)).message.content
    assert [type(part) for part in block.content] == [TextBlock, TextBlock] and "failed call" in block.content[1].text


def test_an_input_that_is_no_json_is_spelled_out() -> None:
    odd = {"a": HALF, "b": float("nan"), "c": {1}, "d": (1, 2.5, None, True), HALF: 1 << 5_000}
    (block,) = admit(sent(ToolUse("Read", odd, "a"), role="assistant")).message.content
    assert json.loads(json.dumps(block.input, allow_nan=False)) == {
        "a": "\\ud83d",
        "b": "nan",
        "c": "{1}",
        "d": [1, 2.5, None, True],
        "\\ud83d": "[left out: a number of 5,001 bits]",
    }
    (listed,) = admit(sent(ToolUse("Read", [1], "a"), role="assistant")).message.content  # type: ignore[arg-type]
    assert listed.input == {"input": [1]}


def test_an_input_without_a_bottom_ends_somewhere() -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    (block,) = admit(sent(ToolUse("Read", endless, "a"), role="assistant")).message.content
    assert "too deep" in json.dumps(block.input)


def test_half_characters_cost_a_thought_its_signature() -> None:
    (block,) = admit(sent(ThinkingBlock(f"so {HALF}", "sig"), role="assistant")).message.content
    assert block == ThinkingBlock("so \\ud83d")


class Hostile:
    """An object that fails at whatever is done with it."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("do not touch")

    def __str__(self) -> str:
        raise RuntimeError("do not touch")


@pytest.mark.parametrize(
    "wrap", [lambda x: x, lambda x: ToolResultBlock("i", (x,)), lambda x: ToolUse("T", {"x": x}, "i")]
)
def test_an_object_that_fails_stops_nothing(wrap: Any) -> None:
    admitted = admit(sent(TextBlock("before"), wrap(Hostile()), TextBlock("after")))
    before, middle, after = admitted.message.content
    assert (before.text, after.text) == ("before", "after")
    json.dumps(to_json(middle)).encode()
    assert admitted.refusals


TEXTS = st.text(st.characters(codec=None), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
PARTS = st.one_of(TEXTS.map(TextBlock), st.sampled_from([image(), image("?"), ImageBlock({})]), VALUES)
BLOCKS = st.one_of(
    PARTS,
    st.builds(ThinkingBlock, TEXTS, st.none() | TEXTS),
    st.builds(ToolUse, TEXTS, st.dictionaries(TEXTS, VALUES, max_size=3), TEXTS),
    st.builds(ToolResultBlock, TEXTS, TEXTS | st.lists(PARTS, max_size=3).map(tuple), st.booleans()),
    st.dictionaries(st.sampled_from(["type", "text", "id", "name", "input", "content", "source"]), VALUES, max_size=4),
)


def in_blocks(thing: Any) -> Any:
    try:
        return as_block(thing)
    except Exception:
        return None


@given(st.lists(BLOCKS, max_size=6))
def test_whatever_comes_in_can_be_sent(blocks: list[Any]) -> None:
    admitted = admit(sent(*blocks))
    json.dumps(to_json(admitted.message), allow_nan=False, ensure_ascii=False).encode()
    pairs = (ToolUse, ToolResultBlock)
    kept = [type(block) for block in admitted.message.content if isinstance(block, pairs)]
    assert kept[: len(blocks)] == [type(block) for block in map(in_blocks, blocks) if isinstance(block, pairs)]
    content = admitted.message.content
    assert content and all(block.text.strip() for block in content if isinstance(block, TextBlock))
    again = admit(admitted.message)
    assert again.message is admitted.message and again.refusals == ()


@pytest.mark.parametrize("id", [f"id{HALF}", "functions.Read:0", "call_1|fc_2", "x" * 60, "", 5])
def test_results_and_calls_keep_one_id_that_every_provider_takes(id: Any) -> None:
    (use,) = admit(sent(ToolUse("T", {}, id), role="assistant")).message.content
    (result,) = admit(sent(ToolResultBlock(id, "x"))).message.content
    assert use.id == result.tool_use_id and re.fullmatch(r"[A-Za-z0-9_-]{1,40}", use.id)


@pytest.mark.parametrize(
    ("name", "sent_as"),
    [
        ("mcp__server__tool", "mcp__server__tool"),
        ("browser.tabs", "browser_tabs"),
        ("", "unnamed"),
        ("x" * 200, "x" * 128),
    ],
)
def test_a_name_that_a_model_made_up_does_no_harm_later(name: Any, sent_as: str) -> None:
    (use,) = admit(sent(ToolUse(name, {}, "a"), role="assistant")).message.content
    assert use.name == sent_as
