"""From the ``hooks`` of a settings file to hooks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args
from urllib.parse import urlsplit

from ..core.errors import SettingsError, UsageError
from .definition import Hook, OnFailure, default_failure
from .event_names import meant_event
from .events import DEFAULT_TIMEOUT_S, EVENTS, FIRED, GUARDS, SESSION_END_S, HookEvent, default_timeout_s
from .handlers import (
    AGENT_TIMEOUT_S,
    PROMPT_TIMEOUT_S,
    CommandHandler,
    Handler,
    HookKind,
    HttpHandler,
    PromptHandler,
    UnavailableHandler,
    frozen_headers,
)
from .matching import compile_matcher, is_pattern
from .shown import shortened, shown

TYPES = ("command", "http", "prompt", "mcp_tool", "agent")
SHELLS = ("bash", "powershell")
TITLE_CHARS = 60
MAX_HOOKS = 500
"""More in one file is no settings file."""


@dataclass(frozen=True)
class HooksOfLayer:
    """The hooks of one settings source.

    Args:
        hooks: in their order. notes: what a person should know of them.
    """

    hooks: tuple[Hook, ...] = ()
    notes: tuple[str, ...] = ()


Key = tuple[str | int, ...]
"""The keys and list positions that lead to a value of a settings file."""


class HookSettingsError(SettingsError):
    """Something in the ``hooks`` of a settings file that cannot be used.

    Attributes:
        location: the keys and list positions that lead to it, from the top of the file.
    """

    def __init__(self, message: str, location: Key) -> None:
        super().__init__(message)
        self.location = location


def _spelled(key: Key) -> str:
    """``hooks.PreToolUse[0].matcher``"""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in key).removeprefix(".")


def _fault(key: Key, problem: str) -> HookSettingsError:
    return HookSettingsError(f"`{_spelled(key)}` {problem}", key)


def hooks_from_settings(raw: Mapping[str, Any], *, source: str, in_skill: bool = False) -> HooksOfLayer:
    """The hooks that this ``hooks`` object describes.

    Args:
        raw: event names to lists of ``{"matcher", "hooks"}``; also the form of a plugin, with ``description`` around.
        source: what records say they come from.
        in_skill: they belong to a skill, where ``once`` counts.

    Raises:
        HookSettingsError: something cannot be read; names the key.
    """
    top: Key = ("hooks",)
    if isinstance(raw, Mapping) and isinstance(raw.get("hooks"), Mapping) and "description" in raw:
        if beside := next((name for name in raw if name in EVENTS or meant_event(name)), None):
            raise _fault(("hooks", beside), "stands beside `hooks.hooks`: write all events into one of the two")
        raw, top = raw["hooks"], ("hooks", "hooks")
    if not isinstance(raw, Mapping):
        raise _fault(top, 'is not an object such as {"PreToolUse": […]}')
    hooks: list[Hook] = []
    notes: list[str] = []
    for name, groups in raw.items():
        if name not in EVENTS:
            notes.append(_unknown_event(name, groups, top))
            continue
        if not isinstance(groups, (list, tuple)):
            raise _fault((*top, name), f"is not a list, but {shown(groups)}")
        if groups and name not in FIRED:
            notes.append(f"hooks.{name}: this event does not happen here; its hooks never run")
        for index, group in enumerate(groups):
            hooks += _group(name, group, (*top, name, index), notes, in_skill)
        if len(hooks) > MAX_HOOKS:
            raise _fault(top, f"holds more than {MAX_HOOKS} hooks")
    return HooksOfLayer(tuple(replace(hook, source=source) for hook in hooks), tuple(notes))


def _unknown_event(name: str, groups: Any, top: Key) -> str:
    """A note on a name that no event has. A guard under a mistyped one would never run, so that is a fault."""
    if meant := meant_event(name):
        raise _fault((*top, name), f"is not an event; write `{_spelled((*top, meant))}`")
    if str(name).lower() in ("hook", "hooks") and groups not in ((), []):
        raise _fault((*top, name), "is not an event; events stand right below `hooks`")
    return f"hooks.{shortened(str(name), TITLE_CHARS)}: there is no event of that name; its hooks never run"


def _group(event: HookEvent, group: Any, key: Key, notes: list[str], in_skill: bool) -> Iterator[Hook]:
    if not isinstance(group, Mapping):
        raise _fault(key, 'is not an object with "matcher" and "hooks"')
    matcher = group.get("matcher", "")
    if matcher is None:
        matcher = ""
    if not isinstance(matcher, str):
        raise _fault((*key, "matcher"), f"is not text: {shown(matcher)}")
    try:
        compile_matcher(matcher)
    except UsageError as problem:
        raise _fault((*key, "matcher"), f"cannot be read: {problem}") from problem
    entries = group.get("hooks")
    if not isinstance(entries, (list, tuple)):
        raise _fault((*key, "hooks"), "is not a list")
    for index, entry in enumerate(entries):
        yield _hook(event, matcher, entry, (*key, "hooks", index), notes, in_skill)


def _hook(event: HookEvent, matcher: str, entry: Any, key: Key, notes: list[str], in_skill: bool) -> Hook:
    if not isinstance(entry, Mapping):
        raise _fault(key, 'is not an object with a "type"')
    kind = entry.get("type")
    if kind not in TYPES:
        raise _fault((*key, "type"), f"is none of {', '.join(TYPES)}: {shown(kind)}")
    handler = _handler(kind, entry, key)
    if isinstance(handler, UnavailableHandler):
        notes.append(f"{_spelled(key)}: {handler.why}{_what_then(event)}")
    failure = _text(entry, "onFailure", key)
    if failure and failure not in get_args(OnFailure):
        raise _fault((*key, "onFailure"), f"is none of {', '.join(get_args(OnFailure))}: {shown(failure)}")
    once = _flag(entry, "once", key)
    if once and not in_skill:
        notes.append(f"{_spelled(key)}.once counts in skills only; the hook runs every time")
    rewakes = _flag(entry, "asyncRewake", key)
    runs_async = kind == "command" and (rewakes or _flag(entry, "async", key))
    if runs_async and failure:
        notes.append(f"{_spelled(key)}.onFailure has no effect on a hook in the background: nobody waits for it")
    return Hook(
        event,
        None,
        _title(handler),
        matcher,
        _text(entry, "if", key) or None,
        failure or default_failure(event),  # type: ignore[arg-type]
        _timeout_s(event, kind, entry, key),
        handler,
        "unavailable" if isinstance(handler, UnavailableHandler) else kind,
        failure_is_set=bool(failure),
        runs_async=runs_async,
        rewakes=rewakes,
        once=once and in_skill,
        status_message=_text(entry, "statusMessage", key),
    )


def _what_then(event: HookEvent) -> str:
    return "; the calls it guards ask" if event in GUARDS else ""


def _handler(kind: HookKind, entry: Mapping[str, Any], key: Key) -> Handler:
    if kind == "command":
        return _command(entry, key)
    if kind == "http":
        return _http(entry, key)
    if kind == "prompt":
        prompt, model = _needed(entry, "prompt", key), _text(entry, "model", key)
        return PromptHandler(prompt, model, _flag(entry, "continueOnBlock", key))
    if kind == "mcp_tool":
        what = f"{_needed(entry, 'server', key)}: {_needed(entry, 'tool', key)}"
        return UnavailableHandler(f"mcp_tool {what}", "hooks of the type mcp_tool are not available here")
    what = shortened(_needed(entry, "prompt", key), TITLE_CHARS)
    return UnavailableHandler(f"agent: {what}", "hooks of the type agent are not available here")


def _command(entry: Mapping[str, Any], key: Key) -> CommandHandler:
    command, args = _needed(entry, "command", key), entry.get("args")
    if args is not None and (
        not isinstance(args, (list, tuple)) or not all(isinstance(word, str) and "\0" not in word for word in args)
    ):
        raise _fault((*key, "args"), "is not a list of texts")
    shell = _text(entry, "shell", key) or "bash"
    if shell not in SHELLS:
        raise _fault((*key, "shell"), f"is none of {', '.join(SHELLS)}: {shown(shell)}")
    return CommandHandler(command, None if args is None else tuple(args), shell)  # type: ignore[arg-type]


def _http(entry: Mapping[str, Any], key: Key) -> HttpHandler:
    url = _needed(entry, "url", key)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable:
        raise _fault((*key, "url"), f"is no http(s) address: {shown(url)}")
    headers, allowed = entry.get("headers") or {}, entry.get("allowedEnvVars") or ()
    if not isinstance(headers, Mapping) or not all(isinstance(value, str) for value in headers.values()):
        raise _fault((*key, "headers"), "is not an object of texts")
    if not isinstance(allowed, (list, tuple)) or not all(isinstance(name, str) for name in allowed):
        raise _fault((*key, "allowedEnvVars"), "is not a list of names")
    return HttpHandler(url, frozen_headers(headers), tuple(allowed))


def _timeout_s(event: HookEvent, kind: HookKind, entry: Mapping[str, Any], key: Key) -> float:
    given = entry.get("timeout")
    if given is None:
        base = {"prompt": PROMPT_TIMEOUT_S, "agent": AGENT_TIMEOUT_S}.get(kind, DEFAULT_TIMEOUT_S)
        return default_timeout_s(event, base)
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given < 1e9:
        raise _fault((*key, "timeout"), f"is no number of seconds above 0: {shown(given)}")
    return min(float(given), SESSION_END_S) if event == "SessionEnd" else float(given)


def _needed(entry: Mapping[str, Any], name: str, key: Key) -> str:
    value = _text(entry, name, key)
    if not value.strip():
        raise _fault((*key, name), "is missing")
    return value


def _text(entry: Mapping[str, Any], name: str, key: Key) -> str:
    value = entry.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or "\0" in value:
        raise _fault((*key, name), f"is not text: {shown(value)}")
    return value


def _flag(entry: Mapping[str, Any], name: str, key: Key) -> bool:
    value = entry.get(name, False)
    if not isinstance(value, bool):
        raise _fault((*key, name), f"is neither true nor false: {shown(value)}")
    return value


def _title(handler: Handler) -> str:
    return shortened(handler.title, TITLE_CHARS)


NOT_APPROVED = "nobody has approved that file (%agent trust)"
"""Why a guard of a project's file asks in place of running, and what ends that."""


def not_approved(hook: Hook, where: str) -> Hook | None:
    """What stands for a hook of a source that nobody has approved: it does not run, and what it guards asks.

    Its pattern is not run either: which calls it means is then unknown, so every call asks.
    """
    if not hook.is_guard:
        return None
    why = f"this guard of {os.path.basename(where) or where} does not run: {NOT_APPROVED}"
    matcher = "" if is_pattern(hook.matcher) else hook.matcher
    return replace(hook, handler=UnavailableHandler(hook.name, why), kind="unavailable", matcher=matcher)


def unreadable_hooks(problem: str, source: str) -> Hook:
    """What stands for hooks that cannot be read: one of them may be a guard, so every call asks."""
    handler = UnavailableHandler("hooks that cannot be read", problem)
    return Hook("PreToolUse", None, handler.what, handler=handler, kind="unavailable", source=source)
