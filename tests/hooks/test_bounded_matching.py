"""Patterns that never end, or that would end the kernel: the comparison is bounded, and what is unknown is a match."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools import Session, UsageError
from jupyter_agenttools.hooks import hooks_from_settings, matcher_matches
from jupyter_agenttools.hooks.bounded import found_elsewhere, shape_of
from jupyter_agenttools.hooks.from_settings import HookSettingsError
from jupyter_agenttools.hooks.matching import MAX_DEPTH, MAX_PATTERN_CHARS, compile_matcher
from tests.support.hooks import command, hook_settings
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio

ENDLESS = ("(a+)+$", r"(\w+\s?)*$", "^(a|a)*$", "(?:(?:a?)a?)+$", "(a{1,9}){1,9}$", "a*a*a*a*a*a*a*a*a*a*$")


@pytest.mark.parametrize("pattern", ENDLESS)
def test_a_pattern_without_end_counts_as_a_match(pattern: str) -> None:
    name = "a" * 60 + "!"
    assert shape_of(pattern).may_take_long(name)
    assert matcher_matches(pattern, name)


@pytest.mark.parametrize(
    ("pattern", "name", "yes"),
    [
        ("^(Edit|Write)+$", "Edit", True),
        ("^(Edit|Write)+$", "Bash", False),
        ("(a+)+b", "aab", True),
        ("(a+)+b", "c", False),
    ],
)
def test_where_such_a_pattern_ends_its_answer_counts(pattern: str, name: str, yes: bool) -> None:
    assert shape_of(pattern).may_take_long(name)
    assert matcher_matches(pattern, name) is yes


@pytest.mark.parametrize(
    "pattern",
    [
        "Edit|Write|",
        "Notebook.*",
        "mcp__.*__(get|put)_.*",
        "^mcp__.*?__delete",
        "^(mcp__)?Bash$",
        r"\(+x",
        "[(*+)]+b",
        "(?<a>x).*",
    ],
)
def test_ordinary_patterns_are_compared_at_once(pattern: str) -> None:
    assert not shape_of(pattern).may_take_long("mcp__memory__create_entities")


def test_a_program_that_cannot_be_started_is_a_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert found_elsewhere("(x+)+y", "nothing like it")


def test_the_program_takes_nothing_from_the_working_directory(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "regress.py").write_text("open('taken', 'w')\n")
    (tmp_path / "json.py").write_text("open('taken', 'w')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    assert not found_elsewhere("(q+)+y", "nothing like it") and not (tmp_path / "taken").exists()


async def test_a_guard_with_such_a_pattern_runs(tmp_path) -> None:
    name = "Echo" + "a" * 50 + "b"
    settings = hook_settings("PreToolUse", command("echo no >&2; exit 2"), matcher="(a+)+$")
    session = Session(cwd=tmp_path, settings=settings, tools=[echo_tool(name)])
    outcome = await session.call(name, {"text": "x"})
    assert outcome.status == "denied" and "no" in outcome.text
    await session.aclose()


BIG = (
    "." + "|" * (MAX_PATTERN_CHARS - 1),
    "(?:" * MAX_DEPTH + "." + ")" * MAX_DEPTH,
    "(?:a|" * MAX_DEPTH + "." + ")" * MAX_DEPTH,
)
TOO_BIG = ("a.b|" * 50_000, "." * (MAX_PATTERN_CHARS + 1), "(" * (MAX_DEPTH + 1) + "." + ")" * (MAX_DEPTH + 1))


@pytest.mark.parametrize("pattern", TOO_BIG)
def test_a_pattern_that_could_end_the_process_is_refused_in_few_words(pattern: str) -> None:
    with pytest.raises(UsageError) as caught:
        compile_matcher(pattern)
    assert len(str(caught.value)) < 400
    with pytest.raises(HookSettingsError) as refused:
        hooks_from_settings({"PreToolUse": [{"matcher": pattern, "hooks": []}]}, source="s")
    assert len(str(refused.value)) < 500 and refused.value.location == ("hooks", "PreToolUse", 0, "matcher")


def test_the_biggest_patterns_fit_on_a_small_stack() -> None:
    program = (
        "import threading\n"
        "from jupyter_agenttools.hooks.matching import compile_matcher\n"
        f"def read():\n    for pattern in {BIG!r}: compile_matcher(pattern)('b')\n    print('read')\n"
        "threading.stack_size(262144)\nthread = threading.Thread(target=read)\nthread.start()\nthread.join()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "read\n")


@settings(max_examples=300)
@given(st.text(alphabet="ab.*+?|(){}[]1,\\^$", max_size=14), st.text(alphabet="ab", max_size=14))
def test_reading_any_text_as_a_pattern_ends(pattern: str, name: str) -> None:
    try:
        compile_matcher(pattern)
    except UsageError:
        return
    if not shape_of(pattern).may_take_long(name):
        assert matcher_matches(pattern, name) in (True, False)
