"""Reading what a hook answered: the documented JSON, or a decision word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Word = Literal["allow", "ask", "defer", "deny"]
_WORDS: dict[str, Word] = {
    "allow": "allow",
    "ask": "ask",
    "defer": "defer",
    "deny": "deny",
    "approve": "allow",
    "block": "deny",
}


class HookOutput(NamedTuple):
    """One hook's answer. Every part is optional."""

    behavior: Word | None = None
    reason: str = ""
    updated_input: Mapping[str, Any] | None = None
    updated_output: Any = None
    additional_context: str = ""
    stop: str | None = None
    warning: str = ""


SILENT = HookOutput()


class HookOutputError(ValueError):
    """The answer cannot be read. It never counts as an approval."""


def read_output(event: str, answer: Any) -> HookOutput:
    """What does this answer of a hook of ``event`` say?

    The decision is taken from ``hookSpecificOutput`` or, as people write it, from the top level. An answer that names
    another event is not listened to.

    Raises:
        HookOutputError: it is no answer at all, or its decision is not one of the known words.
    """
    if answer is None:
        return SILENT
    if isinstance(answer, str):
        return HookOutput(_word(answer))
    if not isinstance(answer, Mapping):
        raise HookOutputError(f"a hook returns None, a decision word or a dict, not {type(answer).__name__}")
    specific = answer.get("hookSpecificOutput") or {}
    if not isinstance(specific, Mapping):
        raise HookOutputError("`hookSpecificOutput` is not an object")
    named = specific.get("hookEventName", event)
    if named != event:
        return HookOutput(warning=f"ignored: the answer names the event {named}, but this is {event}")
    return _read(event, {**answer, **specific})


def _read(event: str, fields: Mapping[str, Any]) -> HookOutput:
    word = fields.get("permissionDecision", fields.get("decision"))
    updated = fields.get("updatedInput")
    if updated is not None and not isinstance(updated, Mapping):
        raise HookOutputError("`updatedInput` is not an object (it stands for the whole input)")
    stop = str(fields.get("stopReason") or "stopped by a hook") if fields.get("continue") is False else None
    behavior = None if word is None else _word(word)
    reason = str(fields.get("permissionDecisionReason") or fields.get("reason") or "")
    context = str(fields.get("additionalContext") or "")
    if event == "PostToolUse" and behavior == "deny":  # too late to stop anything: the model is told why
        context = "\n".join(part for part in (reason, context) if part)
    return HookOutput(
        behavior,
        reason,
        updated if event == "PreToolUse" else None,
        fields.get("updatedToolOutput") if event == "PostToolUse" else None,
        context,
        stop,
        str(fields.get("systemMessage") or ""),
    )


def _word(word: Any) -> Word:
    if not isinstance(word, str) or word.lower() not in _WORDS:
        raise HookOutputError(f"{word!r} is no decision; known: {', '.join(_WORDS)}")
    return _WORDS[word.lower()]
