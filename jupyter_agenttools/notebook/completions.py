"""What may stand at the cursor of a ``%tool`` or ``%agent`` line: tools, options, fields, ids of open questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..core.tool import Tool
from ..shell import Jobs
from .agent_line import AGENT_COMMANDS, AGENT_OPTIONS, UNDO_OPTIONS
from .agent_permissions_line import MODES, PERMISSION_ACTIONS, SCOPE_OPTION, SCOPES
from .completer import MAGIC_LINE
from .line import TOOL_OPTIONS
from .prompts import OpenPrompts, short_id
from .runtime import Runtime


def complete(line: str, runtime: Runtime) -> list[str]:
    """The words that may come next after ``line``, the text up to the cursor; none when the line is not ours."""
    match = MAGIC_LINE.match(line)
    if match is None:
        return []
    *before, _ = re.split(r"\s+", match["rest"])
    if match["magic"] == "agent":
        if before and before[0] in ("stop", "tasks"):
            return task_ids(before, runtime.session.jobs)
        return for_agent(before, bool(match["cell"]), runtime.prompts)
    return for_tool(before, runtime.session.tools)


def for_agent(before: list[str], in_cell: bool, prompts: OpenPrompts) -> list[str]:
    """After these words of an ``%agent`` line."""
    if before and before[0] in ("approve", "deny"):
        return [short_id(p.request.tool_use_id) for p in prompts.all()]
    if before and before[0] == "trust":
        return ["approve", "refuse"] if len(before) == 1 else []
    if before and before[0] == "hooks":
        return ["test"] if len(before) == 1 else []
    if before and before[0] in ("mode", "permissions"):
        return for_permissions(before)
    if before and before[0] == "undo":
        return [option for option in UNDO_OPTIONS if option not in before]
    commands: Iterable[str] = () if in_cell or before else AGENT_COMMANDS
    return [*commands, *(o for o in AGENT_OPTIONS if o not in before)]


def for_permissions(before: list[str]) -> list[str]:
    """After these words of an ``%agent permissions`` or ``%agent mode`` line."""
    if SCOPE_OPTION in before:
        return [*SCOPES] if before[-1] == SCOPE_OPTION else []
    words = ["permissions", *before] if before[0] == "mode" else before
    if len(words) == 1:
        return [*PERMISSION_ACTIONS]
    if words[1] == "mode" and len(words) == 2:
        return [*MODES]
    return [SCOPE_OPTION] if len(words) > 2 else []


def task_ids(before: list[str], jobs: Jobs) -> list[str]:
    """After ``%agent stop`` what runs in the background, after ``%agent tasks`` everything that did."""
    if len(before) > 1:
        return []
    return [job.id for job in jobs.all() if job.id and not (before[0] == "stop" and job.over)]


def for_tool(before: list[str], tools: Sequence[Tool]) -> list[str]:
    """After these words of a ``%tool`` line."""
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
    return left if given else [*left, "--help", "--json"]
