"""How questions to a person look, where they are not drawn as a form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...core.texts import visible
from ...core.views import Density, TableBlockView, TextBlockView, ToolView, ViewBlock

if TYPE_CHECKING:
    from .tool import AskUserQuestionOutput

NAME = "Question"


def _questions(input: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    raw = input.get("questions")
    return [each for each in raw if isinstance(each, Mapping)] if isinstance(raw, (list, tuple)) else []


def _text(value: Any) -> str:
    return visible(value) if isinstance(value, str) else ""


def summary(input: Mapping[str, Any]) -> str:
    """The headers of the questions; works while the input is still incomplete."""
    return ", ".join(filter(None, (_text(question.get("header")) for question in _questions(input))))


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    title = f"{NAME}: {summary(input)}".rstrip(": ")
    if density == "condensed":
        return ToolView(title)
    return ToolView(title, blocks=tuple(block for each in _questions(input) for block in _blocks(each)))


def _blocks(question: Mapping[str, Any]) -> Iterator[ViewBlock]:
    several = " (several can be taken)" if question.get("multiSelect") else ""
    yield TextBlockView(f"{_text(question.get('question'))}{several}")
    options = question.get("options")
    shown = [each for each in options if isinstance(each, Mapping)] if isinstance(options, (list, tuple)) else []
    rows = ((str(n), _text(o.get("label")), _text(o.get("description"))) for n, o in enumerate(shown, 1))
    yield TableBlockView(("", "option", "what it means"), tuple(rows), kinds=("number", "text", "text"))


def render_result(output: AskUserQuestionOutput, density: Density) -> ToolView:
    title = f"{NAME}: {', '.join(visible(answered.header) for answered in output.answered)}"
    if density == "condensed":
        return ToolView(title)
    rows = tuple(
        (visible(each.question), visible("; ".join(each.answers)) or "–", visible(each.notes))
        for each in output.answered
    )
    return ToolView(title, blocks=(TableBlockView(("question", "answer", "note"), rows),))


def extract_search_text(output: AskUserQuestionOutput) -> str:
    return "\n".join(" ".join((each.question, *each.answers, each.notes)) for each in output.answered)
