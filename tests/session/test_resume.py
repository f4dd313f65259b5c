"""Going on with sessions that are over: what comes back, what must not, and what is refused."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import ScriptedModel, Session, UsageError, hook
from jupyter_agenttools.agents.conversation import check_history
from jupyter_agenttools.core import ToolUse
from jupyter_agenttools.core.home import HOME_VARIABLE
from jupyter_agenttools.core.permission_updates import AddDirectories, AddRules
from jupyter_agenttools.core.updates import TurnEnded
from jupyter_agenttools.session import fork_session, load_transcript, resume_session
from tests.support.tools import echo_tool
from tests.support.transcripts import ALLOWED, ask, echo, finished, kinds_of, session_in

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No other sessions than those of the test."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def resumed(source: Any = "last", turns: list[Any] | None = None, **arguments: Any) -> Session:
    values = {"tools": [echo_tool()], "settings": ALLOWED, "model": ScriptedModel(turns or ["Again."]), **arguments}
    return resume_session(source, **values)


async def test_it_goes_on_where_it_stopped_in_the_same_file(work: Path) -> None:
    todos = [{"content": "Look", "status": "pending", "activeForm": "Looking"}]
    old = await finished(work, [["One", echo("a")], [ToolUse("TodoWrite", {"todos": todos})], "Done."], name="mine")
    new = resumed()
    assert (new.id, new.name, new.cwd, new.dir) == (old.id, "mine", str(work), old.dir)
    assert new.messages == old.messages and new.todos == old.todos and new.usage == old.usage
    await ask(new, "And now?")
    await new.aclose()
    loaded = load_transcript(old.dir)
    assert loaded.messages == new.messages and len(loaded.messages) == len(old.messages) + 2
    assert kinds_of(old.transcript.path).count("session") == kinds_of(old.transcript.path).count("resumed") == 1
    assert (loaded.turns, loaded.todos) == (2, old.todos)


async def test_it_can_be_resumed_again_and_again(work: Path) -> None:
    await finished(work)
    for number in range(3):
        session = resumed()
        await ask(session, f"Round {number}")
        await session.aclose()
    assert [m.text for m in resumed().messages] == [
        "Go",
        "Done.",
        *(t for n in range(3) for t in (f"Round {n}", "Again.")),
    ]


@pytest.mark.parametrize("how", ["id", "prefix", "name", "folder", "file", "path"])
async def test_ways_to_say_which(work: Path, how: str) -> None:
    old = await finished(work, name="The One")
    await finished(work, name="another")
    folder = old.dir
    source = {
        "id": old.id,
        "prefix": old.id[:12],
        "name": "the one",
        "folder": str(folder),
        "file": f"{folder}/transcript.jsonl",
        "path": folder,
    }[how]
    assert resumed(source).id == old.id


async def test_what_is_meant_by_several_is_listed(work: Path, own_home: Path) -> None:
    for last in "ab":
        folder = own_home / "sessions" / ("c" * 31 + last)
        await finished(work, session_dir=folder, name=f"named {last}")
    with pytest.raises(UsageError, match="one of 2 sessions") as refused:
        resumed("ccc")
    assert "named a" in str(refused.value) and "named b" in str(refused.value)
    assert resumed("c" * 31 + "b").name == "named b"


async def test_what_is_meant_by_none_is_said(work: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no session that could be meant by `last`"):
        resumed()
    await finished(work, name="there it is")
    with pytest.raises(UsageError, match="no session has an id that begins with 'nothing'") as refused:
        resumed("nothing")
    assert "there it is" in str(refused.value)
    for source in (tmp_path / "none", "", None):
        with pytest.raises(UsageError):
            resumed(source)


async def test_no_call_gets_the_id_of_one_that_the_conversation_has_no_more(work: Path) -> None:
    old = session_in(work, [["One", echo("a", "call_0")], "Done.", "<summary>of all</summary>"])
    await ask(old, "Go")
    assert await old.compact() is not None and not [use for m in old.messages for use in m.tool_uses]
    await old.aclose()
    new = resumed(old.id, [["Two", echo("b", "call_0")], "Done."])
    await ask(new, "And now?")
    assert [use.id for m in new.messages for use in m.tool_uses] == ["call_0_2"]
    await new.aclose()


@contextmanager
def forked(work: Callable[[], object]) -> Iterator[None]:
    """A forked child that has done this work, and lives on in the block."""
    (ready, tell), (end, let_go) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work()
            os.write(tell, b"x")
            os.close(let_go)
            os.read(end, 1)
        finally:
            os._exit(0)
    try:
        os.read(ready, 1)
        yield
    finally:
        os.close(let_go)
        os.waitpid(child, 0)
        for descriptor in (ready, tell, end):
            os.close(descriptor)


async def test_a_forked_child_keeps_no_session_and_writes_into_none(work: Path) -> None:
    old = session_in(work)
    await ask(old, "Go")
    lines = kinds_of(old.transcript.path)
    with forked(lambda: old.transcript.keep_replacements({"toolu_1": "gone"})):
        assert kinds_of(old.transcript.path) == lines, "the child wrote nothing"
        with pytest.raises(UsageError, match="still runs"):
            resumed(old.id)
        await old.aclose()
        new = resumed(old.id)
        await ask(new, "And now?")
        assert new.messages[:2] == old.messages[:2]
        await new.aclose()


async def test_one_that_runs_is_refused_and_can_be_forked(work: Path) -> None:
    old = session_in(work)
    await ask(old, "Go")
    with pytest.raises(UsageError, match="still runs") as refused:
        resumed(old.id)
    assert "fork_session" in str(refused.value)
    new = fork_session(old.id, tools=[echo_tool()], model=ScriptedModel(["Forked."]))
    await ask(new, "And?")
    assert new.id != old.id and new.messages[:2] == old.messages[:2]
    await old.aclose()
    first = resumed(old.id)
    with pytest.raises(UsageError, match="still runs"):
        resumed(old.id)
    await first.aclose()
    assert resumed(old.id).id == old.id


async def test_rights_never_come_back_wider(work: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    old = session_in(work, settings={"permissions": {"defaultMode": "bypassPermissions", "allow": ["Echo"]}})
    await old.update_permissions(
        [
            AddRules(("Bash(make *)",), "allow", "session"),
            AddRules(("Bash(rm *)",), "deny", "session"),
            AddRules(("Write",), "ask", "session"),
            AddDirectories((str(tmp_path / "other"),), "session"),
        ]
    )
    await ask(old, "Go")
    assert old.state.permission.mode == "bypassPermissions"
    await old.aclose()
    new = resumed(settings={})
    rights = new.state.permission
    assert rights.mode == "default" and not rights.is_bypass_permissions_mode_available
    assert not rights.always_allow_rules and not rights.additional_working_directories
    assert rights.always_deny_rules["session"] == ("Bash(rm *)",) and rights.always_ask_rules["session"] == ("Write",)
    notes = "\n".join(new.resume_notes)
    for word in ("bypassPermissions was not restored", "Bash(make *)", str(tmp_path / "other")):
        assert word in notes
    assert (await new.decide("Bash", {"command": "rm x"})).behavior == "deny"
    assert (await new.decide("Bash", {"command": "make all"})).behavior == "ask"


@pytest.mark.parametrize(
    ("then", "now", "mode"),
    [
        ("plan", "default", "plan"),
        ("plan", "acceptEdits", "plan"),
        ("dontAsk", "default", "dontAsk"),
        ("default", "acceptEdits", "default"),
        ("acceptEdits", "default", "default"),
        ("acceptEdits", "acceptEdits", "acceptEdits"),
    ],
)
async def test_only_a_narrower_mode_comes_back(work: Path, then: str, now: str, mode: str) -> None:
    old = session_in(work)
    await ask(old, "Go")
    old.set_mode(then)  # type: ignore[arg-type]
    await old.aclose()
    new = resumed(settings={"permissions": {"defaultMode": now}})
    assert new.state.permission.mode == mode
    assert any("mode" in note and "not restored" in note for note in new.resume_notes) == (then != mode)


async def test_leaving_plan_mode_leads_to_the_mode_of_the_new_session(work: Path) -> None:
    old = session_in(work, settings={"permissions": {"defaultMode": "bypassPermissions"}})
    old.set_mode("plan")
    await ask(old, "Go")
    await old.aclose()
    new = resumed(settings={})
    assert new.state.permission.mode == "plan" and new.state.app_state["plan"] == "default"


async def test_no_file_counts_as_read(work: Path) -> None:
    file = work / "a.txt"
    file.write_text("old\n")
    edit = {"file_path": str(file), "old_string": "old", "new_string": "new"}
    old = await finished(work, [[ToolUse("Read", {"file_path": str(file)})], "Done."])
    assert old.read_file_state.paths()
    new = resumed(settings={"permissions": {"allow": ["Edit"]}})
    assert (await new.call("Edit", edit)).status == "error" and file.read_text() == "old\n"
    await new.call("Read", {"file_path": str(file)})
    assert (await new.call("Edit", edit)).status == "ok" and file.read_text() == "new\n"


async def test_the_folder_of_commands_comes_back_and_variables_do_not(work: Path) -> None:
    (work / "sub").mkdir()
    old = session_in(work, prompter=lambda request: True)
    await ask(old, "Go")
    await old.call("Bash", {"command": "cd sub; export WHO=me"})
    await old.aclose()
    new = resumed()
    assert new.cwd == str(work / "sub") and new.settings.origin.cwd == str(work)
    assert "WHO" not in new.state.shell_env and any("WHO" in note for note in new.resume_notes)
    (work / "sub").rmdir()
    await new.aclose()
    assert resumed().cwd == str(work)


async def test_a_file_from_elsewhere_chooses_no_folder(work: Path, tmp_path: Path, monkeypatch) -> None:
    old = await finished(work, session_dir=tmp_path / "elsewhere" / "s")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    assert resumed(old.dir).cwd == str(here)


async def test_a_file_that_somebody_changed_breaks_no_session(work: Path, tmp_path: Path, own_home: Path) -> None:
    odd = {
        "mode": "everything",
        "app_state": {"config": [1], "plan": "bypassPermissions", "todos": {"": [{"content": 1}]}, "other": {"a": 1}},
        "session_rules": {"deny": ["Bash(", "", "Echo"], "ask": [3], "allow": ["Write"]},
        "session_folders": ["/"],
        "cwd": "/",
    }
    for folder in (tmp_path / "elsewhere" / "s", own_home / "sessions" / ("d" * 32)):
        old = await finished(work, session_dir=folder)
        lines = old.transcript.path.read_bytes().splitlines(keepends=True)
        head = {**json.loads(lines[0]), **odd}
        old.transcript.path.write_bytes(json.dumps(head).encode() + b"\n" + b"".join(lines[1:]))
        new = resumed(folder, settings={}, cwd=work)
        rights = new.state.permission
        assert rights.mode == "default" and rights.always_deny_rules["session"] == ("Echo",)
        assert not rights.always_allow_rules and not rights.additional_working_directories and new.cwd == str(work)
        assert "plan" not in new.state.app_state and new.todos == ()
        await ask(new, "Go on")
        await new.aclose()
    assert new.state.app_state["other"] == {"a": 1}


async def test_hooks_hear_that_it_is_a_resume(work: Path) -> None:
    sources: list[str] = []

    @hook("SessionStart")
    def started(event: dict[str, Any]) -> None:
        sources.append(event["source"])

    await finished(work, hooks=[started])
    await ask(resumed(hooks=[started]), "And?")
    assert sources == ["startup", "resume"]


async def test_what_was_repaired_stays_repaired(work: Path) -> None:
    old = await finished(work, [["One", echo("a"), echo("b")], "Done."])
    path = old.transcript.path
    lines = path.read_bytes().splitlines(keepends=True)
    ends = [n for n, line in enumerate(lines) if line.startswith(b'{"type":"message"')]
    path.write_bytes(b"".join(lines[: ends[2]]) + b'{"type":"mess')
    new = resumed()
    assert len(new.messages) == 3 and any("could not be read" in note for note in new.resume_notes)
    await ask(new, "Go on")
    await new.aclose()
    loaded = load_transcript(path)
    assert loaded.messages == loaded.recorded == new.messages


async def test_a_conversation_that_was_shortened_comes_back_as_it_was(work: Path) -> None:
    old = session_in(work, [["One", echo("a" * 2_000)], "Done.", [echo("b")], "Done again.", "Three.", "The summary."])
    for prompt in ("First", "Second", "Third"):
        await ask(old, prompt)
    before = old.messages
    assert await old.compact() is not None
    assert old.messages != before
    await old.aclose()
    loaded = load_transcript(old.dir)
    assert loaded.messages == loaded.recorded == old.messages and loaded.usage == old.usage
    new = resumed()
    await ask(new, "And now?")
    await new.aclose()
    assert load_transcript(old.dir).messages == new.messages


async def test_results_that_were_put_aside_stay_so(work: Path) -> None:
    old = session_in(work)
    await ask(old, "Go")
    old.transcript.keep_replacements({"toolu_1": "first"})
    old.transcript.keep_replacements({"toolu_1": "first", "toolu_2": "second"})
    await old.aclose()
    assert dict(resumed().conversation.replacements.replaced) == {"toolu_1": "first", "toolu_2": "second"}


async def test_what_was_secret_is_said_to_be_gone(work: Path) -> None:
    secret = "ghp_" + "cB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z"
    await finished(work, prompt=f"Log in with {secret}")
    new = resumed()
    assert new.messages[0].text == "Log in with ghp_[redacted]"
    assert any("never written down" in note for note in new.resume_notes)


# ---- forks


async def test_a_fork_has_its_own_life(work: Path) -> None:
    old = await finished(work, [["One", echo("a")], "Done."], name="mine")
    before = old.transcript.path.read_bytes()
    new = fork_session("last", tools=[echo_tool()], model=ScriptedModel(["Else."]))
    assert new.messages == old.messages and new.id != old.id and new.dir != old.dir
    await ask(new, "Something else")
    await new.aclose()
    assert old.transcript.path.read_bytes() == before
    loaded = load_transcript(new.dir)
    assert loaded.messages == new.messages
    assert loaded.parent == {"session_id": old.id, "path": str(old.transcript.path), "messages": 4}


@pytest.mark.parametrize("upto", range(5))
async def test_a_fork_up_to_a_message_is_whole(work: Path, upto: int) -> None:
    old = await finished(work, [["One", echo("a")], "Done."])
    new = fork_session(old, upto=upto, tools=[echo_tool()])
    assert new.messages[:upto] == old.messages[:upto]
    assert not [fault for fault in check_history(new.messages) if fault.kind != "roles_repeat"]
    assert load_transcript(new.dir).messages == new.messages if new.messages else True


async def test_a_fork_needs_so_many_messages(work: Path) -> None:
    old = await finished(work)
    for upto in (3, -1, "2"):
        with pytest.raises(UsageError, match="has 2 messages"):
            fork_session(old, upto=upto)  # type: ignore[arg-type]


# ---- a process that dies

CHILD = """
import sys, anyio
from jupyter_agenttools import ScriptedModel, Session
from jupyter_agenttools.core import ToolUse
from tests.support.tools import echo_tool
from tests.support.transcripts import ALLOWED

def turn(request):
    return ["again", ToolUse("Echo", {"text": "x" * 500}), ToolUse("Echo", {"text": "é" * 20})]

async def main():
    session = Session(cwd=sys.argv[1], tools=[echo_tool(is_concurrency_safe=True)], settings=ALLOWED,
                      model=ScriptedModel([turn] * 10_000))
    async for _ in session.query("Go", max_turns=10_000):
        sys.stdout.buffer.write(b".")
        sys.stdout.buffer.flush()

anyio.run(main)
"""


@pytest.fixture
def start_child(work: Path) -> Iterator[Any]:
    children: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(work)], stdout=subprocess.PIPE, cwd=os.getcwd())
        children.append(child)
        return child

    yield start
    for child in children:
        child.kill()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()


async def test_a_session_whose_process_was_killed_can_go_on(start_child: Any) -> None:
    chance = random.Random(5)
    for _ in range(4):
        child = start_child()
        child.stdout.read(chance.randrange(20, 300))
        with pytest.raises(UsageError, match="still runs"):
            resumed(max(transcripts_on_disk(), key=os.path.getmtime))
        child.send_signal(signal.SIGKILL)
        child.wait()
        session = resumed(max(transcripts_on_disk(), key=os.path.getmtime), ["I go on."])
        assert not [fault for fault in check_history(session.messages) if fault.kind != "roles_repeat"]
        assert len(session.messages) > 3
        updates = [update async for update in session.query("Go on")]
        assert isinstance(updates[-1], TurnEnded) and updates[-1].text == "I go on."
        await session.aclose()
        assert load_transcript(session.dir).messages == session.messages


def transcripts_on_disk() -> list[Path]:
    return list(Path(os.environ[HOME_VARIABLE], "sessions").glob("*/transcript.jsonl"))
