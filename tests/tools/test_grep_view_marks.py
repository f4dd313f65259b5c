"""What Grep found stands out in the lines that it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jupyter_agenttools.core.views import CodeBlockView, TableBlockView, ViewBlock
from jupyter_agenttools.session import Session

pytestmark = pytest.mark.anyio


async def blocks(folder: Path, pattern: str, **fields: object) -> list[ViewBlock]:
    outcome = await Session(cwd=folder, settings={}).call("Grep", {"pattern": pattern, **fields})
    assert outcome.status == "ok" and outcome.tool is not None, outcome.text
    return list(outcome.tool.render_result(outcome.output, "verbose").blocks)


def marked(block: CodeBlockView) -> list[str]:
    lines = block.text.split("\n")
    return [lines[line][start:end] for line, start, end in block.marks]


async def test_each_match_is_marked_in_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("öne\ntwo hit, hit\n\nhits\n" + "none\n" * 5 + "\thit\r\n")
    found = [b for b in await blocks(tmp_path, "hit", output_mode="content") if isinstance(b, CodeBlockView)]
    assert [marked(block) for block in found] == [["hit", "hit"], ["hit"], ["hit"]]
    around = await blocks(tmp_path, "hits?", output_mode="content", **{"-C": 1})
    assert [marked(b) for b in around if isinstance(b, CodeBlockView)] == [["hit", "hit", "hits"], ["hit"]]


async def test_a_line_that_is_shown_in_part_has_no_marks(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 2_000 + "hit" + "x" * 2_000 + "\n")
    (block,) = [b for b in await blocks(tmp_path, "hit", output_mode="content") if isinstance(b, CodeBlockView)]
    assert "hit" in block.text and block.marks == ()


async def test_counts_are_a_table_with_numbers(tmp_path: Path) -> None:
    (tmp_path / "a|b.txt").write_text("hit\nhit\n")
    (table,) = [b for b in await blocks(tmp_path, "hit", output_mode="count") if isinstance(b, TableBlockView)]
    assert table.kinds == ("code", "number") and re.fullmatch(r"\d+", table.rows[0][1])
