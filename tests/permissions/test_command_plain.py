"""Which lines are nothing but calls, and what the sandbox makes harmless."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.permissions.command.chain import judge_command
from jupyter_agenttools.permissions.command.plain import plain_calls
from jupyter_agenttools.permissions.powershell import suggest_powershell_rules
from jupyter_agenttools.tools.bash.sandboxing import is_excluded


@pytest.mark.parametrize(
    ("command", "calls"),
    [
        ("make all", [("make", "all")]),
        ("make 'all of it'; make -j2 && make test", [("make", "all of it"), ("make", "-j2"), ("make", "test")]),
        ("make 'x$' {} '{a,b}' \\$", [("make", "x$", "{}", "{a,b}", "$")]),
        ("make 'a\\\nb'", [("make", "a\\\nb")]),
        ("make | tail -3 &", [("make",), ("tail", "-3")]),
        ("CC=gcc make *.o 2>/dev/null >&2", [("make", "*.o")]),
    ],
)
def test_plain_lines(command: str, calls: list[tuple[str, ...]]) -> None:
    found = plain_calls(command)
    assert found is not None and [call.argv for call in found] == calls


NOT_PLAIN = [
    "make > out",
    "make >> out",
    "make < in",
    "make <<< text",
    "make <<E\ntext\nE",
    "make 3>/dev/null",
    "make >/dev/null.d",
    "make; > out",
    "make; X=1",
    "make && X=$(rm b)",
    "X=$(rm b) make",
    "X+=1 make",
    "make $X",
    'make "$X"',
    "make $(rm b)",
    "make `rm b`",
    "make <(rm b)",
    "make {a,b}",
    "make ~/x",
    "make $((1))",
    "make $'a'",
    'make $"a"',
    "make a$",
    "make } x",
    "make \\\n all",
    'make "a\\\nb"',
    "! make",
    "(make)",
    "{ make; }",
    "if make; then make; fi",
    "for x in 1 2; do make; done",
    "while make; do make; done",
    "case x in x) make;; esac",
    "make() { make; }; make",
    "[[ -e x ]] && make",
    "(( x )) && make",
    "make 'open",
    "",
    "# only words",
]


@pytest.mark.parametrize("command", NOT_PLAIN)
def test_lines_that_are_more_are_never_kept_out_of_the_sandbox(command: str) -> None:
    assert plain_calls(command) is None
    assert not is_excluded(command, ("make", "*", "make *"))


def test_every_call_has_to_be_named_to_be_kept_out_of_the_sandbox() -> None:
    assert is_excluded("make all; make test", ("make",))
    assert not is_excluded("make all; rm test", ("make",))
    assert not is_excluded("makeall", ("make",))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(st.characters(codec="ascii", exclude_characters="\0"), max_size=8), min_size=1, max_size=4))
def test_quoted_words_come_out_as_they_are(words: list[str]) -> None:
    found = plain_calls(" ".join(map(shlex.quote, ["make", *words])))
    assert found is None or [call.argv for call in found] == [("make", *words)]


def test_the_sandbox_allows_only_what_is_understood(tmp_path: Path) -> None:
    def say(command: str, sandboxed: str = "contained") -> tuple[str, bool]:
        said = judge_command(command, cwd=str(tmp_path), roots=(str(tmp_path),), sandboxed=sandboxed).result
        (step,) = [step for step in said.steps if step.check == "checkSandboxAutoAllow"]
        return said.behavior, step.outcome == "allow"

    for command in ("touch x", "echo x > y; rm y", "export A=1", "x=$(date); touch $x"):
        assert say(command) == ("allow", True), command
        assert say(command, "") == ("passthrough", False), command
    for command in ("touch 'x", "touch x\r", "touch x\u200b", "touch \x01"):
        assert say(command) == ("passthrough", False), command


def test_of_powershell_only_the_very_command_is_offered() -> None:
    assert suggest_powershell_rules(" Remove-Item a.log\n", "PowerShell") == ("PowerShell(Remove-Item a.log)",)
    assert suggest_powershell_rules("git log; echo <<E", "PowerShell") == ("PowerShell(git log; echo <<E)",)
