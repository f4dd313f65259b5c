"""What providers are sent: a conversation with calls, results, images and thoughts, the same from turn to turn."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from jupyter_agenttools import Session
from jupyter_agenttools.core import StrictInput, ToolResult, build_tool
from jupyter_agenttools.core.blocks import (
    Block,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUse,
)
from jupyter_agenttools.core.updates import CallFinished, TurnEnded
from jupyter_agenttools.models import ModelRequest, ThinkingPart
from tests.support.provider_models import asking, calls_of, parts_of, served
from tests.support.provider_server import Reply
from tests.support.provider_streams import FORMATS, Call, Format, Text, Thinking, Written

pytestmark = pytest.mark.anyio
every_format = pytest.mark.parametrize("format", FORMATS)

PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n not a real picture").decode()
IMAGE = ImageBlock({"type": "base64", "media_type": "image/png", "data": PIXEL})


class Lookup(StrictInput):
    word: str
    limit: int = 5


async def _call(input: Any, context: Any) -> ToolResult[Any]:
    return ToolResult("found")


LOOKUP = build_tool(name="Lookup", description="Looks a word up.", input_model=Lookup, call=_call)
ASK = build_tool(name="Ask", description="Asks.", input_json_schema={"type": "object", "properties": {}}, call=_call)


def well(format: Format, times: int = 1) -> list[Reply]:
    return [Reply(Written(format, [Text(["Well"])]).body()) for _ in range(times)]


async def sent(format: Format, request: ModelRequest) -> Any:
    with served(format, *well(format)) as (model, server):
        await parts_of(model, request)
        return server.asked[0].body


def spoken(*messages: tuple[str, tuple[Block, ...]], **fields: Any) -> ModelRequest:
    return ModelRequest("You help.", tuple(Message(role, blocks) for role, blocks in messages), (LOOKUP,), **fields)


def between(request: ModelRequest, *answer: Block) -> ModelRequest:
    """The request, an answer to it, and the next thing that the person says."""
    return replace(request, messages=(*request.messages, Message("assistant", answer), *asking("next").messages))


CONVERSATION = spoken(
    ("user", (TextBlock("Look at "), IMAGE, TextBlock("and tell"))),
    (
        "assistant",
        (TextBlock("I look."), ToolUse("Lookup", {"word": "ä\n"}, "call_1"), ToolUse("Lookup", {}, "call_2")),
    ),
    (
        "user",
        (
            ToolResultBlock("call_1", (TextBlock("see"), IMAGE)),
            ToolResultBlock("call_2", "`word` is missing", is_error=True),
            TextBlock("<system-reminder>a file changed</system-reminder>"),
        ),
    ),
    ("user", (TextBlock("And go on"),)),
)


async def test_a_conversation_for_anthropic() -> None:
    body = await sent("anthropic", CONVERSATION)
    asked, answered, results = body["messages"]
    assert [each["type"] for each in asked["content"]] == ["text", "image", "text"]
    assert asked["content"][1]["source"] == dict(IMAGE.source)
    assert [(each["type"], each.get("id"), each.get("input")) for each in answered["content"]] == [
        ("text", None, None),
        ("tool_use", "call_1", {"word": "ä\n"}),
        ("tool_use", "call_2", {}),
    ]
    first, second, *rest = results["content"]
    assert (first["type"], first["tool_use_id"], first["is_error"]) == ("tool_result", "call_1", False)
    assert [each["type"] for each in first["content"]] == ["text", "image"]
    assert (second["tool_use_id"], second["is_error"]) == ("call_2", True)
    assert "`word` is missing" in json.dumps(second["content"])
    assert [each["text"] for each in rest] == ["<system-reminder>a file changed</system-reminder>", "And go on"]


async def test_a_conversation_for_openais_chat() -> None:
    body = await sent("chat", CONVERSATION)
    roles = [each["role"] for each in body["messages"]]
    assert roles[:5] == ["system", "user", "assistant", "tool", "tool"]
    assert set(roles[5:]) == {"user"}
    assert body["messages"][0]["content"] == "You help."
    calls = body["messages"][2]["tool_calls"]
    assert [(each["id"], json.loads(each["function"]["arguments"])) for each in calls] == [
        ("call_1", {"word": "ä\n"}),
        ("call_2", {}),
    ]
    assert [each["tool_call_id"] for each in body["messages"][3:5]] == ["call_1", "call_2"]
    assert "error" in body["messages"][4]["content"]
    rest = json.dumps(body["messages"][5:])
    assert f"data:image/png;base64,{PIXEL}" in rest, "an image in a result goes into a message of its own"
    assert rest.index("a file changed") < rest.index("And go on")


async def test_a_conversation_for_openais_responses() -> None:
    body = await sent("responses", CONVERSATION)
    kinds = [each.get("type") or each["role"] for each in body["input"]]
    assert kinds.count("function_call") == kinds.count("function_call_output") == 2
    outputs = [each for each in body["input"] if each.get("type") == "function_call_output"]
    assert [each["call_id"] for each in outputs] == ["call_1", "call_2"]
    assert f"data:image/png;base64,{PIXEL}" in json.dumps(body["input"][kinds.index("function_call_output") :])
    assert body["instructions"] == "You help."


async def test_a_conversation_for_google() -> None:
    body = await sent("google", CONVERSATION)
    roles = [each["role"] for each in body["contents"]]
    assert roles[:3] == ["user", "model", "user"]
    assert set(roles[3:]) <= {"user"}
    results = [each["functionResponse"] for each in body["contents"][2]["parts"] if "functionResponse" in each]
    assert [each["id"] for each in results] == ["call_1", "call_2"]
    assert "error" in results[1]["response"]
    assert body["systemInstruction"]["parts"] == [{"text": "You help."}]


@every_format
async def test_texts_that_are_empty_are_never_sent_as_such(format: Format) -> None:
    request = spoken(
        ("user", (TextBlock(""),)),
        ("assistant", (TextBlock(""),)),
        ("user", (TextBlock("x"),)),
        ("assistant", (ToolUse("Lookup", {}, "call_1"),)),
        ("user", (ToolResultBlock("call_1", ""),)),
    )
    body = await sent(format, request)
    assert '"text": ""' not in json.dumps(body)
    assert '"content": ""' not in json.dumps(body)
    assert '"output": ""' not in json.dumps(body)


@every_format
async def test_the_beginning_stays_the_same_from_turn_to_turn(format: Format) -> None:
    """What a provider keeps of a prompt counts from its first byte: tools, system prompt and earlier messages."""
    request = replace(CONVERSATION, tools=(LOOKUP, ASK))
    later = replace(
        request, messages=(*request.messages, Message("assistant", (TextBlock("Done."),)), *asking().messages)
    )
    first, second = await sent(format, request), await sent(format, later)
    key = "contents" if format == "google" else "input" if format == "responses" else "messages"
    for body in (first, second):
        for message in body[key]:
            for part in message["content"] if isinstance(message.get("content"), list) else []:
                part.pop("cache_control", None)
    assert second[key][: len(first[key])] == first[key]
    assert {name: each for name, each in first.items() if name != key} == {
        name: each for name, each in second.items() if name != key
    }
    names = [at for name in ("Lookup", "Ask") if (at := json.dumps(first["tools"]).index(f'"{name}"'))]
    assert names == sorted(names)


async def test_anthropic_is_asked_to_keep_the_prompt() -> None:
    body = await sent("anthropic", CONVERSATION)
    assert "cache_control" in body["system"][-1]
    assert "cache_control" in json.dumps(body["tools"]) or "cache_control" in body


@every_format
async def test_a_tool_goes_with_its_description_and_schema(format: Format) -> None:
    tools = json.dumps((await sent(format, CONVERSATION))["tools"])
    assert "Looks a word up." in tools
    assert '"word"' in tools
    assert '"limit"' in tools


# ---- thoughts


@every_format
async def test_a_thought_goes_back_to_the_provider_that_had_it(format: Format) -> None:
    answer = [Thinking(["hm, ", "so"]), Call("Lookup", ['{"word": "a"}'], "call_1")]
    with served(format, Reply(Written(format, answer, "tools").body()), *well(format)) as (model, server):
        parts = await parts_of(model, CONVERSATION)
        await parts_of(model, replace(CONVERSATION, messages=(*CONVERSATION.messages, *_turn(parts))))
        body = json.dumps(server.asked[1].body)
    if format == "google":
        assert "Y2FsbC1zaWduYXR1cmU" in body, "the signature of the call"
        return
    assert "hm, so" in body
    if format != "chat":
        assert "c2lnbmF0dXJl" in body


def _turn(parts: list[Any]) -> tuple[Message, Message]:
    """The message that the loop makes of an answer, and the results of its calls."""
    blocks: list[Block] = []
    thinking = ""
    for part in parts:
        if isinstance(part, ThinkingPart):
            thinking += part.text
            if part.signature:
                blocks.append(ThinkingBlock(thinking, part.signature))
                thinking = ""
    uses = [part.tool_use for part in calls_of(parts)]
    results = tuple(ToolResultBlock(use.id, "found") for use in uses)
    return Message("assistant", (*blocks, *uses)), Message("user", results)


@every_format
async def test_what_another_provider_thought_stays_out(format: Format) -> None:
    other = "anthropic" if format != "anthropic" else "responses"
    with served(other, Reply(Written(other, [Thinking(["hm, so"]), Text(["Well"])]).body())) as (model, _):
        parts = await parts_of(model)
    blocks = tuple(ThinkingBlock("hm, so", part.signature) for part in parts if isinstance(part, ThinkingPart))
    blocks = tuple(block for block in blocks if block.signature)
    assert blocks
    asked = asking()
    request = replace(
        asked, messages=(*asked.messages, Message("assistant", (*blocks, TextBlock("Well"))), *asked.messages)
    )
    body = json.dumps(await sent(format, request))
    assert "hm, so" not in body
    assert "c2lnbmF0dXJl" not in body


async def test_a_bare_signature_is_taken_for_this_providers_and_a_thought_without_one_stays_out() -> None:
    blocks = (ThinkingBlock("signed", "c2ln"), ThinkingBlock("unsigned"), TextBlock("Well"))
    asked = asking()
    body = await sent(
        "anthropic", replace(asked, messages=(*asked.messages, Message("assistant", blocks), *asked.messages))
    )
    thoughts = [each for each in body["messages"][1]["content"] if each["type"] == "thinking"]
    assert thoughts == [{"type": "thinking", "thinking": "signed", "signature": "c2ln"}]


# ---- settings


@every_format
async def test_the_longest_answer_and_the_thinking_are_asked_for(format: Format) -> None:
    body = await sent(format, asking(max_tokens=3000, thinking=2000))
    plain = json.dumps(body)
    if format == "google":
        assert body["generationConfig"]["thinkingConfig"]["thinking_budget"] == 2000
    if format == "responses":
        assert body["reasoning"]["effort"] == "low"
    assert "3000" in plain or "5000" in plain


@every_format
async def test_an_answer_in_a_shape(format: Format) -> None:
    class Verdict(BaseModel):
        guilty: bool

    body = json.dumps(await sent(format, asking(output_schema=Verdict.model_json_schema())))
    assert '"guilty"' in body


# ---- through a session: inputs as models really write them


async def _run(format: Format, folder: Path, *calls: Call) -> tuple[Session, list[Any]]:
    replies = [Reply(Written(format, calls, "tools").body()), *well(format)]
    with served(format, *replies) as (model, _):
        allowed = {"permissions": {"allow": ["Bash", "TodoWrite", "Lookup"]}}
        session = Session(folder, allowed, model=model, tools=[LOOKUP], session_dir=folder / "session")
        updates = [update async for update in session.query("go")]
    await session.aclose()
    assert isinstance(updates[-1], TurnEnded)
    assert updates[-1].reason == "end_turn", updates[-1]
    return session, [update.outcome for update in updates if isinstance(update, CallFinished)]


@every_format
async def test_lists_as_json_text_and_numbers_as_strings_reach_the_tools(format: Format, tmp_path: Path) -> None:
    todos = json.dumps([{"content": "a", "status": "pending", "activeForm": "doing a"}])
    command = {"command": 'echo "[1, 2]"', "timeout": "5000"}
    calls = [Call("TodoWrite", [json.dumps({"todos": todos})], "c1"), Call("Bash", [json.dumps(command)], "c2")]
    session, outcomes = await _run(format, tmp_path, *calls)
    assert [outcome.status for outcome in outcomes] == ["ok", "ok"], outcomes
    assert [todo.content for todo in session.todos] == ["a"]
    assert "[1, 2]" in outcomes[1].block.text


@pytest.mark.parametrize("format", [each for each in FORMATS if each != "google"])
async def test_a_broken_input_is_answered_and_the_conversation_goes_on(format: Format, tmp_path: Path) -> None:
    broken, fine = Call("Lookup", ['{"word": ', "}"], "c1"), Call("Lookup", ['{"word": "a"}'], "c2")
    session, outcomes = await _run(format, tmp_path, broken, fine)
    assert [outcome.block.is_error for outcome in outcomes] == [True, False]
    uses = [use.id for message in session.messages for use in message.tool_uses]
    results = [b.tool_use_id for m in session.messages for b in m.content if isinstance(b, ToolResultBlock)]
    assert uses == results == ["c1", "c2"]


@pytest.mark.parametrize("format", [each for each in FORMATS if each != "google"])
async def test_a_call_that_breaks_off_leaves_nothing_behind(format: Format, tmp_path: Path) -> None:
    body = Written(format, [Call("Bash", ['{"command": "touch ', "never", '"}'], "c1")], "tools").body()
    last = next(at for at, piece in enumerate(body) if "touch" in piece)
    with served(format, Reply(body[: last + 1], cut=True), *well(format)) as (model, _):
        session = Session(tmp_path, {"permissions": {"allow": ["Bash"]}}, model=model, session_dir=tmp_path / "session")
        updates = [update async for update in session.query("go")]
        assert updates[-1].reason == "error"
        assert not any(message.tool_uses for message in session.messages)
        again = [update async for update in session.query("again")]
        assert again[-1].reason == "end_turn"
    await session.aclose()
    assert not (tmp_path / "never").exists()
