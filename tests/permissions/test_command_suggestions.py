"""What is offered as "always allow": it has to hold for the very call, and not for much more."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools.permissions import suggest_rules
from tests.support.gate import BASH, PLAIN, ask_gate

pytestmark = pytest.mark.anyio

CALLS = [
    "pytest -q 'tests/a b.py' -k \"x and y\"",
    "git push origin main",
    "npm run build -- --x",
    "python -m pytest -q",
    "python script.py (x)",
    "echo *.md \\* a\\\\*",
    "for i in a; do echo $i; done",
    "make build && make test",
    "cat <<EOF\nx )\nEOF",
    "A=1 run 'x:*'",
    "sudo apt update",
    "find . -delete",
    "  ls  ",
    "grep '\\.py$' x",
    "LANG=C sort -o a b",
    "printf '%s *' x:*",
    "timeout 5 npm test",
]


@pytest.mark.parametrize("command", CALLS)
async def test_every_suggestion_allows_the_very_call_and_no_other_tool(command: str, tmp_path: Path) -> None:
    asked = await ask_gate(BASH, {"command": command}, tmp_path)
    assert asked.behavior == "ask"
    assert asked.suggestions
    for rule in asked.suggestions:
        assert (await ask_gate(BASH, {"command": command}, tmp_path, allow=[rule])).behavior == "allow", rule
        assert (await ask_gate(PLAIN, {"command": command}, tmp_path, allow=[rule])).behavior == "ask"
        for more in (f"{command}; rm x", f"{command}\nrm x", f"{command} $(rm x)", f"{command} > out", f"x{command}"):
            assert (await ask_gate(BASH, {"command": more}, tmp_path, allow=[rule])).behavior == "ask", (rule, more)


@pytest.mark.parametrize(
    ("command", "prefix"),
    [
        ("pytest -q x", "Bash(pytest *)"),
        ("git push origin main", "Bash(git push *)"),
        ("npm run build", "Bash(npm run *)"),
        ("python -m pytest -q", "Bash(python -m pytest *)"),
        ("timeout 5 npm test", "Bash(npm test *)"),
        ("NO_COLOR=1 ruff check", "Bash(ruff *)"),
    ],
)
def test_the_second_suggestion_is_the_program_with_any_words(command: str, prefix: str) -> None:
    assert suggest_rules(command)[1:] == (prefix,)


@pytest.mark.parametrize(
    "command",
    ["python x.py", "bash x.sh", "rm x", "sudo apt update", "env ls", "find . -name x", "git -C x status", "a; b",
     "FOO=1 make", "curl https://x.example", "git", "git $(x)", "'odd name' x", "xargs ls"],
)  # fmt: skip
def test_nothing_wide_is_offered_for_dangerous_or_unclear_calls(command: str) -> None:
    assert len(suggest_rules(command)) == 1


async def test_the_prefix_ends_at_a_word(tmp_path: Path) -> None:
    rule = suggest_rules("pytest -q")[1]
    for command, expected in (("pytest", "allow"), ("pytest -x a", "allow"), ("pytest-x", "ask"), ("pytests", "ask")):
        assert (await ask_gate(BASH, {"command": command}, tmp_path, allow=[rule])).behavior == expected


def test_no_text_no_rule() -> None:
    assert suggest_rules(" \n") == ()
    assert suggest_rules("ls", "Monitor")[0] == "Monitor(ls)"
