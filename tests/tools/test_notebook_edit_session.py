"""NotebookEdit in a session: rules, settings, what happens around a call, and what is told of it."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools.core.blocks import ToolUse
from jupyter_agenttools.core.errors import SettingsError
from jupyter_agenttools.core.events import FileEvent
from jupyter_agenttools.core.outcome import Outcome
from jupyter_agenttools.core.prompting import PermissionAnswer, PermissionRequest
from jupyter_agenttools.core.views import Badge
from jupyter_agenttools.models import ScriptedModel
from jupyter_agenttools.session import Session
from jupyter_agenttools.settings import load_settings
from tests.corpus.notebooks import CASES, dumped, notebook

pytestmark = pytest.mark.anyio

PLAIN = next(case for case in CASES if case.name == "indent 1")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "n.ipynb").write_text(dumped(notebook()))
    return tmp_path / "n.ipynb"


def session(file: Path, *, prompter: Any = None, **settings: Any) -> Session:
    permissions = settings.pop("permissions", {"allow": ["Edit", "Read"]})
    return Session(cwd=file.parent, settings={"permissions": permissions, **settings}, prompter=prompter)


def held(file: Path) -> bytes:
    return file.read_bytes()


def put(file: Path, text: str) -> None:
    file.write_text(text)


def sources(file: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(file.read_bytes())["cells"]]


async def edit(running: Session, **fields: Any) -> Outcome:
    return await running.call("NotebookEdit", {"notebook_path": "n.ipynb", **fields})


# ---- settings


@pytest.mark.parametrize(("setting", "expected"), [({}, "clear"), ("clear", "clear"), ("keep", "keep")])
async def test_the_settings_say_what_happens_to_outputs(file: Path, setting: Any, expected: str) -> None:
    running = session(file, **({"notebookOutputs": setting} if setting else {}))
    outcome = await edit(running, cell_id=PLAIN.address, new_source=PLAIN.new_source)
    assert held(file) == (PLAIN.keep if expected == "keep" else PLAIN.clear), outcome.text
    assert ("were cleared" in outcome.text) == (expected == "clear")


@pytest.mark.parametrize("setting", [{"notebookOutputs": "drop"}, {"notebookOutputs": True}])
async def test_a_wrong_setting_is_an_error(file: Path, setting: Any) -> None:
    with pytest.raises(SettingsError, match="notebookOutputs"):
        session(file, **setting)


async def test_a_mistyped_setting_is_named(file: Path) -> None:
    (note,) = session(file, notebookoutput="keep").settings.notes
    assert "`notebookoutput` is kept" in note and "did you mean `notebookOutputs`?" in note


def test_the_nearest_settings_file_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    monkeypatch.setenv("HOME", str(home))
    for folder, name, value in (
        (home, "settings.json", "keep"),
        (project, "settings.json", "clear"),
        (project, "settings.local.json", "keep"),
    ):
        (folder / ".claude").mkdir(parents=True, exist_ok=True)
        (folder / ".claude" / name).write_text(json.dumps({"notebookOutputs": value}))
    assert load_settings(str(project)).notebook_outputs == "keep"
    assert load_settings(str(project), {"notebookOutputs": "clear"}).notebook_outputs == "clear"
    (project / ".claude" / "settings.local.json").unlink()
    assert load_settings(str(project)).notebook_outputs == "clear"
    (project / ".claude" / "settings.json").unlink()
    assert load_settings(str(project)).notebook_outputs == "keep"
    (home / ".claude" / "settings.json").unlink()
    assert load_settings(str(project)).notebook_outputs == "clear"


# ---- rights


@pytest.mark.parametrize("rule", ["Edit(secret/**)", "Edit(*.ipynb)", "Read(secret/**)", "NotebookEdit", "Edit"])
async def test_what_forbids_edits_forbids_these(tmp_path: Path, rule: str) -> None:
    (tmp_path / "secret").mkdir()
    file = tmp_path / "secret" / "n.ipynb"
    file.write_text(dumped(notebook()))
    (tmp_path / "link.ipynb").symlink_to(file)
    (tmp_path / "folder").symlink_to(tmp_path / "secret")
    permissions = {"allow": ["Edit", "NotebookEdit"], "deny": [rule]}
    running = Session(cwd=tmp_path, settings={"permissions": permissions}, prompter=lambda request: True)
    before = held(file)
    for path in ("secret/n.ipynb", "link.ipynb", "folder/n.ipynb", "./folder/../secret/n.ipynb", str(file)):
        for mode in ("replace", "insert", "delete", "move"):
            fields = {"notebook_path": path, "cell_id": "mid", "edit_mode": mode}
            outcome = await running.call("NotebookEdit", {**fields, **({} if mode == "move" else {"new_source": "x"})})
            assert outcome.status in ("denied", "error") and held(file) == before, (path, mode, outcome.text)


@pytest.mark.parametrize("extra", [{}, {"edit_mode": "replace"}])
async def test_a_rule_about_a_field_sees_every_edit_of_a_list(file: Path, extra: Any) -> None:
    permissions = {"allow": ["Edit"], "deny": ["NotebookEdit(edit_mode:delete)"]}
    running, before = session(file, permissions=permissions), held(file)
    edits = [{"cell_id": "mid", "new_source": "x"}, {"cell_id": "end", "edit_mode": "delete"}]
    assert (await edit(running, edits=edits, **extra)).status == "denied" and held(file) == before
    assert (await edit(running, cell_id="end", edit_mode="delete")).status == "denied" and held(file) == before
    assert not (await edit(running, edits=edits[:1], **extra)).is_error


MARKED: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({"editable": False}, {"cell_id": "mid", "new_source": "x"}, True),
    ({"editable": False}, {"cell_id": "mid", "new_source": "n", "cell_type": "markdown"}, True),
    ({"editable": False}, {"cell_id": "cell-1", "new_source": "x"}, True),
    ({"editable": False}, {"cell_id": "mid", "edit_mode": "move"}, True),
    ({"deletable": False}, {"cell_id": "mid", "edit_mode": "move"}, True),
    ({"deletable": False}, {"cell_id": "mid", "edit_mode": "delete"}, True),
    (
        {"editable": False},
        {"edits": [{"cell_id": "top", "new_source": ""}, {"cell_id": "mid", "new_source": ""}]},
        True,
    ),
    ({"editable": False}, {"edits": [{"cell_id": "top", "new_source": ""}]}, False),
    ({"editable": False}, {"cell_id": "mid", "edit_mode": "insert", "new_source": "x"}, False),
    ({"editable": True, "deletable": True}, {"cell_id": "mid", "new_source": "x"}, False),
    ({"editable": "false"}, {"cell_id": "mid", "new_source": "x"}, False),
]


@pytest.mark.parametrize(("metadata", "fields", "asks"), MARKED)
async def test_marked_cells_ask_although_edits_are_allowed(file: Path, metadata: Any, fields: Any, asks: bool) -> None:
    put(file, dumped(notebook(metadata=metadata)))
    before, asked = held(file), []
    running = session(file, prompter=lambda request: bool(asked.append(request)))
    outcome = await edit(running, **fields)
    assert bool(asked) == asks and (held(file) == before) == asks, outcome.text
    if asks:
        assert "marked as not" in asked[0].decision.reason
        assert Badge("marked as not to be changed", "warning") in asked[0].view.badges


# ---- around one call


def person(doing: Callable[[], Any]) -> Any:
    """Somebody who does a thing while asked, and then allows."""

    class Person:
        async def ask(self, request: PermissionRequest) -> PermissionAnswer:
            doing()
            return PermissionAnswer("allow")

    return Person()


def insert_at_top(file: Path) -> None:
    changed = json.loads(file.read_bytes())
    changed["cells"].insert(0, {"cell_type": "markdown", "id": "hand", "metadata": {}, "source": ["by hand"]})
    file.write_text(dumped(changed))


@pytest.mark.parametrize("address", ["end", "cell-2"])
async def test_a_cell_added_by_hand_while_asking_never_makes_it_another_cell(file: Path, address: str) -> None:
    running = session(file, prompter=person(lambda: insert_at_top(file)), permissions={})
    outcome = await edit(running, cell_id=address, new_source="x")
    if address == "end":
        assert sources(file) == ["by hand", "## Sum\nof two", "n = 5\nm = 7\nn + m", "x"]
    else:
        assert outcome.is_error and "content changed" in outcome.text and "x" not in sources(file)


@pytest.mark.parametrize("mode", ["replace", "delete"])
async def test_a_cell_changed_while_asking_is_not_lost(file: Path, mode: str) -> None:
    typed = dumped(notebook(source=["typed meanwhile"]))
    running = session(file, prompter=person(lambda: file.write_text(typed)), permissions={})
    outcome = await edit(running, cell_id="mid", new_source="x", edit_mode=mode)
    assert outcome.is_error and "content changed" in outcome.text and held(file) == typed.encode()


async def test_a_mark_set_while_asking_holds(file: Path) -> None:
    marked = dumped(notebook(metadata={"editable": False}))
    running = session(file, prompter=person(lambda: file.write_text(marked)), permissions={})
    outcome = await edit(running, cell_id="mid", new_source="x")
    assert outcome.is_error and "marked as not" in outcome.text and held(file) == marked.encode()


async def test_alternating_edits_while_somebody_saves(file: Path) -> None:
    running = session(file)
    for number in range(10):
        if number == 5:
            put(file, dumped(json.loads(held(file))))
        outcome = await edit(running, cell_id=("mid", "end")[number % 2], new_source=f"v{number}")
        assert not outcome.is_error, outcome.text
    assert sources(file) == ["## Sum\nof two", "v8", "v9"]
    ids = [cell["id"] for cell in json.loads(held(file))["cells"]]
    assert ids == ["top", "mid", "end"]


async def test_calls_of_one_message_need_no_reading_between(file: Path) -> None:
    running = session(file)
    calls = [
        ToolUse("NotebookEdit", {"notebook_path": "n.ipynb", "cell_id": "mid", "new_source": "first"}),
        ToolUse("NotebookEdit", {"notebook_path": "n.ipynb", "cell_id": "end", "edit_mode": "delete"}),
        ToolUse("NotebookEdit", {"notebook_path": "n.ipynb", "cell_id": "mid", "new_source": "second"}),
    ]
    script = [[ToolUse("Read", {"file_path": "n.ipynb"})], calls, "done"]
    updates = [update async for update in running.query("go", model=ScriptedModel(script))]
    assert updates and all(not outcome.is_error for outcome in running.outcomes), [o.text for o in running.outcomes]
    assert sources(file) == ["## Sum\nof two", "second"]


async def test_positions_of_one_message_are_those_that_its_writer_saw(file: Path) -> None:
    put(file, dumped(notebook(minor=4)))
    running = session(file)

    def call(address: str, **fields: Any) -> ToolUse:
        return ToolUse("NotebookEdit", {"notebook_path": "n.ipynb", "cell_id": address, **fields})

    calls = [
        call("cell-2", edit_mode="insert", new_source="moves nothing"),
        call("cell-0", edit_mode="delete"),
        call("cell-1", new_source="not this one"),
    ]
    script = [calls, [call("cell-0", new_source="this one")], "done"]
    async for _ in running.query("go", model=ScriptedModel(script)):
        pass
    told = [(outcome.is_error, outcome.text) for outcome in running.outcomes]
    assert [error for error, _ in told] == [False, False, True, False], told
    assert "earlier call of this message" in told[2][1]
    assert sources(file) == ["this one", "m = 7\n", "moves nothing"]


async def test_links_and_modes_stay(file: Path) -> None:
    os.chmod(file, 0o600)
    link = file.parent / "link.ipynb"
    link.symlink_to("n.ipynb")
    await session(file).call("NotebookEdit", {"notebook_path": "link.ipynb", "cell_id": "mid", "new_source": "x"})
    assert link.is_symlink() and os.readlink(link) == "n.ipynb"
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600 and sources(file)[1] == "x"


async def test_an_edit_is_told_to_whoever_watches_files(file: Path) -> None:
    events: list[FileEvent] = []

    class Watcher:
        def on_file(self, event: FileEvent) -> None:
            events.append(event)

    running = session(file)
    running.observers.attach(Watcher())
    await edit(running, cell_id="mid", new_source="x")
    await edit(running, cell_id="mid", new_source="x")
    assert [(event.kind, event.path) for event in events] == [("written", str(file))], "nothing was written twice"


async def test_edits_from_many_threads_all_arrive(file: Path) -> None:
    def insert(number: int) -> None:
        fields = {"cell_id": "end", "edit_mode": "insert", "new_source": f"{number}"}
        anyio.run(lambda: edit(session(file), **fields))

    threads = [threading.Thread(target=insert, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await anyio.to_thread.run_sync(thread.join)
    assert sorted(sources(file)[3:]) == [str(number) for number in range(8)]


async def test_an_interrupt_while_asking_changes_nothing(file: Path) -> None:
    before = held(file)
    running = session(file, permissions={}, prompter=person(lambda: running.interrupt()))
    outcome = await edit(running, cell_id="mid", new_source="x")
    assert outcome.status == "interrupted" and held(file) == before


async def test_nothing_of_a_call_is_kept_once_it_is_over(file: Path) -> None:
    running = session(file, permissions={}, prompter=lambda request: False)
    outcome = await edit(running, cell_id="mid", new_source="x")
    assert outcome.status == "denied"
    assert running.read_file_state.judged.get(outcome.tool_use.id) is None


async def test_a_wrong_cell_is_not_told_before_the_right_to_edit(file: Path) -> None:
    running = session(file, permissions={}, prompter="deny")
    assert "top" not in (await edit(running, cell_id="nope", new_source="x")).text
    outcome = await edit(session(file), cell_id="nope", new_source="x")
    assert "top, mid, end" in outcome.text
