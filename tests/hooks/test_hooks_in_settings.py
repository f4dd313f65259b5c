"""The ``hooks`` of settings: what is accepted, what is refused, and what stands in for hooks that cannot run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core.errors import SettingsError
from jupyter_agenttools.hooks import EVENTS, FIRED, hooks_from_settings
from jupyter_agenttools.hooks.from_settings import HookSettingsError
from jupyter_agenttools.hooks.handlers import CommandHandler, HttpHandler, PromptHandler, UnavailableHandler
from jupyter_agenttools.settings import load_settings, trust_workspace_file
from tests.support.hooks import ALLOWED, command, hook_settings, says
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio


def one(entry: dict[str, Any], event: str = "PreToolUse") -> Any:
    (hook,) = hooks_from_settings({event: [{"matcher": "Bash", "hooks": [entry]}]}, source="s").hooks
    return hook


def test_every_documented_event_is_accepted_and_those_that_never_happen_are_named() -> None:
    raw = {event: [{"hooks": [command("true")]}] for event in (*EVENTS, "Sometimes")}
    loaded = hooks_from_settings(raw, source="here")
    assert {hook.event for hook in loaded.hooks} == set(EVENTS)
    silent = {note.split(":")[0].removeprefix("hooks.") for note in loaded.notes}
    assert silent == (set(EVENTS) - FIRED) | {"Sometimes"}
    assert all(hook.source == "here" for hook in loaded.hooks)


def test_every_documented_field_is_read() -> None:
    hook = one(
        command(
            "x", args=["a"], timeout=2.5, statusMessage="wait", shell="bash", **{"if": "Bash(git *)", "async": True}
        )
    )
    assert hook.handler == CommandHandler("x", ("a",), "bash")
    assert (hook.timeout_s, hook.status_message, hook.if_, hook.runs_async) == (2.5, "wait", "Bash(git *)", True)
    http = one({"type": "http", "url": "http://h/x", "headers": {"A": "$B"}, "allowedEnvVars": ["B"]})
    assert http.handler == HttpHandler("http://h/x", {"A": "$B"}, ("B",))
    prompt = one({"type": "prompt", "prompt": "ok? $ARGUMENTS", "model": "m", "continueOnBlock": True})
    assert prompt.handler == PromptHandler("ok? $ARGUMENTS", "m", True) and prompt.limit_s == 30
    assert one(command("x", asyncRewake=True)).runs_async
    for entry in ({"type": "mcp_tool", "server": "s", "tool": "t"}, {"type": "agent", "prompt": "look"}):
        assert isinstance(one(entry).handler, UnavailableHandler)


@pytest.mark.parametrize(
    ("event", "limit_s"), [("PreToolUse", 600), ("UserPromptSubmit", 30), ("MessageDisplay", 10), ("SessionEnd", 1.5)]
)
def test_default_time_limits(event: str, limit_s: float) -> None:
    assert one(command("x"), event).limit_s == limit_s


def test_the_end_of_a_session_has_its_budget_whatever_a_hook_asks_for() -> None:
    assert one(command("x", timeout=600), "SessionEnd").limit_s == 1.5


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ([], "`hooks` is not an object"),
        ({"PreToolUse": {}}, "`hooks.PreToolUse` is not a list"),
        ({"PreToolUse": ["x"]}, r"`hooks.PreToolUse\[0\]` is not an object"),
        ({"PreToolUse": [{"matcher": 1, "hooks": []}]}, r"\[0\].matcher` is not text"),
        ({"PreToolUse": [{"matcher": "(", "hooks": []}]}, r"\[0\].matcher` cannot be read"),
        ({"PreToolUse": [{"matcher": "Bash"}]}, r"\[0\].hooks` is not a list"),
        ({"PreToolUse": [{"hooks": [{"command": "x"}]}]}, r"hooks\[0\].type` is none of command, http"),
        ({"PreToolUse": [{"hooks": [{"type": "command"}]}]}, r"\.command` is missing"),
        ({"PreToolUse": [{"hooks": [command("x", timeout="5")]}]}, r"\.timeout` is no number of seconds"),
        ({"PreToolUse": [{"hooks": [command("x", timeout=0)]}]}, r"\.timeout`"),
        ({"PreToolUse": [{"hooks": [command("x", timeout=True)]}]}, r"\.timeout`"),
        ({"PreToolUse": [{"hooks": [command("x", args="a b")]}]}, r"\.args` is not a list of texts"),
        ({"PreToolUse": [{"hooks": [command("x", shell="fish")]}]}, r"\.shell` is none of bash, powershell"),
        ({"PreToolUse": [{"hooks": [command("x", onFailure="shrug")]}]}, r"\.onFailure` is none of block, ask, pass"),
        ({"PreToolUse": [{"hooks": [{"type": "http", "url": "file:///etc/passwd"}]}]}, r"\.url` is no http"),
        ({"PreToolUse": [{"hooks": [{"type": "http", "url": "http://h", "headers": {"A": 1}}]}]}, r"\.headers`"),
    ],
)
def test_a_mistake_names_its_key(raw: Any, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        hooks_from_settings(raw, source="s")


@pytest.mark.parametrize("name", ["pretooluse", "PreToolUSe", "pre_tool_use", "PreToolUses", "ToolUse", "PretoolUse "])
def test_a_mistyped_event_is_a_mistake(name: str) -> None:
    with pytest.raises(SettingsError, match=r"is not an event; write `hooks\.PreToolUse`"):
        hooks_from_settings({name: [{"hooks": [command("exit 2")]}]}, source="s")


@pytest.mark.parametrize("name", ["Sometimes", "PermissionGranted", "ModelChanged", "description", ""])
def test_another_word_is_only_noted(name: str) -> None:
    loaded = hooks_from_settings({name: [{"hooks": [command("exit 2")]}]}, source="s")
    assert loaded.hooks == () and "there is no event of that name" in loaded.notes[0]


def test_events_are_not_looked_for_one_level_too_deep_or_in_two_places() -> None:
    events = {"PreToolUse": [{"hooks": [command("exit 2")]}]}
    with pytest.raises(SettingsError, match="stand right below `hooks`"):
        hooks_from_settings({"hooks": events}, source="s")
    with pytest.raises(SettingsError, match=r"`hooks\.PreToolUse` stands beside"):
        hooks_from_settings({"description": "x", "hooks": {}, **events}, source="s")


def test_settings_of_a_program_with_hooks_that_cannot_be_read_are_refused(tmp_path) -> None:
    with pytest.raises(SettingsError, match="matcher"):
        Session(cwd=tmp_path, settings=hook_settings("PreToolUse", command("true"), matcher="("))


def test_what_a_terminal_would_obey_is_spelled_out_in_names() -> None:
    raw = {"PreToolUse": [{"hooks": [command("echo \x1b[2J\u202efdp")]}], "\x1b]0;x": []}
    loaded = hooks_from_settings(raw, source="s")
    assert loaded.hooks[0].name == "echo \\u001b[2J\\u202efdp"
    assert loaded.notes[0].startswith("hooks.\\u001b]0;x")


def test_the_form_of_a_plugin_file() -> None:
    raw = {"description": "a plugin", "hooks": {"Stop": [{"hooks": [command("true")]}]}}
    assert [hook.event for hook in hooks_from_settings(raw, source="s").hooks] == ["Stop"]


def test_once_counts_in_skills_only() -> None:
    raw = {"PreToolUse": [{"hooks": [command("true", once=True)]}]}
    loaded = hooks_from_settings(raw, source="s")
    assert not loaded.hooks[0].once and "skills only" in loaded.notes[0]
    assert hooks_from_settings(raw, source="s", in_skill=True).hooks[0].once


# ---- hooks of files


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "project" / ".claude").mkdir(parents=True)
    return tmp_path / "project"


def written(project: Path, settings: Any) -> Path:
    path = project / ".claude" / "settings.json"
    path.write_text(json.dumps(settings))
    return path


async def status_of_echo(project: Path, **settings: Any) -> tuple[str, Session]:
    session = Session(cwd=project, settings=load_settings(str(project), {"permissions": ALLOWED}), tools=[echo_tool()])
    return (await session.call("Echo", {"text": "x"})).status, session


async def test_hooks_of_a_project_run_once_somebody_approved_the_file(project) -> None:
    path = written(project, {"hooks": hook_settings("PreToolUse", command("touch ran"), matcher="Echo")["hooks"]})
    status, session = await status_of_echo(project)
    assert status == "denied"  # the guard cannot run, so its calls ask, and nobody answers here
    assert not (project / "ran").exists()
    assert any("nobody has approved" in note and str(path) in note for note in session.hook_events.notes)
    trust_workspace_file(path)
    status, session = await status_of_echo(project)
    assert status == "ok" and (project / "ran").exists() and session.hook_events.notes == ()


@pytest.mark.parametrize(
    "hooks",
    [
        *({"PreToolUse": nothing} for nothing in ({}, None, 0, False, "")),
        {"pretooluse": [{"hooks": [command("exit 2")]}]},
        {"hooks": {"PreToolUse": [{"hooks": [command("exit 2")]}]}},
    ],
    ids=lambda hooks: json.dumps(hooks)[:30],
)
async def test_hooks_under_a_mistake_make_every_call_ask(project, hooks: Any) -> None:
    path = Path.home() / ".claude" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"permissions": ALLOWED, "hooks": hooks}, indent=1))
    status, session = await status_of_echo(project)
    assert status == "denied"
    (name,) = hooks
    written_as = f'  "{name}": '
    (line,) = (n for n, text in enumerate(path.read_text().splitlines(), 1) if text.startswith(written_as))
    assert any(f"{path}, line {line}: `hooks.{name}`" in note for note in session.hook_events.notes)


async def test_hooks_for_a_tool_that_nobody_has_are_noted(project) -> None:
    groups = [
        {"matcher": "bash", "hooks": [command("exit 2")]},
        {"matcher": "Edit|Wirte|mcp__bash|Task", "hooks": [command("exit 3")]},
        {"matcher": "^bash$", "hooks": [command("exit 4")]},
        {"matcher": "Notebook.*|note|[bB]ash", "hooks": [command("exit 5", **{"if": "bash(touch *)"})]},
        {"matcher": "*", "hooks": [command("exit 6", **{"if": "Bash(touch *)"})]},
    ]
    written(project, {"hooks": {"PreToolUse": groups}})
    _, session = await status_of_echo(project)
    noted = [note for note in session.hook_events.notes if "did you mean" in note]
    assert [note.partition("the ")[2].split(" of ")[0] for note in noted] == [
        "matcher `bash`",
        "matcher `Edit|Wirte|mcp__bash|Task`",
        "matcher `^bash$`",
        "if `bash(touch *)`",
    ]
    assert [note.rpartition("did you mean ")[2] for note in noted] == ["Bash?", "Write?", "Bash?", "Bash?"]


async def test_a_guard_that_does_not_run_leaves_other_calls_alone(project) -> None:
    written(project, {"hooks": hook_settings("PreToolUse", says({"decision": "block"}), matcher="Write")["hooks"]})
    assert (await status_of_echo(project))[0] == "ok"


async def test_what_a_pattern_means_is_not_found_out_by_running_it(project) -> None:
    written(project, {"hooks": hook_settings("PreToolUse", command("true"), matcher="^(W+)+$")["hooks"]})
    assert (await status_of_echo(project))[0] == "denied"


async def test_other_hooks_of_an_unapproved_file_change_nothing(project) -> None:
    written(project, {"hooks": hook_settings("PostToolUse", command("touch ran"), matcher="Echo")["hooks"]})
    assert (await status_of_echo(project))[0] == "ok"
    assert not (project / "ran").exists()


async def test_a_file_with_hooks_that_cannot_be_read_makes_every_call_ask(project) -> None:
    path = written(project, {"hooks": hook_settings("PostToolUse", command("true"), matcher="(")["hooks"]})
    trust_workspace_file(path)
    status, session = await status_of_echo(project)
    assert status == "denied"
    assert any(str(path) in note and "matcher" in note for note in session.hook_events.notes)


async def test_all_hooks_can_be_turned_off(project, tmp_path) -> None:
    hooks = hook_settings("PreToolUse", says({"decision": "block"}), matcher="Echo")["hooks"]
    trust_workspace_file(written(project, {"hooks": hooks}))
    assert (await status_of_echo(project))[0] == "denied"
    (tmp_path / "home" / ".claude").mkdir(parents=True)
    (tmp_path / "home" / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    status, session = await status_of_echo(project)
    assert status == "ok"
    assert [known.off for known in session.hook_events.known] == ["`disableAllHooks` is set"]


async def test_a_project_cannot_turn_off_the_hooks_of_a_person(project, tmp_path) -> None:
    (tmp_path / "home" / ".claude").mkdir(parents=True)
    hooks = hook_settings("PreToolUse", says({"decision": "block"}), matcher="Echo")["hooks"]
    (tmp_path / "home" / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}))
    written(project, {"disableAllHooks": True})
    assert (await status_of_echo(project))[0] == "denied"


@pytest.mark.parametrize("entry", [{"type": "mcp_tool", "server": "s", "tool": "t"}, {"type": "agent", "prompt": "?"}])
async def test_a_guard_of_a_kind_that_is_not_available_makes_its_calls_ask(tmp_path, entry: dict[str, Any]) -> None:
    asked: list[str] = []
    session = Session(
        cwd=tmp_path,
        settings=hook_settings("PreToolUse", entry, matcher="Echo"),
        tools=[echo_tool()],
        prompter=lambda request: asked.append(request.decision.reason) or True,
    )
    assert (await session.call("Echo", {"text": "x"})).status == "ok"
    assert "not available" in asked[0]
    assert "not available" in session.hook_events.notes[0]


# ---- where a mistake is, and how much is said of it

FILE = """\
{
  "permissions": {"allow": ["Echo"]},
  "hooks": {
    "PreToolUse": [
      {"matcher": %s, "hooks": []},
      {
        "hooks": [
          {"type": "command", "command": "true"%s,
            "timeout": %s}
        ]
      }
    ]
  }
}
"""


@pytest.mark.parametrize(
    ("matcher", "timeout", "line", "key"),
    [('"("', "5", 5, "hooks.PreToolUse[0].matcher"), ('""', '"soon"', 9, "hooks.PreToolUse[1].hooks[0].timeout")],
)
async def test_a_mistake_in_a_file_names_its_line(
    project: Path, tmp_path: Path, matcher: str, timeout: str, line: int, key: str
) -> None:
    path = tmp_path / "home" / ".claude" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(FILE % (matcher, "", timeout))
    status, session = await status_of_echo(project)
    assert status == "denied"  # one of the hooks may be a guard: every call asks
    (note,) = session.hook_events.notes
    assert note.startswith(f"{path}, line {line}: `{key}`")


def test_the_form_of_a_plugin_names_where_it_really_is() -> None:
    raw = {"description": "d", "hooks": {"Stop": {}}}
    with pytest.raises(HookSettingsError) as caught:
        hooks_from_settings(raw, source="s")
    assert caught.value.location == ("hooks", "hooks", "Stop")


HUGE = "\u202ex" * 100_000


@pytest.mark.parametrize(
    "raw",
    [
        {"PreToolUse": [{"matcher": f"({HUGE}", "hooks": []}]},
        {"PreToolUse": [{"matcher": [HUGE], "hooks": []}]},
        {"PreToolUse": HUGE},
        {"PreToolUse": [{"hooks": [{"type": HUGE}]}]},
        {"PreToolUse": [{"hooks": [{"type": {HUGE: HUGE}}]}]},
        {"PreToolUse": [{"hooks": [command("x", shell=HUGE)]}]},
        {"PreToolUse": [{"hooks": [command("x", onFailure=HUGE)]}]},
        {"PreToolUse": [{"hooks": [command("x", timeout=HUGE)]}]},
        {"PreToolUse": [{"hooks": [command("x", timeout=10**4000)]}]},
        {"PreToolUse": [{"hooks": [command("x", once=HUGE)]}]},
        {"PreToolUse": [{"hooks": [command([HUGE])]}]},
        {"PreToolUse": [{"hooks": [{"type": "http", "url": HUGE}]}]},
    ],
)
def test_a_huge_value_is_named_in_few_characters(raw: Any) -> None:
    with pytest.raises(SettingsError) as caught:
        hooks_from_settings(raw, source="s")
    said = str(caught.value)
    assert len(said) < 500 and "\u202e" not in said and "\n" not in said


def test_huge_names_are_short_in_notes_and_lists() -> None:
    loaded = hooks_from_settings({HUGE: [], "Stop": [{"hooks": [command(HUGE)]}]}, source="s")
    assert len(loaded.notes[0]) < 200 and "\u202e" not in loaded.notes[0]
    assert len(loaded.hooks[0].name) <= 60


@pytest.mark.parametrize(("number", "words"), [(1, "its hook does not run"), (2, "its 2 hooks do not run")])
async def test_one_hook_is_not_counted(project: Path, number: int, words: str) -> None:
    entries = [command(f"true {n}") for n in range(number)]
    path = written(project, {"hooks": hook_settings("PreToolUse", *entries, matcher="Echo")["hooks"]})
    notes = (await status_of_echo(project))[1].hook_events.notes
    guards = "its guard is" if number == 1 else "its 2 guards are"
    assert notes == (
        f"{path}: {words}, because nobody has approved this file as it is now; the calls that {guards} about ask",
    )
