"""Completing tool names, options and field names on the lines of our magics."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .agent_line import AGENT_COMMANDS, AGENT_OPTIONS
from .line import TOOL_OPTIONS
from .prompts import OpenPrompts, short_id

_LINE = re.compile(r"^\s*(?:[\w\s,.\[\]'\"]+=\s*)?(?P<cell>%?)%(?P<magic>tool|agent)[^\S\n]+(?P<rest>.*)$", re.DOTALL)


def register_completer(shell: Any, tools: Callable[[], Sequence[Any]], prompts: OpenPrompts) -> Callable[[], None]:
    """Add our matcher to IPython's completer. Returns the undo.

    Args:
        tools: the tools there are, asked for each time.
        prompts: the questions that are open.
    """
    from IPython.core.completer import SimpleCompletion, context_matcher

    @context_matcher(identifier="jupyter_agenttools", priority=100)
    def matcher(context: Any) -> dict[str, Any]:
        words = complete(context.line_with_cursor, context.cursor_position, tools, prompts)
        if words is None:
            return {"completions": []}
        fitting = [w for w in words if w.startswith(context.token)]
        found = [SimpleCompletion(text=w, type="param" if w.endswith("=") else "magic") for w in fitting]
        return {"completions": found, "suppress": bool(found)}

    matchers = shell.Completer.custom_matchers
    matchers.append(matcher)
    return lambda: matchers.remove(matcher) if matcher in matchers else None


def complete(line: str, cursor: int, tools: Callable[[], Sequence[Any]], prompts: OpenPrompts) -> list[str] | None:
    """What may stand at the cursor of this line; ``None`` when the line is none of ours."""
    match = _LINE.match(line[:cursor])
    if match is None:
        return None
    *before, _ = re.split(r"\s+", match["rest"])
    if match["magic"] == "agent":
        return _for_agent(before, bool(match["cell"]), prompts)
    return _for_tool(before, tools())


def _for_agent(before: list[str], in_cell: bool, prompts: OpenPrompts) -> list[str]:
    if before and before[0] in ("approve", "deny"):
        return [short_id(p.request.tool_use_id) for p in prompts.all()]
    commands: Iterable[str] = () if in_cell or before else AGENT_COMMANDS
    return [*commands, *(o for o in AGENT_OPTIONS if o not in before)]


def _for_tool(before: list[str], tools: Sequence[Any]) -> list[str]:
    name = next((w for w in before if not w.startswith("--")), None)
    if name is None:
        return [*(o for o in TOOL_OPTIONS if o not in before), *(t.name for t in tools)]
    tool = next((t for t in tools if t.answers_to(name)), None)
    if tool is None:
        return []
    given = before[before.index(name) + 1 :]
    if any("=" not in word for word in given):
        return []  # plain text has begun; nothing after it is a field
    fields = [f"{f}=" for f in tool.json_schema.get("properties", {})]
    left = [f for f in fields if not any(word.startswith(f) for word in given)]
    return [*left, "--help", "--json"] if not given else left
