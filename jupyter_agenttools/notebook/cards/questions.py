"""The card with the model's questions to a person: choices, words of one's own, and a preview."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ipywidgets import Widget

from ...core.prompting import PermissionAnswer
from ...core.views import TextBlockView, ToolView
from ...render import view_html
from ...render.chars import escape, one_line, visible
from ...session import Session
from ..prompts import OpenPrompt
from .ask import AskCard
from .deny_drawer import DenyDrawer
from .face import NAME_CHARS, odd_signs_html
from .page import attribute
from .parts import Post, WidgetBag, heading_html

LABEL_CHARS = 400
WRAP = ".agt-ask .widget-radio-box label,.agt-ask .widget-checkbox label{white-space:normal;height:auto}"
"""A choice is shown whole, however long what it means is."""

QUESTION_CLASS = "agt-question"
GROUP = f"""
(style=>{{
const box=style.closest('.{QUESTION_CLASS}'),name=style.nextElementSibling.dataset.question;
if(!box)return;
box.setAttribute('role','group');
box.setAttribute('aria-label',name);
const id=window.agtQuestions=(window.agtQuestions||0)+1;
const dress=()=>{{
box.querySelectorAll('input[type=radio]:not([name])').forEach(field=>field.name='agt-question-'+id);
box.querySelectorAll('input[type=text]:not([aria-label])').forEach(field=>
field.setAttribute('aria-label','Other: '+name))
}};
dress();
new MutationObserver(dress).observe(box,{{childList:true,subtree:true}})
}})(this)
"""
"""Names a question's fields by the question, and makes its choices one stop of the Tab key: widgets say neither."""


class Given(NamedTuple):
    """What a person says to one question: labels of options or own words; and the preview of what was taken."""

    question: str
    answers: tuple[str, ...]
    preview: str = ""


class QuestionPart:
    """One question with its fields.

    Args:
        question: as the tool's input has it. bag: makes the widgets. post: hands a callback over to the loop.

    Attributes:
        widgets: what to show, from top to bottom.
    """

    def __init__(self, question: Mapping[str, Any], bag: WidgetBag, post: Post) -> None:
        self._text = str(question["question"])
        self._options: Sequence[Mapping[str, Any]] = question["options"]
        self._several = bool(question.get("multiSelect"))
        labels = [one_line(f"{option['label']} – {option['description']}", LABEL_CHARS) for option in self._options]
        name = one_line(self._text, LABEL_CHARS)
        if self._several:
            self._fields: tuple[Any, ...] = tuple(bag.checkbox(label, hint=name) for label in labels)
        else:
            self._fields = (bag.radio(tuple(labels), hint=name),)
        self._other = bag.text("Other", hint="in your own words")
        self._preview = bag.html("") if any(option.get("preview") for option in self._options) else None
        for field in self._fields if self._preview is not None else ():
            field.observe(lambda _: post(self._show_preview), "value" if self._several else "index")
        preview = (self._preview,) if self._preview is not None else ()
        inside = (bag.html(self._html(question)), *self._fields, *preview, self._other)
        self.widgets: tuple[Widget, ...] = (bag.column(*inside, css=QUESTION_CLASS),)

    def _html(self, question: Mapping[str, Any]) -> str:
        style = "font-family:var(--jp-ui-font-family,sans-serif);color:var(--jp-ui-font-color1,inherit);line-height:1.4"
        chip = "border:1px solid currentColor;border-radius:9px;padding:0 7px;font-size:11px;margin-right:6px"
        how = " <small>(several can be taken)</small>" if self._several else ""
        header = f'<span style="{chip}">{escape(question.get("header", ""))}</span>'
        brought = f'<style onload="{attribute(GROUP.replace(chr(10), ""))}">{WRAP}</style>'
        named = f'data-question="{escape(one_line(self._text, LABEL_CHARS))}"'
        return f'{brought}<div {named} style="{style};margin-top:6px">{header}<b>{escape(self._text)}</b>{how}</div>'

    def _taken(self) -> list[Mapping[str, Any]]:
        if self._several:
            return [option for option, field in zip(self._options, self._fields, strict=True) if field.value]
        index = self._fields[0].index
        return [] if index is None else [self._options[index]]

    def given(self) -> Given | None:
        """The answer, ``None`` when there is none. Own words stand instead of a choice, or beside several."""
        other, taken = self._other.value.strip(), self._taken()
        if other and not self._several:
            taken = []
        labels = (*(str(option["label"]) for option in taken), *((other,) if other else ()))
        preview = next((str(o["preview"]) for o in taken if o.get("preview")), "") if len(taken) == 1 else ""
        return Given(self._text, labels, preview) if labels else None

    def _show_preview(self) -> None:
        assert self._preview is not None
        previews = [(str(o["label"]), str(o["preview"])) for o in self._taken() if o.get("preview")]
        views = (
            ToolView(f"Preview: {visible(label)}", blocks=(TextBlockView(text, markdown=True),))
            for label, text in previews
        )
        self._preview.value = "".join(view_html(view) for view in views)


class QuestionsCard(AskCard):
    """Up to four questions, answered together."""

    def __init__(self, prompt: OpenPrompt, session: Session, bag: WidgetBag, post: Post) -> None:
        super().__init__(prompt, session, bag, post)
        self._parts = tuple(QuestionPart(question, bag, post) for question in self.request.input["questions"])
        count = len(self._parts)
        title = "A question for you" if count == 1 else f"{count} questions for you"
        name = one_line(f"{title}: {self.request.view.title}", NAME_CHARS)
        decline = "Refuse to answer; the model is told why"
        self.build(
            bag.html(heading_html(title, name=name) + odd_signs_html(self.request)),
            *(widget for part in self._parts for widget in part.widgets),
            buttons=(
                self.button("Send answers", "Answer with what is chosen here", self._send, "y", "success"),
                self.button("Skip", "Leave it to the model", self._skip, "s"),
                self.button("Decline…", decline, self._decline, "n", "warning"),
            ),
        )

    def _send(self) -> None:
        given = [answer for part in self._parts if (answer := part.given()) is not None]
        if not given:
            self.complain("nothing is chosen: choose something, write under Other, or skip it")
        else:
            self.answer(
                PermissionAnswer("allow", updated_input=answered_input(self.request.input, given), answered_by="widget")
            )

    def _skip(self) -> None:
        self.answer(PermissionAnswer("allow", answered_by="widget"))

    def _decline(self) -> None:
        if isinstance(self.drawer, DenyDrawer):
            self.drawer.send()
        else:
            self.open(DenyDrawer(self, "Reason", "Decline", _declined_words, "Decline & stop the turn"))


def _declined_words(reason: str) -> str:
    return f"the person does not answer{f': {reason}' if reason else ''}"


def answered_input(input: Mapping[str, Any], given: Sequence[Given]) -> dict[str, Any]:
    """The tool's input with the answers of a person in it."""
    answers = {each.question: each.answers[0] if len(each.answers) == 1 else list(each.answers) for each in given}
    notes = {each.question: {"preview": each.preview} for each in given if each.preview}
    return {**input, "answers": answers, **({"annotations": notes} if notes else {})}
