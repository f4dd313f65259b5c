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
        ("curl u > out", "`> out` (a redirection writes a file)"),
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


@pytest.mark.parametrize(
    ("command", "told", "places"),
    [
        ("touch a && ls && mkdir b", "`touch a`, `mkdir b` (none is on the list", ["touch a", "mkdir b"]),
        ("git x; touch a > out", "`touch a` (`touch` is not on the list", ["touch a", "> out"]),
        ("touch a; touch b; touch c; touch d", "and 1 more part of it", ["touch a", "touch b", "touch c", "touch d"]),
        ("FOO=1 rm x | tee y", "`FOO=1 rm x` (`FOO=…` in front", ["FOO=1 rm x", "tee y"]),
        ("echo x > out/log && touch k", "`> out/log` (a redirection", ["> out/log", "touch k"]),
        ("echo $(rm x) && touch b", "`rm x`, `touch b` (none is on", ["echo $(rm x)", "rm x", "touch b"]),
        ("make $x; rm $x", "`make $x`, `rm $x` (`$x` is not known", ["make $x", "rm $x"]),
        ("npm start & touch x", "what is behind that was not looked at", ["npm start"]),
        ("echo x > $F; rm b", "`echo x > $F` (`$F` is not known", ["echo x > $F"]),
        ("[[ -f x ]] && rm x", "`rm x` (", ["rm x"]),
        ("touch made", "it (`touch` is not", ["touch made"]),
        ("touch a; echo 'x", "it (a single quote is never closed)", ["'"]),
    ],
)
async def test_every_part_that_no_rule_allows_is_told_and_placed(
    tmp_path: Path, command: str, told: str, places: list[str]
) -> None:
    decision = await session_in(tmp_path, "Bash(git *)").decide("Bash", {"command": command})
    assert decision.behavior == "ask" and told in decision.reason, decision.reason
    person = next(step for step in decision.trace if step.check == "person")
    assert [command[start:end] for start, end in person.spans] == places


async def test_a_command_of_many_parts_has_a_short_reason(tmp_path: Path) -> None:
    command = "; ".join(f"tool{i} {'x' * 90}" for i in range(30))
    decision = await session_in(tmp_path).decide("Bash", {"command": command})
    assert "and 27 more parts of it" in decision.reason and len(decision.reason.partition("; Bash(")[0]) < 500


async def test_a_reason_does_not_repeat_the_whole_line(tmp_path: Path) -> None:
    for command in ("make one && make two\nmake three", "source x && cat <<E > out\n$(date)\nE"):
        decision = await session_in(tmp_path).decide("Bash", {"command": command})
        assert decision.behavior == "ask" and command not in decision.reason.partition("; Bash(")[0]
