"""What is read back from a transcript: whole ones, old ones, torn ones and odd ones."""

from __future__ import annotations

import base64
import io
import json
import random
import time
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from jupyter_agenttools import UsageError
from jupyter_agenttools.agents.conversation import check_history
from jupyter_agenttools.core.blocks import (
    Block,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUse,
)
from jupyter_agenttools.core.updates import UsageAdded
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.session import load_transcript
from jupyter_agenttools.session.transcript import Transcript
from tests.support.tools import calling
from tests.support.transcripts import ask, echo, finished, session_in

pytestmark = pytest.mark.anyio


def png() -> dict[str, str]:
    """A real image, as blocks hold it."""
    out = io.BytesIO()
    Image.new("RGB", (3, 2), "red").save(out, "PNG")
    return {"type": "base64", "media_type": "image/png", "data": base64.b64encode(out.getvalue()).decode()}


PNG = png()


async def test_everything_comes_back(tmp_path: Path) -> None:
    todos = [{"content": "Look", "status": "in_progress", "activeForm": "Looking"}]
    turns = [["One", echo("a"), echo("b")], [ToolUse("TodoWrite", {"todos": todos})], "Done."]
    session = await finished(tmp_path, turns, name="mine")
    loaded = load_transcript(session.transcript.path)
    assert loaded.messages == loaded.recorded == session.messages
    assert loaded.todos == session.todos and len(loaded.todos) == 1
    assert (loaded.session_id, loaded.name, loaded.version) == (session.id, "mine", 2)
    assert (loaded.cwd, loaded.mode, loaded.began_in) == (str(tmp_path), "default", str(tmp_path))
    assert (loaded.turns, loaded.calls, loaded.notes) == (1, 3, ())
    assert 0 < loaded.created <= loaded.ended <= time.time() + 1
    assert load_transcript(session.dir) == loaded


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Sound conversations with every kind of block."""
    texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(lambda t: not t.isspace())
    messages, number = [Message("user", (TextBlock(draw(texts)),))], 0
    for _ in range(draw(st.integers(0, 5))):
        uses = []
        for _ in range(draw(st.integers(0, 3))):
            number += 1
            given_ = draw(
                st.dictionaries(st.text(max_size=5), st.integers() | texts | st.lists(texts, max_size=2), max_size=2)
            )
            uses.append(ToolUse("Echo", given_, f"toolu_{number}"))
        thought = [ThinkingBlock(draw(texts), draw(st.none() | texts))] if draw(st.booleans()) else []
        messages.append(Message("assistant", (*thought, TextBlock(draw(texts)), *uses)))
        results: list[Block] = [
            ToolResultBlock(
                use.id,
                draw(texts | st.just((TextBlock("seen"), ImageBlock(PNG)))),
                is_error=draw(st.booleans()),
            )
            for use in uses
        ]
        messages.append(Message("user", (*results, TextBlock(draw(texts)))))
    return messages


@given(conversations(), st.data())
@settings(max_examples=60)
def test_any_conversation_comes_back_and_any_shortening(tmp_path_factory, messages: list[Message], data) -> None:
    transcript = Transcript(tmp_path_factory.mktemp("t") / "transcript.jsonl")
    for message in messages:
        transcript.on_message(message)
    assert load_transcript(transcript.path).messages == tuple(messages)
    kept = data.draw(st.integers(0, len(messages)))
    shorter = [Message("user", (TextBlock("what came before"),)), *messages[len(messages) - kept :]]
    transcript.keep_history(shorter)
    added = Message("assistant", (TextBlock("and on it goes"),))
    transcript.on_message(added)
    transcript.close()
    assert load_transcript(transcript.path).recorded == (*shorter, added)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A transcript with a good many calls."""
    folder = tmp_path_factory.mktemp("whole")
    turns = [["One", echo("a"), echo("b")], [echo("c" * 3_000)], ["Two", echo("é🙂")], "Done."]
    session = anyio.run(finished, folder, turns)
    return session.transcript.path.read_bytes()


@given(st.data())
@settings(max_examples=150)
def test_cut_off_anywhere_it_loads_and_can_go_on(tmp_path_factory, whole: bytes, data) -> None:
    path = tmp_path_factory.mktemp("cut") / "transcript.jsonl"
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    loaded = load_transcript(path)
    assert not [fault for fault in check_history(loaded.messages) if fault.kind != "roles_repeat"]
    texts = [json.loads(line) for line in whole[:cut].splitlines()[:-1]]
    assert len(loaded.recorded) >= sum(line["type"] == "message" for line in texts)
    if whole[:cut].endswith(b"}\n") or cut == len(whole):
        assert not any("could not be read" in note for note in loaded.notes)


@given(st.integers(0, 2**32))
@settings(max_examples=100)
def test_damaged_anywhere_it_loads_and_can_go_on(tmp_path_factory, whole: bytes, seed: int) -> None:
    chance, path = random.Random(seed), tmp_path_factory.mktemp("hurt") / "transcript.jsonl"
    hurt = bytearray(whole)
    for _ in range(chance.randrange(1, 8)):
        at = chance.randrange(len(hurt))
        change = chance.randrange(3)
        if change == 0:
            hurt[at] = chance.randrange(256)
        elif change == 1:
            del hurt[at : at + chance.randrange(2_000)]
        else:
            hurt[at:at] = chance.randbytes(chance.randrange(50))
    path.write_bytes(bytes(hurt))
    loaded = load_transcript(path)
    assert not [fault for fault in check_history(loaded.messages) if fault.kind != "roles_repeat"]


def test_lines_of_any_json_are_survived(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    kinds = (
        "session",
        "resumed",
        "state",
        "message",
        "history",
        "replacements",
        "call_start",
        "call_end",
        "usage",
        "name",
    )
    odd = (None, 3, "x", [], {}, [1], {"": 1}, [[]], {"role": "user"}, True, 1e300)
    names = (
        "version role content messages kept replaced tool_use block usage app_state name session_rules "
        "session_folders parent time tool_use_id exported cwd"
    ).split()
    lines = [{"type": kind, name: value} for kind in kinds for name in names for value in odd]
    path.write_text("\n".join(map(json.dumps, lines)) + '\n[1]\n"x"\n{"type": 3}\n\x00\x00\n')
    assert load_transcript(path).messages == ()


async def test_what_could_not_be_read_is_said_with_its_numbers(tmp_path: Path) -> None:
    session = await finished(tmp_path)
    lines = session.transcript.path.read_bytes().splitlines(keepends=True)
    lines[1:1] = [b'{"type":"mess\n', b'{"type":"of tomorrow"}\n']
    session.transcript.path.write_bytes(b"".join(lines) + b'{"type"')
    torn, unknown = load_transcript(session.transcript.path).notes
    assert f"lines 2, {len(lines) + 1} could not be read" in torn
    assert "1 lines of the unknown kind 'of tomorrow'" in unknown


def test_a_transcript_of_the_first_format_is_read(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 32) / "transcript.jsonl"
    path.parent.mkdir()
    head = {"time": 1.5, "tool_use_id": None}
    use = {"type": "tool_use", "name": "Echo", "input": {"text": "x"}, "id": "toolu_1"}
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x", "is_error": False}
    lines = [
        {"type": "message", **head, "role": "user", "content": [{"type": "text", "text": "Go"}]},
        {"type": "message", **head, "role": "assistant", "content": [use]},
        {"type": "call_start", "time": 2, "tool_use_id": "toolu_1", "tool_use": use, "agent_id": None},
        {"type": "call_end", "time": 2, "tool_use_id": "toolu_1", "tool": "Echo", "status": "ok", "block": block},
        {"type": "message", **head, "role": "user", "content": [block]},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    loaded = load_transcript(path)
    assert (loaded.version, loaded.session_id, loaded.calls) == (1, "a" * 32, 1)
    assert [m.role for m in loaded.messages] == ["user", "assistant", "user"] and not loaded.notes


async def test_results_that_had_not_reached_the_conversation_are_in_it(tmp_path: Path) -> None:
    session = await finished(tmp_path, [["Two", echo("a", "toolu_a"), echo("b", "toolu_b")], "Done."])
    lines = session.transcript.path.read_bytes().splitlines(keepends=True)
    ends = [n for n, line in enumerate(lines) if b'"type":"message"' in line[:20]]
    kept = [line for line in lines[: ends[2]] if b'"call_end"' not in line or b"toolu_a" in line]
    session.transcript.path.write_bytes(b"".join(kept))  # killed when one call was over and the other one ran
    loaded = load_transcript(session.transcript.path)
    results = {block.tool_use_id: block for block in loaded.messages[-1].content}
    assert results["toolu_a"].content == "a" and not results["toolu_a"].is_error
    assert results["toolu_b"].is_error and "nterrupted" in results["toolu_b"].content
    assert "results of 1 calls were not yet in the conversation" in loaded.notes[0]


async def test_an_answer_that_broke_off_is_what_its_calls_tell(tmp_path: Path) -> None:
    """Calls begin while the model still speaks; when everything ends then, the answer has no line of its own."""
    session = await finished(tmp_path, [["I begin.", echo("a", "toolu_a"), echo("b", "toolu_b")], "Done."])
    lines = session.transcript.path.read_bytes().splitlines(keepends=True)
    answer = next(n for n, line in enumerate(lines) if b'"role":"assistant"' in line)
    begun = [line for line in lines[:answer] if not (line.startswith(b'{"type":"call_end"') and b"toolu_b" in line)]
    alone = {
        "type": "call_start",
        "tool_use_id": "x",
        "tool_use": {"type": "tool_use", "name": "T", "input": {}, "id": "x"},
    }
    session.transcript.path.write_bytes(b"".join(begun) + json.dumps(alone).encode() + b"\n")
    loaded = load_transcript(session.transcript.path)
    prompt, said, results = loaded.messages
    assert loaded.recorded == (prompt,) and said == session.messages[1]
    assert [block.is_error for block in results.content] == [False, True]
    assert "the last answer broke off" in loaded.notes[0]
    session.transcript.path.write_bytes(b"".join(lines[: answer + 1]))
    assert load_transcript(session.transcript.path).messages[1] == session.messages[1]


async def test_images_come_back_from_their_files(tmp_path: Path) -> None:
    image = ImageBlock(PNG)
    session = session_in(tmp_path, [["Look", ToolUse("See", {"text": "x"})], "Done."], session_dir=tmp_path / "s")
    session.add_tool(calling("See", lambda input, context: (TextBlock("this"),), is_read_only=True))
    await ask(session, "Go")
    session.conversation.add(Message("user", (image, TextBlock("and this"))))
    await session.aclose()
    path = session.transcript.path
    assert load_transcript(path).messages == session.messages
    (file,) = (path.parent / "images").iterdir()
    file.write_bytes(b"another one")
    loaded = load_transcript(path)
    assert "is gone" in loaded.messages[-1].text and "is not the image that it was" in loaded.notes[0]
    file.unlink()
    assert "is gone" in load_transcript(path).messages[-1].text


def test_no_file_but_the_images_beside_it_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    path = tmp_path / "s" / "transcript.jsonl"
    path.parent.mkdir()
    for name in ("../secret", "images/../../secret", str(secret), "images/secret"):
        source = {"type": "file", "media_type": "image/png", "path": name}
        line = {"type": "message", "role": "user", "content": [{"type": "image", "source": source}]}
        path.write_text(json.dumps(line) + "\n")
        (message,) = load_transcript(path).messages
        assert [type(block) for block in message.content] == [TextBlock]


def test_totals_are_added_up(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "transcript.jsonl")
    for cost in (0.25, None, 0.5):
        transcript.on_update(UsageAdded(Usage(10, 5, 3, 1), cost))
    loaded = load_transcript(transcript.path)
    assert loaded.usage == Usage(30, 15, 9, 3) and loaded.cost_usd == 0.75


async def test_of_several_sessions_in_one_file_it_is_the_last(tmp_path: Path) -> None:
    for word in ("first", "second"):
        session = await finished(tmp_path, [word], session_dir=tmp_path / "s")
    loaded = load_transcript(tmp_path / "s")
    assert loaded.messages == session.messages and "holds 2 sessions" in loaded.notes[0]


def test_what_is_no_transcript_is_said_in_a_line(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            load_transcript(path)


def test_reading_takes_linear_time(tmp_path: Path) -> None:
    from tests.bench.transcripts import written_calls

    def seconds(calls: int) -> float:
        path = written_calls(tmp_path / str(calls) / "transcript.jsonl", calls)
        best = 9.0
        for _ in range(3):
            before = time.process_time()
            loaded = load_transcript(path)
            best = min(best, time.process_time() - before)
        assert len(loaded.messages) == 2 * calls + 2
        return best

    assert seconds(1_200) < 16 * seconds(150)
