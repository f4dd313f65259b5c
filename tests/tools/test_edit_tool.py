"""Edit: exactly the text that is meant, and not one byte more."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools.core.errors import InterruptedToolError, ToolError
from jupyter_agenttools.files import content_hash
from jupyter_agenttools.tools.edit import EditInput, edit_tool
from jupyter_agenttools.tools.read import read_tool
from jupyter_agenttools.tools.write import write_tool
from tests.support.file_tools import Workspace

pytestmark = pytest.mark.anyio


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


async def edited(here: Workspace, data: bytes, old: str, new: str, **more: Any) -> bytes:
    """What a file holds that held ``data`` and was read and edited."""
    (here.cwd / "f").write_bytes(data)
    await here.use(read_tool, file_path="f")
    await here.use(edit_tool, file_path="f", old_string=old, new_string=new, **more)
    return (here.cwd / "f").read_bytes()


async def refusal(here: Workspace, data: bytes, old: str, new: str, **more: Any) -> ToolError:
    """Why such an edit is refused; the file is as it was."""
    with pytest.raises(ToolError) as refused:
        await edited(here, data, old, new, **more)
    assert (here.cwd / "f").read_bytes() == data
    return refused.value


@pytest.mark.parametrize(
    ("data", "old", "new", "expected"),
    [
        (b"one\ntwo\n", "two", "2", b"one\n2\n"),
        (b"a", "a", "b", b"b"),
        (b"a\n", "a\n", "", b""),
        (b"no end", "end", "end\n", b"no end\n"),
        (b"no end", "no end", "no end\nmore", b"no end\nmore"),
        (b"\n", "\n", "\n\n", b"\n\n"),
        (b"a \t\n", " \t\n", "\n", b"a\n"),
        (b"\tx\n", "\tx", "    x", b"    x\n"),
        (b"path = 'C:\\new'\n", "C:\\new", "D:\\table", b"path = 'D:\\table'\n"),
        (b"s/(.)/x/\n", "(.)", r"\1 \g<0> $& ${x} `y` %s {}", rb"s/\1 \g<0> $& ${x} `y` %s {}/x/" + b"\n"),
        (b'`${n}`.split("\\n")\n', '${n}`.split("\\n")', "m`", b"`m`\n"),
        ("→ “x” …\nv=1\n".encode(), "v=1", "v=2", "→ “x” …\nv=2\n".encode()),
        ("👩‍👩‍👧 family\n".encode(), "👩‍👩‍👧", "👨‍👦", "👨‍👦 family\n".encode()),
        ("e\u0301 é\n".encode(), "e\u0301", "é", "é é\n".encode()),
        ("a\u2028b\u0085c\x0cd\n".encode(), "b\u0085", "B\u2028", "a\u2028B\u2028c\x0cd\n".encode()),
        (b"old\rmac\rfile", "mac", "Mac", b"old\rMac\rfile"),
        (b"a\x1b[0mb\x7f\n", "\x1b[0m", "", b"ab\x7f\n"),
        (b"x" * 300_000 + b"needle" + b"y" * 300_000, "needle", "pin", b"x" * 300_000 + b"pin" + b"y" * 300_000),
    ],
)
async def test_exactly_this_text(here: Workspace, data: bytes, old: str, new: str, expected: bytes) -> None:
    assert await edited(here, data, old, new) == expected


@pytest.mark.parametrize(
    ("data", "old", "new", "expected"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "a\nB\nB2", b"a\r\nB\r\nB2\r\nc\r\n"),
        (b"if x:\r\n\t\ty = 1\r\n\t\tz = 2\r\n", "\t\ty = 1\n\t\tz = 2", "\t\ty = 3", b"if x:\r\n\t\ty = 3\r\n"),
        (b"a\r\nb\r\n", "a\r\nb", "a\nc\nb", b"a\r\nc\r\nb\r\n"),
        (b"a\r\nb", "b", "b\nc", b"a\r\nb\r\nc"),
        (b"a\nb\n", "a", "a\r\nx", b"a\r\nx\nb\n"),
        (b"a\r\nb\nc\r\n", "b", "b\nB", b"a\r\nb\nB\nc\r\n"),
        (b"a\r\nb\nc\r\n", "c", "c\nC", b"a\r\nb\nc\r\nC\r\n"),
        (b"a\r\nb\nc\r\nd", "a\nb\nc\nd", "a\nb\nX\nc\nd", b"a\r\nb\nX\nc\r\nd"),
        (b"\r\nx\r\n", "\nx", "\ny", b"\r\ny\r\n"),
        (b"a\r\n\r\nb\r\n", "\n\nb", "\nb", b"a\r\nb\r\n"),
        (b"a\r\r\nb\n", "b", "c", b"a\r\r\nc\n"),
    ],
)
async def test_line_ends_are_those_of_the_file(
    here: Workspace, data: bytes, old: str, new: str, expected: bytes
) -> None:
    assert await edited(here, data, old, new) == expected


async def test_mixed_line_ends_are_said(here: Workspace) -> None:
    (here.cwd / "f").write_bytes(b"a\r\nb\n")
    await here.use(read_tool, file_path="f")
    text = await here.text(edit_tool, file_path="f", old_string="a", new_string="a\nA")
    assert "mixes CR LF and LF" in text and "new ones are CR LF" in text


@pytest.mark.parametrize(
    ("data", "old", "new", "expected"),
    [
        (b"caf\xe9\nx=1\ntm \x99\n", "x=1", "x=2", b"caf\xe9\nx=2\ntm \x99\n"),
        (b"a=\xe8\nb=1\n", "b=1", "b=1\nc=ü", b"a=\xe8\nb=1\nc=\xfc\n"),
        (b"caf\xe9 and \xc3\xa9\nx=1\n", "x=1", "x=é", b"caf\xe9 and \xc3\xa9\nx=\xc3\xa9\n"),
        (
            b"\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0\nx=1\n",
            "x=1",
            "x=2",
            b"\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0\nx=2\n",
        ),
        ("\ufeffa\nb\n".encode(), "a\nb", "A\nB", "\ufeffA\nB\n".encode()),
        ("\ufeffa\n".encode(), "\ufeffa", "\ufeffA", "\ufeffA\n".encode()),
        ("\ufeffa\n".encode(), "\ufeffa", "A", b"A\n"),
        ("a\r\né\r\n".encode("utf-16"), "a\né", "a\nü\nö", "a\r\nü\r\nö\r\n".encode("utf-16")),
        ("x😀y\n".encode("utf-32"), "😀", "😃!", "x😃!y\n".encode("utf-32")),
    ],
)
async def test_bytes_and_marks(here: Workspace, data: bytes, old: str, new: str, expected: bytes) -> None:
    assert await edited(here, data, old, new) == expected


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("é abcabc\nabcabc\n", "utf-16-le"),
        ("# coding: iso-8859-15\nx = 'é€'\n", "iso-8859-15"),
        ("# -*- coding: cp1251 -*-\nx = 'é'\n".replace("é", "П"), "cp1251"),
        ('<?xml version="1.0" encoding="GBK"?>\n<a>你好</a>', "gbk"),
        ('<html><head><meta charset="Shift_JIS"></head>ソ表</html>', "shift_jis"),
        ('@charset "iso-8859-2"; a { content: "ř"; }', "iso-8859-2"),
    ],
)
async def test_encodings(here: Workspace, text: str, encoding: str) -> None:
    char = next(char for char in text if not char.isascii())
    expected = text.replace(char, f"{char}{char}")
    assert await edited(here, text.encode(encoding), char, f"{char}{char}") == expected.encode(encoding)
    seen = await here.use(read_tool, file_path="f")
    assert seen.content == expected.rstrip("\n")


async def test_a_character_that_the_encoding_has_not_is_refused(here: Workspace) -> None:
    for data in (b"caf\xe9\n", b"# -*- coding: latin-1 -*-\ncaf\n"):
        error = await refusal(here, data, "caf", "→")
        assert error.check_id == "text-encoding" and "→ (U+2192)" in error.message
    sjis = "これはテスト\nx=1\n".encode("shift_jis")
    assert (await refusal(here, sjis, "x=1", "x=テ")).check_id == "text-encoding"
    assert await edited(here, sjis, "x=1", "x=2") == sjis.replace(b"1", b"2")
    error = await refusal(here, b"\xcf\xf0\xe8\xe2\xe5\xf2\nx=1\n", "x=1", "x=ü")
    assert error.check_id == "text-encoding", "an unknown encoding takes nothing but ASCII"


async def test_the_mark_of_utf16_cannot_be_taken_away(here: Workspace) -> None:
    assert (await refusal(here, "ab\n".encode("utf-16"), "\ufeffab", "ab")).check_id == "edit-removes-mark"


async def test_it_says_when_the_file_reads_in_another_way_afterwards(here: Workspace) -> None:
    (here.cwd / "f").write_bytes("# coding: latin-1\nx='é'\n".encode("latin-1"))
    await here.use(read_tool, file_path="f")
    text = await here.text(edit_tool, file_path="f", old_string="latin-1", new_string="utf-8")
    assert "it reads as utf-8 now" in text
    (here.cwd / "g").write_bytes("\ufeffa".encode())
    await here.use(read_tool, file_path="g")
    assert "byte order mark" in await here.text(edit_tool, file_path="g", old_string="\ufeffa", new_string="a")


@pytest.mark.parametrize(
    ("data", "old", "words"),
    [
        ("say “hi”\n", 'say "hi"', ["“ (U+201C LEFT DOUBLE QUOTATION MARK)", '" (U+0022', "line 1", "1 place "]),
        ("a – b\na – b\n", "a - b", ["– (U+2013 EN DASH)", "- (U+002D HYPHEN-MINUS)", "lines 1, 2", "2 places "]),
        ("a\u00a0b\n", "a b", ["U+00A0 NO-BREAK SPACE", "U+0020 SPACE"]),
        ("x\nе = 1\n", "e = 1", ["U+0435 CYRILLIC SMALL LETTER IE", "line 2"]),
        ("caf\u0065\u0301\n", "café", ["U+0301 COMBINING ACUTE ACCENT", "U+00E9", "composed"]),
        ("café\n", "caf\u0065\u0301", ["U+00E9", "composed"]),
        ("a\nb  \nc\n", "a\nb\nc", ["2 × U+0020 SPACE", "line 2 of the file", "blanks at line ends"]),
        ("def f():\n\treturn 1\n", "def f():\n    return 1", ["U+0009 TAB", "4 × U+0020", "line beginnings"]),
        ("    x = 1\n    y = 2\n", "x = 1\n  y = 2", ["line beginnings", "line 2 of the file"]),
        ("a  =  1\n", "a = 1", ["only in blanks"]),
        ("Hello World\n", "hello world", ["capital", "H where old_string has h"]),
        ("a\u200bb\n", "ab", ["cannot be seen", "U+200B ZERO WIDTH SPACE"]),
        ("def f():\n    pass\n", "     1→def f():\n     2→    pass", ["line numbers"]),
        ("a\rb\n", "a\nb", ["U+000D", "how lines end"]),
        ("a\nb\n", "a\r\nb", ["U+000D", "how lines end"]),
        ('print("a\\nb")\n', 'print("a\nb")', ["backslash escapes", "the file spells out"]),
        ("a\nb\n", "a\\nb", ["backslash escapes", "old_string spells out"]),
        ("if a &lt; b\n", "if a < b", ["&lt;", "the file spells out"]),
        ("if a < b\n", "if a &lt; b", ["&lt;", "old_string spells out"]),
        ("  Say “Hi”  \n", 'say "hi"  \n', ["several such things"]),
        ("the first line\nthe second\n", "the first lime\nthe third", ["nearest line is 1", "`the first line`"]),
        ("nothing\n", "completely different", ["Nothing like it"]),
    ],
)
async def test_near_misses_are_counted_and_told(here: Workspace, data: str, old: str, words: list[str]) -> None:
    error = await refusal(here, data.encode(), old, "new")
    assert error.check_id == "edit-not-found"
    assert [word for word in words if word not in error.message] == [], error.message


async def test_shown_escapes_are_not_text_of_the_file(here: Workspace) -> None:
    error = await refusal(here, b"caf\xe9 \xc3\xa9\n", "caf\\xe9", "x")
    assert error.check_id == "edit-not-found" and "single bytes" in error.message


async def test_a_text_must_be_there_once(here: Workspace) -> None:
    error = await refusal(here, b"x\ny\nx\nx\n", "x", "z")
    assert error.check_id == "edit-not-unique" and "3 times: lines 1, 3, 4" in error.message
    assert await edited(here, b"x\ny\nx\n", "x", "z", replace_all=True) == b"z\ny\nz\n"
    assert await edited(here, b"x\ny\nx\n", "y\nx", "z") == b"x\nz\n"


async def test_places_that_overlap_are_ambiguous_too(here: Workspace) -> None:
    assert "overlap" in (await refusal(here, b"aaa", "aa", "b")).message
    assert await edited(here, b"aaaaa", "aa", "b", replace_all=True) == b"bba"
    assert await edited(here, b"aa", "a", "aa", replace_all=True) == b"aaaa"
    error = await refusal(here, b"a" * 5_000, "a", "b")
    assert "more than 1,000 times" in error.message


@pytest.mark.parametrize(
    ("old", "new", "check_id"),
    [("a", "a", "edit-same"), ("a", "a\0", "edit-nul"), ("a\r\nb", "a\nb", "edit-same"), ("", "x", "edit-file-exists")],
)
async def test_what_makes_no_sense_is_refused(here: Workspace, old: str, new: str, check_id: str) -> None:
    assert (await refusal(here, b"a\r\nb", old, new)).check_id == check_id


async def test_an_empty_old_string_makes_or_fills_a_file(here: Workspace) -> None:
    output = await here.use(edit_tool, file_path="d/new", old_string="", new_string="a\n")
    assert (here.cwd / "d" / "new").read_bytes() == b"a\n" and output.type == "create"
    await here.use(edit_tool, file_path="d/new", old_string="a", new_string="b")
    (here.cwd / "empty").touch()
    assert (await here.use(edit_tool, file_path="empty", old_string="", new_string="é")).type == "fill"
    assert (here.cwd / "empty").read_bytes() == "é".encode()
    (here.cwd / "marked").write_bytes(b"\xff\xfe")
    await here.use(edit_tool, file_path="marked", old_string="", new_string="é")
    assert (here.cwd / "marked").read_bytes() == "é".encode("utf-16")
    assert (await refusal(here, b"\n", "", "x")).check_id == "edit-file-exists"
    await here.use(edit_tool, file_path="old.py", old_string="", new_string="# coding: latin-1\né\n")
    assert (here.cwd / "old.py").read_bytes() == b"# coding: latin-1\n\xe9\n", "as the text itself declares"


async def refused_as(here: Workspace, path: str, old: str = "a", new: str = "b") -> str:
    with pytest.raises(ToolError) as refused:
        await here.use(edit_tool, file_path=path, old_string=old, new_string=new)
    return refused.value.check_id


async def test_what_is_no_text_file_is_refused(here: Workspace) -> None:
    os.mkfifo(here.cwd / "pipe")
    (here.cwd / "image").write_bytes(b"\x89PNG\r\n\x1a\n\0a")
    here.state.wrote(str(here.cwd / "image"), None, content_hash(b"\x89PNG\r\n\x1a\n\0a"))
    assert await refused_as(here, "pipe") == "file-not-regular"
    assert await refused_as(here, ".") == "file-is-directory"
    assert await refused_as(here, "d/") == "path-is-folder"
    assert await refused_as(here, "image") == "file-binary"
    assert await refused_as(here, "gone") == "file-missing"
    with (here.cwd / "sparse").open("wb") as file:
        file.truncate((1 << 30) + 1)
    assert await refused_as(here, "sparse") == "file-too-large"


async def test_notebooks_are_left_to_notebook_edit(here: Workspace) -> None:
    (here.cwd / "n.ipynb").write_text('{"cells": [], "a": 1}')
    (here.cwd / "link.json").symlink_to("n.ipynb")
    for name in ("n.ipynb", "N.IPYNB", "link.json"):
        with pytest.raises(ToolError, match="NotebookEdit") as refused:
            await here.use(edit_tool, file_path=name, old_string='"a"', new_string='"b"')
        assert refused.value.check_id == "edit-notebook"


async def test_it_must_have_been_read_and_be_unchanged(here: Workspace) -> None:
    path = here.cwd / "f"
    path.write_text("a=1\n")
    assert await refused_as(here, "f") == "not-read"
    os.utime(path, (1, 1))
    await here.use(read_tool, file_path="f")
    path.write_text("b=1\n")
    os.utime(path, (1, 1))
    assert await refused_as(here, "f", "=1", "=2") == "content-changed" and path.read_text() == "b=1\n"
    assert await refused_as(Workspace(here.cwd, here.state, agent_id="other"), "f", "=1", "=2") == "not-read"


async def test_a_change_while_somebody_is_asked_is_noticed(here: Workspace) -> None:
    (here.cwd / "f").write_text("mine\n")
    await here.use(read_tool, file_path="f")
    input, context = EditInput(file_path="f", old_string="mine", new_string="yours"), here.context()
    assert edit_tool.validate_input is not None and (await edit_tool.validate_input(input, context)).result
    (here.cwd / "f").write_text("mine too\n")
    with pytest.raises(ToolError, match="content changed"):
        await edit_tool.call(input, context)
    assert (here.cwd / "f").read_text() == "mine too\n"
    (here.cwd / "f").unlink()
    with pytest.raises(ToolError, match="does not exist"):
        await edit_tool.call(input, context)
    created, context = EditInput(file_path="g", old_string="", new_string="x"), here.context()
    assert (await edit_tool.validate_input(created, context)).result
    (here.cwd / "g").write_text("theirs")
    with pytest.raises(ToolError, match="exists"):
        await edit_tool.call(created, context)


async def test_the_lines_that_change_must_have_been_seen(here: Workspace) -> None:
    path = here.cwd / "f"
    path.write_text("".join(f"line {number};\n" for number in range(1, 101)))
    await here.use(read_tool, file_path="f", offset=10, limit=11)
    with pytest.raises(ToolError, match=r"line 21 of 100.*offset=15"):
        await here.use(edit_tool, file_path="f", old_string="line 20;\nline 21;", new_string="x")
    with pytest.raises(ToolError, match=r"line 99 of 100.*\(offset=94, limit=7\)"):
        await here.use(edit_tool, file_path="f", old_string="line 99;", new_string="x")
    assert await refused_as(here, "f", "line 9;", "x") == "read-in-part"
    await here.use(edit_tool, file_path="f", old_string="line 15;\nline 16;\n", new_string="a\nb\nc\nd\n")
    await here.use(edit_tool, file_path="f", old_string="d\nline 17;", new_string="D\nline 17!")
    assert await refused_as(here, "f", "line 21;", "x") == "read-in-part", "what was not seen has only moved"
    await here.use(edit_tool, file_path="f", old_string="line 20;", new_string="twenty")
    with pytest.raises(ToolError, match="read only in part"):
        await here.use(edit_tool, file_path="f", old_string=";", new_string=".", replace_all=True)
    assert path.read_text().startswith("line 1;\n") and "twenty" in path.read_text()
    with pytest.raises(ToolError) as refused:
        await here.use(write_tool, file_path="f", content="x")
    assert refused.value.check_id == "read-in-part"


async def test_edits_one_after_the_other_need_no_new_reading(here: Workspace) -> None:
    (here.cwd / "f").write_text("1\n2\n3\n")
    await here.use(read_tool, file_path="f")
    await here.use(edit_tool, file_path="f", old_string="3\n", new_string="3\n4\n5\n")
    await here.use(edit_tool, file_path="f", old_string="5\n", new_string="6\n")
    await here.use(edit_tool, file_path="f", old_string="1\n2\n", new_string="")
    assert (here.cwd / "f").read_text() == "3\n4\n6\n"
    assert not here.state.get(str(here.cwd / "f")).is_partial  # type: ignore[union-attr]
    assert "     1→3" in await here.text(read_tool, file_path="f"), "its text has changed: it is shown again"
    await here.use(write_tool, file_path="f", content="x\n")
    await here.use(edit_tool, file_path="f", old_string="x", new_string="y")


async def test_the_result_shows_the_new_lines(here: Workspace) -> None:
    (here.cwd / "f").write_text("".join(f"{number}\n" for number in range(1, 31)))
    await here.use(read_tool, file_path="f")
    text = await here.text(edit_tool, file_path="f", old_string="15\n16", new_string="x\ny\nz")
    expected = ["12", "13", "14", "x", "y", "z", "17", "18", "19"]
    assert text.splitlines()[0] == f"{here.cwd}/f was edited: 1 place changed."
    assert text.splitlines()[2:] == [f"{number:>6}→{line}" for number, line in enumerate(expected, 12)]
    output = await here.use(edit_tool, file_path="f", old_string="0", new_string="00", replace_all=True)
    assert output.replacements == 3 and len(output.structured_patch) == 3 and output.original_file is not None
    (here.cwd / "long").write_text("y" * 3_000)
    await here.use(read_tool, file_path="long")
    here.state.wrote(str(here.cwd / "long"), None, content_hash(b"y" * 3_000))
    text = await here.text(edit_tool, file_path="long", old_string="y" * 3_000, new_string="z" * 3_000)
    assert "[…2,600 more characters]" in text and len(text) < 1_000


async def test_very_many_changes_are_not_all_shown(here: Workspace) -> None:
    (here.cwd / "f").write_text("x\n\n\n\n\n\n\n\n\n" * 400)
    here.state.wrote(str(here.cwd / "f"), None, content_hash((here.cwd / "f").read_bytes()))
    output = await here.use(edit_tool, file_path="f", old_string="x", new_string="y", replace_all=True)
    assert output.replacements == 400 and len(output.structured_patch) == 200
    assert "not all" in output.notes[0]
    text = edit_tool.map_tool_result(output, "t").text
    assert len(text.splitlines()) < 100 and "more changed parts" in text


async def test_links_mode_and_owner_stay(here: Workspace) -> None:
    real = here.cwd / "real"
    real.write_text("v1\n")
    real.chmod(0o4640)
    (here.cwd / "link").symlink_to("real")
    os.link(real, here.cwd / "twin")
    before = real.stat()
    await here.use(read_tool, file_path="link")
    await here.use(edit_tool, file_path="link", old_string="v1", new_string="v2")
    assert (here.cwd / "link").is_symlink() and (here.cwd / "twin").read_text() == "v2\n"
    after = real.stat()
    assert (after.st_ino, stat.S_IMODE(after.st_mode), after.st_uid, after.st_gid) == (
        before.st_ino, 0o4640, before.st_uid, before.st_gid,
    )  # fmt: skip


async def test_writers_at_the_same_time_lose_nothing(here: Workspace) -> None:
    """Each of them edits its own line of one file and reads again when somebody was faster."""
    path = here.cwd / "f"
    path.write_text("".join(f"<{number}>\n" for number in range(6)))
    barrier = threading.Barrier(6)

    def work(number: int) -> None:
        async def until_done() -> None:
            while True:
                mine = Workspace(here.cwd, here.state, agent_id=str(number))
                await mine.use(read_tool, file_path="f")
                try:
                    await mine.use(edit_tool, file_path="f", old_string=f"<{number}>", new_string=f"[{number}]")
                    return
                except ToolError as error:
                    assert error.check_id == "content-changed"

        barrier.wait(10)
        anyio.run(until_done)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await anyio.to_thread.run_sync(thread.join, 60)
    assert path.read_text() == "".join(f"[{number}]\n" for number in range(6))


async def test_a_stopped_call_changes_nothing(here: Workspace) -> None:
    (here.cwd / "f").write_text("a\n")
    await here.use(read_tool, file_path="f")
    here.cancellation.cancel("stop")
    with pytest.raises(InterruptedToolError):
        await here.use(edit_tool, file_path="f", old_string="a", new_string="b")
    assert (here.cwd / "f").read_text() == "a\n"


async def test_rights_are_those_of_edits() -> None:
    assert edit_tool.rule_family == "edit" and edit_tool.answers_to("FileEdit")
    assert not edit_tool.is_read_only(None) and not edit_tool.is_concurrency_safe(None)
    assert edit_tool.get_path({"file_path": "/a"}) == "/a"
    assert list(edit_tool.json_schema["properties"]) == ["file_path", "old_string", "new_string", "replace_all"]
