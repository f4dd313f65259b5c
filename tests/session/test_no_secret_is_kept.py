"""Whatever a model says and wherever a secret stands in it: nothing that is kept of it holds the secret."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_agenttools import Session
from jupyter_agenttools.core import ToolUse
from jupyter_agenttools.models import ModelPart, ModelRequest, StopPart, TextPart, ThinkingPart, ToolUsePart
from jupyter_agenttools.models.folders import Folders
from jupyter_agenttools.models.recording import RecordingModel
from jupyter_agenttools.session import export_transcript
from jupyter_agenttools.session.transcript import encode
from jupyter_agenttools.session.transcript_lines import read_lines
from jupyter_agenttools.session.transcript_reading import load_transcript
from tests.support.tools import echo_tool
from tests.support.transcripts import ALLOWED, ask, lines_of

BODIES = {
    "sk-ant-api03-": "aB3dE5gH7jK9mN1pQ3sT5vX7zA2cD4fG6hJ8kL0n",
    "ghp_": "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5",
    "AKIA": "QWERTYUIOP234567",  # base64 text as well
}
canaries = st.sampled_from([start + body for start, body in BODIES.items()])
glued = st.builds(str.__add__, st.sampled_from(["", "m-", "Nope", "a_", "x: "]), canaries)
texts = st.text(max_size=5) | st.sampled_from(["signature", "thinking", "image", "base64", "lone \ud800"])


def _odd(inner: Any) -> list[Any]:
    """Where a place that is exempt elsewhere may seem to be."""
    source = {"type": "base64", "media_type": "image/png", "data": inner}
    thought = {"type": "thinking", "thinking": "x", "signature": inner}
    return [
        {"signature": inner},
        source,
        thought,
        {"type": "image", "source": source},
        {"type": "message", "role": "assistant", "content": [thought]},
        {"type": "tool_result", "tool_use_id": "x", "content": [{"type": "image", "source": source}]},
    ]


nested = st.recursive(
    glued | texts | st.none() | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(glued | texts, inner, max_size=3)
        | inner.flatmap(lambda value: st.sampled_from(_odd(value)))
    ),
    max_leaves=6,
)
inputs = st.dictionaries(glued | texts, nested, min_size=1, max_size=3)


class Says:
    """A model that asks for one call after a thought, and then ends."""

    def __init__(self, name: str, thought: str, use: ToolUse) -> None:
        self.name = self.provider = name
        self._answers: list[list[ModelPart]] = [
            [ThinkingPart(thought, "sig"), TextPart(thought), ToolUsePart(use), StopPart("tool_use")],
            [TextPart("Done."), StopPart()],
        ]

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        for part in self._answers.pop(0):
            yield part


async def _kept(folder: Path, name: str, model: Says) -> Session:
    cwd = folder / "work" / name.replace(": ", "-")
    cwd.mkdir(parents=True)
    recording = RecordingModel(model, folder / "cassette", folders=Folders({}))
    session = Session(
        model=recording, cwd=cwd, session_dir=folder / "kept", name=name, tools=[echo_tool()], settings=ALLOWED
    )
    await ask(session, f"Go {name}")
    await session.aclose()
    recording.close()
    return session


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(glued, glued, glued | st.just("Echo"), glued, inputs)
def test_no_place_keeps_a_secret(name: str, thought: str, tool: str, id: str, input: dict[str, Any]) -> None:
    with TemporaryDirectory() as made:
        folder = Path(made)
        use = ToolUse(tool, {"text": thought, **input}, id)
        session = anyio.run(_kept, folder, name, Says(name, thought, use))
        path = session.transcript.path
        pages = [export_transcript(path, "html"), export_transcript(path, "markdown")]
        for kept in (path.read_text(), (folder / "cassette").read_text(), *pages):
            assert not [body for body in BODIES.values() if body in kept]
        assert all(line.kind for line in read_lines(path)), "each line can be read back"
        loaded = load_transcript(path)
        uses = {use.id for message in loaded.messages for use in message.tool_uses}
        results = {line["tool_use_id"] for line in lines_of(path) if line["type"] in ("call_end", "stage", "schedule")}
        assert uses == results, "a call and what is told of it still have one id"


@pytest.mark.parametrize("value", ["a\ud800", {"\udc80": "x"}, [{"k": {"\ud83d": ["\udfff"]}}], {1: "\ud800"}])
def test_a_line_can_always_be_read_back(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(encode({"type": "call_start", "value": value}) + b"\n")
    (line,) = read_lines(path)
    assert line.kind == "call_start" and line.fields == json.loads(path.read_bytes())


def test_an_older_transcript_is_exported_without_secrets(tmp_path: Path) -> None:
    key = "sk-ant-api03-" + BODIES["sk-ant-api03-"]
    head = {"type": "session", "version": 2, "session_id": key, "model": f"m-{key}", "cwd": f"/{key}", "time": 1}
    use = {"type": "tool_use", "id": key, "name": key, "input": {"signature": key}}
    lines = [head, {"type": "message", "role": "assistant", "content": [use]}]
    path = tmp_path / "transcript.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert key not in export_transcript(path, "html") + export_transcript(path, "markdown")
