"""Exit codes that answer a question, and those that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.tools.bash.exit_codes import interpret_exit_code


@pytest.mark.parametrize(
    "command",
    [
        "grep a b",
        "/usr/bin/grep a b",
        "LC_ALL=C grep a b",
        "grep -q x f >/dev/null 2>&1",
        "grep a b &>/dev/null",
        "grep 'a;b|c' \"d && e\"",
        "ls | grep x",
        "cd x && grep a b",
        "echo looking; rg needle",
        "# a note\nrg needle",
        "grep a b;\n",
        "diff a b",
        "cmp a b",
        "git diff --quiet",
        "git grep needle",
        "test -f a",
        "[ -f a ] && echo there",
        "[[ -n $x ]]",
        "! grep -q a b",
        "pgrep nobody",
        "which nothing",
        "command -v nothing",
        "timeout 5 grep a b",
        "env A=b nice -n 5 rg x",
        "time diff a b",
        "git -C x diff --quiet",
        "git --no-pager -c a=b grep x",
        "git merge-base --is-ancestor a b",
        "git config --get x",
        "jq -e .x f",
        "find / -name x",
        "set -o pipefail; grep x f | grep y",
    ],
)
def test_an_answer(command: str) -> None:
    assert interpret_exit_code(command, 1, "")


@pytest.mark.parametrize(
    "command",
    [
        "false",
        "make && grep a b",
        "grep a b || make",
        "grep x f | sort",
        "set -o pipefail; make | grep x",
        "diff a b; ls",
        "(grep a b)",
        "grep a b &",
        "for f in *; do grep x $f; done",
        "python -c 'grep'",
        "grepx a b",
        "timeout 5 make",
        "env",
        "jq .x f",
        "git merge-base a b",
        "command make",
        "! make",
        "git commit -m grep",
        "grep 'open",
        "",
    ],
)
def test_a_failure(command: str) -> None:
    assert interpret_exit_code(command, 1, "") is None


def test_other_codes_are_failures() -> None:
    for code in (0, 2, 127, 130):
        assert interpret_exit_code("grep a b", code, "") is None


def test_a_failed_cd_is_not_taken_for_the_answer_of_what_follows() -> None:
    assert interpret_exit_code("cd x && grep a b", 1, "bash: line 1: cd: x: No such file or directory\n") is None


@given(st.text("grepdiftcal &|;()'\"\n\\$![]=<>#1", max_size=30))
def test_no_text_breaks_it(command: str) -> None:
    interpret_exit_code(command, 1, "")


def test_a_find_that_failed_has_failed() -> None:
    assert interpret_exit_code("find a", 1, "find: ‘/x’: Permission denied\n")
    assert interpret_exit_code("find a", 1, "find: ‘a’: No such file or directory\n") is None
    assert interpret_exit_code("find a -nam b", 1, "find: unknown predicate `-nam'\n") is None


def test_other_codes() -> None:
    assert interpret_exit_code("systemctl is-active x", 3, "inactive\n")
    assert interpret_exit_code("systemctl start x", 3, "") is None
    for command in ("grep a b", "diff a b", "test -f", "which x"):
        assert interpret_exit_code(command, 2, "") is None
