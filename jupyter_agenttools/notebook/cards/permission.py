"""The card that asks a person whether a call may run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from ipywidgets import Button, Dropdown, Text, Textarea, VBox, Widget

from ...core.errors import InputValidationError, UsageError
from ...core.prompting import PermissionAnswer, PermissionRequest, RuleUpdate
from ...core.schema import parse_input
from ...permissions import parse_rule, split_rules
from ...render import view_html
from ...session import Session
from ..prompts import OpenPrompt
from .parts import TEXT_AFTER_ENTER_S, Post, WidgetBag, heading_html, problem_html

SCOPE_LABELS: Mapping[str, str] = {
    "session": "this session only",
    "localSettings": "this project, for me (.claude/settings.local.json)",
    "projectSettings": "this project, for everybody (.claude/settings.json)",
    "userSettings": "all my projects (~/.claude/settings.json)",
}


class PermissionCard:
    """Shows one question and turns clicks into its one answer.

    Args:
        prompt: the question.
        session: knows the tool and what a rule covers.
        bag: makes the widgets.
        post: hands a callback over to the loop that owns this card.

    Attributes:
        root: the widget to show.
    """

    def __init__(self, prompt: OpenPrompt, session: Session, bag: WidgetBag, post: Post) -> None:
        self._prompt, self._session, self._bag, self._post = prompt, session, bag, post
        self._request = prompt.request
        self._drawer_name = ""
        self._drawer: tuple[Widget, ...] = ()
        self._buttons = self._make_buttons()
        self._face = bag.html(self._face_html())
        self._row = bag.row(*self._buttons)
        self.root: VBox = bag.column(self._face, self._row)

    def _face_html(self) -> str:
        request = self._request
        who = f"{request.tool_name} asks to run" + (f" (agent {request.agent_id})" if request.agent_id else "")
        return heading_html(who, why_asked(request)) + view_html(request.view)

    def _make_buttons(self) -> tuple[Button, ...]:
        return (
            self._button("Allow once", "Run this call, and ask again next time", self._allow, "success"),
            self._button("Always allow…", "Choose a rule that allows such calls from now on", self._open_rule),
            self._button("Edit…", "Change the input first; it is judged again", self._open_edit),
            self._button("Deny", "Refuse this call; a second click refuses it without a reason", self._deny, "danger"),
        )

    def _button(self, label: str, hint: str, act: Any, kind: str = "") -> Button:
        hint = f"{hint} ({self._request.tool_name})"
        button = self._bag.button(label, hint, lambda: self._post(act), kind=kind)
        return button

    # ---- answers

    def _answer(self, answer: PermissionAnswer) -> None:
        if self._prompt.answer(answer):
            for button in self._buttons:
                button.disabled = True

    def _allow(self) -> None:
        self._answer(PermissionAnswer("allow", answered_by="widget"))

    def _deny(self) -> None:
        if self._drawer_name == "deny":
            self._send_denial()
            return
        self._reason: Text = self._bag.text(
            "Reason", hint="told to the model; Enter sends", on_enter=lambda: self._post(self._on_enter)
        )
        send = self._button("Send denial", "Refuse this call with this reason", self._send_denial, "danger")
        self._open("deny", self._reason, self._bag.row(send))
        self._reason.focus()

    def _on_enter(self) -> None:
        asyncio.get_running_loop().call_later(TEXT_AFTER_ENTER_S, self._post, self._send_denial)

    def _send_denial(self) -> None:
        self._answer(PermissionAnswer("deny", self._reason.value.strip(), answered_by="widget"))

    def _open_rule(self) -> None:
        offered = self._request.suggestions
        best = ", ".join(self._request.offered)
        self._rule: Text = self._bag.text(
            "Rule", best, hint="the rule, exactly as it will be kept; a comma between two"
        )
        self._scope: Dropdown = self._bag.dropdown(
            "Keep it in", tuple((SCOPE_LABELS[s], s) for s in self._request.scopes), hint="Where the rule is kept"
        )
        others = [self._suggestions(offered)] if len(offered) > 1 and not self._request.decision.together else []
        save = self._button("Save & allow", "Keep the rule and run this call", self._save_rule, "success")
        self._open("rule", self._rule, *others, self._scope, self._bag.row(save))
        self._rule.focus()

    def _suggestions(self, offered: tuple[str, ...]) -> Dropdown:
        dropdown = self._bag.dropdown(
            "Suggestions", tuple((rule, rule) for rule in offered), hint="Other rules that would cover this call"
        )
        dropdown.observe(lambda change: self._post(self._take_suggestion, change.new), "value")
        return dropdown

    def _take_suggestion(self, rule: str) -> None:
        self._rule.value = rule

    def _save_rule(self) -> None:
        text = self._rule.value.strip()
        rules = split_rules(text)
        try:
            for rule in rules or (text,):
                parse_rule(rule)
        except UsageError as error:
            self._complain(str(error))
            return
        if not self._session.rule_covers(rules, self._request):
            self._complain(f"the rule {text} would not allow this call")
            return
        updates = tuple(RuleUpdate(rule, self._scope.value) for rule in rules)
        self._answer(PermissionAnswer("allow", rule_updates=updates, answered_by="widget"))

    def _open_edit(self) -> None:
        self._field, text = editable(self._request.input, self._text_field())
        hint = f"The new {self._field}" if self._field else "The whole new input, a JSON object"
        self._text: Textarea = self._bag.textarea(self._field or "Input (JSON)", text, hint=hint)
        run = self._button("Run edited", "Judge the edited input, and run it", self._run_edited, "success")
        self._open("edit", self._text, self._bag.row(run))
        self._text.focus()

    def _text_field(self) -> str | None:
        tool = self._session.find_tool(self._request.tool_name)
        return tool.body_field if tool else None

    def _run_edited(self) -> None:
        try:
            edited = edited_input(self._request.input, self._field, self._text.value)
            tool = self._session.find_tool(self._request.tool_name)
            if tool is not None:
                parse_input(tool, edited)
        except (UsageError, InputValidationError) as error:
            self._complain(str(error))
            return
        self._answer(PermissionAnswer("allow", updated_input=edited, answered_by="widget"))

    # ---- what is open below the buttons

    def _open(self, name: str, *widgets: Widget) -> None:
        closed, self._drawer, self._drawer_name = self._drawer, widgets, name
        self.root.children = [self._face, self._row, *widgets]
        self._bag.discard(*closed)

    def _complain(self, message: str) -> None:
        kept = [w for w in self._drawer if w is not getattr(self, "_problem", None)]
        self._problem = self._bag.html(problem_html(message))
        self._drawer = (*kept, self._problem)
        self.root.children = [self._face, self._row, *self._drawer]


def why_asked(request: PermissionRequest) -> str:
    """The reason without the rule at its end that would allow the call: "Always allow" shows that one."""
    rules = request.offered
    return request.decision.reason.removesuffix(f"; {' and '.join(rules)} would") if rules else request.decision.reason


def editable(input: Mapping[str, Any], field: str | None) -> tuple[str, str]:
    """What a person edits: the main text of the input and its field, or ``""`` and the JSON of the whole input."""
    if field and isinstance(input.get(field), str):
        return field, input[field]
    return "", json.dumps(dict(input), indent=2, ensure_ascii=False)


def edited_input(input: Mapping[str, Any], field: str, text: str) -> dict[str, Any]:
    """The whole input after an edit.

    Raises:
        UsageError: the text is no JSON object.
    """
    if field:
        return {**input, field: text}
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError('the input must be a JSON object, e.g. {"field": "value"}')
    return value
