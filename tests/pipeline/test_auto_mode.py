"""The mode auto: a classifier says yes where nobody wants a person, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import PermissionAnswer, Session
from jupyter_agenttools.core.permission_updates import SetMode
from jupyter_agenttools.hooks import Hook
from jupyter_agenttools.pipeline import Approval, AutoQuestion, auto_mode
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio
HARMLESS = Approval(True, "harmless")


class Classifier:
    """Says what it is told to say, and remembers what it was asked."""

    def __init__(self, answer: Any = HARMLESS) -> None:
        self.answer = answer
        self.asked: list[AutoQuestion] = []

    async def approve(self, question: AutoQuestion) -> Any:
        self.asked.append(question)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return await self.answer() if callable(self.answer) else self.answer


class Person:
    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def ask(self, request: Any) -> PermissionAnswer:
        self.asked.append(request)
        return PermissionAnswer("deny", "not now")


def session(tmp_path: Path, classifier: Any, person: Any = None, **permissions: Any) -> Session:
    settings = {"permissions": {"defaultMode": "auto", **permissions}}
    return Session(
        cwd=tmp_path, settings=settings, tools=[echo_tool()], prompter=person or Person(), auto_classifier=classifier
    )


async def test_what_it_approves_runs(tmp_path: Path) -> None:
    classifier, person = Classifier(), Person()
    outcome = await session(tmp_path, classifier, person).call("Bash", {"command": "touch x"})
    assert outcome.status == "ok" and (tmp_path / "x").exists()
    assert outcome.decision is not None and outcome.decision.decided_by == "classifier"
    assert "harmless" in outcome.decision.reason
    assert not person.asked
    (question,) = classifier.asked
    assert (question.tool_name, question.text, question.cwd) == ("Bash", "touch x", str(tmp_path))


async def test_what_a_tool_says_nothing_of_is_shown_whole(tmp_path: Path) -> None:
    classifier = Classifier()
    await session(tmp_path, classifier).call("Echo", {"text": "hello"})
    assert classifier.asked[0].text == '{"text": "hello"}'


@pytest.mark.parametrize(
    "answer",
    [Approval(False, "odd"), Approval("yes"), True, None, ("yes", ""), RuntimeError("down")],  # type: ignore[arg-type]
)
async def test_anything_but_a_yes_asks(answer: Any, tmp_path: Path) -> None:
    person = Person()
    outcome = await session(tmp_path, Classifier(answer), person).call("Bash", {"command": "touch x"})
    assert outcome.status == "denied" and not (tmp_path / "x").exists()
    assert [step.check for step in person.asked[0].decision.trace][-1] == "auto_mode"


async def test_one_that_hangs_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import anyio

    monkeypatch.setattr(auto_mode, "AUTO_TIMEOUT_S", 0.05)
    person = Person()
    outcome = await session(tmp_path, Classifier(anyio.sleep_forever), person).call("Echo", {"text": "x"})
    assert outcome.status == "denied" and person.asked


@pytest.mark.parametrize(
    ("name", "input", "rules"),
    [
        ("Echo", {"text": "x"}, {"ask": ["Echo"]}),
        ("Bash", {"command": "git push"}, {"ask": ["Bash(git *)"]}),
        ("Bash", {"command": "rm -rf /"}, {}),
        ("Write", {"file_path": ".git/config", "content": ""}, {}),
        ("Config", {"setting": "permissionMode", "value": "acceptEdits"}, {}),
        ("AskUserQuestion", None, {}),
    ],
)
async def test_what_wants_a_person_is_not_put_to_it(name: str, input: Any, rules: Any, tmp_path: Path) -> None:
    options = [{"label": "A", "description": ""}, {"label": "B", "description": ""}]
    if input is None:
        input = {"questions": [{"question": "Which?", "header": "H", "options": options}]}
    if "file_path" in input:
        input = {**input, "file_path": str(tmp_path / input["file_path"])}
    classifier, person = Classifier(), Person()
    assert (await session(tmp_path, classifier, person, **rules).call(name, input)).status == "denied"
    assert person.asked and not classifier.asked


async def test_a_deny_rule_needs_no_classifier(tmp_path: Path) -> None:
    classifier, person = Classifier(), Person()
    assert (await session(tmp_path, classifier, person, deny=["Echo"]).call("Echo", {"text": "x"})).status == "denied"
    assert not classifier.asked and not person.asked


async def test_a_hook_that_asks_wants_a_person(tmp_path: Path) -> None:
    classifier, person = Classifier(), Person()
    here = session(tmp_path, classifier, person)
    here.add_hook(Hook("PreToolUse", lambda payload: "ask", "looks twice"))
    await here.call("Echo", {"text": "x"})
    assert person.asked and not classifier.asked


async def test_without_a_classifier_it_asks(tmp_path: Path) -> None:
    person = Person()
    here = session(tmp_path, None, person)
    assert (await here.call("Echo", {"text": "x"})).status == "denied" and person.asked
    assert any("mode auto" in note for note in here.settings.notes)


async def test_in_other_modes_it_is_not_asked(tmp_path: Path) -> None:
    classifier, person = Classifier(), Person()
    here = session(tmp_path, classifier, person)
    await here.update_permissions([SetMode("default")])
    await here.call("Echo", {"text": "x"})
    assert person.asked and not classifier.asked
