"""The logic of AskUserQuestion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.decision import PermissionResult
from ...core.names import ASK_USER_QUESTION_TOOL_NAME
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput
from ...core.texts import visible
from . import view
from .prompt import DESCRIPTION, PROMPT, result_text

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

MAX_TEXT_CHARS = 4_000
"""Of one text of a question; a person reads it before they answer."""


class QuestionOption(StrictInput):
    label: Annotated[str, Field(description="The choice in a few words")]
    description: Annotated[str, Field(description="What it means, or what comes of it")]
    preview: Annotated[str | None, Field(description="What it comes to, Markdown")] = None


class UserQuestion(StrictInput):
    question: Annotated[str, Field(description="The whole question")]
    header: Annotated[str, Field(description="What it is about, in a word", min_length=1, max_length=12)]
    options: Annotated[list[QuestionOption], Field(description="The choices", min_length=2, max_length=4)]
    multiSelect: Annotated[bool, Field(description="Whether several can be taken")] = False


class AnswerNotes(StrictInput):
    preview: Annotated[str | None, Field(description="The preview of the option that was taken")] = None
    notes: Annotated[str | None, Field(description="What the person adds")] = None


class AskUserQuestionInput(StrictInput):
    questions: Annotated[list[UserQuestion], Field(description="What to ask", min_length=1, max_length=4)]
    answers: Annotated[
        dict[str, str | list[str]] | None, Field(description="Filled by the person, by the text of the question")
    ] = None
    annotations: Annotated[
        dict[str, AnswerNotes] | None, Field(description="Filled by the person, by the text of the question")
    ] = None


@dataclass(frozen=True)
class Answered:
    """A question with what the person said to it.

    Args:
        question, header: as they were asked.
        answers: labels of options or words of their own, none when the person left it open. notes: what they added.
    """

    question: str
    header: str
    answers: tuple[str, ...] = ()
    notes: str = ""


@dataclass(frozen=True)
class AskUserQuestionOutput:
    """The questions in their order, each with its answers."""

    answered: tuple[Answered, ...]


async def validate(input: AskUserQuestionInput, context: ToolUseContext) -> ValidationResult:
    if context.agent_id is not None:
        message = "a sub-agent cannot ask the person; report back what has to be asked"
        return ValidationResult(False, message, "question-sub-agent")
    if context.options.is_non_interactive:
        message = "nobody is here who could answer; decide yourself, and say what you decided"
        return ValidationResult(False, message, "question-nobody")
    problem = next(_problems(input), None)
    return VALID if problem is None else ValidationResult(False, *problem)


def _problems(input: AskUserQuestionInput) -> Iterator[tuple[str, str]]:
    questions = [question.question for question in input.questions]
    for i, question in enumerate(input.questions):
        where = f"questions.{i}"
        texts = [question.question, *(text for o in question.options for text in (o.label, o.description))]
        if not question.question.strip() or not all(option.label.strip() for option in question.options):
            yield f"{where}: the question or the label of an option is empty", "question-empty"
        if any("\0" in text or visible(text) != text for text in texts):
            yield f"{where} holds a NUL character or half of a character, which no text can", "question-no-text"
        if any(len(text) > MAX_TEXT_CHARS for text in texts):
            yield f"{where} holds a text of more than {MAX_TEXT_CHARS:,} characters", "question-too-long"
        labels = [option.label.strip() for option in question.options]
        if len(set(labels)) != len(labels):
            yield f"{where}: two options have the same label", "question-same-label"
    if len(set(questions)) != len(questions):
        yield "two questions have the same text; answers are told apart by it", "question-same-text"
    for name, given in (("answers", input.answers), ("annotations", input.annotations)):
        if stranger := next((key for key in given or () if key not in questions), None):
            yield f"{name}: none of the questions is {visible(stranger)!r}", "question-unknown-answer"


async def call(input: AskUserQuestionInput, context: ToolUseContext) -> ToolResult[AskUserQuestionOutput]:
    return ToolResult(AskUserQuestionOutput(tuple(_answered(question, input) for question in input.questions)))


def _answered(question: UserQuestion, input: AskUserQuestionInput) -> Answered:
    given = (input.answers or {}).get(question.question, [])
    notes = (input.annotations or {}).get(question.question)
    answers = tuple(filter(None, (text.strip() for text in ([given] if isinstance(given, str) else given))))
    return Answered(question.question, question.header, answers, (notes.notes or "").strip() if notes else "")


async def check_permissions(input: AskUserQuestionInput, context: ToolUseContext) -> PermissionResult:
    return PermissionResult("passthrough", "it is a question that only a person can answer", check_id="question")


def map_result(output: AskUserQuestionOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, visible(result_text(output)))


ask_user_question_tool = build_tool(
    name=ASK_USER_QUESTION_TOOL_NAME,
    call=call,
    input_model=AskUserQuestionInput,
    primary_field="questions",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="ask the person to choose",
    validate_input=validate,
    map_tool_result=map_result,
    check_permissions=check_permissions,
    requires_user_interaction=True,
    prompt_form="questions",
    person_fields=("answers", "annotations"),
    is_read_only=True,
    user_facing_name=lambda input: view.NAME,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: "Waiting for an answer",
)
