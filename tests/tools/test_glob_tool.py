"""Glob: files by name, and never a silent "nothing"."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jupyter_agenttools.core.errors import ToolError, ToolTimeoutError
from jupyter_agenttools.core.views import CodeBlockView
from jupyter_agenttools.tools.glob import glob_tool
from tests.support.file_tools import Workspace

pytestmark = pytest.mark.anyio


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    for number, name in enumerate(("a.py", "src/b.py", "src/deep/c.py", "src/d.txt")):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, number))
    return Workspace(tmp_path)


async def test_paths_are_relative_and_the_newest_is_first(here: Workspace) -> None:
    assert await here.text(glob_tool, pattern="**/*.py") == "src/deep/c.py\nsrc/b.py\na.py"
    assert await here.text(glob_tool, pattern="*.py", path="src") == "src/b.py"
    elsewhere = Workspace(here.cwd / "src" / "deep")
    assert await elsewhere.text(glob_tool, pattern="*.py", path=str(here.cwd / "src")) == f"{here.cwd}/src/b.py"


async def test_nothing_found_says_where_and_hints(here: Workspace) -> None:
    text = await here.text(glob_tool, pattern="c.py")
    assert text.startswith(f"No file matches c.py in {here.cwd}.") and "**/c.py" in text


async def test_plain_folders_of_a_pattern_are_what_rules_judge(here: Workspace) -> None:
    assert glob_tool.backfill_observable_input is not None
    for pattern, path, root in (
        ("src/**/*.py", None, here.cwd / "src"),
        (f"{here.cwd}/src/*.py", None, here.cwd / "src"),
        ("deep/*", "src", here.cwd / "src" / "deep"),
        ("*", None, here.cwd),
        ("/etc/*", "src", "/etc"),
    ):
        observed = {"pattern": pattern, **({"path": path} if path else {})}
        glob_tool.backfill_observable_input(observed, here.context())
        assert glob_tool.get_path(observed) == str(root)
        output = await here.use(glob_tool, pattern=pattern, **({"path": path} if path else {}))
        assert output.root == str(root)


@pytest.mark.parametrize(
    ("fields", "check"),
    [
        ({"pattern": "../*"}, "glob-climbs"),
        ({"pattern": "src/../../*"}, "glob-climbs"),
        ({"pattern": "*/../x"}, "glob-climbs"),
        ({"pattern": "*", "path": "gone"}, "file-missing"),
        ({"pattern": "*", "path": "a.py"}, "glob-not-a-folder"),
        ({"pattern": "[b-a]"}, "glob-pattern"),
        ({"pattern": ""}, "schema"),
    ],
)
async def test_searches_that_cannot_be(here: Workspace, fields: dict[str, str], check: str) -> None:
    with pytest.raises(ToolError) as refusal:
        await here.use(glob_tool, **fields)
    assert refusal.value.check_id == check


async def test_at_most_a_hundred_with_the_total(here: Workspace) -> None:
    for number in range(150):
        (here.cwd / f"n{number}.dat").touch()
    output = await here.use(glob_tool, pattern="*.dat")
    assert (output.num_files, output.total_matches, output.truncated) == (100, 150, True)
    assert "the 100 changed last of 150" in await here.text(glob_tool, pattern="*.dat")


async def test_a_search_that_is_stopped_says_so() -> None:
    here = Workspace(Path("/"), env={"JUPYTER_AGENTTOOLS_GLOB_TIMEOUT_SECONDS": "0.01"})
    with pytest.raises(ToolTimeoutError, match=r"stopped after 0\.01 s"):
        await here.use(glob_tool, pattern="**/*.zzz", path="/")
    text = await here.text(glob_tool, pattern="**/*", path="/")
    assert "incomplete: stopped after 0.01 s" in text


async def test_what_git_leaves_out_is_counted_and_can_be_asked_for(here: Workspace) -> None:
    for folder in (".git", ".wt/a", ".wt/b"):
        (here.cwd / folder).mkdir(parents=True)
    for name in (".wt/a/b.py", ".wt/b/b.py"):
        (here.cwd / name).touch()
    (here.cwd / ".gitignore").write_text(".wt/\n")
    text = await here.text(glob_tool, pattern="**/b.py")
    assert text == "src/b.py\n[2 more left out by ignore rules]"
    assert len((await here.use(glob_tool, pattern="**/b.py", path=".wt")).filenames) == 2
    here.env = {"CLAUDE_CODE_GLOB_NO_IGNORE": "true"}
    assert (await here.use(glob_tool, pattern="**/b.py")).total_matches == 3


async def test_odd_names_are_shown_as_text(here: Workspace) -> None:
    os.close(os.open(os.fsencode(here.cwd) + b"/bad\xe9.dat", os.O_CREAT))
    (here.cwd / "<img src=x onerror=alert(1)>.dat").touch()
    text = await here.text(glob_tool, pattern="*.dat")
    assert "bad\\xe9.dat" in text and "<img src=x" in text
    text.encode()


async def test_views(here: Workspace) -> None:
    assert glob_tool.render_tool_use({}, "verbose").title == "Glob"
    output = await here.use(glob_tool, pattern="**/*.py")
    view = glob_tool.render_result(output, "verbose")
    assert view.badges[0].text == "3 files" and isinstance(view.blocks[0], CodeBlockView)
    assert view.blocks[0].text == glob_tool.extract_search_text(output)
    assert glob_tool.is_read_only(None) and glob_tool.is_concurrency_safe(None)
