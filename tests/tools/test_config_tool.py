"""Config: what can be looked at, what can be set, and that nothing gives rights without a person."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from jupyter_agenttools import PermissionAnswer, Session
from jupyter_agenttools.core.context import PermissionMode
from jupyter_agenttools.permissions.mode_order import is_narrower
from jupyter_agenttools.tools.config.options import OPTIONS

pytestmark = pytest.mark.anyio

MODES = OPTIONS["permissionMode"].values
ALLOWED = {"permissions": {"allow": ["Config"]}}


def session(tmp_path: Any, mode: str = "default", prompter: Any = "deny", **permissions: Any) -> Session:
    settings = {"permissions": {"allow": ["Config"], "defaultMode": mode, **permissions}}
    return Session(cwd=tmp_path, settings=settings, prompter=prompter)


async def config(session: Session, setting: str, value: Any = None) -> Any:
    return await session.call("Config", {"setting": setting, **({} if value is None else {"value": value})})


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("permissionMode", 'permissionMode is "plan"'),
        ("notebookOutputs", 'notebookOutputs is "clear"'),
        ("model", "model is null"),
        ("sandbox", 'sandbox is "off"'),
    ],
)
async def test_looking_needs_nobody_in_any_mode(setting: str, said: str, tmp_path: Any) -> None:
    outcome = await config(Session(cwd=tmp_path, settings={"permissions": {"defaultMode": "plan"}}), setting)
    assert (outcome.status, outcome.text) == ("ok", said)


async def test_folders_are_told(tmp_path: Any) -> None:
    outcome = await config(session(tmp_path, additionalDirectories=["/data"]), "workingDirectories")
    assert outcome.text == f'workingDirectories is ["{tmp_path}", "/data"]'


@pytest.mark.parametrize("mode", [mode for mode in get_args(PermissionMode) if mode not in ("plan", "dontAsk")])
@pytest.mark.parametrize("value", MODES)
async def test_a_mode_that_lets_more_pass_is_put_to_a_person(mode: str, value: str, tmp_path: Any) -> None:
    asked: list[Any] = []

    async def ask(request: Any) -> PermissionAnswer:
        asked.append(request)
        return PermissionAnswer("deny", answered_by="widget")

    here = session(tmp_path, mode, ask)
    outcome = await config(here, "permissionMode", value)
    if is_narrower(value, mode):
        assert (outcome.status, here.state.permission.mode, asked) == ("ok", value, [])
    else:
        assert (outcome.status, here.state.permission.mode, len(asked)) == ("denied", mode, 1)
        assert "lets more pass" in asked[0].decision.reason


@pytest.mark.parametrize("mode", ["plan", "dontAsk"])
async def test_the_modes_without_questions_cannot_be_left_with_it(mode: str, tmp_path: Any) -> None:
    here = session(tmp_path, mode, lambda request: True)
    assert (await config(here, "permissionMode", "acceptEdits")).status == "denied"
    assert here.state.permission.mode == mode


async def test_a_person_may_say_yes(tmp_path: Any) -> None:
    here = session(tmp_path, prompter=lambda request: True)
    outcome = await config(here, "permissionMode", "acceptEdits")
    assert outcome.text == 'permissionMode is "acceptEdits" now (before: "default")'
    assert here.state.permission.mode == "acceptEdits"
    assert (await config(here, "permissionMode", "manual")).text.startswith('permissionMode is "default"')


async def test_what_is_set_lasts_for_the_session(tmp_path: Any) -> None:
    here = session(tmp_path)
    await config(here, "notebookOutputs", "keep")
    assert here.options.notebook_outputs == "keep"
    here.reload_settings({"notebookOutputs": "clear"})
    assert here.options.notebook_outputs == "keep"


async def test_setting_without_a_rule_asks(tmp_path: Any) -> None:
    here = Session(cwd=tmp_path, prompter="deny")
    assert (await config(here, "notebookOutputs", "keep")).status == "denied"
    assert (await config(here, "permissionMode", "plan")).status == "denied"


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("permissionMode", "bypassPermissions", "it can be default, acceptEdits, plan, dontAsk"),
        ("permissionMode", "auto", "cannot be set to 'auto'"),
        ("permissions.allow", "Bash", "no setting that Config knows"),
        ("env", "X", "no setting that Config knows"),
        ("__class__", None, "no setting that Config knows"),
        ("sandbox", "off", "can only be read"),
        ("notebookOutputs", "delete\u202e", "cannot be set to"),
    ],
)
async def test_nothing_else_can_be_touched(setting: str, value: Any, said: str, tmp_path: Any) -> None:
    here = session(tmp_path, "bypassPermissions", lambda request: True)
    before = here.state
    outcome = await config(here, setting, value)
    assert outcome.status == "error" and said in outcome.text
    assert here.state == before
