"""What a session writes down while it runs, and what it must not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import ClassVar

import pytest

from jupyter_agenttools import ScriptedModel, Session
from jupyter_agenttools.core.blocks import ImageBlock, Message, TextBlock
from jupyter_agenttools.core.events import ProgressEvent
from jupyter_agenttools.core.permission_updates import AddRules
from jupyter_agenttools.core.updates import Compacted, ModelRetry, UsageAdded
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.notebook.agent_conversation_views import transcript_view
from jupyter_agenttools.render import view_text
from jupyter_agenttools.session import save_export
from jupyter_agenttools.session.transcript import Transcript
from jupyter_agenttools.session.transcript_file import is_held
from tests.support.tools import calling, echo_tool
from tests.support.transcripts import ask, echo, finished, kinds_of, lines_of, session_in

pytestmark = pytest.mark.anyio

CANARY = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z"


async def test_the_first_line_says_who_the_session_is(tmp_path: Path) -> None:
    session = await finished(tmp_path, name="the first one")
    head, *rest = lines_of(session.transcript.path)
    assert (head["type"], head["version"], head["session_id"]) == ("session", 2, session.id)
    assert (head["name"], head["cwd"], head["mode"]) == ("the first one", str(tmp_path), "default")
    assert head["model"] == session.model.name and head["parent"] is None and head["time"] > 0
    assert "session" not in {line["type"] for line in rest}


async def test_a_query_leaves_everything_that_a_resume_needs(tmp_path: Path) -> None:
    session = await finished(tmp_path, [["Look", echo("a")], "Done."])
    kinds = kinds_of(session.transcript.path)
    assert {"session", "message", "schedule", "call_start", "stage", "call_end", "turn_end"} <= set(kinds)
    assert kinds.count("message") == len(session.messages) == 4
    assert lines_of(session.transcript.path)[-1]["reason"] == "end_turn"


async def test_nothing_is_made_before_something_happens(tmp_path: Path) -> None:
    session = session_in(tmp_path, session_dir=tmp_path / "session", name="one")
    session.set_mode("plan")
    session.name = "two"
    assert not session.dir.exists()
    await session.call("Echo", {"text": "x"})
    head = lines_of(session.transcript.path)[0]
    assert (head["name"], head["mode"]) == ("two", "plan")


async def test_changes_of_the_state_are_told_once(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    session = session_in(tmp_path)
    await session.call("Echo", {"text": "x"})
    session.set_mode("plan")
    session.set_mode("default")
    await session.update_permissions([AddRules(("Bash(make *)",), "allow", "session")])
    await session.call("Bash", {"command": "cd sub"})
    session.modify_state(lambda state: state)
    states = [line for line in lines_of(session.transcript.path) if line["type"] == "state"]
    told = [{k: v for k, v in line.items() if k not in ("type", "time", "tool_use_id")} for line in states]
    assert told[0] == {"mode": "plan", "app_state": {"plan": "default"}}
    assert told[1] == {"mode": "default", "app_state": {}}
    assert told[2] == {"session_rules": {"allow": ["Bash(make *)"]}}
    assert told[3] == {"cwd": str(tmp_path / "sub")} and len(told) == 4


async def test_another_name_is_told(tmp_path: Path) -> None:
    session = session_in(tmp_path, name="one")
    await session.call("Echo", {"text": "x"})
    session.name = "  two\nwords "
    session.name = "two words"
    assert [line["name"] for line in lines_of(session.transcript.path) if line["type"] == "name"] == ["two words"]


def test_what_a_model_used_up_and_how_it_was_shortened_is_told(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "t.jsonl")
    transcript.on_update(UsageAdded(Usage(10, 5), 0.25))
    transcript.on_update(ModelRetry("busy", 2.0, 2))
    transcript.on_update(Compacted("what was said", 7, 900, 100))
    usage, retry, compacted = lines_of(transcript.path)
    assert usage["usage"] == {"input_tokens": 10, "output_tokens": 5} and usage["cost_usd"] == 0.25
    assert (retry["type"], retry["why"], retry["attempt"]) == ("retry", "busy", 2)
    assert (compacted["summary"], compacted["messages"], compacted["tokens_after"]) == ("what was said", 7, 100)


def test_a_history_that_was_replaced_is_told_by_what_is_new_in_it(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "t.jsonl")
    messages = [Message("user" if n % 2 == 0 else "assistant", (TextBlock(str(n)),)) for n in range(6)]
    for message in messages:
        transcript.on_message(message)
    summary = Message("user", (TextBlock("0 to 3"),))
    transcript.keep_history([summary, *messages[4:]])
    line = lines_of(transcript.path)[-1]
    assert (line["type"], line["kept"]) == ("history", 2)
    assert [m["content"][0]["text"] for m in line["messages"]] == ["0 to 3"]


async def test_no_secret_gets_in_by_any_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    value = "correct horse battery staple"
    monkeypatch.setenv("SERVICE_PASSWORD", value)

    def leak(input: object, context: object) -> str:
        context.on_progress({"tail": f"the key is {CANARY}\nand {value}"})  # type: ignore[attr-defined]
        raise RuntimeError(f"cannot log in with {CANARY} or {value}")

    model = ScriptedModel([[f"I use {CANARY} {value}", echo(f"{CANARY} {value}")], f"It was {CANARY} {value}"])
    session = Session(
        cwd=tmp_path, model=model, tools=[echo_tool(), calling("Leak", leak)], prompter=lambda request: True
    )
    await ask(session, f"Log in with {CANARY} and {value}")
    await session.call("Leak", {"text": f"{CANARY} {value}"})
    await session.call("Bash", {"command": f"echo {CANARY}; echo '{value}'"})
    session.name = f"about {CANARY}"
    await session.aclose()
    raw = session.transcript.path.read_text()
    assert CANARY not in raw and value not in raw
    assert raw.count("ghp_[redacted]") > 8 and raw.count("[redacted: SERVICE_PASSWORD]") > 8
    assert CANARY in session.messages[0].text  # the conversation itself is as it was


async def test_what_a_command_exported_is_secret_from_then_on(tmp_path: Path) -> None:
    session = session_in(tmp_path, prompter=lambda request: True)
    await session.call("Echo", {"text": "first"})
    await session.call("Bash", {"command": "export MY_TOKEN=$(printf 'zx%.0s' 1 2 3 4 5 6)"})
    await session.call("Echo", {"text": "zxzxzxzxzxzx"})
    assert "zxzxzxzxzxzx" not in session.transcript.path.read_text()


async def test_a_reason_that_was_clean_is_looked_at_again_when_more_is_secret(tmp_path: Path, monkeypatch) -> None:
    rule = "Bash(echo walrus-tusk-ivory)"
    session = session_in(tmp_path, settings={"permissions": {"deny": [rule]}})
    await session.call("Bash", {"command": "echo walrus-tusk-ivory"})
    size = session.transcript.path.stat().st_size
    assert b"walrus-tusk-ivory" in session.transcript.path.read_bytes()
    monkeypatch.setenv("NEW_TOKEN", "walrus-tusk-ivory")
    await session.call("Bash", {"command": "echo walrus-tusk-ivory"})
    assert b"walrus-tusk-ivory" not in session.transcript.path.read_bytes()[size:]


def test_half_a_secret_is_not_left_where_a_text_is_cut(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "t.jsonl")
    for before in range(1_960, 2_001):
        transcript.on_progress(ProgressEvent("toolu_1", {"tail": "x " * (before // 2) + CANARY + " y" * 3_000}))
    assert "aB3dE5" not in transcript.path.read_text()


async def test_a_running_session_can_be_told_from_one_that_is_over(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    await session.call("Echo", {"text": "x"})
    assert is_held(session.transcript.path)
    await session.aclose()
    assert not is_held(session.transcript.path)


async def test_a_line_that_comes_late_does_not_make_it_run_again(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    await session.call("Echo", {"text": "x"})
    await session.aclose()
    session.observers.emit("on_progress", ProgressEvent("toolu_1", "late"))
    session.set_mode("plan")
    assert kinds_of(session.transcript.path)[-2:] == ["progress", "state"]
    assert not is_held(session.transcript.path)


def test_results_that_were_put_aside_are_told_once(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "t.jsonl")
    for count in (1, 2, 2, 4):
        transcript.keep_replacements({f"toolu_{n}": "gone" for n in range(count)})
    assert [sorted(line["replaced"]) for line in lines_of(transcript.path)] == [
        ["toolu_0"],
        ["toolu_1"],
        ["toolu_2", "toolu_3"],
    ]


def test_what_a_dead_process_left_torn_takes_no_line_with_it(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"type":"message","ti')
    transcript = Transcript(path)
    transcript.keep_replacements({"toolu_1": "gone"})
    first, second = path.read_bytes().splitlines()
    assert first == b'{"type":"message","ti' and json.loads(second)["replaced"] == {"toolu_1": "gone"}


def test_the_head_is_written_when_it_can_be(tmp_path: Path) -> None:
    folder = tmp_path / "session"
    folder.write_text("in the way")
    transcript = Transcript(folder / "t.jsonl", lambda: {"version": 2})
    transcript.on_progress(ProgressEvent("toolu_1", "lost"))
    assert transcript.fault is not None
    folder.unlink()
    transcript.on_progress(ProgressEvent("toolu_1", "kept"))
    assert kinds_of(transcript.path) == ["session", "progress"]


async def test_what_cannot_be_written_is_told_once_and_wherever_the_transcript_is_named(tmp_path: Path) -> None:
    class Watcher:
        told: ClassVar[list[str]] = []

        def on_transcript_fault(self, text: str) -> None:
            self.told.append(text)

    folder = tmp_path / "session"
    folder.mkdir()
    (folder / "transcript.jsonl").symlink_to("/dev/full")
    session = session_in(tmp_path, [["Look", echo("a")], "Done."], session_dir=folder)
    session.observers.attach(Watcher())
    await ask(session, "Go")
    assert len(session.messages) == 4, "the turn goes on"
    [told] = Watcher.told
    assert "No space left on device" in told and str(folder) in told and "Make room" in told
    shown = view_text(transcript_view(session))
    assert "No space left on device" in shown and "All of it" not in shown
    other = await finished(tmp_path, session_dir=tmp_path / "other")
    assert other.transcript.fault_words == "" and "All of it" in view_text(transcript_view(other))
    page = save_export(other.transcript.path, tmp_path / "page.html", notes=[told])
    assert "No space left on device" in page.read_text()


def test_images_are_files_and_stand_in_one_place(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "t.jsonl")
    image = ImageBlock({"type": "base64", "media_type": "image/png", "data": "aGVsbG8="})
    transcript.on_message(Message("user", (image, image)))
    transcript.keep_history([Message("user", (image,))])
    assert len(list((tmp_path / "images").iterdir())) == 1
    assert "aGVsbG8=" not in transcript.path.read_text()
    assert os.stat(tmp_path / "images").st_mode & 0o077 == 0
