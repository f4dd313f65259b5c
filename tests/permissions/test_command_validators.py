"""Every named check sees what it is named after, says where, and is in the trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools.permissions.command.chain import judge_command
from jupyter_agenttools.permissions.command.validators import VALIDATORS
from tests.support.bash_gate import ask_bash

SEEN = [
    ("validateIncompleteCommands", "-rf x", "-", False),
    ("validateIncompleteCommands", "&& ls", "&&", True),
    ("validateSafeCommandSubstitution", "git commit -m \"$(cat <<'E'\nx\nE\n)\"", "$(cat <<'E'", False),
    ("validateGitCommit", "git commit -m 'x y'", "git commit -m 'x y'", False),
    ("validateJqCommand", "jq -n env", "env", True),
    ("validateJqCommand", "jq --slurpfile a b .", "--slurpfile", True),
    ("validateObfuscatedFlags", "sort ''-o x", "''-", False),
    ("validateObfuscatedFlags", "find . -del'ete'", "-del'ete", False),
    ("validateShellMetacharacters", "grep 'a;b' x", "'a;b'", False),
    ("validateDangerousVariables", "PATH=x ls", "PATH=", True),
    ("validateDangerousVariables", "cat < $x", "< $x", False),
    ("validateCommentQuoteDesync", "ls # it's", " # it's", False),
    ("validateQuotedNewline", "echo 'a\nb'", "\n", False),
    ("validateCarriageReturn", "ls\rx", "\r", True),
    ("validateNewlines", "ls\npwd", "\n", False),
    ("validateIFSInjection", "cat$IFS/etc/passwd", "$IFS", True),
    ("validateIFSInjection", "while IFS= read -r l; do echo x; done", "IFS=", False),
    ("validateProcEnvironAccess", "cat /proc/self/environ", "/proc/self/environ", True),
    ("validateDangerousPatterns", "echo $(date)", "$(", False),
    ("validateRedirections", "ls > out", "> out", True),
    ("validateRedirections", "ls 2>/dev/null", "2>/dev/null", False),
    ("validateBackslashEscapedWhitespace", "echo a\\ b", "\\ ", False),
    ("validateBackslashEscapedOperators", "find . \\( -name x \\)", "\\(", False),
    ("validateUnicodeWhitespace", "ls\u00a0x", "\u00a0", True),
    ("validateMidWordHash", "echo a#b", "#", False),
    ("validateBraceExpansion", "ls {a,b}", "{a,b}", False),
    ("validateZshDangerousCommands", "zmodload zsh/system", "zmodload", True),
    ("validateMalformedTokenInjection", "echo 'x", "", True),
]


def step_of(command: str, name: str, cwd: str) -> tuple[str, list[str]]:
    chain = judge_command(command, cwd=cwd, roots=(cwd,))
    step = next(step for step in chain.result.steps if step.check == name)
    return step.outcome, [command[start:end] for start, end in step.spans]


@pytest.mark.parametrize(("name", "command", "where", "asks"), SEEN)
def test_a_validator_says_what_it_saw_and_where(
    name: str, command: str, where: str, asks: bool, tmp_path: Path
) -> None:
    outcome, places = step_of(command, name, str(tmp_path))
    assert places and (not where or places[0] == where)
    assert outcome == ("ask" if asks else "passthrough")


def test_every_validator_is_shown_to_see_something() -> None:
    assert {name for name, *_ in SEEN} | {"validateEmpty"} == VALIDATORS.keys()
    assert len(VALIDATORS) == 23


def test_the_empty_command(tmp_path: Path) -> None:
    assert step_of(" ", "validateEmpty", str(tmp_path)) == ("ask", [" "])


def test_plain_commands_are_seen_by_none(tmp_path: Path) -> None:
    steps = judge_command("ls -la src", cwd=str(tmp_path), roots=(str(tmp_path),)).result.steps
    assert {step.detail for step in steps if step.check in VALIDATORS} == {"nothing seen"}


@pytest.mark.anyio
async def test_the_checks_stand_in_the_trace_behind_the_tool(tmp_path: Path) -> None:
    command = "sort -o out notes.txt"
    trace = (await ask_bash(command, tmp_path)).trace
    names = [step.check for step in trace]
    assert names.index("tool") < names.index("parse") < names.index("validateEmpty") < names.index("readOnlyValidation")
    assert names.index("readOnlyValidation") < names.index("protected")
    (asking,) = [step for step in trace if step.check == "splitCommand"]
    assert [command[start:end] for start, end in asking.spans] == ["-o"]
