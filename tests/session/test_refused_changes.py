"""A change of a settings file that a ConfigChange hook refused: it stays refused, whatever else is read again."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools import Session, hook
from jupyter_agenttools.core.permission_updates import AddRules, RemoveRules
from jupyter_agenttools.core.prompting import RuleUpdate
from jupyter_agenttools.settings import trust_requests, trust_workspace_file
from tests.support.settings import SettingsLab, make_lab
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio

SCOPES = ("session", "localSettings", "projectSettings", "userSettings")
OWN = {"permissions": {"allow": ["Mine"]}}
WIDER = {"permissions": {"allow": ["Mine", "Echo"]}}


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SettingsLab:
    return make_lab(tmp_path, monkeypatch)


class Judge:
    """A ConfigChange hook that says what it is told to say, and counts how often it was asked."""

    def __init__(self) -> None:
        self.refuses, self.asked = True, list[str]()

    async def __call__(self, told: dict[str, Any]) -> Any:
        self.asked.append(Path(told["file_path"]).name)
        return {"decision": "block", "reason": "not today"} if self.refuses else None


@asynccontextmanager
async def session_of(lab: SettingsLab, judge: Judge, *, watch: bool = True) -> AsyncIterator[Session]:
    async def asks(told: dict[str, Any]) -> Any:
        return await judge(told)

    session = Session(
        cwd=lab.project,
        settings=lab.load(),
        tools=[echo_tool()],
        hooks=[hook("ConfigChange")(asks)],
        prompter="deny",
        rule_scopes=SCOPES,
        watch_settings=watch,
    )
    session._settings.close()  # the calls of these tests notice changes, not the thread
    session._settings._watcher = _Idle() if watch else None
    try:
        yield session
    finally:
        await session.aclose()


class _Idle:
    def close(self) -> None: ...


async def echo(session: Session) -> str:
    return (await session.decide("Echo", {"text": "x"})).behavior


@pytest.mark.parametrize("source", ["userSettings", "localSettings", "projectSettings"])
async def test_it_stays_refused_whatever_else_is_read_again(source: str, lab: SettingsLab) -> None:
    path = lab.write(source, OWN)
    async with session_of(lab, judge := Judge()) as session:
        lab.write(source, WIDER)
        assert await echo(session) == "ask"
        await session.keep_rules([RuleUpdate("Bash(pytest *)", "localSettings")])
        await session.keep_rules([RuleUpdate("Bash(ruff *)", "userSettings", "deny")])
        await session.update_permissions([AddRules(("Bash(git *)",), "allow", "projectSettings")])
        session.reload_settings(also_refused=False)
        trust_workspace_file(path)
        lab.write("managed", {"env": {"A": "1"}})
        assert await echo(session) == "ask"
        assert (await session.decide("Bash", {"command": "ruff check"})).behavior == "deny"
        assert (await session.decide("Bash", {"command": "pytest -q"})).behavior == "allow"
        assert any("not today" in note and str(path) in note for note in session.settings.notes)
        session.reload_settings()
        assert await echo(session) == "allow" and not session.settings.notes
    assert judge.asked.count(path.name) == 1


async def test_the_next_change_of_the_file_is_a_new_question(lab: SettingsLab) -> None:
    lab.write("userSettings", OWN)
    async with session_of(lab, judge := Judge()) as session:
        lab.write("userSettings", WIDER)
        assert await echo(session) == "ask"
        judge.refuses = False
        assert await echo(session) == "ask" and len(judge.asked) == 1
        lab.write("userSettings", {**WIDER, "env": {"B": "2"}})
        assert await echo(session) == "allow" and len(judge.asked) == 2


async def test_a_rule_that_is_saved_into_a_refused_file_counts_and_so_does_taking_one_away(lab: SettingsLab) -> None:
    path = lab.write("localSettings", {"permissions": {"allow": ["Mine", "Bash(a:*)"]}})
    async with session_of(lab, Judge()) as session:
        lab.write("localSettings", {"permissions": {"allow": ["Mine", "Bash(a:*)", "Echo"]}})
        assert await echo(session) == "ask"
        await session.keep_rules([RuleUpdate("Bash(b *)", "localSettings")])
        await session.update_permissions([RemoveRules(("Bash(a *)",), "allow", "localSettings")])
        assert session.state.permission.always_allow_rules == {"localSettings": ("Mine", "Bash(b *)")}
        assert await echo(session) == "ask"
        assert '"Echo"' in path.read_text() and "Bash(b *)" in path.read_text() and "Bash(a" not in path.read_text()


async def test_only_the_refused_file_is_held_back(lab: SettingsLab) -> None:
    lab.write("userSettings", OWN)
    async with session_of(lab, Judge()) as session:
        lab.write("userSettings", WIDER)
        lab.write("managed", {"permissions": {"allow": ["Bash(make *)"]}})
        assert await echo(session) == "ask"
        assert (await session.decide("Bash", {"command": "make x"})).behavior == "allow"


async def test_a_file_that_came_and_one_that_went(lab: SettingsLab) -> None:
    path = lab.write("userSettings", {"permissions": {"deny": ["Echo"]}})
    async with session_of(lab, Judge()) as session:
        path.unlink()
        lab.write("localSettings", {"permissions": {"allow": ["Bash(make *)"]}})
        assert await echo(session) == "deny"
        assert (await session.decide("Bash", {"command": "make x"})).behavior == "ask"


async def test_saving_asks_about_what_else_changed_also_where_nobody_watches(lab: SettingsLab) -> None:
    lab.write("userSettings", OWN)
    async with session_of(lab, judge := Judge(), watch=False) as session:
        lab.write("userSettings", WIDER)
        await session.keep_rules([RuleUpdate("Bash(pytest *)", "userSettings")])
        assert await echo(session) == "ask"
        assert (await session.decide("Bash", {"command": "pytest -q"})).behavior == "allow"
    assert judge.asked == ["settings.json"]


async def test_a_rule_saved_while_the_hook_thinks_approves_nothing(lab: SettingsLab) -> None:
    lab.write("userSettings", OWN)
    async with session_of(lab, Judge()) as session:
        inside, go = anyio.Event(), anyio.Event()

        @hook("ConfigChange")
        async def thinks(told: dict[str, Any]) -> Any:
            inside.set()
            await go.wait()

        session.add_hook(thinks)
        lab.write("userSettings", WIDER)
        async with anyio.create_task_group() as group:
            group.start_soon(echo, session)
            await inside.wait()
            go.set()
            await session.keep_rules([RuleUpdate("Bash(pytest *)", "userSettings")])
            assert session.state.permission.always_allow_rules["userSettings"] == ("Mine", "Bash(pytest *)")
        assert await echo(session) == "ask"


async def test_nobody_is_asked_to_approve_a_file_that_a_hook_refused(lab: SettingsLab) -> None:
    lab.write("projectSettings", {"permissions": {"allow": ["Mine"]}}, trusted=False)
    async with session_of(lab, Judge()) as session:
        assert len(trust_requests(session.settings)) == 1
        lab.write("projectSettings", WIDER, trusted=False)
        await echo(session)
        assert trust_requests(session.settings) == ()


async def test_a_command_hook_refuses_with_its_exit_code(lab: SettingsLab) -> None:
    command = f"{sys.executable} -c 'import sys; sys.exit(2)'"
    lab.write("userSettings", {"hooks": {"ConfigChange": [{"hooks": [{"type": "command", "command": command}]}]}})
    judge = Judge()
    judge.refuses = False
    async with session_of(lab, judge) as session:
        lab.write("localSettings", {"permissions": {"allow": ["Echo"]}})
        assert await echo(session) == "ask"
        await session.keep_rules([RuleUpdate("Bash(pytest *)", "projectSettings")])
        assert await echo(session) == "ask"
