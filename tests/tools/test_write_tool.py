"""Write: a whole file, exactly as given, and never over something that was not seen."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from jupyter_agenttools.core.errors import InterruptedToolError, ToolError
from jupyter_agenttools.core.views import CodeBlockView, DiffBlockView, TextBlockView
from jupyter_agenttools.files import file_lock
from jupyter_agenttools.tools.read import read_tool
from jupyter_agenttools.tools.write import WriteInput, write_tool
from tests.corpus.notebooks import dumped, notebook
from tests.support.file_tools import Workspace

pytestmark = pytest.mark.anyio


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


async def refused(here: Workspace, path: str, content: str) -> str:
    with pytest.raises(ToolError) as refusal:
        await here.use(write_tool, file_path=path, content=content)
    return refusal.value.check_id


@pytest.mark.parametrize("content", ["", "x", "x\n\n", "“A” ’ — é\n", "a\r\nb\rc\n", "e\u0301", "\ufeffx", "\x00\x1b"])
async def test_the_bytes_are_those_of_the_text(here: Workspace, content: str) -> None:
    output = await here.use(write_tool, file_path="d/e/f", content=content)
    assert (here.cwd / "d" / "e" / "f").read_bytes() == content.encode() and output.type == "create"


async def test_results(here: Workspace) -> None:
    assert await here.text(write_tool, file_path="f", content="a\nb\n") == f"File created: {here.cwd}/f (2 lines)."
    text = await here.text(write_tool, file_path="f", content="a")
    assert text == f"File updated: {here.cwd}/f (2 lines before, 1 line now)."
    stamp = (here.cwd / "f").stat().st_mtime_ns
    assert "exactly this content already" in await here.text(write_tool, file_path="f", content="a")
    assert (here.cwd / "f").stat().st_mtime_ns == stamp
    output = await here.use(write_tool, file_path="f", content="b")
    assert output.original_file == "a" and output.structured_patch[0].lines == ("-a", "+b")


async def test_an_existing_file_must_have_been_read(here: Workspace) -> None:
    (here.cwd / "f").write_text("old\n")
    assert await refused(here, "f", "new") == "not-read"
    assert (here.cwd / "f").read_text() == "old\n"
    await here.use(read_tool, file_path="f")
    await here.use(write_tool, file_path="f", content="new")
    await here.use(write_tool, file_path="f", content="newer")
    assert (here.cwd / "f").read_text() == "newer"


async def test_reading_by_somebody_else_does_not_count(here: Workspace) -> None:
    (here.cwd / "f").write_text("old\n")
    await Workspace(here.cwd, here.state, agent_id="a").use(read_tool, file_path="f")
    assert await refused(here, "f", "new") == "not-read"


async def test_a_part_is_not_enough_but_all_parts_are(here: Workspace) -> None:
    (here.cwd / "f").write_text("1\n2\n3\n")
    await here.use(read_tool, file_path="f", limit=2)
    assert await refused(here, "f", "new") == "read-in-part"
    await here.use(read_tool, file_path="f", offset=3)
    await here.use(write_tool, file_path="f", content="new")


async def test_a_change_since_the_reading_is_noticed_by_content(here: Workspace) -> None:
    (here.cwd / "f").write_text("a=1\n")
    os.utime(here.cwd / "f", (1, 1))
    await here.use(read_tool, file_path="f")
    (here.cwd / "f").write_text("b=1\n")
    os.utime(here.cwd / "f", (1, 1))
    assert await refused(here, "f", "new") == "content-changed" and (here.cwd / "f").read_text() == "b=1\n"
    (here.cwd / "f").write_text("a=1\n")
    await here.use(write_tool, file_path="f", content="new")


async def test_a_change_while_somebody_is_asked_is_noticed(here: Workspace) -> None:
    (here.cwd / "f").write_text("old\n")
    await here.use(read_tool, file_path="f")
    (here.cwd / "f").write_text("theirs\n")
    with pytest.raises(ToolError, match="content changed"):
        await write_tool.call(WriteInput(file_path="f", content="mine"), here.context())
    (here.cwd / "f").unlink()
    await write_tool.call(WriteInput(file_path="f", content="mine"), here.context())


async def test_text_that_cannot_be_encoded_leaves_the_file(here: Workspace) -> None:
    (here.cwd / "k").write_text("keep\n")
    await here.use(read_tool, file_path="k")
    with pytest.raises(ToolError):
        await here.use(write_tool, file_path="k", content="a\ud83d lone\n")
    with pytest.raises(ToolError, match=r"line 1 .*D83D"):
        await write_tool.call(WriteInput.model_construct(file_path="k", content="a\ud83d lone\n"), here.context())
    assert (here.cwd / "k").read_text() == "keep\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
async def test_the_encoding_and_mark_of_a_file_stay(here: Workspace, encoding: str) -> None:
    (here.cwd / "f").write_bytes("alt ü\n".encode(encoding))
    await here.use(read_tool, file_path="f")
    assert "was kept" in await here.text(write_tool, file_path="f", content="neu é\n")
    assert (here.cwd / "f").read_bytes() == "neu é\n".encode(encoding)
    await here.use(write_tool, file_path="f", content="\ufeffx")
    assert (here.cwd / "f").read_bytes() == "x".encode(encoding)


async def test_changes_of_encoding_and_line_ends_are_said(here: Workspace) -> None:
    (here.cwd / "stray").write_bytes(b"caf\xe9 \xc3\xa9\n")
    await here.use(read_tool, file_path="stray")
    assert "the new one is utf-8" in await here.text(write_tool, file_path="stray", content="café\n")
    (here.cwd / "crlf").write_bytes(b"a\r\nb\r\n")
    await here.use(read_tool, file_path="crlf")
    assert "line ends: CR LF, as before" in await here.text(write_tool, file_path="crlf", content="a\nc\n")
    assert (here.cwd / "crlf").read_bytes() == b"a\r\nc\r\n"


async def test_an_encoding_without_a_mark_stays_or_it_is_said(here: Workspace) -> None:
    (here.cwd / "f").write_bytes(b"caf\xe9\n")
    await here.use(read_tool, file_path="f")
    assert "kept: windows-1252, a guess" in await here.text(write_tool, file_path="f", content="thé\n")
    assert (here.cwd / "f").read_bytes() == b"th\xe9\n"
    text = await here.text(write_tool, file_path="f", content="→\n")
    assert "the new one is utf-8" in text and (here.cwd / "f").read_bytes() == "→\n".encode()
    text = await here.text(write_tool, file_path="g.py", content="# coding: latin-1\né\n")
    assert "written as iso-8859-1" in text and (here.cwd / "g.py").read_bytes() == b"# coding: latin-1\n\xe9\n"
    assert await refused(here, "h.xml", '<?xml version="1.0" encoding="latin-1"?>→') == "text-encoding"
    assert not (here.cwd / "h.xml").exists()


async def test_links_mode_and_folders(here: Workspace) -> None:
    (here.cwd / "real" / "host").mkdir(parents=True)
    (here.cwd / "real" / "s.json").write_text("v1\n")
    (here.cwd / "real" / "s.json").chmod(0o640)
    (here.cwd / "real" / "host" / "s.json").symlink_to("../s.json")
    (here.cwd / "synced").symlink_to("real/host")
    (here.cwd / "dot").symlink_to("synced")
    await here.use(read_tool, file_path="dot/s.json")
    await here.use(write_tool, file_path="dot/s.json", content="v2\n")
    assert (here.cwd / "real" / "s.json").read_text() == "v2\n"
    assert stat.S_IMODE((here.cwd / "real" / "s.json").stat().st_mode) == 0o640
    assert all((here.cwd / link).is_symlink() for link in ("real/host/s.json", "synced", "dot"))


async def test_what_is_no_file_is_refused(here: Workspace) -> None:
    os.mkfifo(here.cwd / "pipe")
    (here.cwd / "f").touch()
    assert await refused(here, "pipe", "x") == "file-not-regular"
    assert await refused(here, "/dev/null", "x") == "file-not-regular"
    assert await refused(here, ".", "x") == "file-is-directory"
    assert await refused(here, "new/", "x") == "path-is-folder"
    assert await refused(here, "f/x", "x") == "path-not-a-folder"


async def test_a_notebook_stays_one(here: Workspace) -> None:
    for content in ("import os", "{}", "[1]", '{"nbformat": 4}', '{"nbformat": "4", "cells": []}'):
        assert await refused(here, "n.ipynb", content) == "write-breaks-notebook"
    await here.use(write_tool, file_path="n.ipynb", content=dumped(notebook()))
    assert json.loads((here.cwd / "n.ipynb").read_text())["nbformat"] == 4
    with pytest.raises(ToolError, match="NotebookEdit"):
        await here.use(write_tool, file_path="N.IPYNB", content="x")


async def test_a_stopped_call_writes_nothing(here: Workspace) -> None:
    here.cancellation.cancel("stop")
    with pytest.raises(InterruptedToolError):
        await here.use(write_tool, file_path="f", content="x")
    assert os.listdir(here.cwd) == []


async def test_writers_at_the_same_time_end_with_one_whole_content(here: Workspace) -> None:
    failures: list[str] = []

    async def one(text: str) -> None:
        try:
            await here.use(write_tool, file_path="f", content=text)
        except ToolError as error:
            failures.append(error.check_id)

    async with anyio.create_task_group() as group:
        for letter in "abcdef":
            group.start_soon(one, letter * 50_000)
    content = (here.cwd / "f").read_text()
    assert len(content) == 50_000 and len(set(content)) == 1 and set(failures) <= {"content-changed", "not-read"}


async def test_the_event_loop_goes_on_while_a_writer_waits(here: Workspace) -> None:
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with file_lock(str(here.cwd / "f")):
            held.set()
            assert release.wait(10)

    async def write() -> None:
        await here.use(write_tool, file_path="f", content="x")

    async with anyio.create_task_group() as group:
        group.start_soon(anyio.to_thread.run_sync, hold)
        await anyio.to_thread.run_sync(held.wait, 10)
        group.start_soon(write)
        for _ in range(100):
            await anyio.lowlevel.checkpoint()
        assert not (here.cwd / "f").exists()
        release.set()
    assert (here.cwd / "f").read_text() == "x"


async def test_preview_and_views(here: Workspace) -> None:
    (here.cwd / "f.py").write_text("a = 1\n")
    assert write_tool.preview is not None
    view = write_tool.preview(WriteInput(file_path="f.py", content="a = 2\n"), here.context())
    diff = next(block for block in view.blocks if isinstance(block, DiffBlockView))
    assert (diff.old, diff.new, diff.language) == ("a = 1\n", "a = 2\n", "python") and "Overwrite" in view.title
    view = write_tool.preview(WriteInput(file_path="new", content="x"), here.context())
    assert "Create" in view.title and view.badges[0].text == "new file"
    view = write_tool.preview(WriteInput(file_path=".", content="x"), here.context())
    assert view.badges[0].text == "cannot work"
    (here.cwd / "b").write_bytes(b"\xff\x00")
    view = write_tool.preview(WriteInput(file_path="b", content="x"), here.context())
    assert any(isinstance(block, TextBlockView) and block.tone == "warning" for block in view.blocks)
    partial = write_tool.render_tool_use({"file_path": "/x/y.py", "content": "a ="}, "verbose")
    assert partial.title == "Write y.py" and isinstance(partial.blocks[0], CodeBlockView)
    assert write_tool.render_tool_use({}, "verbose").blocks == ()


async def test_a_long_diff_says_what_it_leaves_out(here: Workspace) -> None:
    old = "".join(f"line {i}\n" for i in range(20_000))
    (here.cwd / "f").write_text(old)
    assert write_tool.preview is not None
    view = write_tool.preview(WriteInput(file_path="f", content=old.replace("line 15000\n", "!\n")), here.context())
    notice, diff = view.blocks
    assert isinstance(notice, TextBlockView) and "line 14998" in notice.text
    assert isinstance(diff, DiffBlockView) and "line 15000" in diff.old and len(diff.old) < 200
    assert diff.first_lines == (14998, 14998) and diff.old.endswith("line 15003\n"), "it goes on after that"
    view = write_tool.preview(WriteInput(file_path="f", content="x\n" * 200_000), here.context())
    cut, diff = view.blocks
    assert isinstance(cut, TextBlockView) and "cut" in cut.text
    assert isinstance(diff, DiffBlockView) and diff.fragment and diff.old.endswith("\n") and diff.new.endswith("\n")


async def test_rights_are_those_of_edits() -> None:
    assert write_tool.rule_family == "edit" and write_tool.rule_names == ("Edit",)
    assert not write_tool.is_read_only(None) and not write_tool.is_concurrency_safe(None)
    assert write_tool.answers_to("FileWrite") and write_tool.get_path({"file_path": "/a"}) == "/a"


async def test_a_notebook_behind_a_link_with_another_name_stays_one(here: Workspace) -> None:
    await here.use(write_tool, file_path="n.ipynb", content=dumped(notebook()))
    os.symlink("n.ipynb", here.cwd / "l.txt")
    assert await refused(here, "l.txt", "not json") == "write-breaks-notebook"


@pytest.mark.parametrize(
    ("old", "content", "now"),
    [
        (b"a\r\nb", "x\ny", b"x\r\ny"),
        (b"a\r\nb\n", "x\ny\n", b"x\ny\n"),  # mixed: as given
        (b"a\r\nb\r\n", "x\r\ny\n", b"x\r\ny\n"),  # the content knows what it wants
        (b"a\nb\n", "x\r\ny\r\n", b"x\r\ny\r\n"),
        (b"a", "x\ny\n", b"x\ny\n"),
        (b"\xfe\xff\0a\0\r\0\n", "x\n", b"\xfe\xff\0x\0\r\0\n"),
    ],
)
async def test_line_ends_of_a_file_are_kept(here: Workspace, old: bytes, content: str, now: bytes) -> None:
    (here.cwd / "f").write_bytes(old)
    await here.use(read_tool, file_path="f")
    await here.use(write_tool, file_path="f", content=content)
    assert (here.cwd / "f").read_bytes() == now
