"""What may stand at the cursor of a ``%tool`` or ``%agent`` line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..core.tool import Tool
from .agent_completions import for_agent
from .completer import MAGIC_LINE
from .line import TOOL_OPTIONS
from .runtime import Runtime


def complete(line: str, runtime: Runtime) -> list[str]:
    """The words that may come next after ``line``, the text up to the cursor; none when the line is not ours."""
    match = MAGIC_LINE.match(line)
    if match is None:
        return []
    *before, word = re.split(r"\s+", match["rest"])
    if match["magic"] == "agent":
        return for_agent(before, word, bool(match["cell"]), runtime)
    return for_tool(before, runtime.session.tools)


def completed(line: str, token: str, runtime: Runtime) -> list[str]:
    """What may stand in the place of ``token``, the last piece of the line that IPython's completer looks at.

    For IPython a word ends at a colon, a comma or an equals sign; a model's name or a list of tools does not.
    """
    word = line.split()[-1] if line and not line[-1].isspace() else ""
    start = word.removesuffix(token)
    return [each[len(start) :] for each in complete(line, runtime) if each.startswith(word)]


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
