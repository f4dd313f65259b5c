"""What may stand at the cursor of a ``%tool`` or ``%agent`` line."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from ..core.tool import Tool
from .agent_completions import for_agent
from .completer import MAGIC_LINE
from .line import TOOL_OPTIONS
from .runtime import Runtime

MAX_FILES = 200
"""Of one folder; a longer list helps nobody, and a folder may hold a million."""


def complete(line: str, runtime: Runtime) -> list[str]:
    """The words that may come next after ``line``, the text up to the cursor; none when the line is not ours."""
    match = MAGIC_LINE.match(line)
    if match is None:
        return []
    *before, word = re.split(r"\s+", match["rest"])
    if match["magic"] == "agent":
        return for_agent(before, word, bool(match["cell"]), runtime)
    return for_tool(before, word, runtime.session.tools, runtime.session.cwd)


def completed(line: str, token: str, runtime: Runtime) -> list[str]:
    """What may stand in the place of ``token``, the last piece of the line that IPython's completer looks at.

    For IPython a word ends at a colon, a comma or an equals sign; a model's name or a list of tools does not.
    """
    word = line.split()[-1] if line and not line[-1].isspace() else ""
    start = word.removesuffix(token)
    return [each[len(start) :] for each in complete(line, runtime) if each.startswith(word)]


def for_tool(before: list[str], word: str, tools: Sequence[Tool], cwd: str) -> list[str]:
    """After these words of a ``%tool`` line, where ``word`` has begun; paths are those of the folder ``cwd``."""
    name = next((w for w in before if not w.startswith("--")), None)
    if name is None:
        return [*(o for o in TOOL_OPTIONS if o not in before), *(t.name for t in tools)]
    tool = next((t for t in tools if t.answers_to(name)), None)
    if tool is None:
        return []
    given = before[before.index(name) + 1 :]
    if any("=" not in word for word in given):
        return []  # plain text has begun; nothing after it is a field
    properties = tool.json_schema.get("properties", {})
    field, is_given, value = word.partition("=")
    if is_given:
        values = _values(field, properties.get(field, {}), value, cwd)
        return [f"{field}={each}" for each in values]
    fields = [f"{f}=" for f in properties]
    left = [f for f in fields if not any(word.startswith(f) for word in given)]
    return left if given else [*left, "--help", "--json"]


def _values(field: str, schema: Mapping[str, Any], begun: str, cwd: str) -> list[str]:
    """What may be written for a field of this schema: one of its choices, or a file where it is a path."""
    kinds = [schema, *(each for each in schema.get("anyOf", ()) if isinstance(each, Mapping))]
    choices = [choice for kind in kinds for choice in kind.get("enum", ()) if isinstance(choice, str)]
    if any(kind.get("type") == "boolean" for kind in kinds):
        choices += ["true", "false"]
    return _files(begun, cwd) if field.endswith("path") else choices


def _files(begun: str, cwd: str) -> list[str]:
    """The files and folders (with a slash) whose path may go on like ``begun``; those with blanks or quotation marks
    would need quoting and are left out."""
    folder, slash, start = begun.rpartition("/")
    place = os.path.join(cwd, os.path.expanduser(folder + slash))
    try:
        with os.scandir(place) as entries:
            fitting = (
                f"{folder}{slash}{entry.name}{'/' if entry.is_dir() else ''}"
                for entry in entries
                if entry.name.startswith(start)
                and (start or not entry.name.startswith("."))
                and not re.search(r"[\s'\"\\]", entry.name)
            )
            return sorted(islice(fitting, MAX_FILES))
    except OSError:
        return []
