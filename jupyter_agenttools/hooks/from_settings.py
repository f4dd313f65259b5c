"""From the ``hooks`` of a settings file to hooks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args
from urllib.parse import urlsplit

from ..core.errors import SettingsError, UsageError
from .definition import Hook, OnFailure, default_failure
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


class _Place:
    """Where we are in the settings, for messages; and what to say of it at the end."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.notes: list[str] = []

    def fault(self, key: str, problem: str) -> SettingsError:
        return SettingsError(f"{f'{self.where}: ' if self.where else ''}`{key}` {problem}")


def hooks_from_settings(
    raw: Mapping[str, Any], *, source: str, where: str = "", in_skill: bool = False
) -> HooksOfLayer:
    """The hooks that this ``hooks`` object describes.

    Args:
        raw: event names to lists of ``{"matcher", "hooks"}``; also the form of a plugin, with ``description`` around.
        source: what records say they come from. where: the file, for messages.
        in_skill: they belong to a skill, where ``once`` counts.

    Raises:
        SettingsError: something cannot be read; names the key.
    """
    place = _Place(where)
    if isinstance(raw, Mapping) and isinstance(raw.get("hooks"), Mapping) and "description" in raw:
        raw = raw["hooks"]
    if not isinstance(raw, Mapping):
        raise place.fault("hooks", 'is not an object such as {"PreToolUse": […]}')
    hooks: list[Hook] = []
    for name, groups in raw.items():
        if name not in EVENTS:
            place.notes.append(f"hooks.{printable(str(name))}: there is no event of that name; its hooks never run")
            continue
        if not isinstance(groups, (list, tuple)):
            raise place.fault(f"hooks.{name}", "is not a list")
        if groups and name not in FIRED:
            place.notes.append(f"hooks.{name}: this event does not happen here; its hooks never run")
        for index, group in enumerate(groups):
            hooks += _group(name, group, f"hooks.{name}[{index}]", place, in_skill)
    if len(hooks) > MAX_HOOKS:
        raise place.fault("hooks", f"holds more than {MAX_HOOKS} hooks")
    return HooksOfLayer(tuple(replace(hook, source=source) for hook in hooks), tuple(place.notes))


def _group(event: HookEvent, group: Any, key: str, place: _Place, in_skill: bool) -> Iterator[Hook]:
    if not isinstance(group, Mapping):
        raise place.fault(key, 'is not an object with "matcher" and "hooks"')
    matcher = group.get("matcher", "")
    if matcher is None:
        matcher = ""
    if not isinstance(matcher, str):
        raise place.fault(f"{key}.matcher", f"is not text: {matcher!r}")
    try:
        compile_matcher(matcher)
    except UsageError as problem:
        raise place.fault(f"{key}.matcher", f"cannot be read: {problem}") from problem
    entries = group.get("hooks")
    if not isinstance(entries, (list, tuple)):
        raise place.fault(f"{key}.hooks", "is not a list")
    for index, entry in enumerate(entries):
        yield _hook(event, matcher, entry, f"{key}.hooks[{index}]", place, in_skill)


def _hook(event: HookEvent, matcher: str, entry: Any, key: str, place: _Place, in_skill: bool) -> Hook:
    if not isinstance(entry, Mapping):
        raise place.fault(key, 'is not an object with a "type"')
    kind = entry.get("type")
    if kind not in TYPES:
        raise place.fault(f"{key}.type", f"is none of {', '.join(TYPES)}: {kind!r}")
    handler = _handler(kind, entry, key, place)
    if isinstance(handler, UnavailableHandler):
        place.notes.append(f"{key}: {handler.why}{_what_then(event)}")
    failure = _text(entry, "onFailure", key, place)
    if failure and failure not in get_args(OnFailure):
        raise place.fault(f"{key}.onFailure", f"is none of {', '.join(get_args(OnFailure))}: {failure!r}")
    once = _flag(entry, "once", key, place)
    if once and not in_skill:
        place.notes.append(f"{key}.once counts in skills only; the hook runs every time")
    rewakes = _flag(entry, "asyncRewake", key, place)
    return Hook(
        event,
        None,
        _title(handler),
        matcher,
        _text(entry, "if", key, place) or None,
        failure or default_failure(event),  # type: ignore[arg-type]
        _timeout_s(event, kind, entry, key, place),
        handler,
        "unavailable" if isinstance(handler, UnavailableHandler) else kind,
        failure_is_set=bool(failure),
        runs_async=kind == "command" and (rewakes or _flag(entry, "async", key, place)),
        rewakes=rewakes,
        once=once and in_skill,
        status_message=_text(entry, "statusMessage", key, place),
    )


def _what_then(event: HookEvent) -> str:
    return "; the calls it guards ask" if event in GUARDS else ""


def _handler(kind: HookKind, entry: Mapping[str, Any], key: str, place: _Place) -> Handler:
    if kind == "command":
        return _command(entry, key, place)
    if kind == "http":
        return _http(entry, key, place)
    if kind == "prompt":
        prompt, model = _needed(entry, "prompt", key, place), _text(entry, "model", key, place)
        return PromptHandler(prompt, model, _flag(entry, "continueOnBlock", key, place))
    if kind == "mcp_tool":
        what = f"{_needed(entry, 'server', key, place)}: {_needed(entry, 'tool', key, place)}"
        return UnavailableHandler(f"mcp_tool {what}", "hooks of the type mcp_tool are not available here")
    what = _shortened(_needed(entry, "prompt", key, place))
    return UnavailableHandler(f"agent: {what}", "hooks of the type agent are not available here")


def _command(entry: Mapping[str, Any], key: str, place: _Place) -> CommandHandler:
    command, args = _needed(entry, "command", key, place), entry.get("args")
    if args is not None and (
        not isinstance(args, (list, tuple)) or not all(isinstance(word, str) and "\0" not in word for word in args)
    ):
        raise place.fault(f"{key}.args", "is not a list of texts")
    shell = _text(entry, "shell", key, place) or "bash"
    if shell not in SHELLS:
        raise place.fault(f"{key}.shell", f"is none of {', '.join(SHELLS)}: {shell!r}")
    return CommandHandler(command, None if args is None else tuple(args), shell)  # type: ignore[arg-type]


def _http(entry: Mapping[str, Any], key: str, place: _Place) -> HttpHandler:
    url = _needed(entry, "url", key, place)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable:
        raise place.fault(f"{key}.url", f"is no http(s) address: {url!r}")
    headers, allowed = entry.get("headers") or {}, entry.get("allowedEnvVars") or ()
    if not isinstance(headers, Mapping) or not all(isinstance(value, str) for value in headers.values()):
        raise place.fault(f"{key}.headers", "is not an object of texts")
    if not isinstance(allowed, (list, tuple)) or not all(isinstance(name, str) for name in allowed):
        raise place.fault(f"{key}.allowedEnvVars", "is not a list of names")
    return HttpHandler(url, frozen_headers(headers), tuple(allowed))


def _timeout_s(event: HookEvent, kind: HookKind, entry: Mapping[str, Any], key: str, place: _Place) -> float:
    given = entry.get("timeout")
    if given is None:
        base = {"prompt": PROMPT_TIMEOUT_S, "agent": AGENT_TIMEOUT_S}.get(kind, DEFAULT_TIMEOUT_S)
        return default_timeout_s(event, base)
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given < 1e9:
        raise place.fault(f"{key}.timeout", f"is no number of seconds above 0: {given!r}")
    return min(float(given), SESSION_END_S) if event == "SessionEnd" else float(given)


def _needed(entry: Mapping[str, Any], name: str, key: str, place: _Place) -> str:
    value = _text(entry, name, key, place)
    if not value.strip():
        raise place.fault(f"{key}.{name}", "is missing")
    return value


def _text(entry: Mapping[str, Any], name: str, key: str, place: _Place) -> str:
    value = entry.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or "\0" in value:
        raise place.fault(f"{key}.{name}", f"is not text: {value!r}")
    return value


def _flag(entry: Mapping[str, Any], name: str, key: str, place: _Place) -> bool:
    value = entry.get(name, False)
    if not isinstance(value, bool):
        raise place.fault(f"{key}.{name}", f"is neither true nor false: {value!r}")
    return value


def _title(handler: Handler) -> str:
    return _shortened(handler.title)


def printable(text: str) -> str:
    """The text with every character spelled out that a terminal or a reader would take for something else."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def _shortened(text: str) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1] + "…"


def not_approved(hook: Hook, where: str) -> Hook | None:
    """What stands for a hook of a source that nobody has approved: it does not run, and what it guards asks.

    Its pattern is not run either: which calls it means is then unknown, so every call asks.
    """
    if not hook.is_guard:
        return None
    why = f"the guard `{hook.name}` of {os.path.basename(where) or where} does not run: nobody has approved that file"
    matcher = "" if is_pattern(hook.matcher) else hook.matcher
    return replace(hook, handler=UnavailableHandler(hook.name, why), kind="unavailable", matcher=matcher)


def unreadable_hooks(problem: str, source: str) -> Hook:
    """What stands for hooks that cannot be read: one of them may be a guard, so every call asks."""
    handler = UnavailableHandler("hooks that cannot be read", problem)
    return Hook("PreToolUse", None, handler.what, handler=handler, kind="unavailable", source=source)
