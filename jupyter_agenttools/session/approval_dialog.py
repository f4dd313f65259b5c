"""May this call run? Asked and answered line by line: what is shown, and what a typed line stands for.

Every line that is asked for on the way to an answer can be left again: an empty line where Enter stands for nothing
else, or the word ``back``, leads to the question. Nothing is allowed by a line that is not understood.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any

from ..core.errors import UsageError
from ..core.prompting import PermissionAnswer, PermissionRequest, RuleScope, RuleUpdate
from ..render.chars import one_line, visible
from ..render.text import view_text
from ..render.why import why_lines
from .asked_call import command_reading, main_text, odd_signs, who_asks, why_asked, with_all_arguments
from .back_testing import BackTest, back_test, back_test_view, read_rules
from .edited import problem_of_input
from .form_dialog import form_dialog
from .rule_places import rule_place

if TYPE_CHECKING:
    from .session import Session

Work = Callable[[], Awaitable[Any]]
Dialog = Generator[str | Work, Any, PermissionAnswer]
"""Yields each text to show before a line is read, and is sent the line; yields what has to be awaited, and is sent what
came of it; returns the answer."""
Part = Generator[str | Work, Any, Any]

BACK = "back"
HELP: Mapping[str, str] = {
    "y": "allow it once",
    "a": "always allow: you choose the rule and where it is kept, and see what else it would have allowed",
    "e": "edit the input first; it is judged again",
    "n [reason]": "deny it; the model is told the reason",
    "s [reason]": "deny it and stop the turn",
    "w": "why it is asked: every step of the judgement",
}
WORDS: Mapping[str, str] = {
    "yes": "y", "always": "a", "edit": "e", "no": "n", "stop": "s", "why": "w", "?": "help", "h": "help",
}  # fmt: skip
ALONE = frozenset({"y", "e", "w", "help"})
"""What has nothing behind it: whoever writes "yes, but …" means something else than yes."""
TITLE_CHARS = 200


class _Back(Exception):
    """The person wants to see the question again."""


def request_dialog(request: PermissionRequest, session: Session) -> Dialog:
    """The dialog for any request."""
    if request.form == "approval":
        return (yield from approval_dialog(request, session))
    return (yield from form_dialog(request))


def approval_dialog(request: PermissionRequest, session: Session) -> Dialog:
    """The dialog for a call that a person is asked to allow."""
    shown = _question(request, session)
    while True:
        typed = (yield f"{shown}\n{_prompt(request)}").strip()
        try:
            answer = yield from _answer(typed, request, session)
        except _Back:
            answer = f"Nothing is decided yet about {one_line(request.view.title, TITLE_CHARS)}"
        if isinstance(answer, PermissionAnswer):
            return answer
        shown = answer


def _question(request: PermissionRequest, session: Session) -> str:
    """The whole call, what to look at twice, and why it is asked."""
    signs = [f"  {words}" for words in odd_signs(request.input)]
    warning = ["Look twice: this input holds characters that deceive.", *signs] if signs else []
    reason = f"{who_asks(request)}: {visible(why_asked(request, session))}"
    return "\n".join((view_text(with_all_arguments(request)), *warning, reason))


def _prompt(request: PermissionRequest) -> str:
    always = "a = always allow, " if request.scopes else ""
    choices = f"y = allow once, {always}e = edit, n [reason] = deny, s [reason] = deny and stop, w = why, ? = help"
    return f"Allow {request.tool_name}? [{choices}] "


def _help(request: PermissionRequest) -> str:
    kept = {key: text for key, text in HELP.items() if key != "a" or request.scopes}
    return "\n".join(f"  {key:<12}{text}" for key, text in kept.items())


def _answer(typed: str, request: PermissionRequest, session: Session) -> Part:
    """The answer, or the text with which the question is put again."""
    word, _, rest = typed.partition(" ")
    word, rest = WORDS.get(word.lower(), word.lower()), rest.strip()
    if word in ALONE and rest:
        return f"{one_line(typed, TITLE_CHARS)!r} is no answer: nothing is written behind {word}.\n{_help(request)}"
    match word:
        case "y":
            return PermissionAnswer("allow", answered_by="stdin")
        case "n" | "s":
            return PermissionAnswer("deny", rest, answered_by="stdin", interrupt=word == "s")
        case "a" if request.scopes:
            updates = yield from _rules(rest, request, session)
            return PermissionAnswer("allow", rule_updates=updates, answered_by="stdin")
        case "e":
            edited = yield from _input(request, session)
            return PermissionAnswer("allow", updated_input=edited, answered_by="stdin")
        case "w":
            return _why(request, session)
        case "help":
            return _help(request)
    said = f"{one_line(typed, TITLE_CHARS)!r} is no answer" if typed else "Nothing was typed"
    return f"{said}. One of these:\n{_help(request)}"


def _why(request: PermissionRequest, session: Session) -> str:
    text = main_text(request, session)
    lines = why_lines(request.decision, text, lambda step: rule_place(session.settings, step))
    return "\n".join(("How it was judged:", *lines, *map(visible, command_reading(request, session))))


def _line(prompt: str, default: str = "") -> Part:
    """One line on the way to an answer.

    Raises:
        _Back: the person wants to see the question again.
    """
    typed = (yield prompt).strip() or default
    if not typed or typed.lower() == BACK:
        raise _Back
    return typed


# ---- always allow


def _rules(typed: str, request: PermissionRequest, session: Session) -> Part:
    """The rules as the person wants them: they can be read, cover this call, and what else they allow was seen."""
    offered = ", ".join(request.offered)
    prompt = f"Rule to keep [Enter = {offered}, {BACK}]: " if offered else f"Rule to keep [empty = {BACK}]: "
    shown = ""
    while True:
        typed, wanted = "", typed or (yield from _line(shown + prompt, offered))
        test = yield lambda wanted=wanted: _tested(wanted, request, session)
        if isinstance(test, str):
            shown = f"{test}\n"
        elif test.is_harmless or (yield from _is_kept(test)):
            scope = yield from _scope(request)
            return tuple(RuleUpdate(rule, scope) for rule in test.rules)
        else:
            shown = "Not kept. "


async def _tested(typed: str, request: PermissionRequest, session: Session) -> BackTest | str:
    """What the rules would have done, or why they cannot be kept."""
    try:
        rules = read_rules(typed)
        if not session.rule_covers(rules, request):
            return f"The rule {typed} would not allow this call."
        return await back_test(session, rules, request)
    except UsageError as problem:
        return str(problem)


def _is_kept(test: BackTest) -> Part:
    typed = yield from _line(f"{view_text(back_test_view(test))}\nKeep it? [y, Enter = another rule, {BACK}] ", "no")
    return typed.lower() in ("y", "yes")


def _scope(request: PermissionRequest) -> Part:
    """Where the rules are kept: named by its name or the beginning of it."""
    scopes, shown = request.scopes, ""
    if len(scopes) == 1:
        return scopes[0]
    names = {scope: scope.removesuffix("Settings") for scope in scopes}
    prompt = f"Keep it in {' / '.join(names.values())} [Enter = {names[scopes[0]]}, {BACK}]: "
    while True:
        typed = yield from _line(shown + prompt, scopes[0])
        found: list[RuleScope] = [scope for scope in scopes if scope.lower().startswith(typed.lower())]
        if len(found) == 1:
            return found[0]
        shown = f"{one_line(typed, TITLE_CHARS)!r} is none of them.\n"


# ---- edit


def _input(request: PermissionRequest, session: Session) -> Part:
    """The whole new input: one that fits its schema, that its tool accepts, and that no rule denies."""
    tool = session.find_tool(request.tool_name)
    field = tool.body_field if tool and isinstance(request.input.get(tool.body_field or ""), str) else None
    what = f"New {field}, or the whole input as JSON" if field else "New input as JSON"
    shown = ""
    while True:
        typed = yield from _line(f"{shown}{what} [empty = {BACK}]: ")
        try:
            edited = read_input(request.input, field, typed)
        except UsageError as problem:
            shown = f"{problem}\n"
            continue
        problem = yield lambda edited=edited: problem_of_input(session, request, edited)
        if not problem:
            return edited
        shown = f"Not yet: {visible(problem)}\n"


def read_input(input: Mapping[str, Any], field: str | None, typed: str) -> dict[str, Any]:
    """The whole input that a typed line stands for.

    Raises:
        UsageError: it is no JSON object, and there is no field for plain text.
    """
    try:
        value = json.loads(typed)
    except ValueError as error:
        if field:
            return {**input, field: typed}
        raise UsageError(f"not JSON: {error}") from None
    if isinstance(value, dict):
        return value
    if field:
        return {**input, field: typed}
    raise UsageError('the input must be a JSON object, e.g. {"field": "value"}')
