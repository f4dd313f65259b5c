"""The rule that is suggested for a path allows just that call, also where links lead out of the working directory."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.permissions.rules import parse_rule
from tests.support.gate import ask_gate, make_tool

pytestmark = pytest.mark.anyio

GREP = make_tool("Grep", rule_family="read", get_path=lambda observed: observed.get("path"), is_read_only=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder from which links lead to a folder beside it and to a file there."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "f.txt").write_text("word\n")
    (tmp_path / "data" / "other.txt").write_text("word\n")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "out").symlink_to(tmp_path / "data")
    (tmp_path / "project" / "f").symlink_to(tmp_path / "data" / "f.txt")
    return tmp_path / "project"


@pytest.mark.parametrize(
    ("tool", "fields"),
    [
        ("Read", {"file_path": "f"}),
        ("Read", {"file_path": "out/f.txt"}),
        ("Grep", {"pattern": "word", "path": "out"}),
        ("Glob", {"pattern": "out/*"}),
        ("Write", {"file_path": "out/new.txt", "content": "x"}),
    ],
)
async def test_the_suggested_rule_allows_the_call(project: Path, tool: str, fields: dict[str, Any]) -> None:
    denied = await Session(cwd=project, prompter="deny").call(tool, fields)
    assert denied.status == "denied"
    rule = json.loads(re.search(r'add (".*?") \(this rule', denied.text)[1])  # type: ignore[index]
    specifier = parse_rule(rule).specifier
    assert specifier is not None and specifier.startswith(f"/{project.parent}/data")
    allowed = Session(cwd=project, settings={"permissions": {"allow": [rule]}}, prompter="deny")
    assert (await allowed.call(tool, fields)).status == "ok"
    if specifier.endswith("f.txt"):
        assert (await allowed.call("Read", {"file_path": "out/other.txt"})).status == "denied"


async def test_the_root_has_a_rule_that_can_be_read(tmp_path: Path) -> None:
    (rule,) = (await ask_gate(GREP, {"path": "/"}, tmp_path)).suggestions
    assert rule == "Read(//**)"
    assert (await ask_gate(GREP, {"path": "/"}, tmp_path, allow=[rule])).behavior == "allow"


async def test_a_rule_about_the_link_alone_allows_nothing(project: Path) -> None:
    for rules in ({"allow": ["Read(./out/**)"]}, {"allow": ["Read(./**)"]}):
        outcome = await Session(cwd=project, settings={"permissions": rules}, prompter="deny").call(
            "Read", {"file_path": "out/f.txt"}
        )
        assert outcome.status == "denied"
