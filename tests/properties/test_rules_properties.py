"""What has to hold for every rule, command and path."""

from __future__ import annotations

import os
import shlex
import string
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core.errors import RuleSyntaxError
from jupyter_agenttools.permissions import (
    ParsedRule,
    classify_read_only,
    format_rule,
    parse_command,
    parse_rule,
    suggest_rules,
)
from jupyter_agenttools.permissions.command.coverage import coverage
from jupyter_agenttools.permissions.command.matching import compile_command_pattern, fires
from jupyter_agenttools.permissions.command.suggest import are_together
from jupyter_agenttools.permissions.paths import compile_path_pattern, escape_path, path_forms
from jupyter_agenttools.permissions.patterns import compile_wildcard, escape_wildcards
from jupyter_agenttools.permissions.rules import make_rule
from tests.support.gate import BASH, PLAIN, WRITE, ask_gate

NAMES = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=20)
SPECIFIERS = st.text(min_size=1).filter(lambda text: text.strip() not in ("", "*"))
PIECES = [
    *["p ", "a", "b", "1", "é", "-", "=", "x=1 ", "'a b'", '"c d"', "{}", "time ", "if ", "!"],
    *["'", '"', "\\", "\\\n", "`", "$", "$'", "~", "(", "*", "#", " #", "\u00a0"],
    *[" ", "\t", "\n", ";", "&&", "||", "|", "&", ">/dev/null", "2>&1"],
]
FRAGMENTS = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)
LETTERS = st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" ")
PATHS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=30).map(
    lambda text: os.path.normpath("/p/" + text)
)
slow = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(NAMES, st.none() | SPECIFIERS)
def test_rules_survive_being_written_and_read(name: str, specifier: str | None) -> None:
    rule = ParsedRule(name, specifier)
    assert parse_rule(format_rule(rule)) == rule


@given(st.text(max_size=40))
def test_any_text_reads_as_a_rule_or_says_why_not(text: str) -> None:
    try:
        rule = parse_rule(text)
    except RuleSyntaxError as error:
        assert "position" in str(error)
    else:
        assert parse_rule(format_rule(rule)) == rule


@given(st.text("ab*\\ :", max_size=12), st.text("ab*\\ :", max_size=12))
def test_escaped_text_is_matched_by_itself_alone(text: str, other: str) -> None:
    wildcard = compile_wildcard(escape_wildcards(text), word_boundary=True)
    assert wildcard.matches(text)
    assert wildcard.matches(other) == (text == other)


@given(st.text("ab* ", max_size=8), st.text("ab ", max_size=10))
def test_wildcards_agree_with_regular_expressions(pattern: str, text: str) -> None:
    import re

    expected = re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.DOTALL) is not None
    assert compile_wildcard(pattern).matches(text) == expected


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" "), min_size=1), min_size=1
    )
)
def test_quoted_words_come_back(words: list[str]) -> None:
    # After a first word that means nothing to a shell: `done` as the first one ends a loop.
    parsed = parse_command(" ".join(map(shlex.quote, ["p", *words])))
    assert parsed.kind == "simple" and parsed.commands[0].argv == ("p", *words)


@given(st.lists(FRAGMENTS, min_size=40, max_size=40))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_bash_reads_the_words_that_we_read(texts: list[str]) -> None:
    """Whatever is called simple is run by a real bash, in which ``p`` prints its words."""
    readable = []
    for text in ("p " + text for text in texts):
        parsed = parse_command(text)
        calls = parsed.commands
        only_p = all(call.argv[0] == "p" and not call.globs and not call.dynamic for call in calls)
        if parsed.kind == "simple" and only_p and set(parsed.operators) <= {";", "\n"} and ">" not in text:
            readable.append((text, "".join("".join(f"<{w}>" for w in c.argv[1:]) + "\n" for c in calls)))
    script = 'p() { [ $# = 0 ] || printf "<%s>" "$@"; echo; }; for t; do ( eval "$t" ) 2>&1; printf "\\0"; done'
    command = ["/bin/bash", "-c", script, "bash", *(text for text, _ in readable)]
    run = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, env={"LC_ALL": "C.UTF-8"}, check=True)
    assert run.stdout.decode().split("\0")[:-1] == [expected for _, expected in readable]


@given(FRAGMENTS, st.sampled_from(["; ", "\n", " && ", " | ", " & ", " $(", " `", " <(", " > "]))
def test_no_allow_rule_for_one_program_covers_another(text: str, glue: str) -> None:
    command = f"p {text}{glue}evil x"
    parsed = parse_command(command)
    rule = make_rule("Bash(p *)", "session", "allow")
    found = coverage(command, ((compile_command_pattern("p *"), rule),))
    if found.covered:  # the glue was quoted, or behind a `#`
        assert all(call.argv[0] == "p" for call in parsed.commands)


@given(FRAGMENTS, FRAGMENTS)
def test_a_deny_rule_sees_every_call_that_is_understood(before: str, after: str) -> None:
    command = f"{before} evil {after}"
    calls = parse_command(command).commands
    if any(call.argv[0] == "evil" for call in calls):
        assert fires(compile_command_pattern("evil *"), command)


@given(FRAGMENTS)
def test_nothing_that_writes_is_called_reading(text: str) -> None:
    verdict = classify_read_only(f"ls {text}; touch x", cwd="/", roots=["/"])
    if verdict.ok:  # only when `touch` is part of a quoted word or a comment
        parsed = parse_command(f"ls {text}; touch x")
        assert all(call.argv[0] != "touch" for call in parsed.commands)


@pytest.mark.anyio
@given(text=FRAGMENTS | st.text(max_size=20))
@slow
async def test_what_is_offered_allows_the_call_and_nothing_chained_to_it(text: str, tmp_path: Path) -> None:
    command = f"run {text}"
    offered = suggest_rules(command)
    for rules in [list(offered)] if are_together(offered, command) else [[rule] for rule in offered]:
        assert (await ask_gate(BASH, {"command": command}, tmp_path, allow=rules)).behavior == "allow"
        assert (await ask_gate(PLAIN, {"command": command}, tmp_path, allow=rules)).behavior == "ask"
        more = f"{command}\nevil x"
        if any(call.argv[0] == "evil" for call in parse_command(more).commands):
            assert (await ask_gate(BASH, {"command": more}, tmp_path, allow=rules)).behavior == "ask"


@given(PATHS, PATHS)
def test_an_escaped_path_is_matched_by_itself_and_what_is_below(path: str, other: str) -> None:
    pattern = compile_path_pattern(escape_path(path), "allow")

    def matches(candidate: str) -> bool:
        return pattern.matches(path_forms(candidate, "/"), source_root="/s", cwd="/")

    assert matches(path)
    assert matches(f"{path.rstrip('/')}/below")
    assert matches(other) == (other == path or other.startswith(path.rstrip("/") + "/"))


@pytest.mark.anyio
@given(name=st.text(string.ascii_letters + " .*?[]!#\\()-", min_size=1, max_size=12).filter(lambda n: n.strip(".")))
@slow
async def test_what_is_offered_for_a_path_allows_it(name: str, tmp_path: Path) -> None:
    call = {"file_path": f"{tmp_path}/{name}x"}
    asked = await ask_gate(WRITE, call, tmp_path)
    assert asked.behavior == "ask"
    for rule in asked.suggestions:
        assert (await ask_gate(WRITE, call, tmp_path, allow=[rule])).behavior == "allow"
