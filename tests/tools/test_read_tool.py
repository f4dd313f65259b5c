"""Read: what the model gets to see of a file."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from jupyter_agenttools.core import Message, ToolResultBlock
from jupyter_agenttools.core.errors import InputValidationError, ToolError
from jupyter_agenttools.core.views import CodeBlockView, TableBlockView
from jupyter_agenttools.files.budget import MaxFileReadTokenExceededError
from jupyter_agenttools.tools.read import FileUnchanged, NotebookRead, TextRead, read_tool
from tests.corpus.notebooks import REFUSED, dumped, notebook
from tests.support.file_tools import Workspace
from tests.support.other_user import as_ordinary_user

pytestmark = pytest.mark.anyio


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


async def refused(here: Workspace, path: object, **fields: object) -> ToolError:
    with pytest.raises(ToolError) as refusal:
        await here.use(read_tool, file_path=str(path), **fields)
    return refusal.value


async def test_lines_with_numbers_and_their_exact_text(here: Workspace) -> None:
    (here.cwd / "t.py").write_text("def f():\n\treturn 1\n")
    assert await here.text(read_tool, file_path="t.py") == "     1→def f():\n     2→\treturn 1"


async def test_paths_and_the_copy_for_rules(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(here.cwd))
    (here.cwd / "a").write_text("x\n")
    for path in ("a", str(here.cwd / "a"), "~/a"):
        observed = {"file_path": path}
        assert read_tool.backfill_observable_input is not None
        read_tool.backfill_observable_input(observed, here.context())
        assert read_tool.get_path(observed) == str(here.cwd / "a")
        assert (await here.use(read_tool, file_path=path, limit=len(path))).file_path == str(here.cwd / "a")


async def test_a_part_says_which_and_how_to_go_on(here: Workspace) -> None:
    (here.cwd / "f").write_text("".join(f"{i}\n" for i in range(1, 101)))
    text = await here.text(read_tool, file_path="f", offset=11, limit=2)
    assert text == "    11→11\n    12→12\n\n[lines 11-12 of 100; continue with offset=13]"
    assert "up to the end" in await here.text(read_tool, file_path="f", offset=99)
    assert (await here.use(read_tool, file_path="f", offset=0, limit=1)).start_line == 1
    assert "beyond the end: the file has 100 lines" in await here.text(read_tool, file_path="f", offset=101)
    (here.cwd / "e").touch()
    assert "empty" in await here.text(read_tool, file_path="e")


@pytest.mark.parametrize("fields", [{"offset": -1}, {"limit": 0}, {"limit": -5}, {"offset": 1.5}, {"page": 1}])
async def test_ranges_that_cannot_be(here: Workspace, fields: dict[str, object]) -> None:
    with pytest.raises(InputValidationError):
        await here.use(read_tool, file_path="f", **fields)


async def test_what_cannot_be_read_says_why(here: Workspace) -> None:
    os.mkfifo(here.cwd / "pipe")
    (here.cwd / "settings.py").touch()
    (here.cwd / "p").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    started = time.monotonic()
    assert "not a regular file" in str(await refused(here, "pipe"))
    assert "not a regular file" in str(await refused(here, "/dev/zero"))
    assert time.monotonic() - started < 20
    assert "Glob" in str(await refused(here, "."))
    assert "settings.py" in str(await refused(here, "setings.py"))
    assert "PNG image" in str(await refused(here, "p"))


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a file of somebody else")
def test_no_permission_is_said(tmp_path_factory: pytest.TempPathFactory) -> None:
    from jupyter_agenttools.files import read_whole

    def attempt() -> str:
        try:
            return str(len(read_whole("/etc/shadow")))
        except ToolError as error:
            return error.check_id

    assert as_ordinary_user(attempt) == "file-permission"


async def test_too_much_says_how_to_read_less(here: Workspace) -> None:
    (here.cwd / "f").write_text(("x" * 192 + "\n") * 2000)
    with pytest.raises(MaxFileReadTokenExceededError, match=r"offset=1, limit=4\d\d\)"):
        await here.use(read_tool, file_path="f")
    assert (await here.use(read_tool, file_path="f", offset=1, limit=440)).num_lines == 440


async def test_unusual_files_are_described(here: Workspace) -> None:
    (here.cwd / "crlf").write_bytes(b"a\r\nb\r\n")
    (here.cwd / "mixed").write_bytes(b"a\r\nb\nc")
    (here.cwd / "latin").write_bytes(b"caf\xe9\n")
    (here.cwd / "stray").write_bytes(b"caf\xe9 \xc3\xa9\n")
    (here.cwd / "marked").write_bytes("ü\n".encode("utf-16"))
    (here.cwd / "long").write_text("y" * 5000 + "\n")
    assert (await here.use(read_tool, file_path="crlf")).notes == ("the lines end in CR LF",)
    notes = (await here.use(read_tool, file_path="mixed")).notes
    assert notes == ("1 of these lines end in CR LF", "the last line has no line end")
    assert "     1→café\n\n[encoding: windows-1252, a guess" in await here.text(read_tool, file_path="latin")
    assert "     1→caf\\xe9 é\n\n[bytes that are not utf-8" in await here.text(read_tool, file_path="stray")
    assert (await here.use(read_tool, file_path="marked")).notes == ("encoding: utf-16-le",)
    long = await here.text(read_tool, file_path="long")
    assert "y" * 2000 + " […3,000 more characters]" in long and "y" * 2001 not in long


async def test_the_same_part_of_the_same_bytes_is_not_repeated(here: Workspace) -> None:
    (here.cwd / "f").write_text("one\ntwo\n")
    assert isinstance(await here.use(read_tool, file_path="f"), TextRead)
    (here.cwd / "f").touch()
    assert isinstance(await here.use(read_tool, file_path="f", offset=1), FileUnchanged)
    assert "unchanged" in await here.text(read_tool, file_path="f")
    assert isinstance(await here.use(read_tool, file_path="f", limit=1), TextRead)
    stamp = (here.cwd / "f").stat()
    (here.cwd / "f").write_text("ONE\ntwo\n")
    os.utime(here.cwd / "f", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert (await here.use(read_tool, file_path="f")).lines[0] == "ONE"


async def test_only_what_the_reader_still_has_is_left_out(here: Workspace) -> None:
    (here.cwd / "f").write_text("one\n")
    first = here.context()
    await here.use_in(first, read_tool, {"file_path": "f"})
    other = Workspace(here.cwd, here.state, agent_id="agent-1")
    assert isinstance(await other.use(read_tool, file_path="f"), TextRead), "a sub-agent has not seen it"
    here.messages = [Message("user", (ToolResultBlock(first.tool_use_id, "…"),))]
    assert isinstance(await here.use(read_tool, file_path="f"), FileUnchanged)
    here.messages = [Message("user", (ToolResultBlock("another", "…"),))]
    assert isinstance(await here.use(read_tool, file_path="f"), TextRead), "its result is no longer in the conversation"


async def test_a_notebook_is_shown_as_cells(here: Workspace) -> None:
    (here.cwd / "n.ipynb").write_text(dumped(notebook()))
    output = await here.use(read_tool, file_path="n.ipynb")
    assert isinstance(output, NotebookRead) and output.total_cells == 3
    (here.cwd / "n.ipynb").write_text(dumped(notebook(metadata={"tags": ["p"]})))
    text = await here.text(read_tool, file_path="n.ipynb")
    assert '<cell id="mid" type="code" execution_count="7" tags="p">\nn = 5\nm = 7\nn + m\n</cell>' in text
    assert '<output type="execute_result">\n12\n</output>' in text
    assert isinstance(await here.use(read_tool, file_path="n.ipynb"), FileUnchanged)
    part = await here.use(read_tool, file_path="n.ipynb", offset=3)
    assert [cell.address for cell in part.cells] == ["end"] and "cells 3-3 of 3" in part.notes[0]
    assert "beyond the end" in await here.text(read_tool, file_path="n.ipynb", offset=9)


async def test_a_broken_notebook_names_its_problem_and_shows_its_text_on_request(here: Workspace) -> None:
    (here.cwd / "n.ipynb").write_bytes(REFUSED["cut off"][0])
    assert "not valid JSON" in str(await refused(here, "n.ipynb"))
    output = await here.use(read_tool, file_path="n.ipynb", offset=1, limit=3)
    assert isinstance(output, TextRead) and output.lines[0] == "{"


async def test_results_are_never_put_on_disk_and_calls_may_overlap() -> None:
    assert read_tool.max_result_size_chars is None
    assert read_tool.is_read_only(None) and read_tool.is_concurrency_safe(None)
    assert read_tool.answers_to("FileRead") and read_tool.rule_family == "read"


async def test_views(here: Workspace) -> None:
    assert read_tool.render_tool_use({}, "condensed").title == "Read"
    assert (
        read_tool.render_tool_use({"file_path": "/a/b.py", "offset": 5, "limit": 2}, "verbose").title == "Read b.py:5-6"
    )
    (here.cwd / "b.py").write_text("x = 1\n" * 100)
    output = await here.use(read_tool, file_path="b.py")
    view = read_tool.render_result(output, "verbose")
    code = view.blocks[0]
    assert isinstance(code, CodeBlockView) and code.language == "python" and code.first_line == 1
    assert "60 of 100" in code.title and code.text in read_tool.extract_search_text(output)
    assert read_tool.render_result(output, "condensed").badges[0].text == "100 lines"
    unchanged = await here.use(read_tool, file_path="b.py")
    assert read_tool.render_result(unchanged, "verbose").badges[0].text == "unchanged"
    (here.cwd / "n.ipynb").write_text(dumped(notebook()))
    cells = read_tool.render_result(await here.use(read_tool, file_path="n.ipynb"), "verbose").blocks
    assert [getattr(block, "title", "") for block in cells][:2] == ["markdown top", "code [7] mid"]
    assert read_tool.render_grouped is not None
    group = read_tool.render_grouped(({"file_path": "a"}, {"file_path": "b", "limit": 3}))
    assert isinstance(group.blocks[0], TableBlockView) and group.blocks[0].rows[1] == ("b", "b:1-3")
