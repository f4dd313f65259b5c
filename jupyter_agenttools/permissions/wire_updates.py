"""Changes of the rights in the form of the wire: ``{"type": "addRules", "rules": [{"toolName": …}], …}``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from ..core.context import PermissionMode, RuleBehavior
from ..core.errors import UsageError
from ..core.permission_updates import (
    AddDirectories,
    AddRules,
    PermissionUpdate,
    RemoveDirectories,
    RemoveRules,
    ReplaceRules,
    RuleScope,
    SetMode,
)
from .rules import ParsedRule, format_rule, make_rule, parse_rule

MODE_ALIASES: Mapping[str, PermissionMode] = {"manual": "default"}
_RULES = {"addRules": AddRules, "replaceRules": ReplaceRules, "removeRules": RemoveRules}
_DIRECTORIES = {"addDirectories": AddDirectories, "removeDirectories": RemoveDirectories}
_TYPES = (*_RULES, "setMode", *_DIRECTORIES)


def update_from_json(value: Any) -> PermissionUpdate:
    """The change that this object of the wire is. Without a ``destination`` it is one of the session alone.

    Raises:
        UsageError: names the key that is wrong and what may stand there.
    """
    if not isinstance(value, Mapping):
        raise UsageError('a permission update is an object such as {"type": "setMode", "mode": "plan"}')
    kind = _one_of(value, "type", _TYPES)
    destination = _one_of(value, "destination", get_args(RuleScope), "session")
    if kind == "setMode":
        return SetMode(read_mode(value.get("mode")), destination)
    if kind in _DIRECTORIES:
        return _DIRECTORIES[kind](_folders(value.get("directories"), kind), destination)
    behavior: RuleBehavior = _one_of(value, "behavior", get_args(RuleBehavior), "allow")
    made = tuple(rule_from_json(rule) for rule in _list(value.get("rules"), kind, "rules"))
    if kind != "removeRules":
        made = tuple(make_rule(text, destination, behavior).text for text in made)
    return _RULES[kind](made, behavior, destination)


def update_to_json(update: PermissionUpdate) -> dict[str, Any]:
    """The object of the wire that :func:`update_from_json` reads as ``update``."""
    if isinstance(update, SetMode):
        return {"type": "setMode", "mode": update.mode, "destination": update.destination}
    for name, made in _DIRECTORIES.items():
        if isinstance(update, made):
            return {"type": name, "directories": list(update.directories), "destination": update.destination}
    assert isinstance(update, (AddRules, ReplaceRules, RemoveRules))
    (name,) = (name for name, made in _RULES.items() if type(update) is made)
    rules = [rule_to_json(rule) for rule in update.rules]
    return {"type": name, "rules": rules, "behavior": update.behavior, "destination": update.destination}


def rule_from_json(value: Any) -> str:
    """The text of a rule object ``{toolName, ruleContent?}``.

    Raises:
        UsageError: it has another form. RuleSyntaxError: it is no rule.
    """
    name = value.get("toolName") if isinstance(value, Mapping) else None
    content = value.get("ruleContent") if isinstance(value, Mapping) else None
    if not isinstance(name, str) or not (content is None or isinstance(content, str)):
        raise UsageError('a rule is {"toolName": …, "ruleContent"?: …}')
    text = format_rule(ParsedRule(name, content or None))
    return format_rule(parse_rule(text))


def rule_to_json(rule: str) -> dict[str, str]:
    """The rule object of a rule's text.

    Raises:
        RuleSyntaxError: it cannot be read.
    """
    name, content = parse_rule(rule)
    return {"toolName": name} if content is None else {"toolName": name, "ruleContent": content}


def read_mode(value: Any) -> PermissionMode:
    """The mode of this name; ``manual`` is another name of ``default``.

    Raises:
        UsageError: there is no such mode.
    """
    import difflib

    modes = get_args(PermissionMode)
    mode = MODE_ALIASES.get(value, value) if isinstance(value, str) else value
    if not isinstance(mode, str) or mode not in modes:
        near = difflib.get_close_matches(str(value), modes, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"{value!r} is no permission mode ({', '.join(modes)}){hint}")
    return mode  # type: ignore[return-value]


def _one_of(value: Mapping[str, Any], key: str, names: Sequence[str], otherwise: str | None = None) -> Any:
    found = value.get(key, otherwise)
    if not isinstance(found, str) or found not in names:
        raise UsageError(f"permission update: `{key}` is one of {', '.join(names)}, got {found!r}")
    return found


def _list(value: Any, kind: str, key: str) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise UsageError(f"permission update {kind}: `{key}` is a list, got {value!r}")
    return value


def _folders(value: Any, kind: str) -> tuple[str, ...]:
    folders = _list(value, kind, "directories")
    for folder in folders:
        if not isinstance(folder, str) or not os.path.isabs(os.path.expanduser(folder)) or "\0" in folder:
            raise UsageError(f"permission update {kind}: a directory is an absolute path, got {folder!r}")
    return tuple(os.path.normpath(os.path.expanduser(folder)) for folder in folders)
