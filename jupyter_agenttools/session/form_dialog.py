"""Plans and questions answered line by line: what is shown, and what a typed line stands for."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..core.permission_updates import SetMode
from ..core.prompting import PermissionAnswer, PermissionRequest
from ..render.chars import clip, count_of, one_line, visible
from ..render.text import view_text

Dialog = Generator[str, str, PermissionAnswer]
"""Yields each text to show before a line is read, is sent the line, and returns the answer."""

PLAN_CHOICES = "y = approve, a = approve and accept edits, n [comment] = keep planning, s [comment] = stop the turn"
DECLINE = "-"
BACK = "back"
TITLE_CHARS = 200
SHOWN_CHARS = 4_000
"""Of a question, and of an option."""
PREVIEW_LINES = 20


def form_dialog(request: PermissionRequest) -> Dialog:
    """The dialog for a request that is a plan or questions."""
    return (yield from (_plan(request) if request.form == "plan" else _questions(request)))


def _plan(request: PermissionRequest) -> Dialog:
    shown = f"{view_text(request.view)}\n"
    while True:
        typed = yield f"{shown}Is this plan good? [{PLAN_CHOICES}] "
        word, _, comment = typed.strip().partition(" ")
        match word.lower(), comment.strip():
            case (("y" | "yes"), ""):
                return PermissionAnswer("allow", answered_by="stdin")
            case (("a" | "accept"), ""):
                return PermissionAnswer("allow", updates=(SetMode("acceptEdits"),), answered_by="stdin")
            case (("n" | "no"), wish):
                return keep_planning(wish, PermissionAnswer("deny", answered_by="stdin"))
            case (("s" | "stop"), wish):
                return keep_planning(wish, PermissionAnswer("deny", answered_by="stdin", interrupt=True))
        shown = f"{one_line(typed.strip(), TITLE_CHARS)!r} is no answer.\n" if typed.strip() else ""


def keep_planning(comment: str, answer: PermissionAnswer) -> PermissionAnswer:
    """The denial of a plan, in words that tell the model to go on planning."""
    wish = f": {comment}" if comment else ""
    return replace(answer, message=f"the person wants to keep planning{wish}. Plan mode stays on")


def _questions(request: PermissionRequest) -> Dialog:
    questions, answers = _list(request.input, "questions"), dict[str, str | list[str]]()
    at = 0
    while at < len(questions):
        question, options = questions[at], _list(questions[at], "options")
        several, labels = bool(question.get("multiSelect")), [str(option.get("label", "")) for option in options]
        typed = yield from _line(question, options, several=several, first=at == 0)
        chosen = read_choice(typed, labels, several=several)
        if at and chosen == [typed] and typed.lower() == BACK:
            at -= 1
            continue
        if typed == DECLINE or typed.startswith(f"{DECLINE} "):
            reason = typed[1:].strip()
            message = f"the person does not answer{f': {reason}' if reason else ''}"
            return PermissionAnswer("deny", message, answered_by="stdin")
        answers[str(question.get("question", ""))] = chosen if several else chosen[0]
        at += 1
    return PermissionAnswer("allow", updated_input={**request.input, "answers": answers}, answered_by="stdin")


def _line(
    question: Mapping[str, Any], options: Sequence[Mapping[str, Any]], *, several: bool, first: bool
) -> Generator[str, str, str]:
    """What is typed to one question; it is put until that is anything at all."""
    how = "numbers with commas between" if several else "a number"
    back = "" if first else f"; {BACK} = the question before"
    shown = "\n".join(_shown(question, options))
    prompt = f"\nAnswer [{how}, or your own words; {DECLINE} [reason] answers nothing{back}]: "
    while not (typed := (yield shown + prompt).strip()):
        shown = "Nothing was typed."
    return typed


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
        preview = option.get("preview")
        lines = visible(preview).splitlines() if isinstance(preview, str) else []
        yield from (f"     | {clip(line, SHOWN_CHARS)}" for line in lines[:PREVIEW_LINES])
        if len(lines) > PREVIEW_LINES:
            yield f"     | … {count_of(len(lines) - PREVIEW_LINES, 'more line')}"


def _list(value: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = value.get(key)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, (list, tuple)) else []
