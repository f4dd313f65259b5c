"""What does the text after ``%agent hooks`` ask for?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..core.errors import UsageError

USAGE = 'write %agent hooks, or %agent hooks test HOOK [TOOL {"field": …} | ID of a call]'


@dataclass(frozen=True)
class AgentHooks:
    """The list of hooks, or hooks to try out.

    Args:
        selector: the hooks to try: a number, a name or an event; ``""`` for the list.
        tool, input: the call to try them on; ``input`` alone is about another event.
        call_id: of a recorded call instead.
    """

    selector: str = ""
    tool: str = ""
    input: Mapping[str, Any] | None = None
    call_id: str = ""


def parse_hooks(text: str) -> AgentHooks:
    """What is asked for.

    Raises:
        UsageError: something else than the list or a trial, no hook, or an input that is no JSON object.
    """
    word, _, rest = text.strip().partition(" ")
    if not word:
        return AgentHooks()
    selector, _, call = rest.strip().partition(" ")
    if word != "test" or not selector:
        raise UsageError(f"%agent hooks: {USAGE}")
    named, brace, body = call.strip().partition("{")
    words = named.split()
    if len(words) > 1:
        raise UsageError(f"%agent hooks test: {USAGE}")
    if not brace:
        return AgentHooks(selector, call_id=words[0] if words else "")
    return AgentHooks(selector, words[0] if words else "", _input(brace + body))


def _input(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(f"%agent hooks test: the input is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise UsageError("%agent hooks test: the input is a JSON object")
    return value
