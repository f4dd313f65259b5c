"""Settings that change while a session runs: what they allow now, what the person chose before, who is told."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import textwrap
import threading
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from jupyter_agenttools import PermissionAnswer, Session, hook
from jupyter_agenttools.core.errors import SettingsError
from jupyter_agenttools.core.events import SettingsEvent
from jupyter_agenttools.core.prompting import RuleUpdate
from jupyter_agenttools.settings import SettingsPlaces, load_settings
from tests.support.settings import SettingsLab, make_lab
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio

ALLOW = {"permissions": {"allow": ["Echo"]}}
DENY = {"permissions": {"allow": ["Echo"], "deny": ["Echo"]}}


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SettingsLab:
    return make_lab(tmp_path, monkeypatch)


class Told:
    """Keeps what was said of settings, and lets somebody wait for it."""

    def __init__(self) -> None:
        self.events: list[SettingsEvent] = []
        self._came = threading.Event()

    def on_settings(self, event: SettingsEvent) -> None:
        self.events.append(event)
        self._came.set()

    async def first(self) -> SettingsEvent:
        assert await anyio.to_thread.run_sync(self._came.wait, 20)
        return self.events[0]


@asynccontextmanager
async def watching(lab: SettingsLab, own: Any = None, **options: Any) -> AsyncIterator[Session]:
    options = {"prompter": "deny", **options}
    session = Session(cwd=lab.project, settings=lab.load(own), tools=[echo_tool()], watch_settings=True, **options)
    try:
        yield session
    finally:
        await session.aclose()


async def status(session: Session) -> str:
    return (await session.call("Echo", {"text": "x"})).status


@pytest.mark.parametrize("source", ["userSettings", "projectSettings", "localSettings", "managed"])
async def test_the_next_call_is_judged_by_what_is_on_disk(source: str, lab: SettingsLab) -> None:
    async with watching(lab) as session:
        assert await status(session) == "denied"
        lab.write(source, ALLOW)
        assert await status(session) == "ok"
        lab.write(source, DENY)
        assert await status(session) == "denied"
        lab.path(source).unlink()
        assert (await session.decide("Echo", {"text": "x"})).behavior == "ask"


async def test_nothing_is_read_again_unless_it_was_asked_for(lab: SettingsLab) -> None:
    lab.write("userSettings", ALLOW)
    session = Session(cwd=lab.project, settings=lab.load(), tools=[echo_tool()], prompter="deny")
    lab.write("userSettings", DENY)
    assert await status(session) == "ok"
    session.reload_settings()
    assert await status(session) == "denied"


async def test_a_session_without_files_reads_none(lab: SettingsLab) -> None:
    lab.write("userSettings", ALLOW)
    session = Session(cwd=lab.project, tools=[echo_tool()], prompter="deny", watch_settings=True)
    assert session.reload_settings().layers == ()
    assert await status(session) == "denied"
    session.reload_settings(ALLOW)
    assert await status(session) == "ok"
    with pytest.raises(SettingsError, match=r"permissions\.allow"):
        session.reload_settings({"permissions": {"allow": "Echo"}})
    assert await status(session) == "ok"


async def test_a_file_that_breaks_makes_everything_ask_and_mends(lab: SettingsLab) -> None:
    path = lab.write("userSettings", ALLOW)
    async with watching(lab) as session:
        path.write_text(path.read_text()[:-1])
        assert (await session.decide("Echo", {"text": "x"})).behavior == "ask"
        assert session.settings.broken
        lab.write("userSettings", ALLOW)
        assert await status(session) == "ok"


async def test_a_byte_more_takes_the_approval_away(lab: SettingsLab) -> None:
    path = lab.write("projectSettings", ALLOW)
    async with watching(lab) as session:
        assert await status(session) == "ok"
        path.write_text(path.read_text() + "\n")
        assert await status(session) == "denied"
        lab.write("projectSettings", ALLOW)
        assert await status(session) == "ok"


async def test_what_was_chosen_in_the_session_stays(lab: SettingsLab) -> None:
    lab.write("userSettings", ALLOW)
    async with watching(lab, {"permissions": {"deny": ["Own"], "allow": ["Mine"]}}) as session:
        await session.keep_rules([RuleUpdate("Bash(ls *)"), RuleUpdate("Bash(rm *)", behavior="deny")])
        session.modify_state(lambda state: _with_mode(state, "plan"))
        lab.write("userSettings", {"permissions": {"allow": ["Other"], "defaultMode": "acceptEdits"}})
        await session.decide("Echo", {"text": "x"})
        permission = session.state.permission
    assert permission.mode == "plan"
    assert permission.always_allow_rules == {"userSettings": ("Other",), "session": ("Mine", "Bash(ls *)")}
    assert permission.always_deny_rules == {"session": ("Own", "Bash(rm *)")}


def _with_mode(state: Any, mode: Any) -> Any:
    from dataclasses import replace

    return replace(state, permission=replace(state.permission, mode=mode))


async def test_a_mode_that_comes_to_be_forbidden_is_left(lab: SettingsLab) -> None:
    async with watching(lab, {"permissions": {"defaultMode": "bypassPermissions"}}) as session:
        assert session.state.permission.mode == "bypassPermissions"
        lab.write("managed", {"permissions": {"disableBypassPermissionsMode": "disable"}})
        await session.decide("Echo", {"text": "x"})
        permission = session.state.permission
    assert (permission.mode, permission.is_bypass_permissions_mode_available) == ("default", False)


async def test_a_deny_rule_that_comes_while_a_person_is_asked_holds(lab: SettingsLab) -> None:
    async def ask(request: Any) -> PermissionAnswer:
        lab.write("localSettings", {"permissions": {"deny": ["Echo"]}})
        return PermissionAnswer("allow", answered_by="widget")

    async with watching(lab, prompter=ask) as session:
        outcome = await session.call("Echo", {"text": "x"})
    assert outcome.status == "denied"
    assert "localSettings" in outcome.text


async def test_a_rule_that_is_saved_counts_from_its_file(lab: SettingsLab) -> None:
    scopes = ("session", "localSettings", "projectSettings", "userSettings")
    async with watching(lab, rule_scopes=scopes) as session:
        await session.keep_rules([RuleUpdate("Echo", "localSettings")])
        assert session.state.permission.always_allow_rules == {"localSettings": ("Echo",)}
        lab.write("localSettings", {})
        assert await status(session) == "denied"


async def test_a_rule_in_a_file_that_nobody_approved_counts_in_the_session_alone(lab: SettingsLab) -> None:
    lab.write("localSettings", {"permissions": {"allow": ["Bash"]}}, trusted=False)
    async with watching(lab, rule_scopes=("localSettings",)) as session:
        await session.keep_rules([RuleUpdate("Echo", "localSettings")])
        assert session.state.permission.always_allow_rules == {"session": ("Echo",)}
        assert await status(session) == "ok"


async def test_where_only_managed_rules_allow_no_rule_is_kept(lab: SettingsLab) -> None:
    asked: list[Any] = []

    async def ask(request: Any) -> PermissionAnswer:
        asked.append(request.scopes)
        return PermissionAnswer("allow", rule_updates=(RuleUpdate("Echo"),), answered_by="widget")

    async with watching(lab, prompter=ask) as session:
        await session.keep_rules([RuleUpdate("Echo")])
        lab.write("managed", {"allowManagedPermissionRulesOnly": True})
        outcome = await session.call("Echo", {"text": "x"})
        assert not session.state.permission.always_allow_rules
    assert asked == [()] and outcome.status == "denied" and "only the managed settings" in outcome.text


# ---- told as it happens


async def test_a_change_is_noticed_without_a_call(lab: SettingsLab) -> None:
    async with watching(lab) as session:
        told = Told()
        session.observers.attach(told)
        path = lab.write("localSettings", {"permissions": {"deny": ["Echo"]}}, where=".agenttools")
        event = await told.first()
        assert event.paths == (str(path),)
        assert session.state.permission.always_deny_rules == {"localSettings": ("Echo",)}
        lines = session.transcript.path.read_text()
    assert '"type":"settings"' in lines.replace(": ", ":")


async def test_a_hook_may_refuse_a_change_but_not_a_managed_one(lab: SettingsLab) -> None:
    command = f"{sys.executable} -c 'import sys; print(\"no\", file=sys.stderr); sys.exit(2)'"
    refusing = {"hooks": {"ConfigChange": [{"hooks": [{"type": "command", "command": command}]}]}}
    async with watching(lab, refusing) as session:
        lab.write("userSettings", ALLOW)
        assert await status(session) == "denied"
        lab.write("managed", ALLOW)
        assert await status(session) == "ok"


async def test_what_takes_rights_away_counts_while_a_hook_thinks(lab: SettingsLab) -> None:
    lab.write("userSettings", ALLOW)
    async with watching(lab) as session:
        inside, go = anyio.Event(), anyio.Event()

        @hook("ConfigChange")
        async def think(data: Any) -> None:
            inside.set()
            await go.wait()

        session._settings.close()  # the calls of this test notice the change, not the thread
        session._settings._watcher = _Idle()
        session.add_hook(think)
        lab.write("userSettings", DENY)
        async with anyio.create_task_group() as group:
            group.start_soon(status, session)
            await inside.wait()
            assert await status(session) == "denied"
            go.set()


class _Idle:
    def close(self) -> None: ...


def test_no_process_is_kept_alive(lab: SettingsLab) -> None:
    code = textwrap.dedent("""
        import os, sys
        from jupyter_agenttools import Session
        from jupyter_agenttools.settings import load_settings
        session = Session(settings=load_settings(os.getcwd()), watch_settings=True)
        print("made")
    """)
    run = subprocess.run([sys.executable, "-c", code], cwd=lab.project, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (0, "made\n", "")


async def test_a_session_that_is_forgotten_takes_its_watcher_along(lab: SettingsLab) -> None:
    def threads() -> set[threading.Thread]:
        return {thread for thread in threading.enumerate() if thread.name == "settings-watcher"}

    before = threads()
    session = Session(cwd=lab.project, settings=lab.load(), watch_settings=True)
    (mine,) = threads() - before
    gone = threading.Event()
    weakref.finalize(session, gone.set)
    del session
    gc.collect()
    assert await anyio.to_thread.run_sync(gone.wait, 20)
    await anyio.to_thread.run_sync(mine.join, 20)
    assert not mine.is_alive()


async def test_a_guard_written_to_disk_while_a_call_is_asked_about_has_its_say(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    (home / ".claude").mkdir(parents=True)
    project.mkdir()
    guard = {"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}

    def answer(request: object) -> PermissionAnswer:
        (home / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [guard]}}))
        return PermissionAnswer("allow")

    settings = load_settings(str(project), places=SettingsPlaces(home=home, managed=()))
    session = Session(project, settings, answer, watch_settings=True, session_dir=tmp_path / "session")
    outcome = await session.call("Bash", {"command": "touch ran"})
    await session.aclose()
    assert outcome.status == "denied" and not (project / "ran").exists()
