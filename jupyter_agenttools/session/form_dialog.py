"""Plans and questions answered line by line: what is shown, and what a typed line stands for."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..core.permission_updates import SetMode
from ..core.prompting import PermissionAnswer, PermissionRequest
from ..render.chars import one_line
from ..render.text import view_text

Dialog = Generator[str, str, PermissionAnswer]
"""Yields each text to show before a line is read, is sent the line, and returns the answer."""

PLAN_CHOICES = "y = approve, e = approve and accept edits, n [comment] = keep planning"
DECLINE = "-"
SHOWN_CHARS = 4_000
"""Of a question, and of an option."""


def form_dialog(request: PermissionRequest) -> Dialog:
    """The dialog for a request that is a plan or questions."""
    return (yield from (_plan(request) if request.form == "plan" else _questions(request)))


def _plan(request: PermissionRequest) -> Dialog:
    shown = f"{view_text(request.view)}\n"
    while True:
        typed = yield f"{shown}Is this plan good? [{PLAN_CHOICES}] "
        word, _, comment = typed.strip().partition(" ")
        if word.lower() in ("y", "yes"):
            return PermissionAnswer("allow", answered_by="stdin")
        if word.lower() in ("e", "edits"):
            return PermissionAnswer("allow", updates=(SetMode("acceptEdits"),), answered_by="stdin")
        if word.lower() in ("n", "no"):
            return keep_planning(comment.strip(), PermissionAnswer("deny", answered_by="stdin"))
        shown = f"{word!r} is no answer.\n"


def keep_planning(comment: str, answer: PermissionAnswer) -> PermissionAnswer:
    """The denial of a plan, in words that tell the model to go on planning."""
    wish = f": {comment}" if comment else ""
    return replace(answer, message=f"the person wants to keep planning{wish}. Plan mode stays on")


def _questions(request: PermissionRequest) -> Dialog:
    answers: dict[str, str | list[str]] = {}
    for question in _list(request.input, "questions"):
        options, several = _list(question, "options"), bool(question.get("multiSelect"))
        shown = "\n".join(_shown(question, options))
        how = "numbers with commas between" if several else "a number"
        while True:
            typed = (yield f"{shown}\nAnswer [{how}, or your own words; {DECLINE} [reason] answers nothing]: ").strip()
            if typed == DECLINE or typed.startswith(f"{DECLINE} "):
                reason = typed[1:].strip()
                message = f"the person does not answer{f': {reason}' if reason else ''}"
                return PermissionAnswer("deny", message, answered_by="stdin")
            if typed:
                break
            shown = ""
        chosen = read_choice(typed, [str(option.get("label", "")) for option in options], several=several)
        answers[str(question.get("question", ""))] = chosen if several else chosen[0]
    return PermissionAnswer("allow", updated_input={**request.input, "answers": answers}, answered_by="stdin")


def read_choice(typed: str, labels: Sequence[str], *, several: bool) -> list[str]:
    """The labels that a line names by their numbers or as they are, else the line itself: words of the person's own."""
    words = [word.strip() for word in typed.split(",")] if several else [typed.strip()]
    folded = {label.casefold(): label for label in labels}
    chosen = []
    for word in words:
        if word.isdecimal() and 1 <= int(word) <= len(labels):
            chosen.append(labels[int(word) - 1])
        elif word.casefold() in folded:
            chosen.append(folded[word.casefold()])
        else:
            return [typed.strip()]
    return list(dict.fromkeys(chosen))


def _shown(question: Mapping[str, Any], options: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield one_line(f"{question.get('header', '')}: {question.get('question', '')}", SHOWN_CHARS)
    for number, option in enumerate(options, 1):
        text = f"{option.get('label', '')} – {option.get('description', '')}"
        yield f"  {number}. {one_line(text, SHOWN_CHARS)}"


def _list(value: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = value.get(key)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, (list, tuple)) else []
