"""Reading what a hook answered: the documented JSON, or a decision word."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from .events import BLOCKABLE, TOLD, HookEvent

Word = Literal["allow", "ask", "defer", "deny"]
_WORDS: dict[str, Word] = {
    "allow": "allow",
    "ask": "ask",
    "defer": "defer",
    "deny": "deny",
    "approve": "allow",
    "block": "deny",
}

_EXTRA: Mapping[HookEvent, Mapping[str, type]] = {
    "SessionStart": {"initialUserMessage": str, "sessionTitle": str, "watchPaths": list, "reloadSkills": bool},
    "CwdChanged": {"watchPaths": list},
    "FileChanged": {"watchPaths": list},
}
"""Fields that only these events know, with the type each has on the wire."""


_ASYNC_WARNING = "`async` is left out of account, and so is an allow: the same answer says more than that"


class HookOutput(NamedTuple):
    """One hook's answer. Every part is optional.

    Attributes:
        behavior: its decision. ``deny`` blocks where an event can only be blocked.
        reason: why.
        updated_input, updated_output: whole values to use instead.
        additional_context: for the model.
        stop: the reason to end the turn, ``None`` not to.
        warning: what was wrong with the answer.
        message: for the person.
        permission_updates, interrupt, retry, extra: see ``HookEffects``.
    """

    behavior: Word | None = None
    reason: str = ""
    updated_input: Mapping[str, Any] | None = None
    updated_output: Any = None
    additional_context: str = ""
    stop: str | None = None
    warning: str = ""
    message: str = ""
    permission_updates: tuple[Mapping[str, Any], ...] = ()
    interrupt: bool = False
    retry: bool = False
    extra: Mapping[str, Any] = MappingProxyType({})


SILENT = HookOutput()


class HookOutputError(ValueError):
    """The answer cannot be read. It never counts as an approval."""


def read_output(event: HookEvent, answer: Any) -> HookOutput:
    """What does this answer of a hook of ``event`` say?

    The decision is taken from ``hookSpecificOutput`` or, as people write it, from the top level. An answer that names
    another event is not listened to.

    Raises:
        HookOutputError: it is no answer at all, or its decision is not one of the known words.
    """
    if answer is None:
        return SILENT
    if isinstance(answer, str):
        return _decided(event, HookOutput(_word(answer)))
    if not isinstance(answer, Mapping):
        raise HookOutputError(f"a hook returns None, a decision word or a dict, not {type(answer).__name__}")
    specific = answer.get("hookSpecificOutput")
    if specific is not None and not isinstance(specific, Mapping):
        raise HookOutputError("`hookSpecificOutput` is not an object")
    named = (specific or {}).get("hookEventName", event)
    if named != event:
        return HookOutput(warning=f"ignored: the answer names the event {named}, but this is {event}")
    output = _decided(event, _read(event, answer, specific or {}))
    if answer.get("async") is not True:
        return output
    # Who says both cannot be meant to decide and to be waited for by nobody: the careful half of it counts.
    behavior = None if output.behavior == "allow" else output.behavior
    return output._replace(behavior=behavior, warning=output.warning or _ASYNC_WARNING)


def _read(event: HookEvent, top: Mapping[str, Any], specific: Mapping[str, Any]) -> HookOutput:
    fields = {**top, **specific}
    going_on = fields.get("continue", True)
    if not isinstance(going_on, bool):
        raise HookOutputError(f"`continue` is true or false, not {going_on!r}")
    stop = _text(fields, "stopReason") or "stopped by a hook"
    output = HookOutput(
        reason=_text(fields, "permissionDecisionReason") or _text(fields, "reason"),
        additional_context=_text(fields, "additionalContext"),
        stop=None if going_on else stop,
        message=_text(fields, "systemMessage"),
        extra=_extra(event, fields),
    )
    if event == "PermissionRequest":
        return _permission_answer(output, fields)
    if event == "PermissionDenied":
        return output._replace(retry=fields.get("retry") is True)
    if event == "PreToolUse":
        output = output._replace(updated_input=_object(fields, "updatedInput"))
    if event == "PostToolUse":
        output = output._replace(updated_output=fields.get("updatedToolOutput", fields.get("updatedMCPToolOutput")))
    return output._replace(behavior=_strictest(top, specific))


def _strictest(top: Mapping[str, Any], specific: Mapping[str, Any]) -> Word | None:
    """The decision, wherever it stands; of several the most careful one."""
    places = [where.get(key) for where in (specific, top) for key in ("permissionDecision", "decision")]
    words = [_word(word) for word in places if word is not None]
    return next((word for word in ("deny", "defer", "ask", "allow") if word in words), None)


def _permission_answer(output: HookOutput, fields: Mapping[str, Any]) -> HookOutput:
    decision = fields.get("decision")
    if decision is None:
        return output
    if not isinstance(decision, Mapping):
        return output._replace(behavior=_word(decision))
    behavior = _word(decision.get("behavior"))
    if behavior not in ("allow", "deny"):
        raise HookOutputError(f"`decision.behavior` is allow or deny, not {behavior}")
    updates = decision.get("updatedPermissions") or []
    if not isinstance(updates, list) or not all(isinstance(update, Mapping) for update in updates):
        raise HookOutputError("`updatedPermissions` is not a list of objects")
    allowed = behavior == "allow"
    return output._replace(
        behavior=behavior,
        reason=_text(decision, "message") or output.reason,
        updated_input=_object(decision, "updatedInput") if allowed else None,
        permission_updates=tuple(updates) if allowed else (),
        interrupt=not allowed and decision.get("interrupt") is True,
    )


def _decided(event: HookEvent, output: HookOutput) -> HookOutput:
    """The answer with what its decision means for this event."""
    if event in TOLD and output.behavior == "deny":  # too late to stop anything: the model is told why
        told = "\n".join(part for part in (output.reason, output.additional_context) if part)
        return output._replace(additional_context=told)
    if event in ("PreToolUse", "PermissionRequest") or event in TOLD:
        return output
    if event in BLOCKABLE:
        return output if output.behavior == "deny" else output._replace(behavior=None)
    return output._replace(behavior=None)


def _extra(event: HookEvent, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    known = {name: fields[name] for name in _EXTRA.get(event, {}) if fields.get(name) is not None}
    for name, value in known.items():
        if not isinstance(value, _EXTRA[event][name]):
            raise HookOutputError(f"`{name}` is not a {_EXTRA[event][name].__name__}")
    return MappingProxyType(known)


def _object(fields: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, Mapping):
        raise HookOutputError(f"`{name}` is not an object (it stands for the whole input)")
    return value


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return "" if value is None else value if isinstance(value, str) else str(value)


def _word(word: Any) -> Word:
    if not isinstance(word, str) or word.lower() not in _WORDS:
        raise HookOutputError(f"{word!r} is no decision; known: {', '.join(_WORDS)}")
    return _WORDS[word.lower()]
