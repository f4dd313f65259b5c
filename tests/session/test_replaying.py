"""What would be said to recorded calls under other rules and hooks; nothing may run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import hook
from jupyter_agenttools.core.permission_updates import AddRules
from jupyter_agenttools.render import view_text
from jupyter_agenttools.session import Replay, replay, replay_view
from tests.support.tools import calling, echo_tool
from tests.support.transcripts import session_in

pytestmark = pytest.mark.anyio

RULES = {"permissions": {"allow": ["Echo", "Bash(touch a)"], "deny": ["Bash(rm *)"]}}


def words(replayed: Replay) -> list[tuple[str, str, bool]]:
    return [(call.was, call.now, call.is_changed) for call in replayed.calls]


def names_in(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


async def recorded(folder: Path, settings: dict[str, Any] = RULES) -> Path:
    """A transcript: allowed, allowed by a rule, denied by a rule, asked and allowed, asked and denied, failed."""
    session = session_in(folder, settings=settings, prompter=lambda request: "yes" in str(request.input))
    await session.call("Echo", {"text": "x"})
    await session.call("Bash", {"command": "touch a"})
    await session.call("Bash", {"command": "rm a"})
    await session.call("Bash", {"command": "touch yes"})
    await session.call("Bash", {"command": "touch no"})
    await session.call("Echo", {"nonsense": 1})
    await session.aclose()
    return session.transcript.path


async def test_under_the_same_rules_nothing_changes(tmp_path: Path) -> None:
    replayed = await replay(await recorded(tmp_path), settings=RULES, tools=[echo_tool()])
    assert words(replayed) == [
        ("allow", "allow", False),
        ("allow", "allow", False),
        ("deny", "deny", False),
        ("ask", "ask", False),
        ("ask", "ask", False),
        ("failed", "deny", False),
    ]
    assert replayed.changed == () and "judged as it was" in view_text(replay_view(replayed))
    assert replayed.calls[3].call.verdict.answer.startswith("allowed")
    assert replayed.calls[4].call.verdict.answer.startswith("denied")


async def test_other_rules_change_what_they_are_about(tmp_path: Path) -> None:
    rules = {"permissions": {"allow": ["Bash(touch *)"], "deny": ["Echo"]}}
    replayed = await replay(await recorded(tmp_path), settings=rules, tools=[echo_tool()])
    assert [(c.title, c.was, c.now) for c in replayed.changed] == [
        ("Echo text=x", "allow", "deny"),
        ("$ rm a", "deny", "ask"),
        ("$ touch yes", "ask", "allow"),
        ("$ touch no", "ask", "allow"),
    ]
    text = view_text(replay_view(replayed))
    assert "4 of 6 change" in text and "denied by the rule Echo" in text and "asked, allowed" in text


async def test_nothing_runs_and_nothing_is_written(tmp_path: Path) -> None:
    ran: list[str] = []
    path = await recorded(tmp_path)
    before = path.read_bytes(), names_in(path.parent), names_in(tmp_path)
    (tmp_path / "a").unlink()
    tool = calling("Echo", lambda input, context: ran.append(input.text))
    await replay(path, settings={"permissions": {"allow": ["Echo", "Bash(touch *)", "Bash(rm *)"]}}, tools=[tool])
    assert not ran and not (tmp_path / "a").exists()
    (tmp_path / "a").touch()
    assert before == (path.read_bytes(), names_in(path.parent), names_in(tmp_path))


async def test_hooks_that_are_given_have_their_say(tmp_path: Path) -> None:
    seen: list[str] = []

    @hook("PreToolUse", matcher="Bash")
    def no_touching(event: dict[str, Any]) -> dict[str, Any] | None:
        seen.append(event["tool_input"]["command"])
        if "touch" not in event["tool_input"]["command"]:
            return None
        return {"permissionDecision": "deny", "permissionDecisionReason": "hands off"}

    path = await recorded(tmp_path)
    replayed = await replay(path, settings=RULES, hooks=[no_touching], tools=[echo_tool()])
    assert seen == ["touch a", "rm a", "touch yes", "touch no"]
    assert [(c.title, c.now) for c in replayed.changed] == [(f"$ touch {x}", "deny") for x in ("a", "yes", "no")]
    assert all("hands off" in call.why and call.decided_by == "hook" for call in replayed.changed)


async def test_hooks_of_the_settings_are_named_and_not_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    command = {"matcher": "Bash", "hooks": [{"type": "command", "command": f"touch {mark}"}]}
    path = await recorded(tmp_path)
    replayed = await replay(path, settings={**RULES, "hooks": {"PreToolUse": [command]}}, tools=[echo_tool()])
    assert not mark.exists() and "would have its say first" in replayed.calls[1].notes[0]
    assert not replayed.calls[0].notes


async def test_each_call_is_judged_where_and_how_it_was(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    session = session_in(tmp_path, settings={}, prompter=lambda request: True)
    await session.call("Bash", {"command": "cd sub"})
    await session.call("Write", {"file_path": str(tmp_path / "x"), "content": "1"})
    session.set_mode("plan")
    await session.call("Write", {"file_path": str(tmp_path / "y"), "content": "1"})
    session.set_mode("default")
    await session.update_permissions([AddRules(("Bash(ls *)",), "deny", "session")])
    await session.call("Bash", {"command": "ls -l"})
    await session.aclose()
    replayed = await replay(session.transcript.path, settings={})
    assert [call.call.mode for call in replayed.calls] == ["default", "default", "plan", "default"]
    assert replayed.calls[1].call.cwd == str(tmp_path / "sub")
    assert not replayed.changed


async def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    session = session_in(work)
    await session.call("Echo", {"text": "x"})
    await session.aclose()
    work.rmdir()
    replayed = await replay(session, settings={}, tools=[echo_tool()])
    assert "is gone" in replayed.notes[0] and words(replayed) == [("allow", "ask", True)]


async def test_a_tool_that_is_not_there_is_denied(tmp_path: Path) -> None:
    replayed = await replay(await recorded(tmp_path), settings=RULES)
    assert replayed.calls[0].now == "deny" and "Echo" in replayed.calls[0].why
