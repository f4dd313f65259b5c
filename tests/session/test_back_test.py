"""What rules would have done to the calls so far, found by the gate itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.core.prompting import PermissionRequest
from jupyter_agenttools.session import back_test, back_test_view, read_rules
from jupyter_agenttools.session.back_test import BackTest, back_test_words

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
    assert "covers none" in back_test_words(BackTest(("Bash(ls)",), 2))
