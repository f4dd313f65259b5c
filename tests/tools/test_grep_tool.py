"""Grep: lines by a regular expression, in pages that fit together, and never a silent "nothing"."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core.errors import InputValidationError, ToolError, ToolTimeoutError
from jupyter_agenttools.core.views import CodeBlockView, TableBlockView
from jupyter_agenttools.files.ripgrep import find_ripgrep
from jupyter_agenttools.tools.grep import GrepOutput, grep_tool
from jupyter_agenttools.tools.grep.output import SearchProgress
from tests.support.file_tools import Workspace
from tests.support.other_user import as_ordinary_user

pytestmark = pytest.mark.anyio

ENGINES = {"python": {"JUPYTER_AGENTTOOLS_RIPGREP": "off"}, "ripgrep": {}}


@pytest.fixture(params=ENGINES)
def here(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    if request.param == "ripgrep" and find_ripgrep({}) is None:
        pytest.skip("there is no ripgrep")
    return Workspace(tmp_path, env=ENGINES[request.param])


def put(here: Workspace, files: Mapping[str, str | bytes]) -> None:
    """Write these files, the first one changed last."""
    for age, (name, text) in enumerate(files.items()):
        path = here.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        os.utime(path, ns=(0, 10**18 - age * 10**9))


async def grep(here: Workspace, pattern: str, **fields: Any) -> str:
    """What the model reads. Fields with a dash are given as ``dash_i``."""
    return await here.text(grep_tool, pattern=pattern, **_dashed(fields))


def _dashed(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name.replace("dash_", "-"): value for name, value in fields.items()}


# ---- what is given


async def test_files_come_with_the_newest_first(here: Workspace) -> None:
    put(here, {"new.py": "word\n", "sub/mid.txt": "a word\n", "other": "none\n", "old.py": "words"})
    assert await grep(here, "word") == "new.py\nsub/mid.txt\nold.py"
    assert await grep(here, "word", path="sub") == "sub/mid.txt"
    elsewhere = Workspace(here.cwd / "sub", env=here.env)
    assert await grep(elsewhere, "words", path="..") == f"{here.cwd}/old.py"


async def test_files_of_the_same_time_are_ordered_by_path(here: Workspace) -> None:
    put(here, {"c": "x", "a": "x", "b": "x"})
    for name in "abc":
        os.utime(here.cwd / name, (5, 5))
    assert await grep(here, "x") == "a\nb\nc"


async def test_lines_with_numbers_and_lines_around(here: Workspace) -> None:
    put(here, {"f": "1\n2\nhit\n4\n5\n6\n7\nhit\n", "g": "hit"})
    assert await grep(here, "hit", output_mode="content") == "f:3:hit\nf:8:hit\ng:1:hit"
    assert await grep(here, "hit", output_mode="content", dash_n=False, path="f") == "f:hit\nf:hit"
    around = "f-2-2\nf:3:hit\nf-4-4\n--\nf-7-7\nf:8:hit\n--\ng:1:hit"
    assert await grep(here, "hit", output_mode="content", dash_C=1) == around
    assert await grep(here, "hit", output_mode="content", context=1) == around
    assert await grep(here, "hit", output_mode="content", dash_B=1, path="f") == "f-2-2\nf:3:hit\n--\nf-7-7\nf:8:hit"
    assert await grep(here, "hit", output_mode="content", dash_A=1, path="f") == "f:3:hit\nf-4-4\n--\nf:8:hit"
    assert (await grep(here, "hit", output_mode="content", dash_C=2, dash_A=0, path="f")).startswith(
        "f-1-1\nf-2-2\nf:3"
    )


async def test_counts_with_their_sum(here: Workspace) -> None:
    put(here, {"f": "a\nb a a\nc\n", "g": "a\n"})
    assert await grep(here, "a", output_mode="count") == "f:2\ng:1\n[3 matching lines in 2 files]"


async def test_matches_alone(here: Workspace) -> None:
    put(here, {"f": "x1 x2\nno\nx3"})
    text = await grep(here, r"x\d", output_mode="content", dash_o=True, head_limit=2)
    assert text == "f:1:x1\nf:1:x2\n[showing 2 of 3 matches; go on with offset=2]"
    assert await grep(here, r"x*", output_mode="content", dash_o=True, head_limit=1, offset=2) == (
        "f:3:x\n[showing 1 of 3 matches from offset 2: the last ones]"
    )


async def test_case_and_dialect(here: Workspace) -> None:
    put(here, {"f": "Straße ÄRGER\nfunc() { interface{} }\n"})
    assert await grep(here, "ärger|NIX", dash_i=True) == "f"
    assert await grep(here, r"^\w+ \w+$", output_mode="content") == "f:1:Straße ÄRGER"
    assert await grep(here, "interface{}", output_mode="content") == "f:2:func() { interface{} }"
    assert await grep(here, "(?-i:ä)rger") == f"No match for (?-i:ä)rger in {here.cwd}.\n[1 file looked into]"


async def test_matches_over_several_lines(here: Workspace) -> None:
    put(here, {"f": "begin\n  a\nend\nbegin b end\n", "crlf": "begin\r\nend\r\n"})
    text = await grep(here, r"begin.*?end", multiline=True, output_mode="content", path="f")
    assert text == "f:1:begin\nf:2:  a\nf:3:end\nf:4:begin b end"
    assert await grep(here, r"begin\nend", multiline=True) == "crlf"
    assert (
        await grep(here, r"begin.*?end", multiline=True, output_mode="count") == "f:2\ncrlf:1\n[3 matches in 2 files]"
    )
    with pytest.raises(ToolError, match="multiline: true"):
        await grep(here, r"begin\nend")


async def test_looking_around_and_back_references_are_known_too(here: Workspace) -> None:
    put(here, {"f": "price: 10\nname: 10\nabab\n"})
    text = await grep(here, r"(?<=price: )\d+", output_mode="content", dash_o=True)
    assert text.startswith("f:1:10\n[searched with Python's regular expressions: looking behind")
    assert (await grep(here, r"(ab)\1", output_mode="content")).startswith("f:3:abab\n")


# ---- which files


async def test_globs_and_types(here: Workspace) -> None:
    put(here, {"a.py": "x", "src/b.py": "x", "src/c.ts": "x", "src/d.min.js": "x", "n.ipynb": "x"})
    assert await grep(here, "x", glob="*.py") == "a.py\nsrc/b.py"
    assert await grep(here, "x", glob="src/*.py") == "src/b.py"
    assert await grep(here, "x", glob="*.{py,ts}") == "a.py\nsrc/b.py\nsrc/c.ts"
    assert await grep(here, "x", glob="*.py, *.ts") == "a.py\nsrc/b.py\nsrc/c.ts"
    assert await grep(here, "x", glob="!*.py,!*.js") == "src/c.ts\nn.ipynb"
    assert await grep(here, "x", type="py") == "a.py\nsrc/b.py"
    assert await grep(here, "x", type="py", glob="src/**") == "src/b.py"
    assert await grep(here, "x", type="ipynb") == "n.ipynb"
    with pytest.raises(ToolError, match="did you mean python"):
        await grep(here, "x", type="pyton")


async def test_hidden_files_are_searched_and_version_control_is_not(here: Workspace) -> None:
    put(here, {".hid/x": "word", ".git/config": "word", "sub/.svn/y": "word", ".jj/z": "word"})
    assert await grep(here, "word") == ".hid/x"
    assert await grep(here, "word", path=".git") == ".git/config"


async def test_what_is_left_out_by_rules_is_told_and_can_be_asked_for(here: Workspace) -> None:
    put(here, {"scripts/w.py": "word", "build/o/x": "word", "log.txt": "word", "seen": "-", ".git/HEAD": ""})
    put(here, {".gitignore": "scripts/*\nbuild/\n*.txt\n"})
    text = await grep(here, "word")
    assert text.startswith(f"No match for word in {here.cwd}.\n[3 files skipped by ignore rules hold it: build/o/x")
    assert await grep(here, "word", path="scripts") == "scripts/w.py"
    assert await grep(here, "word", path="build/o") == "build/o/x"
    assert await grep(here, "word", path="log.txt") == "log.txt"
    # a glob narrows the search and never brings back what is left out
    assert "1 file skipped by ignore rules holds it: log.txt" in await grep(here, "word", glob="*.txt")
    here.env = {**here.env, "JUPYTER_AGENTTOOLS_GREP_NO_IGNORE": "1"}
    assert (await grep(here, "word")).count("\n") == 2


async def test_inner_rules_win_and_other_ignore_files_count_everywhere(here: Workspace) -> None:
    put(here, {"a/keep.log": "word", "a/x.log": "word", "b/x.log": "word", "c/n": "word", ".git/HEAD": ""})
    put(here, {".gitignore": "*.log\n", "a/.gitignore": "!keep.log\n", ".ignore": "/c\n"})
    assert await grep(here, "word") == "a/keep.log"


async def test_binary_files_are_told_apart(here: Workspace) -> None:
    put(here, {"data.bin": b"\0\1word\n", "text": "nothing"})
    text = await grep(here, "word")
    assert "[1 binary file, not searched, holds it]" in text and "[2 files looked into]" in text
    assert "1 binary file" in await grep(here, "word", path="data.bin", output_mode="content")
    assert "[1 binary" not in await grep(here, "absent", path="data.bin")


async def test_encodings(here: Workspace) -> None:
    put(here, {"u16": "größe eins\r\n".encode("utf-16"), "bom": b"\xef\xbb\xbfimport x", "latin": b"gr\xf6\xdfe eins"})
    assert await grep(here, "^größe eins$", output_mode="content") == "u16:1:größe eins"
    assert await grep(here, "^import") == "bom"
    assert await grep(here, "eins", path="latin", output_mode="content") == "latin:1:gr\\xf6\\xdfe eins"


async def test_line_ends_do_not_hide_the_end_of_a_line(here: Workspace) -> None:
    put(here, {"crlf": "word\r\nnext\r\n", "lf": "a word\n"})
    assert await grep(here, "word$") == "crlf\nlf"
    assert await grep(here, "^word$", output_mode="content") == "crlf:1:word"
    assert await grep(here, r"\r$", output_mode="count") == "crlf:2\n[2 matching lines in 1 file]"


# ---- long lines, pages


async def test_long_lines_are_shown_around_their_matches(here: Workspace) -> None:
    put(here, {"l.js": "a" * 3000 + "NEEDLE" + "b" * 3000})
    text = await grep(here, "NEEDLE", output_mode="content")
    assert text.startswith("l.js:1:…aaa") and text.endswith("bbb… (6006 characters)")
    assert "aaaNEEDLEbbb" in text and len(text) < 600
    put(here, {"l.js": "x" + "-" * 5000 + "x" + "-" * 5000 + "x" * 3})
    text = await grep(here, "x", output_mode="content")
    assert text.startswith("l.js:1:x---") and text.count("…") == 2 and text.endswith("-xxx (10005 characters)")
    put(here, {"l.js": "x---" * 50_000})
    text = await grep(here, "x", output_mode="content")
    assert len(text) < 700 and " more matches)" in text and "(200000 characters; " in text


async def test_a_line_of_a_megabyte(here: Workspace) -> None:
    put(here, {"one": b"e" * 1_000_000 + b"needle" + b"e" * 100_000})
    text = await grep(here, "needle", output_mode="content")
    assert "eneedlee" in text and text.endswith("(1100006 characters)")
    text = await grep(here, "e", output_mode="content")
    assert len(text) < 700 and text.endswith("more matches)")
    assert "[showing 2 of 1100003 matches" in await grep(here, "e", output_mode="content", dash_o=True, head_limit=2)


async def test_pages_fit_together(here: Workspace) -> None:
    put(here, {f"f{i}": "word\nword\n" for i in range(25)})
    for mode, total, unit in (
        ("files_with_matches", 25, "files"),
        ("count", 25, "files"),
        ("content", 50, "matching lines"),
    ):
        pages: list[str] = []
        for offset in range(0, total, 10):
            text = await grep(here, "word", output_mode=mode, head_limit=10, offset=offset)
            pages += [one for one in text.split("\n") if not one.startswith("[")]
            assert f"[showing {min(10, total - offset)} of {total} {unit}" in text
        whole = await grep(here, "word", output_mode=mode, head_limit=0)
        assert pages == [one for one in whole.split("\n") if not one.startswith("[")]
        assert len(set(pages)) == total
    assert "[nothing is left at offset 99: there are 25]" in await grep(here, "word", offset=99)


async def test_a_page_of_lines_around_matches_belongs_to_its_matches(here: Workspace) -> None:
    put(here, {"f": "hit 1\na\nb\nhit 2\nc\nd\nhit 3\n"})
    fields = {"output_mode": "content", "dash_A": 1, "head_limit": 1}
    assert (await grep(here, "hit", **fields, offset=0)).startswith("f:1:hit 1\nf-2-a\n[")
    assert (await grep(here, "hit", **fields, offset=1)).startswith("f:4:hit 2\nf-5-c\n[")
    assert (await grep(here, "hit", **fields, offset=2)).startswith("f:7:hit 3\n[")


async def test_a_full_page_says_how_to_go_on(here: Workspace) -> None:
    put(here, {"f": "".join(f"{i} {'word ' * 60}\n" for i in range(500))})
    text = await grep(here, "word", output_mode="content", head_limit=0)
    assert len(text) < 50_000 and "the result is full; go on with offset=" in text
    offset = int(text.rpartition("offset=")[2].rstrip("]"))
    assert (await grep(here, "word", output_mode="content", head_limit=1, offset=offset)).startswith(f"f:{offset + 1}:")


# ---- odd and hostile


@pytest.mark.parametrize(
    ("fields", "check"),
    [
        ({"pattern": "x("}, "grep-pattern"),
        ({"pattern": "[a"}, "grep-pattern"),
        ({"pattern": "*.py"}, "grep-pattern"),
        ({"pattern": "a\0b"}, "grep-pattern"),
        ({"pattern": "a\ud800"}, "schema"),
        ({"pattern": "x" * 30_000}, "grep-pattern"),
        ({"pattern": ""}, "schema"),
        ({"pattern": "x", "-A": -1}, "schema"),
        ({"pattern": "x", "head_limit": -1}, "schema"),
        ({"pattern": "x", "output_mode": "lines"}, "schema"),
        ({"pattern": "x", "ignore_case": True}, "schema"),
        ({"pattern": "x", "path": "gone"}, "file-missing"),
        ({"pattern": "x", "path": "pipe"}, "file-not-regular"),
        ({"pattern": "x", "path": "/dev/zero"}, "file-not-regular"),
        ({"pattern": "x", "glob": ""}, "grep-glob"),
        ({"pattern": "x", "glob": "[b-a]"}, "glob-pattern"),
        ({"pattern": "x", "type": "nothing"}, "grep-type"),
    ],
)
async def test_searches_that_cannot_be(here: Workspace, fields: dict[str, Any], check: str) -> None:
    os.mkfifo(here.cwd / "pipe")
    with pytest.raises(ToolError) as refusal:
        await here.use(grep_tool, **fields)
    assert refusal.value.check_id == check


async def test_near_names_are_told(here: Workspace) -> None:
    put(here, {"scripts/w.py": "x"})
    with pytest.raises(ToolError, match=r"Did you mean .*/scripts"):
        await grep(here, "x", path="script")
    with pytest.raises(InputValidationError, match="`-q` is not a field"):
        await grep(here, "x", dash_q=True)


async def test_what_looks_like_an_option_is_text(here: Workspace) -> None:
    put(here, {"-e": "--pre=touch ran\n", "--pre": "-rf\n", "f:1:x\n": "-v\n"})
    assert await grep(here, "--pre=touch ran") == "-e"
    assert await grep(here, "-rf") == "--pre"
    assert await grep(here, "-v", output_mode="content") == "f:1:x\\n:1:-v"
    assert await grep(here, "pre", path="-e", output_mode="content") == "-e:1:--pre=touch ran"
    assert await grep(here, "rf", glob="--pre") == "--pre"
    assert not (here.cwd / "ran").exists()


async def test_no_configuration_of_ripgrep_is_used(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    put(here, {"rc": "--files-without-match\n", "f": "word"})
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(here.cwd / "rc"))
    assert await grep(here, "word") == "f"


async def test_names_that_are_no_text(here: Workspace) -> None:
    put(here, {"x": "word"})
    os.rename(here.cwd / "x", os.fsencode(here.cwd) + b"/bad\xe9\n")
    assert await grep(here, "word", output_mode="content") == "bad\\xe9\\n:1:word"


async def test_pipes_and_links_in_a_folder_are_passed_over(here: Workspace, tmp_path_factory: Any) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret").write_text("word")
    put(here, {"d/f": "word", "empty": ""})
    os.mkfifo(here.cwd / "d" / "pipe")
    (here.cwd / "d" / "loop").symlink_to("..")
    (here.cwd / "out").symlink_to(outside)
    (here.cwd / "link").symlink_to(outside / "secret")
    assert await grep(here, "word") == "d/f"
    assert await grep(here, "word", path="link") == "link", "a link that is named is followed: the gate has judged it"


async def test_nothing_searched_is_told_apart_from_nothing_found(here: Workspace) -> None:
    put(here, {"a.py": "x", "b.py": "y"})
    assert "[2 files looked into]" in await grep(here, "zzz")
    assert "[no file was searched" in await grep(here, "zzz", glob="*.rs")
    assert "[1 file looked into]" in await grep(here, "zzz", path="a.py")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a folder of somebody else")
def test_what_could_not_be_opened_is_counted(here: Workspace, everybodys_folder: Path) -> None:
    here = replace(here, cwd=everybodys_folder)
    programs = [sys.executable] if here.env else [find_ripgrep({}).path]  # type: ignore[union-attr]
    if as_ordinary_user(lambda: str(all(os.access(os.path.realpath(one), os.X_OK) for one in programs))) != "True":
        pytest.skip("an ordinary user cannot run the engine of this environment")
    put(here, {"open/x": "other", "shut/x": "word", "closed": "word"})
    (here.cwd / "shut").chmod(0o700)
    (here.cwd / "closed").chmod(0o600)
    text = as_ordinary_user(lambda: anyio.run(grep, here, "word"))
    assert "[1 folder and 1 file could not be opened, and were not searched]" in text and "[1 file looked into]" in text


# ---- time


async def test_a_search_that_takes_too_long_is_stopped_and_says_so(here: Workspace) -> None:
    here.env = {**here.env, "JUPYTER_AGENTTOOLS_GREP_TIMEOUT_SECONDS": "0.001"}
    nowhere = "no such word".replace(" ", "-" * 7)  # a match that comes in time would be an answer
    with pytest.raises(ToolTimeoutError, match=r"stopped after 0\.001 s"):
        await grep(here, nowhere, path="/usr")


def test_a_search_that_was_stopped_is_marked() -> None:
    output = GrepOutput("content", "x", "/", 3, total=7, num_matches=7, shown=2, stopped="time", time_limit_s=20)
    text = grep_tool.map_tool_result(output, "id").text
    assert "[incomplete: stopped after 20 s" in text and "showing 2 of at least 7" in text
    assert [badge.text for badge in grep_tool.render_result(output, "verbose").badges][-1] == "incomplete"


async def test_a_pattern_without_end_can_be_stopped(tmp_path: Path) -> None:
    """Python's engine can need time without end for a pattern like this; it does not take the kernel with it."""
    (tmp_path / "f").write_text("a" * 40 + "b\n")
    env = {**ENGINES["python"], "JUPYTER_AGENTTOOLS_GREP_TIMEOUT_SECONDS": "0.5"}
    with pytest.raises(ToolTimeoutError):
        await grep(Workspace(tmp_path, env=env), r"(a+)+$(?<!b)")
    assert not _searching()


async def test_an_interrupt_leaves_no_process(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a" * 40 + "b\n")
    session = Session(cwd=tmp_path, settings={"env": ENGINES["python"]})
    async with anyio.create_task_group() as tasks:
        outcomes: list[Any] = []

        async def search() -> None:
            outcomes.append(await session.call("Grep", {"pattern": r"(a+)+$(?<!b)"}))

        tasks.start_soon(search)
        with anyio.fail_after(30):
            while not await anyio.to_thread.run_sync(_searching):
                pass
        session.interrupt()
    assert outcomes[0].status == "interrupted"
    assert not _searching()
    await session.aclose()


def _searching() -> list[str]:
    """Processes that search without ripgrep and that this one has started, or that have lost the one that did."""
    parents, commands = {}, {}
    for entry in filter(str.isdecimal, os.listdir("/proc")):
        try:
            commands[entry] = Path("/proc", entry, "cmdline").read_bytes()
            parents[entry] = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue  # it has just ended
    ours = {str(os.getpid())}
    for _ in parents:
        ours |= {child for child, parent in parents.items() if parent in ours}
    return [one for one in ours if b"plain_search" in commands.get(one, b"")]


# ---- rights


async def test_what_may_not_be_read_is_not_found(here: Workspace) -> None:
    put(here, {"secret/key": "word", ".env": "word", "a/.env": "word", "a/open": "word", "deep/secret/n": "word"})
    rules = {"permissions": {"deny": ["Read(secret/**)", "Read(.env)"]}, "env": dict(here.env)}
    session = Session(cwd=here.cwd, settings=rules)
    for mode in ("files_with_matches", "content", "count"):
        text = (await session.call("Grep", {"pattern": "word", "output_mode": mode})).block.text
        assert "a/open" in text and ".env" not in text and "secret" not in text
    for path in ("secret", ".env", "secret/key", "deep/secret"):
        outcome = await session.call("Grep", {"pattern": "word", "path": path})
        assert outcome.status == "denied", path
    (here.cwd / "a" / "open").unlink()
    text = (await session.call("Grep", {"pattern": "word"})).block.text
    assert text.startswith(f"No match for word in {here.cwd}.\n[no file was searched: ") and text.count("\n") == 1
    found = (await session.call("Glob", {"pattern": "**/*"})).block.text
    assert ".env" not in found and "secret" not in found


async def test_rules_about_reading_are_about_searching(tmp_path: Path) -> None:
    outside = {"pattern": "x", "path": "/usr/share/doc"}
    for allow in (["Grep"], ["Read(//usr/share/**)"], ["Edit(//usr/share/**)"]):
        session = Session(cwd=tmp_path, settings={"permissions": {"allow": allow}})
        assert (await session.decide("Grep", outside)).behavior == "allow", allow
    session = Session(cwd=tmp_path, settings={})
    decision = await session.decide("Grep", outside)
    assert decision.behavior != "allow" and decision.suggestions == ("Read(//usr/share/doc/**)",)
    assert (await session.decide("Grep", {"pattern": "x"})).behavior == "allow"
    for deny in (["Grep"], ["Read"], ["Read(//usr/**)"]):
        session = Session(cwd=tmp_path, settings={"permissions": {"deny": deny, "allow": ["Grep"]}})
        assert (await session.decide("Grep", outside)).behavior == "deny", deny


# ---- views


async def test_views(here: Workspace) -> None:
    put(here, {"a.py": "def f():\n    word\n\n\nword\n"})
    assert grep_tool.render_tool_use({}, "verbose").title == "Grep"
    assert grep_tool.get_tool_use_summary({"pattern": "w", "path": "src", "type": "py"}) == "w in src (py)"
    assert grep_tool.get_activity_description({"pattern": "w"}) == "Searching for w"
    output = await here.use(grep_tool, pattern="word", output_mode="content", **{"-B": 1})
    view = grep_tool.render_result(output, "verbose")
    blocks = [block for block in view.blocks if isinstance(block, CodeBlockView)]
    assert [(b.text, b.first_line, b.title, b.language) for b in blocks] == [
        ("def f():\n    word", 1, "a.py", "python"),
        ("\nword", 4, "", "python"),
    ]
    assert [badge.text for badge in view.badges] == ["1 file", "2 matching lines"]
    assert grep_tool.render_result(output, "condensed").blocks == ()
    table = grep_tool.render_result(await here.use(grep_tool, pattern="word"), "verbose").blocks[0]
    assert isinstance(table, TableBlockView) and table.rows == (("a.py", "2"),)
    assert "a.py" in grep_tool.extract_search_text(output) and "word" in grep_tool.extract_search_text(output)
    progress = grep_tool.render_progress(SearchProgress(3, 2500))
    assert progress.title == "Searching" and progress.badges[0].text == "2 s"
    assert grep_tool.is_read_only(None) and grep_tool.is_concurrency_safe(None)


async def test_a_match_longer_than_its_preview_is_not_one_more(here: Workspace) -> None:
    put(here, {"long.js": "a" * 3_000 + "NEEDLE" + "b" * 3_000 + "\n"})
    text = await here.text(grep_tool, pattern="a+NEEDLEb+", output_mode="content")
    assert text.endswith("… (6006 characters)")
