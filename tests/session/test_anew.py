"""Another conversation in a session that goes on."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import ScriptedModel, Session
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.hooks import Hook
from jupyter_agenttools.session.anew import begin_anew, last_in, take_up

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", str(tmp_path / "home"))
    return tmp_path


def made(folder: Path, **arguments: Any) -> Session:
    return Session(folder, settings={}, model=ScriptedModel([f"Answer {n}." for n in range(9)]), **arguments)


async def ask(session: Session, prompt: str) -> str:
    return [update async for update in session.query(prompt)][-1].text  # type: ignore[union-attr]


def kinds(path: Path) -> list[str]:
    return [json.loads(line)["type"] for line in path.read_text().splitlines()]


async def test_an_empty_conversation_keeps_everything_else(tmp_path: Path) -> None:
    session = made(tmp_path, name="first")
    await ask(session, "one")
    await session.call("TodoWrite", {"todos": [{"content": "a", "status": "pending", "activeForm": "a"}]})
    (tmp_path / "a").write_text("x")
    await session.call("Read", {"file_path": str(tmp_path / "a")})
    session.set_mode("acceptEdits")
    before, rights = session.transcript.path, session.state.permission
    id = await begin_anew(session)
    assert before.parent.name == id != session.id and session.transcript.path.parent.name == session.id
    assert (session.messages, session.todos, session.name, list(session.outcomes)) == ((), (), "", [])
    assert session.state.permission is rights and session.usage.prompt_tokens == 0
    edit = await session.call("Edit", {"file_path": str(tmp_path / "a"), "old_string": "x", "new_string": "y"})
    assert edit.status == "error" and "read" in edit.text.lower(), "the model has not seen the file"
    size = before.stat().st_size
    assert await ask(session, "two") == "Answer 1." and len(session.messages) == 2
    assert before.stat().st_size == size and kinds(session.transcript.path)[0] == "session"
    await session.aclose()


async def test_back_and_forth(tmp_path: Path) -> None:
    session = made(tmp_path)
    await ask(session, "one")
    session.name = "mine"
    first = await begin_anew(session)
    await ask(session, "two")
    second = session.id
    notes = await take_up(session, first)
    assert session.id == first and session.name == "mine" and [m.text for m in session.messages] == ["one", "Answer 0."]
    assert any("read again" in note for note in notes)
    await ask(session, "three")
    assert await take_up(session, first) == (), "it is here already"
    await take_up(session, second[:12])
    assert [m.text for m in session.messages] == ["two", "Answer 1."]
    await take_up(session, "mine")
    assert [m.text for m in session.messages][2:] == ["three", "Answer 2."]
    await session.aclose()


async def test_what_cannot_be_taken_up_changes_nothing(tmp_path: Path) -> None:
    session, other = made(tmp_path), made(tmp_path)
    await ask(session, "mine")
    await ask(other, "theirs")
    for source, message in ((other.id, "still runs"), ("unheard-of", "no session")):
        with pytest.raises(UsageError, match=message):
            await take_up(session, source)
    assert [m.text for m in session.messages] == ["mine", "Answer 0."]
    await ask(session, "on")
    await ask(other, "on")
    assert kinds(session.transcript.path).count("message") == 4 == kinds(other.transcript.path).count("message")
    await session.aclose()
    await other.aclose()


async def test_nothing_moves_while_something_runs(tmp_path: Path) -> None:
    before = made(tmp_path)
    await ask(before, "earlier")
    await before.aclose()
    earlier = before.transcript.path
    session = made(tmp_path)
    updates = session.query("one")
    await anext(updates)
    for move in (begin_anew(session), take_up(session, str(earlier))):
        with pytest.raises(UsageError, match="something runs"):
            await move
    async for _ in updates:
        pass
    assert len(session.messages) == 2
    await session.aclose()


async def test_hooks_hear_of_the_end_and_the_beginning(tmp_path: Path) -> None:
    heard: list[str] = []

    def hear(event: Any) -> None:
        heard.append(f"{event['hook_event_name']} {event.get('source') or event.get('reason')}")

    hooks = [Hook(name, hear, name) for name in ("SessionStart", "SessionEnd")]
    session = made(tmp_path, hooks=hooks)
    await ask(session, "one")
    await begin_anew(session)
    await ask(session, "two")
    await session.aclose()
    assert heard == ["SessionStart startup", "SessionEnd clear", "SessionStart clear", "SessionEnd other"]


async def test_the_last_conversation_of_a_folder(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        session = made(folder)
        await ask(session, folder.name)
        await session.aclose()
    silent = made(here)
    await silent.call("Glob", {"pattern": "*"})
    await silent.aclose()
    running = made(here)
    await ask(running, "goes on")
    for folder in (here, there):
        last = last_in(str(folder))
        assert last is not None and folder.name in last.read_text()
    assert last_in(str(tmp_path)) is None
    passed: list[Path] = []
    assert last_in(str(here), passed) == last_in(str(here)) and passed == [running.transcript.path]
    await running.aclose()


@pytest.mark.parametrize("other", [False, True], ids=["empty", "earlier"])
async def test_what_begins_while_the_hooks_run_keeps_its_conversation(tmp_path: Path, other: bool) -> None:
    earlier = made(tmp_path)
    await ask(earlier, "before")
    await earlier.aclose()
    session = made(tmp_path)
    await ask(session, "now")
    begun = ExitStack()

    async def begin(event: dict[str, Any]) -> None:
        begun.enter_context(session._activities.begin())

    session.add_hook(Hook("SessionEnd", begin, "begin"))
    before = session.id
    with begun, pytest.raises(UsageError, match="something runs"):
        await (take_up(session, earlier.id) if other else begin_anew(session))
    assert session.id == before
