"""Undo through a session: real tools, real commands, what the model is told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools import ScriptedModel, Session, ToolUse, UsageError
from jupyter_agenttools.core.blocks import TextBlock
from jupyter_agenttools.core.events import FileEvent
from tests.support.tools import calling

pytestmark = pytest.mark.anyio

ALLOW = {"permissions": {"allow": ["Bash", "Write", "Edit", "Meddle"]}}


class Files:
    """Watches what happens to files."""

    def __init__(self) -> None:
        self.events: list[FileEvent] = []

    def on_file(self, event: FileEvent) -> None:
        self.events.append(event)

    def names(self) -> list[tuple[str, str]]:
        return sorted((event.kind, os.path.basename(event.path)) for event in self.events if event.kind != "read")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = Path(os.path.realpath(tmp_path), "work")
    folder.mkdir()
    (folder / "a.txt").write_text("old a\n")
    (folder / "b.txt").write_text("old b\n")
    return folder


def make(folder: Path, turns: list[Any] | None = None, **arguments: Any) -> Session:
    settings = arguments.pop("settings", ALLOW)
    return Session(cwd=folder, settings=settings, model=ScriptedModel(turns or []), **arguments)


def use(name: str, **input: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": input}


async def ask(session: Session, prompt: str) -> None:
    async for _ in session.query(prompt):
        pass


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


async def test_a_query_is_one_turn_of_tools_and_commands(folder: Path) -> None:
    before = contents(folder)
    session = make(
        folder,
        [
            [use("Read", file_path="a.txt"), use("Write", file_path="new/c.txt", content="c\n")],
            [use("Write", file_path="a.txt", content="tool\n")],
            [use("Bash", command="sed -i s/tool/command/ a.txt && rm b.txt && echo x > d.txt")],
            "Done.",
        ],
    )
    await ask(session, "tidy   up\nthe files")
    assert contents(folder) == {"a.txt": "command\n", "new/c.txt": "c\n", "d.txt": "x\n"}
    (turn,) = await session.file_turns()
    assert turn.label == "tidy up the files" and [os.path.basename(p) for p in turn.paths] == [
        "a.txt", "b.txt", "d.txt", "c.txt",
    ]  # fmt: skip
    report = await session.undo()
    assert contents(folder) == before and not (folder / "new").exists()
    assert {os.path.basename(f.path): f.result for f in report.files} == {
        "a.txt": "restored", "b.txt": "restored", "c.txt": "removed", "d.txt": "removed",
    }  # fmt: skip
    await session.redo()
    assert contents(folder) == {"a.txt": "command\n", "new/c.txt": "c\n", "d.txt": "x\n"}


async def test_calls_outside_of_a_query_are_turns_of_their_own(folder: Path) -> None:
    session = make(folder)
    await session.call("Bash", {"command": "echo one > a.txt"})
    await session.run([ToolUse("Bash", {"command": "echo two > a.txt"}), ToolUse("Bash", {"command": "rm b.txt"})])
    assert [turn.label for turn in await session.file_turns()] == [
        "Bash echo two > a.txt, Bash rm b.txt",
        "Bash echo one > a.txt",
    ]
    await session.undo()
    assert contents(folder) == {"a.txt": "one\n", "b.txt": "old b\n"}
    await session.undo()
    assert contents(folder) == {"a.txt": "old a\n", "b.txt": "old b\n"}


async def test_the_model_is_told_and_has_to_read_again(folder: Path) -> None:
    session = make(
        folder,
        [
            [use("Read", file_path="a.txt")],
            [use("Write", file_path="a.txt", content="new\n")],
            "Done.",
            [use("Write", file_path="a.txt", content="newer\n")],
            "Hm.",
        ],
    )
    await ask(session, "first")
    await session.undo()
    await ask(session, "second")
    (message,) = [m for m in session.messages if m.role == "user" and TextBlock("second") in m.content]
    assert "undid changes" in message.content[0].text and "a.txt" in message.content[0].text
    assert session.outcomes[-1].status == "error" and "changed since" in session.outcomes[-1].text
    assert contents(folder)["a.txt"] == "old a\n"
    await ask(session, "third")
    assert [TextBlock("third")] in [list(m.content) for m in session.messages], "it is told once"


async def test_whoever_watches_files_hears_of_commands_and_undos(folder: Path) -> None:
    session, files = make(folder), Files()
    session.observers.attach(files)
    await session.call("Bash", {"command": "echo new > a.txt; rm b.txt; mkdir -p d; echo x > d/c.txt"})
    assert files.names() == [("deleted", "b.txt"), ("written", "a.txt"), ("written", "c.txt")]
    files.events.clear()
    await session.undo()
    assert files.names() == [("deleted", "c.txt"), ("written", "a.txt"), ("written", "b.txt")]
    assert all(event.content_hash for event in files.events if event.kind == "written")


async def test_a_command_that_only_reads_costs_nothing(folder: Path) -> None:
    session = make(folder, settings={})
    assert (await session.call("Bash", {"command": "cat a.txt"})).status == "ok"
    assert not (session.dir / "file-history").exists()


async def test_a_stopped_command_is_undone_too(folder: Path) -> None:
    session, started = make(folder), folder.parent / "started"
    os.mkfifo(started)
    async with anyio.create_task_group() as group:
        group.start_soon(session.call, "Bash", {"command": f"echo new > a.txt; rm b.txt; echo > {started}; sleep 60"})
        await anyio.to_thread.run_sync(started.read_text)
        with pytest.raises(UsageError, match="something runs"):
            await session.undo()
        session.interrupt()
    assert contents(folder) == {"a.txt": "new\n"}
    await session.undo()
    assert contents(folder) == {"a.txt": "old a\n", "b.txt": "old b\n"}


async def test_a_sub_call_belongs_to_its_turn(folder: Path) -> None:
    async def meddle(input: Any, context: Any) -> str:
        outcome = await context.can_use_tool("Bash", {"command": "echo inner > a.txt"})
        return outcome.status

    session = make(folder, tools=[calling("Meddle", meddle)])
    await session.call("Meddle", {"text": "x"})
    (turn,) = await session.file_turns()
    assert turn.label == "Meddle x"
    await session.undo()
    assert contents(folder)["a.txt"] == "old a\n"


async def test_another_folder_of_the_session_is_covered(folder: Path) -> None:
    other = folder.parent / "other"
    other.mkdir()
    (other / "x").write_text("old\n")
    allowed = {"permissions": {**ALLOW["permissions"], "additionalDirectories": [str(other)]}}
    session = make(folder, settings=allowed)
    await session.call("Bash", {"command": f"echo new > {other}/x; rm a.txt"})
    await session.undo()
    assert (other / "x").read_text() == "old\n" and contents(folder)["a.txt"] == "old a\n"


async def test_what_undo_does_not_cover_is_said_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_agenttools.files.history import tree_keeper

    monkeypatch.setattr(tree_keeper, "MAX_FILE_BYTES", 3)
    session = make(folder)
    first = await session.call("Bash", {"command": "mkdir made"})
    assert "Undo does not cover 2 files above" in first.text
    second = await session.call("Bash", {"command": "echo new > a.txt"})
    assert "above" not in second.text and "what this command did to a.txt: there is no earlier copy" in second.text


async def test_it_can_be_turned_off(folder: Path) -> None:
    session = make(folder, settings={**ALLOW, "env": {"JUPYTER_AGENTTOOLS_FILE_HISTORY": "off"}})
    await session.call("Bash", {"command": "echo new > a.txt"})
    assert session.file_history is None and not (session.dir / "file-history").exists()
    for wish in (session.undo, session.redo, session.file_turns):
        with pytest.raises(UsageError, match="turned off"):
            await wish()


async def test_what_lies_outside_of_the_folders_is_said_to_be_uncovered(folder: Path, tmp_path: Path) -> None:
    session = make(folder)
    await session.call("Bash", {"command": f"echo x > {tmp_path}/outside"})
    with pytest.raises(UsageError, match="outside of these folders are not covered"):
        await session.undo()
    await session.call("Write", {"file_path": "new.txt", "content": "x"})
    await session.call("Bash", {"command": f"echo y > {tmp_path}/outside"})
    report = await session.undo()
    assert [os.path.basename(file.path) for file in report.files] == ["new.txt"]
    assert "y > " in report.note and str(folder) in report.note
    await session.call("Write", {"file_path": "new.txt", "content": "x"})
    assert (await session.undo()).note == ""


async def test_nothing_to_undo(folder: Path) -> None:
    session = make(folder)
    with pytest.raises(UsageError, match="nothing to undo"):
        await session.undo()
    with pytest.raises(UsageError, match="nothing to do again"):
        await session.redo()
    assert await session.file_turns() == ()


async def test_a_later_session_in_the_same_folder_can_undo(folder: Path) -> None:
    first = make(folder, session_dir=folder.parent / "session")
    await first.call("Bash", {"command": "rm a.txt"})
    await first.aclose()
    later = make(folder, session_dir=folder.parent / "session")
    await later.undo()
    assert contents(folder)["a.txt"] == "old a\n"
