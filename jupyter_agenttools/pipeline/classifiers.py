"""Classifiers that start early: two questions asked at the same time, and a verdict that can only tighten."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import anyio
import anyio.to_thread

from ..core.call import CallState
from ..core.decision import Decision, DecisionStep
from ..core.faults import faults

TIMEOUT_S = 20.0
"""A classifier that has not answered by then counts as failed."""

Question = Literal["deny", "ask"]


class Opinion(NamedTuple):
    """What a classifier says of one question: whether the text is what was asked about, and why."""

    applies: bool
    reason: str = ""


class TextClassifier(Protocol):
    """Somebody who reads a call's text, usually a small model."""

    async def classify(self, text: str, question: Question) -> Opinion:
        """Does the text have to be denied, or asked about? An exception counts as a failure, which allows nothing."""
        ...


@dataclass(frozen=True)
class Verdict:
    """What came of both questions.

    Args:
        behavior: ``deny`` wins over ``ask``; ``None`` is no objection.
        reason: one sentence.
        failed: one of the questions got no answer.
    """

    behavior: Question | None
    reason: str = ""
    failed: bool = False


class Speculation:
    """A verdict that is being worked out, in a thread with a loop of its own."""

    def __init__(self, classifier: TextClassifier, text: str, timeout_s: float) -> None:
        self._classifier, self._text, self._timeout_s = classifier, text, timeout_s
        self._done: Future[Verdict] = Future()
        threading.Thread(target=self._work, name="agenttools-classifier", daemon=True).start()

    def _work(self) -> None:
        try:
            self._done.set_result(anyio.run(self._both))
        except BaseException as fault:  # whatever it is, the gate has to hear of it
            self._done.set_result(Verdict(None, f"the classifier failed: {type(fault).__name__}", True))

    async def _both(self) -> Verdict:
        answers: dict[Question, Opinion | None] = {"deny": None, "ask": None}

        async def ask(question: Question) -> None:
            try:
                answers[question] = await self._classifier.classify(self._text, question)
            except faults():  # stays None: unanswered
                return

        with anyio.move_on_after(self._timeout_s):
            async with anyio.create_task_group() as group:
                for question in answers:
                    group.start_soon(ask, question)
        return _verdict(answers)

    async def result(self) -> Verdict:
        """The verdict, as soon as it is there. Never raises; no answer in time is a failure."""
        wait = self._timeout_s + 1.0
        try:
            return await anyio.to_thread.run_sync(self._done.result, wait, abandon_on_cancel=True)
        except TimeoutError:
            return Verdict(None, f"the classifier did not answer within {self._timeout_s:g} s", True)


def _verdict(answers: dict[Question, Opinion | None]) -> Verdict:
    for question, answer in answers.items():
        if isinstance(answer, Opinion) and answer.applies is True:
            return Verdict(question, answer.reason)
    if any(not isinstance(answer, Opinion) for answer in answers.values()):
        return Verdict(None, "the classifier gave no usable answer in time", True)
    return Verdict(None)


@dataclass(frozen=True)
class ParallelClassifier:
    """Starts both questions at once, while the call goes on to its hooks.

    Args:
        classifier: who answers. timeout_s: how long it may take.
    """

    classifier: TextClassifier
    timeout_s: float = TIMEOUT_S

    def start(self, text: str, state: CallState) -> Speculation:
        """Begin to judge ``text``."""
        return Speculation(self.classifier, text, self.timeout_s)


async def with_classifier(decision: Decision, speculation: Speculation | None) -> Decision:
    """The gate's decision after the classifier had its say: never wider than before.

    A classifier that failed or was too slow makes what would be allowed ask.
    """
    if speculation is None or decision.behavior == "deny":
        return decision
    verdict = await speculation.result()
    if verdict.behavior is None and not verdict.failed:
        step = DecisionStep("classifier", "passthrough", "the classifier has no objection")
        return decision._replace(trace=(*decision.trace, step))
    behavior: Question = "deny" if verdict.behavior == "deny" else "ask"
    reason = verdict.reason or f"the classifier says {behavior}"
    trace = (*decision.trace, DecisionStep("classifier", behavior, reason))
    if decision.behavior == "ask" and behavior == "ask":
        return decision._replace(trace=trace)
    return Decision(behavior, reason, None, trace, "classifier", decision.suggestions)
