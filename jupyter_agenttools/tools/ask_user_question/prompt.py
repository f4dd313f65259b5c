"""What the model is told of AskUserQuestion, and how its result reads to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tool import Answered, AskUserQuestionOutput

DESCRIPTION = "Ask the person up to four questions with choices, and wait for the answers."

PROMPT = """\
- Use it when the work depends on something that only the person can decide, and cannot be found out by looking.
- Each question has a short header and two to four options that exclude each other, or multiSelect when several can be
  taken. The person can always answer in words of their own, so leave out options such as Other.
- When you recommend an option, put it first and say so in its label.
- preview shows what an option comes to, as Markdown (a sketch, a piece of code), where a look says more than words.
- Do not ask whether a plan is good or whether to begin: that is what ExitPlanMode does."""


def result_text(output: AskUserQuestionOutput) -> str:
    """The result as the model reads it."""
    if not any(answered.answers for answered in output.answered):
        return "The person chose nothing and leaves it to you: decide yourself, and say what you decided."
    return "\n".join(("The person answered:", *(line for each in output.answered for line in _lines(each))))


def _lines(answered: Answered) -> Iterator[str]:
    said = "; ".join(answered.answers) if answered.answers else "(no answer; decide yourself)"
    yield f"- {answered.question} → {said}"
    if answered.notes:
        yield f"  Note of the person: {answered.notes}"
