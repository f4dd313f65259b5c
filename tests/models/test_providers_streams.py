"""Answers as four providers really stream them, through pydantic-ai's own classes and real HTTP."""

from __future__ import annotations

import gc
import json
import threading
import warnings
from dataclasses import replace
from typing import Any

import anyio
import pytest

from jupyter_agenttools.core.blocks import Message, ToolResultBlock
from jupyter_agenttools.core.errors import ModelConnectionError
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.models import StopPart, TextPart, ToolUsePart
from tests.support.provider_models import (
    asking,
    calls_of,
    model_at,
    parts_before_error,
    parts_of,
    served,
    text_of,
    thoughts_of,
)
from tests.support.provider_server import ProviderServer, Reply
from tests.support.provider_streams import FORMATS, Call, End, Format, Pause, Text, Thinking, Written, sse

pytestmark = pytest.mark.anyio
PIECEWISE = [each for each in FORMATS if each != "google"]
"""The formats in which the input of a call comes in pieces."""

every_format = pytest.mark.parametrize("format", FORMATS)
piecewise_format = pytest.mark.parametrize("format", PIECEWISE)

READ = Call("Read", ['{"file', '_path": "/a {b}', '\\"c"', "}"], "call_r")
GLOB = Call("Glob", ['{"pattern":', '"*"}'], "call_g")


def reply(format: Format, *items: Any, end: End | None = "tools", **more: Any) -> Reply:
    return Reply(Written(format, items, end).body(), **more)


@every_format
async def test_everything_in_its_order_with_usage_at_the_end(format: Format) -> None:
    items = (Thinking(["hm, ", "so"]), Text(["Hello ", "you"]), READ, GLOB)
    with served(format, reply(format, *items)) as (model, _):
        parts = await parts_of(model)
    assert thoughts_of(parts) == "hm, so"
    assert [part.text for part in parts if isinstance(part, TextPart)] == ["Hello ", "you"]
    read, glob = (part.tool_use for part in calls_of(parts))
    assert (read.name, dict(read.input), read.id) == ("Read", {"file_path": '/a {b}"c'}, "call_r")
    assert (glob.name, dict(glob.input), glob.id) == ("Glob", {"pattern": "*"}, "call_g")
    assert parts[-1] == StopPart("tool_use", Usage(8, 7, 4, 0))


@every_format
async def test_a_call_goes_out_when_its_input_is_complete_and_not_with_the_next_event(format: Format) -> None:
    """The provider says nothing more, not even that the block is over, until the first call has arrived."""
    first, last = threading.Event(), threading.Event()
    calls = [Call("Read", [*READ.pieces, first], "call_r"), Call("Glob", [*GLOB.pieces, last], "call_g")]
    with served(format, reply(format, *calls)) as (model, _):
        waiting = iter((first, last))
        async for part in model.stream(asking()):
            if isinstance(part, ToolUsePart):
                next(waiting).set()
    assert next(waiting, None) is None


@piecewise_format
@pytest.mark.parametrize("pieces", [[], [""], ["{}"], ["{", "}"]])
async def test_an_input_without_fields_is_one_too(format: Format, pieces: list[str]) -> None:
    with served(format, reply(format, Call("Tasks", pieces), Text(["done"]))) as (model, _):
        parts = await parts_of(model)
    (call,) = calls_of(parts)
    assert (dict(call.tool_use.input), call.problem) == ({}, "")
    assert text_of(parts) == "done"


@piecewise_format
async def test_an_input_that_was_encoded_twice_is_read(format: Format) -> None:
    text = json.dumps(json.dumps({"pattern": "*"}))
    with served(format, reply(format, Call("Glob", [text[:7], text[7:]]))) as (model, _):
        (call,) = calls_of(await parts_of(model))
    assert (dict(call.tool_use.input), call.problem) == ({"pattern": "*"}, "")


@piecewise_format
@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        (['{"a": 1', ",}"], "property name"),
        (["[1, ", "2]"], "an array"),
        (['{"a"'], "delimiter"),
        (["rm -rf"], "value"),
    ],
)
async def test_an_input_that_is_no_json_is_a_problem_of_that_call_alone(
    format: Format, pieces: list[str], words: str
) -> None:
    with served(format, reply(format, Call("Bash", pieces, "call_b"), GLOB)) as (model, _):
        parts = await parts_of(model)
    by_name = {part.tool_use.name: part for part in calls_of(parts)}
    assert words in by_name["Bash"].problem
    assert dict(by_name["Bash"].tool_use.input) == {}
    assert by_name["Glob"].problem == ""
    assert parts[-1].reason == "tool_use"


@every_format
@pytest.mark.parametrize(
    ("end", "reason", "words"),
    [("stop", "end_turn", ""), ("length", "max_tokens", "cut off"), ("refusal", "refusal", "refused")],
)
async def test_why_an_answer_ends(format: Format, end: End, reason: str, words: str) -> None:
    with served(format, reply(format, Text(["Well"]), end=end)) as (model, _):
        parts = await parts_of(model)
    assert text_of(parts) == "Well"
    assert parts[-1].reason == reason
    assert words in parts[-1].detail


@piecewise_format
async def test_a_call_that_the_limit_cut_off_is_told_so(format: Format) -> None:
    with served(format, reply(format, Call("Write", ['{"content": "long']), end="length")) as (model, _):
        parts = await parts_of(model)
    (call,) = calls_of(parts)
    assert "write less" in call.problem
    assert parts[-1].reason == "max_tokens"


@every_format
@pytest.mark.parametrize("cut", [True, False], ids=["cut", "ended"])
async def test_a_stream_that_breaks_off_is_no_answer(format: Format, cut: bool) -> None:
    with served(format, reply(format, Text(["Let me"]), end=None, cut=cut)) as (model, _):
        parts, error = await parts_before_error(model)
    assert isinstance(error, ModelConnectionError), error
    assert text_of(parts) == "Let me"
    assert not [part for part in parts if isinstance(part, StopPart)]


@piecewise_format
@pytest.mark.parametrize("cut", [True, False], ids=["cut", "ended"])
async def test_a_call_that_breaks_off_never_goes_out(format: Format, cut: bool) -> None:
    body = Written(format, [GLOB, Call("Bash", ['{"comm'])], "tools").body()
    last = next(at for at, piece in enumerate(body) if '{\\"comm' in piece or '{"comm' in piece)
    with served(format, Reply(body[: last + 1], cut=cut)) as (model, _):
        parts, error = await parts_before_error(model)
    assert isinstance(error, ModelConnectionError), error
    assert [call.tool_use.name for call in calls_of(parts)] == ["Glob"]


@every_format
async def test_what_is_no_event_at_all_is_told(format: Format) -> None:
    body = Written(format, [Text(["Well"])], None).body()
    with served(format, Reply([*body, sse('{"type": "message_delta", "delta": {')])) as (model, _):
        parts, error = await parts_before_error(model)
    assert isinstance(error, ModelConnectionError), (type(error), error)
    assert text_of(parts) == "Well"


@every_format
async def test_ids_stay_unique_in_a_conversation(format: Format) -> None:
    same = [Call("Glob", GLOB.pieces, "call_1"), Call("Glob", GLOB.pieces, "call_1")]
    if format == "chat":  # there the second one would be more of the first
        same = same[:1]
    with served(format, reply(format, *same), reply(format, same[0])) as (model, _):
        first = [part.tool_use for part in calls_of(await parts_of(model))]
        answered = tuple(ToolResultBlock(use.id, "none") for use in first)
        request = asking()
        messages = (*request.messages, Message("assistant", tuple(first)), Message("user", answered))
        second = [part.tool_use for part in calls_of(await parts_of(model, replace(request, messages=messages)))]
    ids = [use.id for use in (*first, *second)]
    assert len(set(ids)) == len(ids) == len(same) + 1


async def test_a_name_that_comes_in_pieces() -> None:
    """Some servers stream even the tool's name."""

    def chunk(function: dict[str, str], **more: Any) -> str:
        return Written._chunk({"tool_calls": [{"index": 0, "function": function, **more}]})

    start = chunk({"name": "Gl", "arguments": ""}, id="call_1", type="function")
    body = [start, chunk({"name": "ob"}), chunk({"arguments": '{"pattern": "*"}'}), Written._chunk({}, "tool_calls")]
    with served("chat", Reply([*body, sse("[DONE]")])) as (model, _):
        (call,) = calls_of(await parts_of(model))
    assert (call.tool_use.name, dict(call.tool_use.input)) == ("Glob", {"pattern": "*"})


# ---- connections


@every_format
async def test_cancelling_closes_the_connection_at_once(format: Format) -> None:
    never = threading.Event()
    with served(format, reply(format, Text(["Well"]), Pause(never), Text(["more"]))) as (model, server):
        with anyio.CancelScope() as scope:
            async for part in model.stream(asking()):
                assert part == TextPart("Well")
                scope.cancel()
        assert scope.cancelled_caught
        assert await anyio.to_thread.run_sync(server.left.wait, 10)


@every_format
async def test_leaving_the_stream_closes_the_connection(format: Format) -> None:
    never = threading.Event()
    with served(format, reply(format, Text(["Well"]), Pause(never), Text(["more"]))) as (model, server):
        stream = model.stream(asking())
        assert await anext(stream) == TextPart("Well")
        await stream.aclose()
        assert await anyio.to_thread.run_sync(server.left.wait, 10)


@every_format
async def test_turns_share_a_connection_also_between_models_of_one_name(format: Format) -> None:
    replies = [reply(format, Text(["Well"]), end="stop") for _ in range(3)]
    with ProviderServer(*replies).running() as server:
        model = model_at(format, server.url)
        assert not model.is_loaded
        await parts_of(model)
        assert model.is_loaded
        await parts_of(model)
        await parts_of(model_at(format, server.url))
        assert len(server.connections) == 1


@every_format
def test_each_event_loop_has_connections_of_its_own_which_end_with_it(format: Format) -> None:
    """Two loops one after the other, and two at the same time; a connection that is left open is an error."""
    replies = [reply(format, Text(["Well"]), end="stop") for _ in range(4)]
    with ProviderServer(*replies).running() as server, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        model = model_at(format, server.url)
        texts: list[str] = []

        async def ask() -> None:
            texts.append(text_of(await parts_of(model)))

        anyio.run(ask)
        anyio.run(ask)
        threads = [threading.Thread(target=anyio.run, args=(ask,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        gc.collect()
    assert texts == ["Well"] * 4
    assert len(server.connections) == 4
    assert not [str(each.message) for each in caught if "socket" in str(each.message).lower()]
