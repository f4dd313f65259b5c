"""Classifiers: both questions at once, started early, and never a wider decision."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.pipeline.classifiers import Opinion, ParallelClassifier, Question

pytestmark = pytest.mark.anyio

ALLOW = {"permissions": {"allow": ["Bash(echo *)"]}}


class Says:
    """A classifier with a fixed answer to each question."""

    def __init__(self, **answers: Any) -> None:
        self.answers, self.asked = answers, []

    async def classify(self, text: str, question: Question) -> Opinion:
        self.asked.append((question, text))
        answer = self.answers.get(question, Opinion(False))
        if isinstance(answer, Exception):
            raise answer
        return answer


async def outcome_of(tmp_path: Path, classifier: Any, timeout_s: float = 5.0, **settings: Any) -> Any:
    session = Session(
        cwd=tmp_path,
        settings={**ALLOW, **settings},
        session_dir=tmp_path / "s",
        classifier=ParallelClassifier(classifier, timeout_s),
    )
    return await session.call("Bash", {"command": "echo hello"})


async def test_one_that_objects_to_nothing_changes_nothing(tmp_path: Path) -> None:
    outcome = await outcome_of(tmp_path, Says())
    assert outcome.status == "ok" and outcome.decision.trace[-1].check == "classifier"


async def test_without_a_classifier_the_stage_is_skipped(tmp_path: Path) -> None:
    session = Session(cwd=tmp_path, settings=ALLOW, session_dir=tmp_path / "s")
    outcome = await session.call("Bash", {"command": "echo hello"})
    assert outcome.events[2].status == "skipped" and "classifier" not in {s.check for s in outcome.decision.trace}


async def test_deny_wins_over_ask(tmp_path: Path) -> None:
    outcome = await outcome_of(tmp_path, Says(deny=Opinion(True, "bad idea"), ask=Opinion(True, "hm")))
    assert outcome.status == "denied"
    assert (outcome.decision.behavior, outcome.decision.decided_by) == ("deny", "classifier")
    assert outcome.decision.reason == "bad idea"


@pytest.mark.parametrize(
    "classifier",
    [Says(ask=Opinion(True, "hm")), Says(deny=RuntimeError("x")), Says(deny="yes"), Says(ask=Opinion("yes"))],  # type: ignore[arg-type]
)
async def test_an_objection_or_a_fault_makes_an_allowed_call_ask(tmp_path: Path, classifier: Any) -> None:
    outcome = await outcome_of(tmp_path, classifier)
    if classifier.answers == {"ask": Opinion("yes")}:  # type: ignore[arg-type]
        assert outcome.status == "ok", "an answer that is not true does not apply"
    else:
        assert outcome.status == "denied", "nobody is there to be asked"


async def test_one_that_never_answers_allows_nothing(tmp_path: Path) -> None:
    class Silent:
        async def classify(self, text: str, question: Question) -> Opinion:
            await anyio.sleep_forever()
            raise AssertionError

    outcome = await outcome_of(tmp_path, Silent(), timeout_s=0.05)
    assert outcome.status == "denied"


async def test_both_questions_run_at_the_same_time(tmp_path: Path) -> None:
    class Meets:
        def __init__(self) -> None:
            self.barrier = 0

        async def classify(self, text: str, question: Question) -> Opinion:
            self.barrier += 1
            with anyio.fail_after(5):
                while self.barrier < 2:
                    await anyio.lowlevel.checkpoint()
            return Opinion(False)

    assert (await outcome_of(tmp_path, Meets())).status == "ok"


async def test_it_starts_before_the_hooks_are_done(tmp_path: Path) -> None:
    from jupyter_agenttools import hook

    started = threading.Event()

    class Early:
        async def classify(self, text: str, question: Question) -> Opinion:
            started.set()
            return Opinion(False)

    @hook("PreToolUse", matcher="Bash")
    async def wait(event: dict[str, Any]) -> None:
        assert await anyio.to_thread.run_sync(started.wait, 5)

    session = Session(
        cwd=tmp_path,
        settings=ALLOW,
        hooks=[wait],
        session_dir=tmp_path / "s",
        classifier=ParallelClassifier(Early()),
    )
    assert (await session.call("Bash", {"command": "echo hello"})).status == "ok"


async def test_a_denial_of_the_gate_stands(tmp_path: Path) -> None:
    denied = {"permissions": {"allow": ["Bash(echo *)"], "deny": ["Bash(echo *)"]}}
    outcome = await outcome_of(tmp_path, Says(), **denied)
    assert outcome.decision.decided_by == "rule" and outcome.status == "denied"
