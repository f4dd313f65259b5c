"""Asking in a line of text, on the main thread: the terminal, a console, or a cell that cannot show widgets."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from anyio.from_thread import start_blocking_portal

from ..core.errors import InputValidationError, UsageError
from ..core.events import StageEvent
from ..core.prompting import PermissionAnswer, PermissionRequest, RuleUpdate
from ..core.schema import parse_input
from ..core.stepping import StepChoice
from ..permissions import parse_rule, split_rules
from ..session import Session, back_test, back_test_view, how_to_allow

Read = Callable[[str], str]
"""Shows a prompt and returns the line that was typed: ``input``."""

CHOICES = "y = allow once, a = always allow, e = edit the input, n [reason] = deny, s [reason] = deny and stop"
STEP_CHOICES = "n = next, r = run on, a = abort, e = edit the input"


def ask_on_stdin(
    request: PermissionRequest, session: Session, read: Read, write: Callable[[str], Any], *, why: str = ""
) -> PermissionAnswer:
    """Ask one question. The end of the input, or an input that is refused, is a denial.

    Args:
        why: why it is asked here and not with buttons, one sentence.
    """
    from ..render.text import view_text

    if request.form != "approval":
        return _ask_form(request, read, why)
    write("\n".join(filter(None, (why, view_text(request.view), f"{request.tool_name}: {request.decision.reason}"))))
    try:
        while True:
            word, _, rest = read(f"Allow {request.tool_name}? [{CHOICES}] ").strip().partition(" ")
            answer = _answer(word.lower(), rest.strip(), request, session, read, write)
            if answer is not None:
                return answer
            write(f"{word!r} is no answer. {CHOICES}")
    except (EOFError, RuntimeError) as end:  # ipykernel's refusal of input() is a RuntimeError
        nobody = "the input is at its end" if isinstance(end, EOFError) else "this front end takes no input"
        return PermissionAnswer("deny", how_to_allow(request, nobody), answered_by="nobody")


def _ask_form(request: PermissionRequest, read: Read, why: str) -> PermissionAnswer:
    """A plan or questions, line by line."""
    from ..session.form_dialog import form_dialog

    dialog = form_dialog(request)
    try:
        text = "\n".join(filter(None, (why, next(dialog))))
        while True:
            text = dialog.send(read(text))
    except StopIteration as end:
        return end.value
    except (EOFError, RuntimeError) as end:
        nobody = "the input is at its end" if isinstance(end, EOFError) else "this front end takes no input"
        return PermissionAnswer("deny", how_to_allow(request, nobody), answered_by="nobody")


def _answer(
    word: str, rest: str, request: PermissionRequest, session: Session, read: Read, write: Callable[[str], Any]
) -> PermissionAnswer | None:
    if word in ("y", "yes"):
        return PermissionAnswer("allow", answered_by="stdin")
    if word in ("n", "no"):
        return PermissionAnswer("deny", rest, answered_by="stdin")
    if word in ("s", "stop"):
        return PermissionAnswer("deny", rest, answered_by="stdin", interrupt=True)
    if word in ("a", "always"):
        updates = _ask_rules(request, session, read, write)
        return PermissionAnswer("allow", rule_updates=updates, answered_by="stdin")
    if word in ("e", "edit"):
        return PermissionAnswer("allow", updated_input=_ask_input(request, session, read, write), answered_by="stdin")
    return None


def _ask_rules(
    request: PermissionRequest, session: Session, read: Read, write: Callable[[str], Any]
) -> tuple[RuleUpdate, ...]:
    """The rules as the person wants them: they must be readable and cover this call."""
    offered = ", ".join(request.offered)
    while True:
        typed = read(f"Rule [{offered}]: " if offered else "Rule: ").strip() or offered
        rules = split_rules(typed)
        try:
            for rule in rules:
                parse_rule(rule)
        except UsageError as error:
            write(str(error))
            continue
        if not rules or not session.rule_covers(rules, request):
            write(f"The rule {typed} would not allow this call.")
        elif _is_wanted(rules, request, session, read, write):
            scope = _ask_scope(request, read, write)
            return tuple(RuleUpdate(rule, scope) for rule in rules)


def _is_wanted(
    rules: Sequence[str], request: PermissionRequest, session: Session, read: Read, write: Callable[[str], Any]
) -> bool:
    """Whether rules are kept although they let more through than this call, after the person has seen what."""
    from ..render.text import view_text

    with start_blocking_portal() as portal:  # the loop of this thread waits for the person
        test = portal.call(back_test, session, rules, request)
    if test.is_harmless:
        return True
    write(view_text(back_test_view(test)))
    return read("Keep it? [y/N] ").strip().lower() in ("y", "yes")


def _ask_scope(request: PermissionRequest, read: Read, write: Callable[[str], Any]) -> Any:
    scopes = request.scopes
    while len(scopes) > 1:
        typed = read(f"Keep it in {' / '.join(scopes)} [{scopes[0]}]: ").strip() or scopes[0]
        if typed in scopes:
            return typed
        write(f"{typed!r} is none of them.")
    return scopes[0] if scopes else "session"


def _ask_input(request: PermissionRequest, session: Session, read: Read, write: Callable[[str], Any]) -> dict[str, Any]:
    """The whole new input: the primary field as plain text, or a JSON object."""
    tool = session.find_tool(request.tool_name)
    field = tool.body_field if tool and isinstance(request.input.get(tool.body_field or ""), str) else None
    while True:
        typed = read(f"New {field}, or the whole input as JSON: " if field else "New input as JSON: ")
        try:
            edited = read_input(request.input, field, typed)
            if tool is not None:
                parse_input(tool, edited)
        except (UsageError, InputValidationError) as error:
            write(str(error))
            continue
        return edited


def read_input(input: Any, field: str | None, typed: str) -> dict[str, Any]:
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


def step_on_stdin(
    event: StageEvent, next_stage: str, may_edit: bool, read: Read, write: Callable[[str], Any]
) -> StepChoice:
    """Ask how to go on after a stage. The end of the input runs on: stepping gives no rights."""
    name = event.before.tool_use.name
    write(
        f"{name}: {event.stage} {event.status} in {event.duration_ms:.1f} ms {event.reason}\n"
        f"  in:  {json.dumps(event.went_in(), ensure_ascii=False, default=repr)}\n"
        f"  out: {json.dumps(event.came_out(), ensure_ascii=False, default=repr)}"
    )
    try:
        while True:
            word = read(f"Before {next_stage} [{STEP_CHOICES}] ").strip().lower()
            if word in ("", "n", "next"):
                return StepChoice("next")
            if word in ("r", "run on"):
                return StepChoice("run_on")
            if word in ("a", "abort"):
                return StepChoice("abort")
            if word in ("e", "edit") and may_edit:
                return StepChoice("edit", _ask_step_input(read, write))
            write(f"{word!r} is no choice here. {STEP_CHOICES}")
    except (EOFError, RuntimeError):
        return StepChoice("run_on")


def _ask_step_input(read: Read, write: Callable[[str], Any]) -> dict[str, Any]:
    while True:
        try:
            return read_input({}, None, read("New input as JSON: "))
        except UsageError as error:
            write(str(error))
