"""What was asked: a conversation that goes on, goes back or begins anew reads as if it were read for the first time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_agenttools import RecordedModel, ScriptedModel
from jupyter_agenttools.core import Message, TextBlock, ToolUse
from jupyter_agenttools.core.blocks import ToolResultBlock
from jupyter_agenttools.models import ModelRequest
from jupyter_agenttools.models.asked import AskedReader
from jupyter_agenttools.models.cassette import read_cassette
from jupyter_agenttools.models.differences import difference
from jupyter_agenttools.models.folders import Folders

pytestmark = pytest.mark.anyio

IDS = st.sampled_from(["toolu_aaaaaaaa", "toolu_bbbbbbbb", "call_cccccccc", "t1", "x"])
MESSAGES = st.one_of(
    st.builds(lambda text: Message("user", (TextBlock(text),)), st.text(max_size=4) | IDS.map("see {}".format)),
    st.builds(lambda id: Message("assistant", (ToolUse("Look", {"ref": id}, id),)), IDS),
    st.builds(lambda id, text: Message("user", (ToolResultBlock(id, text),)), IDS, IDS),
)
STEPS = st.lists(
    st.tuples(st.integers(0, 3), st.lists(MESSAGES, max_size=3), st.sampled_from(["", "s", "t"])),
    min_size=1,
    max_size=8,
)


def requests_of(steps: list[Any]) -> list[ModelRequest]:
    """Each goes back by some messages, and on by others."""
    messages: tuple[Message, ...] = ()
    made = []
    for back, more, system in steps:
        messages = messages[: max(len(messages) - back, 0)] + tuple(more)
        made.append(ModelRequest(system, messages, ()))
    return made


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
async def test_the_file_gives_back_every_request(tmp_path: Path, steps: list[Any]) -> None:
    path = tmp_path / "c.jsonl"
    path.unlink(missing_ok=True)
    recording = RecordedModel.record(ScriptedModel(["a"] * len(steps)), path, cwd="/work")
    requests = requests_of(steps)
    for request in requests:
        async for _ in recording.stream(request):
            pass
    recording.close()
    folders = Folders({"home": Path.home(), "cwd": "/work"})
    for request, recorded in zip(requests, read_cassette(path).exchanges, strict=True):
        fresh = AskedReader(folders).read(request)
        assert recorded.part("messages") == fresh.messages
        assert recorded.part("system") == fresh.system and recorded.part("tools") == []
        assert recorded.exchange.fingerprints.model_dump() == fresh.fingerprints


def conversation(*ids: str) -> ModelRequest:
    messages = []
    for id in ids:
        messages.append(Message("assistant", (ToolUse("Look", {}, id),)))
        messages.append(Message("user", (ToolResultBlock(id, f"the rest is in /results/{id}.txt, not {id}x"),)))
    return ModelRequest("", tuple(messages), ())


def test_ids_are_numbered_wherever_they_stand() -> None:
    one = AskedReader(Folders({})).read(conversation("toolu_1234567", "toolu_7654321"))
    other = AskedReader(Folders({})).read(conversation("call_abcdefgh", "call_hgfedcba"))
    assert "in /results/call-2.txt, not" in str(one.messages)
    assert one.messages[0] == other.messages[0]
    swapped = AskedReader(Folders({})).read(conversation("toolu_1234567", "toolu_1234567"))
    assert swapped.fingerprints != one.fingerprints


TEXTS = st.lists(st.sampled_from(["a", "b", "a\n", ""]), max_size=6)


@given(TEXTS, TEXTS)
def test_a_difference_is_shown_exactly_where_there_is_one(one: list[str], other: list[str]) -> None:
    def messages(texts: list[str]) -> list[Any]:
        return [{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts]

    assert bool(difference(messages(one), messages(other))) == (one != other)
    assert bool(difference("".join(one), "".join(other))) == ("".join(one) != "".join(other))
