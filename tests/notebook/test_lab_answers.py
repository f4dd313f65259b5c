"""What a page answers counts for the question that it was shown, and for no other one."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.core.prompting import BY_PAGE, PermissionAnswer
from jupyter_agenttools.notebook import agent_command
from jupyter_agenttools.notebook.lab.messages import Command
from jupyter_agenttools.notebook.lab.wishes import PageWishes
from jupyter_agenttools.notebook.prompts import OpenPrompt, OpenPrompts
from tests.notebook.test_open_prompts import request


class Page:
    """A page that answers the questions of one kernel, and is told what was not to be."""

    def __init__(self, prompts: OpenPrompts) -> None:
        self.said: list[str] = []
        lab: Any = SimpleNamespace(channel=SimpleNamespace(tell=lambda message: self.said.append(message["text"])))
        self._wishes = PageWishes(lab, SimpleNamespace(prompts=prompts))  # type: ignore[arg-type]

    def answer(self, question: str, behavior: str = "allow") -> None:
        self._wishes.take({"v": 1, "client": "c", "type": "answer", "question": question, "behavior": behavior})


def answers(*prompts: OpenPrompt) -> list[PermissionAnswer | None]:
    return [None if prompt.is_open else prompt.future.result() for prompt in prompts]


ALLOWED = PermissionAnswer("allow", answered_by=BY_PAGE)


def test_each_question_is_answered_by_its_own_key() -> None:
    prompts = OpenPrompts()
    one, ten = prompts.open(request("call_1")), prompts.open(request("call_10"))
    page = Page(prompts)
    page.answer(one.key)
    assert answers(one, ten) == [ALLOWED, None] and not page.said


@pytest.mark.parametrize("later", ["call_0", "call_0_2"], ids=["the same id", "a longer id"])
def test_a_late_answer_counts_for_no_other_question(later: str) -> None:
    prompts = OpenPrompts()
    before = prompts.open(request("call_0"))
    before.answer(PermissionAnswer("deny"))
    prompts.close(before)
    prompt, page = prompts.open(request(later)), Page(prompts)
    for question in (before.key, prompt.key[:8], "call_0", later, ""):
        page.answer(question)
    assert prompt.is_open and page.said == ["this question is not open any more"] * 5


def test_two_agents_may_ask_with_the_same_id() -> None:
    prompts = OpenPrompts()
    first, second = prompts.open(request("call_0")), prompts.open(request("call_0"))
    assert prompts.all() == (first, second)
    page = Page(prompts)
    page.answer(second.key, "deny")
    prompts.close(second)
    assert first.is_open and prompts.all() == (first,) and second.future.result().behavior == "deny"


@pytest.mark.parametrize("behavior", ["allow", "deny"])
def test_a_page_does_not_answer_what_a_line_is_read_for(behavior: str) -> None:
    prompts = OpenPrompts()
    prompt, page, told = prompts.open(request("call_0")), Page(prompts), []
    prompts.listen(lambda: told.append(prompt.answers))
    prompts.put_on_line(prompt)
    assert told == [()]
    page.answer(prompt.key, behavior)
    assert prompt.is_open and page.said == ["Bash: it is asked in a line below its cell, type the answer there"]


def test_questions_with_choices_are_allowed_on_their_card_alone() -> None:
    prompts = OpenPrompts()
    asked = (replace(request(form), tool_name=form, form=form) for form in ("approval", "plan", "questions"))
    approval, plan, questions = map(prompts.open, asked)
    assert approval.answers == plan.answers == ("allow", "deny") and questions.answers == ("deny",)
    page = Page(prompts)
    page.answer(plan.key)
    page.answer(questions.key)
    assert answers(plan, questions) == [ALLOWED, None]
    assert page.said == ["questions: something has to be chosen, which can be done on its card"]
    page.answer(questions.key, "deny")
    assert questions.future.result().behavior == "deny"


def test_agent_approve_answers_what_a_page_may_answer_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_command, "show", lambda *_: None)
    prompts = OpenPrompts()
    plain, line, questions = (prompts.open(request(id)) for id in ("plain", "line", "asks"))
    prompts.put_on_line(line)
    questions.request = replace(questions.request, form="questions")
    runtime: Any = SimpleNamespace(prompts=prompts)
    for id, behavior, why in (
        ("line", "allow", "in a line"),
        ("line", "deny", "in a line"),
        ("asks", "allow", "chosen"),
    ):
        with pytest.raises(UsageError, match=f"the question {id} cannot be answered from here: .*{why}"):
            agent_command._answer(runtime, id, PermissionAnswer(behavior))
    assert answers(line, questions) == [None, None]
    for id, behavior in (("plain", "allow"), ("asks", "deny")):
        agent_command._answer(runtime, id, PermissionAnswer(behavior))
    assert answers(plain, questions) == [PermissionAnswer("allow"), PermissionAnswer("deny")]
    with pytest.raises(UsageError, match="answered already"):
        agent_command._answer(runtime, "plain", PermissionAnswer("allow"))


@pytest.mark.anyio
async def test_what_goes_wrong_with_a_wish_is_told() -> None:
    async def stop_and_wait(_: str) -> None:
        raise OSError(28, "No space left on device")

    jobs = SimpleNamespace(find=lambda _: SimpleNamespace(stop_and_wait=stop_and_wait))
    told: list[dict[str, Any]] = []
    lab: Any = SimpleNamespace(channel=SimpleNamespace(tell=told.append))
    wishes = PageWishes(lab, SimpleNamespace(session=SimpleNamespace(jobs=jobs)))  # type: ignore[arg-type]
    for id in ("", "7"):
        await wishes._run(Command(v=1, client="c", type="command", name="stop-job", args={"id": "1"}, id=id))
    words = "OSError: [Errno 28] No space left on device"
    report = {"type": "report", "to": "c", "id": "7", "ok": False, "data": words}
    assert told == [{"type": "notice", "text": words}, report]
