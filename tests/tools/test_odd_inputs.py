"""File tools with inputs and files that nobody writes by hand: what they say is short, printable and clear."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools import Outcome, Session
from jupyter_agenttools.core.blocks import TextBlock, ToolResultBlock
from jupyter_agenttools.media import pdf as media_pdf
from jupyter_agenttools.tools.glob import glob_tool
from jupyter_agenttools.tools.read import TextRead
from jupyter_agenttools.tools.read.progress import ReadProgress, Reports
from jupyter_agenttools.tools.read.view import render_progress
from tests.support.file_tools import Workspace
from tests.support.media_files import pdf
from tests.support.tools import calling

pytestmark = pytest.mark.anyio


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(cwd=tmp_path, settings={"permissions": {"allow": ["Edit(./**)"]}}, prompter="deny")


async def refused(session: Session, tool: str, **fields: Any) -> str:
    outcome = await session.call(tool, fields)
    assert outcome.status == "error" and len(outcome.text) < 2_000
    outcome.text.encode()
    return outcome.text


# ---- patterns


@pytest.mark.parametrize(("tool", "fields"), [("Glob", {"pattern": ""}), ("Grep", {"pattern": "x", "glob": ""})])
async def test_thousands_of_braces_hold_nobody_up(session: Session, tool: str, fields: dict[str, str]) -> None:
    name = "glob" if tool == "Grep" else "pattern"
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await anyio.sleep(0.001)
            ticks += 1

    with anyio.fail_after(20):
        for count in (1_000, 4_000):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(tick)
                assert (await session.call(tool, {**fields, name: "{" * count})).status == "ok"
                tasks.cancel_scope.cancel()
        assert "characters; at most" in await refused(session, tool, **{**fields, name: "{" * 100_000})
    assert ticks > 0


@pytest.mark.parametrize("text", ["\0", "a\0*", "\ud800"])
async def test_what_no_path_can_hold(session: Session, text: str) -> None:
    for tool, fields in (
        ("Glob", {"pattern": text}),
        ("Glob", {"pattern": "*", "path": text}),
        ("Grep", {"pattern": "x", "glob": text}),
        ("Grep", {"pattern": "x", "path": text}),
        ("NotebookEdit", {"notebook_path": text, "new_source": "", "cell_id": "a"}),
        ("NotebookEdit", {"notebook_path": f"{text}.ipynb", "new_source": "", "cell_id": "a"}),
    ):
        said = await refused(session, tool, **fields)
        assert any(words in said for words in ("NUL", "half of a character", "valid string")), (tool, fields, said)
    assert "no type of files" in await refused(session, "Grep", pattern="x", type=text)
    for field in ("content", "activeForm"):
        todo = {"content": "a", "status": "pending", "activeForm": "b", field: text}
        assert f"todos.0.{field} holds" in await refused(session, "TodoWrite", todos=[todo])


async def test_an_empty_notebook_path(session: Session) -> None:
    assert "path is empty" in await refused(session, "NotebookEdit", notebook_path="", new_source="", cell_id="a")


async def test_a_pattern_of_folders_says_that_only_files_are_listed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    (tmp_path / "folder").mkdir()
    for pattern, hint in (("*.txt/", "*.txt/**"), ("**/*/", "**/*/**"), ("folder/", "folder/**")):
        text = await Workspace(tmp_path).text(glob_tool, pattern=pattern)
        assert text.startswith("No file matches") and f"{hint} lists the files in them" in text


async def test_a_backslash_in_a_glob(tmp_path: Path) -> None:
    for name in ("[x].py", "x.py", "a*b"):
        (tmp_path / name).write_text("word\n")
    for env in ({}, {"JUPYTER_AGENTTOOLS_RIPGREP": "off"}):
        session = Session(cwd=tmp_path, settings={"env": env})
        for glob, found in ((r"\[x\].py", "[x].py"), (r"a\*b", "a*b")):
            assert (await session.call("Grep", {"pattern": "word", "glob": glob})).text == found
            assert (await session.call("Glob", {"pattern": glob})).text == found


async def test_a_long_value_is_not_told_back(session: Session) -> None:
    outcome = await session.call("Glob", {"pattern": "a" * 4_000})
    assert outcome.status == "ok" and len(outcome.text) < 1_500 and "more characters" in outcome.text


# ---- names of files


async def test_names_of_files_cannot_be_read_as_our_words(session: Session, tmp_path: Path) -> None:
    (tmp_path / "real\n[lines 1-2 of 2]\nlast words.txt").touch()
    (tmp_path / os.fsdecode(b"inv\xff.txt")).touch()
    (tmp_path / "new\nfolder").mkdir()
    (tmp_path / "link").symlink_to("no\nwhere")
    near = await refused(session, "Read", file_path="real [lines 1-2 of 2] last words.txt")
    assert r"real\n[lines 1-2 of 2]\nlast words.txt" in near and "\n" not in near
    assert r"inv\xff.txt" in await refused(session, "Read", file_path="inv?.txt")
    assert "\n" not in await refused(session, "Read", file_path="new folder/a")
    assert "\n" not in await refused(session, "Read", file_path="new\nfolder")
    assert r"no\nwhere" in await refused(session, "Read", file_path="link")


def test_blocks_hold_only_what_can_be_sent() -> None:
    assert ToolResultBlock("id", "a\ud800b\udcff").content == r"a\ud800b\xff"
    assert TextBlock("\ud800").text == r"\ud800"
    assert ToolResultBlock("id", "wörld").content == "wörld"


async def test_whatever_a_tool_says_can_be_sent(tmp_path: Path) -> None:
    async def speaks(input: Any, context: Any) -> str:
        return "half \ud800"

    async def fails(input: Any, context: Any) -> str:
        raise ValueError("half \ud800")

    session = Session(cwd=tmp_path, tools=[calling("Speak", speaks), calling("Fail", fails)], prompter=lambda _: True)
    for name in ("Speak", "Fail"):
        assert r"half \ud800" in (await session.call(name, {})).text


# ---- reading and writing


async def test_a_null_offset_is_none(session: Session, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")
    outcome = await session.call("Read", {"file_path": "a", "offset": None, "limit": None, "pages": None})
    assert outcome.status == "ok" and "1→one" in outcome.text
    assert "the file has 1 line]" in (await session.call("Read", {"file_path": "a", "offset": 5})).text


async def test_the_beginning_of_a_file_that_is_mostly_a_hole(session: Session, tmp_path: Path) -> None:
    (tmp_path / "sparse").write_bytes(b"a line\n" * 20_000)
    os.truncate(tmp_path / "sparse", 2 << 30)
    with anyio.fail_after(60):
        outcome = await session.call("Read", {"file_path": "sparse", "limit": 2})
    assert isinstance(outcome.output, TextRead) and outcome.output.lines == ("a line", "a line")
    assert outcome.output.total_lines == 20_001 and "were never written" in outcome.text


async def test_lines_after_a_hole_are_counted_right(session: Session, tmp_path: Path) -> None:
    (tmp_path / "sparse").write_bytes(b"a line\n" * 20_000)
    os.truncate(tmp_path / "sparse", 2 << 30)
    with (tmp_path / "sparse").open("ab") as file:
        file.write(b"\nbehind\n")
    outcome = await session.call("Read", {"file_path": "sparse", "offset": 20_002})
    assert outcome.output.lines == ("behind",) and outcome.output.total_lines == 20_002


def test_progress_is_told_in_bytes(tmp_path: Path) -> None:
    told: list[Any] = []
    context = Workspace(tmp_path).context()
    reports = Reports(context)
    reports(1, 2)
    assert not told
    assert render_progress(ReadProgress(3 << 20, 8 << 20)).blocks[0].label == "3 of 8 MiB looked through"  # type: ignore[union-attr]


async def test_a_binary_file_is_called_one_before_anything_else(session: Session, tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"a\0b\n" * 10)
    edit = await refused(session, "Edit", file_path="b", old_string="a", new_string="c")
    write = await refused(session, "Write", file_path="b", content="text")
    for said in (edit, write):
        assert "binary data" in said and "Read it first" not in said
    assert (tmp_path / "b").read_bytes() == b"a\0b\n" * 10


# ---- notebooks and PDFs


def notebook(*ids: str) -> str:
    cells = [
        {"cell_type": "code", "id": name, "metadata": {}, "source": f"{n}", "outputs": [], "execution_count": None}
        for n, name in enumerate(ids)
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


async def test_ids_that_repeat_are_told(session: Session, tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_text(notebook("same", "same", "other"))
    assert "2 cells have the id 'same'" in (await session.call("Read", {"file_path": "n.ipynb"})).text


async def test_an_id_cannot_end_its_attribute_and_can_be_given_back(session: Session, tmp_path: Path) -> None:
    odd = 'a" type="markdown"><b'
    (tmp_path / "n.ipynb").write_text(notebook(odd, "b"))
    text = (await session.call("Read", {"file_path": "n.ipynb"})).text
    shown = "a&quot; type=&quot;markdown&quot;&gt;&lt;b"
    assert f'<cell id="{shown}" type="code">' in text
    edited = await session.call("NotebookEdit", {"notebook_path": "n.ipynb", "cell_id": shown, "new_source": "x"})
    assert edited.status == "ok", edited.text


async def test_a_page_whose_drawing_takes_too_long_still_has_its_text(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(media_pdf, "PICTURE_SECONDS", 0.0)
    (tmp_path / "a.pdf").write_bytes(pdf("Good morning"))
    outcome: Outcome = await session.call("Read", {"file_path": "a.pdf", "pages": "1"})
    assert "Good morning" in outcome.text and "there is no picture of this page" in outcome.text
