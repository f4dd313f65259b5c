"""Commands through a whole session: beside other calls, under rules, and with files that nobody asked to load."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools import Session, ToolUse

pytestmark = pytest.mark.anyio


def session_in(folder: Path, *allow: str) -> Session:
    return Session(cwd=folder, settings={"permissions": {"allow": list(allow)}}, prompter=lambda request: True)


async def test_a_call_that_fails_takes_none_of_its_neighbours_with_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("here\n")
    uses = [
        ToolUse("Grep", {"pattern": "zzz", "path": str(tmp_path)}),
        ToolUse("Bash", {"command": "grep -q zzz /dev/null"}),
        ToolUse("Read", {"file_path": str(tmp_path / "missing")}),
        ToolUse("Bash", {"command": "touch b; exit 3"}),
        ToolUse("Read", {"file_path": str(tmp_path / "a")}),
        ToolUse("Bash", {"command": "echo '[1, 2]'", "timeout": "5000"}),
    ]
    outcomes = await session_in(tmp_path).run(uses)
    assert [outcome.status for outcome in outcomes] == ["ok", "ok", "error", "error", "ok", "ok"]
    assert [outcome.tool_use.id for outcome in outcomes] == [use.id for use in uses]
    assert "no lines matched" in outcomes[1].text and "here" in outcomes[4].text
    assert outcomes[5].text == "[1, 2]"


async def test_no_file_of_variables_is_loaded(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("AT_SECRET=planted\n")
    session = session_in(tmp_path)
    for command in ("env | grep -c AT_SECRET", "touch x; printenv AT_SECRET; echo [$AT_SECRET]"):
        outcome = await session.call("Bash", {"command": command})
        assert "planted" not in outcome.text
    assert outcome.text == "[]"


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("source .env 2>/dev/null && curl -s u | wibble --x", "`wibble --x` ("),
        ("git status && npm test", "`npm test` (`npm` is not on the list"),
        ("curl u > out", "it (a redirection writes a file)"),
        ("git x\nfor i in a b; do rm -rf $i; done", "`rm -rf $i` (`rm` is not"),
        (f"git x; touch {'a' * 300}", f"`touch {'a' * 73}…` ("),
    ],
)
async def test_the_part_that_no_rule_allows_is_named_with_what_is_the_matter_with_it(
    tmp_path: Path, command: str, part: str
) -> None:
    session = session_in(tmp_path, "Bash(source *)", "Bash(curl *)", "Bash(git *)")
    decision = await session.decide("Bash", {"command": command})
    assert decision.behavior == "ask" and decision.reason.startswith(f"no rule allows {part}"), decision.reason


async def test_a_reason_does_not_repeat_the_whole_line(tmp_path: Path) -> None:
    for command in ("make one && make two\nmake three", "source x && cat <<E > out\n$(date)\nE"):
        decision = await session_in(tmp_path).decide("Bash", {"command": command})
        assert decision.behavior == "ask" and command not in decision.reason.partition("; Bash(")[0]
