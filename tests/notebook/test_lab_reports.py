"""What a page of the front end is told when a person wants to look, and the steps that it may answer."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_agenttools import Session, UsageError
from jupyter_agenttools.core.events import StageEvent
from jupyter_agenttools.core.stepping import StepChoice
from jupyter_agenttools.notebook.lab.pages import Pages
from jupyter_agenttools.notebook.lab.presence import NAME, presence_line
from jupyter_agenttools.notebook.lab.reports import report
from jupyter_agenttools.notebook.lab.wishes import PageWishes
from jupyter_agenttools.notebook.open_steps import OpenStep, OpenSteps
from jupyter_agenttools.render.walk import trace_so_far

pytestmark = pytest.mark.anyio


def session(folder: Path, **permissions: Any) -> Session:
    return Session(cwd=folder, settings={"permissions": permissions}, prompter="deny", session_dir=folder / "session")


class Walker:
    """Goes on at every stop, and remembers where that was."""

    def __init__(self) -> None:
        self.events: list[StageEvent] = []

    async def between(self, event: StageEvent, next_stage: str, may_edit: bool) -> StepChoice:
        self.events.append(event)
        return StepChoice("next")


async def test_rules_come_with_their_place_and_those_of_the_session_can_go(tmp_path: Path) -> None:
    told = report(session(tmp_path, allow=["Bash(ls *)"], deny=["Read(.env)"]), "rules")
    assert [(rule["behavior"], rule["text"]) for rule in told["rules"]] == [
        ("deny", "Read(.env)"),
        ("allow", "Bash(ls *)"),
    ]
    assert told["total"] == 2 and str(tmp_path) in told["folders"]


async def test_the_plan_is_told_in_plan_mode_only(tmp_path: Path) -> None:
    one = session(tmp_path)
    assert report(one, "plan") == {"path": "", "text": ""}
    one.set_mode("plan")
    told = report(one, "plan")
    assert told["path"].endswith(".md") and told["text"] == ""


async def test_what_there_is_not_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no report 'x'"):
        report(session(tmp_path), "x")


@pytest.mark.parametrize(
    "args", [{"query": 3}, {"limit": 0}, {"order": "middle"}, {"path": "/etc/passwd"}, {"query": "x" * 1_001}]
)
async def test_arguments_that_a_report_does_not_take_are_refused(tmp_path: Path, args: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"'history' cannot be made with these arguments: {next(iter(args))}"):
        report(session(tmp_path), "history", args)


async def test_the_walk_so_far_is_a_trace_of_its_stages(tmp_path: Path) -> None:
    walker = Walker()
    await session(tmp_path).call("Glob", {"pattern": "*"}, stepper=walker)
    told = trace_so_far(walker.events[:2])
    assert [stage["name"] for stage in told["stages"]] == ["parse_input", "validate_input"]
    assert (told["tool"], told["status"]) == ("Glob", "waiting")


@pytest.fixture
async def stopped(tmp_path: Path) -> tuple[OpenSteps, OpenStep]:
    walker, steps = Walker(), OpenSteps()
    await session(tmp_path).call("Glob", {"pattern": "*"}, stepper=walker)
    step = OpenStep(tuple(walker.events[:1]), "validate_input", False, "cell", Future(), "walk")
    steps.open(step)
    return steps, step


def wishes(steps: OpenSteps, said: list[str]) -> PageWishes:
    lab = SimpleNamespace(channel=SimpleNamespace(tell=lambda message: said.append(message["text"])))
    return PageWishes(lab, SimpleNamespace(steps=steps))  # type: ignore[arg-type]


def wish(step: OpenStep, action: str, **args: Any) -> dict[str, Any]:
    id = step.key
    return {"v": 1, "client": "c", "type": "command", "name": "step", "args": {"id": id, "action": action, **args}}


async def test_a_step_is_answered_once(stopped: tuple[OpenSteps, OpenStep]) -> None:
    steps, step = stopped
    said: list[str] = []
    wishes(steps, said).take(wish(step, "run_on"))
    wishes(steps, said).take(wish(step, "abort"))
    assert step.choice.result() == StepChoice("run_on")
    assert said == ["this call does not wait between stages any more"]
    wishes(steps, said).take(wish(step, "next"))
    assert len(said) == 1, "a key that comes between two stops"


@pytest.mark.parametrize("action", ["next", "run_on"])
async def test_a_late_wish_does_not_count_for_another_call_with_the_same_id(
    stopped: tuple[OpenSteps, OpenStep], action: str
) -> None:
    steps, step = stopped
    said: list[str] = []
    steps.close(step)
    again = replace(step, choice=Future(), key="another")
    steps.open(again)
    wishes(steps, said).take(wish(step, action))
    assert steps.all() == (again,)


@pytest.mark.parametrize(
    ("action", "args"), [("explode", {}), ("edit", {}), ("edit", {"input": "x"}), ("edit", {"input": {}})]
)
async def test_a_wish_that_cannot_be_is_refused(
    stopped: tuple[OpenSteps, OpenStep], action: str, args: dict[str, Any]
) -> None:
    steps, step = stopped
    said: list[str] = []
    wishes(steps, said).take(wish(step, action, **args))
    assert not step.choice.done() and len(said) == 1


def test_the_status_says_whether_a_page_has_the_extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab: Any = SimpleNamespace(pages=Pages())
    monkeypatch.setattr("jupyter_core.paths.jupyter_path", lambda name: [str(tmp_path / name)])
    assert "absent" in presence_line(lab) and "make labextension" in presence_line(lab)
    folder = tmp_path / "labextensions" / NAME
    folder.mkdir(parents=True)
    (folder / "package.json").write_text("{}")
    assert "reload the page" in presence_line(lab)
    lab.pages.take({"type": "hello", "client": "c"})
    assert presence_line(lab) == "JupyterLab extension: loaded in 1 page"
