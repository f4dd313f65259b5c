"""AskUserQuestion: a person answers, and nobody else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import PermissionAnswer, PermissionRequest, Session
from jupyter_agenttools.hooks import Hook

pytestmark = pytest.mark.anyio


def option(label: str, **more: Any) -> dict[str, Any]:
    return {"label": label, "description": f"about {label}", **more}


def question(text: str = "Which one?", **more: Any) -> dict[str, Any]:
    return {"question": text, "header": "Choice", "options": [option("A"), option("B")], **more}


def answering(tmp_path: Path, **more: Any) -> tuple[Session, list[PermissionRequest]]:
    asked: list[PermissionRequest] = []

    def answer(request: PermissionRequest) -> PermissionAnswer:
        asked.append(request)
        return PermissionAnswer("allow", updated_input={**request.input, **more} if more else None)

    return Session(cwd=tmp_path, prompter=answer), asked


async def ask(session: Session, *questions: dict[str, Any], **more: Any) -> Any:
    return await session.call("AskUserQuestion", {"questions": list(questions), **more})


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"Which one?": "A"}, "- Which one? → A"),
        ({"Which one?": ["A", "B"]}, "- Which one? → A; B"),
        ({"Which one?": "neither: make it «blue»"}, "- Which one? → neither: make it «blue»"),
        ({}, "leaves it to you"),
    ],
)
async def test_the_answers_come_back_word_for_word(answers: Any, said: str, tmp_path: Path) -> None:
    session, asked = answering(tmp_path, answers=answers)
    outcome = await ask(session, question())
    assert outcome.status == "ok" and said in outcome.text
    assert len(asked) == 1 and asked[0].form == "questions"


async def test_notes_and_open_questions(tmp_path: Path) -> None:
    session, _ = answering(tmp_path, answers={"One?": "A"}, annotations={"One?": {"notes": "but quickly"}})
    outcome = await ask(session, question("One?"), question("Two?"))
    assert "Note of the person: but quickly" in outcome.text and "Two? → (no answer" in outcome.text


async def test_a_model_cannot_answer_for_the_person(tmp_path: Path) -> None:
    session, asked = answering(tmp_path)
    outcome = await ask(session, question(), answers={"Which one?": "A"}, annotations={"Which one?": {"notes": "n"}})
    assert outcome.status == "ok" and "leaves it to you" in outcome.text
    assert "answers" not in asked[0].input and "annotations" not in asked[0].input


async def test_neither_can_it_after_a_hook_has_seen_the_call(tmp_path: Path) -> None:
    seen: list[Any] = []
    session, _ = answering(tmp_path)
    session.add_hook(Hook("PreToolUse", lambda payload: seen.append(payload["tool_input"]), "looks"))
    await ask(session, question(), answers={"Which one?": "A"})
    assert "answers" not in seen[0]


async def test_a_hook_that_brings_the_answers_may_answer(tmp_path: Path) -> None:
    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        input = {**payload["tool_input"], "answers": {"Which one?": "B"}}
        said = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": input}
        return {"hookSpecificOutput": said}

    session, asked = answering(tmp_path)
    session.add_hook(Hook("PreToolUse", answer, "answers"))
    outcome = await ask(session, question())
    assert "- Which one? → B" in outcome.text and not asked


async def test_without_answers_a_hook_only_lets_the_person_be_asked(tmp_path: Path) -> None:
    session, asked = answering(tmp_path, answers={"Which one?": "A"})
    session.add_hook(Hook("PermissionRequest", lambda payload: "allow", "yes to all"))
    assert (await ask(session, question())).status == "ok" and len(asked) == 1


async def test_a_person_who_declines(tmp_path: Path) -> None:
    session = Session(cwd=tmp_path, prompter=lambda request: PermissionAnswer("deny", "not now"))
    outcome = await ask(session, question())
    assert outcome.status == "denied" and "not now" in outcome.text


@pytest.mark.parametrize("settings", [{}, {"defaultMode": "bypassPermissions"}, {"allow": ["AskUserQuestion"]}])
async def test_where_nobody_can_be_asked_it_says_how_to_go_on(settings: Any, tmp_path: Path) -> None:
    outcome = await ask(Session(cwd=tmp_path, settings={"permissions": settings}), question())
    assert outcome.status == "denied" and "Decide yourself" in outcome.text


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ([], "questions"),
        ([question(f"{n}?") for n in range(5)], "questions"),
        ([question(options=[option("A")])], "options"),
        ([question(options=[option(str(n)) for n in range(5)])], "options"),
        ([question(header="thirteen char")], "header"),
        ([question(header="")], "header"),
        ([question("")], "empty"),
        ([question(options=[option("A"), option(" ")])], "empty"),
        ([question(options=[option("A"), option("A")])], "same label"),
        ([question(), question()], "same text"),
        ([question(multiSelect="often")], "multiSelect"),
        ([question("x" * 4_001)], "characters"),
        ([question("a\0b")], "NUL"),
        ([question(color="red")], "color"),
    ],
)
async def test_questions_that_cannot_be_put(questions: Any, said: str, tmp_path: Path) -> None:
    session, asked = answering(tmp_path, answers={})
    outcome = await ask(session, *questions)
    assert outcome.status == "error" and said in outcome.text
    assert not asked


async def test_an_answer_to_another_question_is_refused(tmp_path: Path) -> None:
    session, _ = answering(tmp_path, answers={"What?": "A"})
    outcome = await ask(session, question())
    assert outcome.status == "error" and "none of the questions" in outcome.text


async def test_previews_are_kept_for_the_card(tmp_path: Path) -> None:
    session, asked = answering(tmp_path, answers={"Which one?": "A"})
    shown = question(options=[option("A", preview="```\n+--+\n```"), option("B")])
    await ask(session, shown)
    assert asked[0].input["questions"][0]["options"][0]["preview"] == "```\n+--+\n```"
