"""What rules would have done to the calls so far, found by the gate itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.core.prompting import PermissionRequest
from jupyter_agenttools.session import back_test, back_test_view, read_rules
from jupyter_agenttools.session.back_testing import BackTest, PastMatch, back_test_words
from jupyter_agenttools.session.rule_choices import rule_choices

pytestmark = pytest.mark.anyio


class Person:
    """Allows what it is asked, but for what holds a word."""

    def __init__(self, refuses: str = "\0") -> None:
        self.refuses, self.requests = refuses, list[PermissionRequest]()

    def __call__(self, request: PermissionRequest) -> bool:
        self.requests.append(request)
        return self.refuses not in str(request.input)


async def after(folder: Path, rules: str, *commands: str, settings: Any = None, refuses: str = "\0") -> BackTest:
    """The back-test of ``rules`` after these commands; the first one is asked about."""
    person = Person(refuses)
    session = Session(cwd=folder, session_dir=folder / "session", settings=settings or {}, prompter=person)
    for command in commands:
        await session.call("Bash", {"command": command})
    return await back_test(session, read_rules(rules), person.requests[0])


async def test_each_call_is_told_by_how_it_went_and_how_it_would_go(tmp_path: Path) -> None:
    test = await after(tmp_path, "Bash(touch *)", "touch a", "touch no", "ls", refuses="no")
    assert [(m.title, m.was, m.now, m.is_new) for m in test.matches] == [
        ("$ touch a", "asked", "allow", True),
        ("$ touch no", "denied", "allow", True),
    ]
    assert test.calls == 3 and not test.warnings and not test.is_harmless


async def test_only_calls_that_the_rule_really_matches_are_named(tmp_path: Path) -> None:
    test = await after(tmp_path, "Bash(touch a)", "touch a", "touch ab", "touch a; touch b", "Touch a")
    assert [m.title for m in test.matches] == ["$ touch a"]


async def test_what_a_deny_rule_forbids_stays_denied(tmp_path: Path) -> None:
    settings = {"permissions": {"deny": ["Bash(touch secret)"]}}
    test = await after(tmp_path, "Bash(touch *)", "touch a", "touch secret", settings=settings)
    secret = next(m for m in test.matches if "secret" in m.title)
    assert (secret.was, secret.now, secret.is_new) == ("denied", "deny", False)
    assert "still denied" in str(back_test_view(test))


async def test_a_call_that_ran_without_asking_is_not_new(tmp_path: Path) -> None:
    settings = {"permissions": {"allow": ["Bash(touch b)"]}}
    test = await after(tmp_path, "Bash(touch *)", "touch a", "touch b", settings=settings)
    assert {m.title: m.is_new for m in test.matches} == {"$ touch a": True, "$ touch b": False}


async def test_the_rules_and_the_session_are_left_as_they_were(tmp_path: Path) -> None:
    person = Person()
    session = Session(cwd=tmp_path, session_dir=tmp_path / "session", settings={}, prompter=person)
    await session.call("Bash", {"command": "touch a"})
    (tmp_path / "a").unlink()
    before = session.state
    await back_test(session, ("Bash(touch *)",), person.requests[0])
    assert session.state is before and not (tmp_path / "a").exists() and len(person.requests) == 1


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("Bash", "every call of Bash"),
        ("Bash(*)", "every call of Bash"),
        ("Bash(*r*)", "rm -r build"),
        ("Bash(python3 *)", "python3 -c pass"),
        ("Bash(bash *)", "bash -c true"),
        ("Bash(touch *)", ""),
        ("Bash(git status)", ""),
    ],
)
async def test_broad_rules_are_warned_of_with_an_example(tmp_path: Path, rule: str, says: str) -> None:
    test = await after(tmp_path, rule, "touch a")
    assert says in " ".join(test.warnings) and bool(test.warnings) == bool(says)


@pytest.mark.parametrize(("rule", "broad"), [("Edit", True), ("Edit(//**)", True), ("Edit(src/**)", False)])
async def test_broad_rules_about_files(tmp_path: Path, rule: str, broad: bool) -> None:
    person = Person()
    session = Session(cwd=tmp_path, session_dir=tmp_path / "session", settings={}, prompter=person)
    await session.call("Write", {"file_path": "src/x.py", "content": "1"})
    test = await back_test(session, read_rules(rule), person.requests[0])
    assert bool(test.warnings) == broad


@pytest.mark.parametrize("text", ["", "  ", "Bash(((", "Bash()", "mcp__*", "two words"])
def test_what_is_no_rule_says_why(text: str) -> None:
    with pytest.raises(UsageError):
        read_rules(text)


def test_several_rules_are_read_in_their_order() -> None:
    assert read_rules("Bash(git log *), Edit(src/**),Bash(ls)") == ("Bash(git log *)", "Edit(src/**)", "Bash(ls)")


def test_the_sentence_says_when_there_is_nothing_to_compare_with() -> None:
    assert "nothing to compare" in back_test_words(BackTest(("Bash(ls)",), 0))
    assert "covers none of the last 2 calls" in back_test_words(BackTest(("Bash(ls)",), 2))


@pytest.mark.parametrize(
    ("rules", "calls", "matches", "words"),
    [
        (1, 1, "asked", "covers the only call of this session so far. It was asked about or denied then"),
        (1, 1, "", "The rule does not cover the only call of this session so far."),
        (2, 5, "asked", "The rules cover 1 of the last 5 calls of this session. It was asked"),
        (1, 5, "asked asked", "covers 2 of the last 5 calls of this session. All of them were asked about"),
        (1, 5, "asked asked allowed", "covers 3 of the last 5 calls of this session. 2 of them were asked"),
        (1, 5, "asked allowed", "covers 2 of the last 5 calls of this session. 1 of them was asked"),
        (1, 2, "allowed allowed", "covers all of the last 2 calls of this session; nothing would run without asking"),
    ],
)
def test_the_sentence_reads_well(rules: int, calls: int, matches: str, words: str) -> None:
    found = tuple(PastMatch("x", was, "allow") for was in matches.split())
    test = BackTest(tuple(f"Bash({n})" for n in range(rules)), calls, found)
    assert words in back_test_words(test)


def test_several_rules_are_not_repeated_in_the_heading() -> None:
    assert back_test_view(BackTest(("Bash(a)", "Bash(b)"), 0)).title == "Back-test 2 rules together"
    assert back_test_view(BackTest(("Bash(a)",), 0)).title == "Back-test Bash(a)"


def test_rules_may_stand_on_lines_of_their_own() -> None:
    assert read_rules("Bash(git log *)\n\nEdit(src/**)\nRead") == ("Bash(git log *)", "Edit(src/**)", "Read")


@pytest.mark.parametrize(
    ("rules", "remark"),
    [
        ("Bash(touch a)\nBash(git status)", "Bash(git status) is not needed for this call."),
        ("Bash(touch a)\nBash(rm *)", "Bash(rm *): it has no effect: deny Bash(rm *)"),
        ("Bash(touch a)\nReat(x)", "did you mean Read?"),
        ("Bash(touch a)", ""),
    ],
)
async def test_a_rule_that_does_nothing_is_remarked(tmp_path: Path, rules: str, remark: str) -> None:
    settings = {"permissions": {"deny": ["Bash(rm *)"]}}
    test = await after(tmp_path, rules, "touch a", settings=settings)
    assert remark in " ".join(test.remarks) and len(test.remarks) == bool(remark)
    assert not (remark and test.is_harmless)


async def test_a_rule_that_helps_nothing_is_remarked(tmp_path: Path) -> None:
    settings = {"permissions": {"ask": ["Bash(git push *)"]}}
    test = await after(tmp_path, "Bash(git push *)", "git push x", settings=settings)
    assert len(test.remarks) == 1 and "would still be asked about next time" in test.remarks[0]


async def test_a_broad_rule_about_another_tool_is_warned_of(tmp_path: Path) -> None:
    test = await after(tmp_path, "Bash(touch a)\nEdit(//**)", "touch a")
    assert any("Edit(//**) is broad" in warning for warning in test.warnings)


@pytest.mark.parametrize(
    ("command", "choices"),
    [
        ("touch a", (("Bash(touch a)",), ("Bash(touch *)",))),
        ("touch a && npm test", (("Bash(touch a)", "Bash(npm test)"), ("Bash(touch *)", "Bash(npm test *)"))),
        ("rm a && python3 x.py", (("Bash(rm a)", "Bash(python3 x.py)"),)),
    ],
)
async def test_the_rules_to_choose_from_begin_with_the_narrowest(
    tmp_path: Path, command: str, choices: tuple[tuple[str, ...], ...]
) -> None:
    person = Person(refuses="")
    session = Session(cwd=tmp_path, session_dir=tmp_path / "session", settings={}, prompter=person)
    await session.call("Bash", {"command": command})
    assert rule_choices(session, person.requests[0]) == choices
    for rules in choices:
        assert session.rule_covers(rules, person.requests[0])
