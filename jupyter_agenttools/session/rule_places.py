"""Where does a rule stand? The file it was read from, for a person who wants to change it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import get_args

from ..core.context import RuleBehavior, RuleSource
from ..core.decision import DecisionStep
from ..core.errors import RuleSyntaxError
from ..permissions import format_rule, parse_rule
from ..settings import LoadedSettings, SettingsLayer

PLACES: Mapping[RuleSource, str] = {
    "managed": "the managed settings",
    "commandLine": "the settings of the command line",
    "session": "this session",
    "localSettings": "the local settings of this project",
    "projectSettings": "the settings of this project",
    "userSettings": "your settings",
}
"""What each source is called where no file can be named."""


def rule_place(settings: LoadedSettings, step: DecisionStep) -> str:
    """The file that the rule of this step of the gate was read from, else what its source is called; ``""`` for a
    step without a rule."""
    text, _, rest = (step.rule or "").rpartition(" [")
    source = rest.removesuffix("]")
    if not text or source not in get_args(RuleSource):
        return ""
    behavior: RuleBehavior = step.outcome if step.outcome in get_args(RuleBehavior) else "ask"  # type: ignore[assignment]
    for layer in settings.layers:
        if layer.source == source and text in _rules(layer, behavior):
            return _short(str(layer.path))
    return PLACES[source]  # type: ignore[index]


def _rules(layer: SettingsLayer, behavior: RuleBehavior) -> list[str]:
    """The layer's rules of one behaviour, as a trace writes them."""
    permissions = layer.data.get("permissions")
    texts = permissions.get(behavior) if isinstance(permissions, Mapping) else None
    return [_normal(text) for text in texts if isinstance(text, str)] if isinstance(texts, (list, tuple)) else []


def _normal(text: str) -> str:
    try:
        return format_rule(parse_rule(text))
    except RuleSyntaxError:
        return text


def _short(path: str) -> str:
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path
