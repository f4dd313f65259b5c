"""Trying hooks out: they run, nothing else does, and what would come of it is said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_agenttools import Session, hook
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.session import hooks_view, trials_view, try_hooks
from jupyter_agenttools.settings import load_settings
from tests.support.hooks import command, hook_settings, says
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio


def words(view: Any) -> str:
    return repr(view)


async def test_a_given_call(tmp_path) -> None:
    entry = command("echo not you >&2; exit 2")
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", entry, matcher="Bash"))
    (trial,) = await try_hooks(session, "1", "Bash", {"command": "touch made"})
    assert json.loads(trial.stdin)["tool_input"] == {"command": "touch made"}
    assert trial.answer is not None and trial.answer.exit_code == 2 and trial.answer.stderr == b"not you\n"
    assert trial.effect == "it would be blocked: not you"
    assert not (tmp_path / "made").exists() and not session.outcomes
    shown = words(trials_view([trial]))
    assert "exit code 2" in shown and "not you" in shown and "it would be blocked" in shown and "touch made" in shown


async def test_a_recorded_call_and_the_last_one(tmp_path) -> None:
    settings = hook_settings("PostToolUse", says({"decision": "block", "reason": "hm"}))
    session = Session(cwd=tmp_path, settings=settings, tools=[echo_tool()])
    await session.call("Echo", {"text": "one"}, tool_use_id="toolu_0001")
    await session.call("Echo", {"text": "two"}, tool_use_id="toolu_0002")
    (recorded,) = await try_hooks(session, "PostToolUse", call_id="0001")
    assert json.loads(recorded.stdin)["tool_response"] == "one"
    (last,) = await try_hooks(session, "printf")
    assert json.loads(last.stdin)["tool_response"] == "two" and last.effect == "the model would be told: hm"


async def test_an_event_that_is_about_no_call(tmp_path) -> None:
    settings = hook_settings("UserPromptSubmit", command("cat"))
    session = Session(cwd=tmp_path, settings=settings)
    (trial,) = await try_hooks(session, "UserPromptSubmit", input={"prompt": "mine"})
    assert json.loads(trial.stdin)["prompt"] == "mine"


async def test_what_does_not_run_in_earnest_does_not_run_here(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / ".claude").mkdir()
    hooks = hook_settings("PreToolUse", command("touch ran"))["hooks"]
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}))
    session = Session(cwd=tmp_path, settings=load_settings(str(tmp_path)), tools=[echo_tool()])
    (trial,) = await try_hooks(session, "1", "Echo", {"text": "x"})
    assert trial.answer is None and "nobody has approved" in trial.skipped and not (tmp_path / "ran").exists()
    assert "nobody has approved" in words(hooks_view(session.hook_events))
    assert "Not run" in words(trials_view([trial]))


async def test_a_call_that_the_hook_does_not_meet(tmp_path) -> None:
    settings = hook_settings("PreToolUse", command("touch ran", **{"if": "Bash(git *)"}), matcher="Bash")
    session = Session(cwd=tmp_path, settings=settings)
    (trial,) = await try_hooks(session, "1", "Bash", {"command": "ls"})
    assert trial.answer is None and "does not meet" in trial.skipped and not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("selector", "options", "said"),
    [
        ("9", {}, "no hook is meant by '9'"),
        ("nothing", {}, "no hook is meant"),
        ("1", {}, "no call to try it on"),
        ("1", {"call_id": "beef"}, "no recorded call has the id beef"),
        ("1", {"tool": "Nope", "input": {}}, "no tool is named"),
        ("1", {"tool": "Echo", "input": {"colour": 1}}, "`colour`"),
    ],
)
async def test_mistakes(tmp_path, selector: str, options: dict[str, Any], said: str) -> None:
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", command("true")), tools=[echo_tool()])
    with pytest.raises(UsageError, match=said):
        await try_hooks(session, selector, **options)


async def test_the_list_names_every_hook_with_its_source_and_state(tmp_path) -> None:
    settings = hook_settings(
        "PreToolUse", command("true", timeout=5), {"type": "agent", "prompt": "look"}, matcher="Bash"
    )
    guard = hook("PreToolUse", matcher="Edit", if_="Edit(src/**)")(lambda told: None)
    session = Session(cwd=tmp_path, settings=settings, hooks=[guard])
    shown = words(hooks_view(session.hook_events))
    for text in (
        "2 of 3 run",
        "session settings",
        "5 s, its failure: block",
        "agent: look",
        "not available here",
        "python",
    ):
        assert text in shown
    assert "Edit if Edit(src/**)" in shown
    assert "none" in words(hooks_view(Session(cwd=tmp_path).hook_events))
