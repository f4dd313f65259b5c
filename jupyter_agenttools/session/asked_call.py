"""What a person is told of a call that asks, in a card and in a terminal: all of it, why it asks, what to look at."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..core.names import POWERSHELL_TOOL_NAME
from ..core.prompting import PermissionRequest
from ..core.views import CodeBlockView, DiffBlockView, JsonBlockView, TextBlockView, ToolView
from ..permissions import working_directories
from ..permissions.roots import is_inside
from ..render.chars import one_line, unseen
from ..render.lookalikes import look_alikes, name_of

if TYPE_CHECKING:
    from .session import Session

OTHER_ARGUMENTS = "Other arguments"
TOLD_SIGNS = 5
NO_RULE = "no rule allows it"
TREE = "tree:"
"""From here on the reading of a command tells how its parser saw it, which ``%tool --explain`` shows."""

WORD_CHARS = 40
PATH_FIELDS = ("file_path", "notebook_path", "path")
PATH_CHARS = 80
"""Of a path in a title; what is longer loses its middle."""


def who_asks(request: PermissionRequest) -> str:
    """``Bash asks to run``, and for which sub-agent."""
    return f"{request.tool_name} asks to run" + (f" (agent {request.agent_id})" if request.agent_id else "")


def call_title(request: PermissionRequest) -> str:
    """The title of the call's view with the path where that has only a file's name: which file it is matters most."""
    title, path = request.view.title, _path_of(request)
    name = os.path.basename(path)
    at = title.find(f" {name}") + 1
    if not name or not at or path in title:
        return title
    if len(path) > PATH_CHARS:
        path = f"{path[: PATH_CHARS // 2 - 1]}…{path[-PATH_CHARS // 2 :]}"
    return f"{title[:at]}{path}{title[at + len(name) :]}"


def _path_of(request: PermissionRequest) -> str:
    return next((path for key in PATH_FIELDS if isinstance(path := request.input.get(key), str) and path), "")


def why_asked(request: PermissionRequest, session: Session) -> str:
    """The reason without the rule at its end that would allow the call: "Always allow" shows that one. Of a path that
    needs a rule only because of where it is, that is said."""
    rules, reason = request.offered, request.decision.reason
    reason = reason.removesuffix(f"; {' and '.join(rules)} would") if rules else reason
    path = _path_of(request)
    if reason != NO_RULE or not path:
        return reason
    state = session.state
    whole = os.path.realpath(os.path.join(state.cwd, os.path.expanduser(path)))
    inside = is_inside(whole, working_directories(state.permission, state.cwd))
    return reason if inside else f"it is outside of the working directories, and {reason}"


def with_all_arguments(request: PermissionRequest) -> ToolView:
    """The tool's view of its input, and below it every argument that the view does not show as it is."""
    view, shown = request.view, "\n".join(_texts(request.view))
    if any(isinstance(block, JsonBlockView) and block.value == request.input for block in view.blocks):
        return view
    rest = {k: v for k, v in request.input.items() if not (isinstance(v, str) and v.strip("\n") in shown)}
    if not rest:
        return view
    return ToolView(view.title, view.badges, (*view.blocks, JsonBlockView(rest, OTHER_ARGUMENTS)), False)


def _texts(view: ToolView) -> Iterator[str]:
    yield view.title
    for block in view.blocks:
        if isinstance(block, (TextBlockView, CodeBlockView)):
            yield block.text
        elif isinstance(block, DiffBlockView):
            yield from (block.path, block.old, block.new)


def main_text(request: PermissionRequest, session: Session) -> str:
    """The text that places in the trace are counted in: the command of a command tool."""
    tool = session.find_tool(request.tool_name)
    value = request.input.get(tool.primary_field or "") if tool is not None else None
    return value if isinstance(value, str) else ""


def command_reading(request: PermissionRequest, session: Session) -> list[str]:
    """How a command for bash is read, line by line; nothing for other tools and for a single call."""
    tool, command = session.find_tool(request.tool_name), main_text(request, session)
    if tool is None or tool.rule_family != "command" or tool.name == POWERSHELL_TOOL_NAME or not command:
        return []
    from ..permissions.command.explain import explain_command

    state = session.state
    lines = explain_command(command, cwd=state.cwd, roots=working_directories(state.permission, state.cwd))
    told = lines[: lines.index(TREE)] if TREE in lines else lines
    return told if sum(line.startswith("  ") for line in told) > 1 else []  # of a single call the trace says it all


# ---- characters that deceive


def odd_signs(value: Any) -> list[str]:
    """A few words about each character that deceives, anywhere in an input; at most a handful."""
    told: dict[str, None] = {}
    for text in _strings(value):
        for char in unseen(text):
            told[f"{name_of(char)}: hides or reorders what is around it"] = None
        for alike in look_alikes(text):
            where = f" in {one_line(alike.word, WORD_CHARS)}" if len(alike.word) > 1 else ""
            told[f"{name_of(alike.char)}: looks like {alike.like}{where}"] = None
    words = list(told)
    more = len(words) - TOLD_SIGNS
    return words if more <= 0 else [*words[:TOLD_SIGNS], f"… and {more} more"]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _strings(key)
            yield from _strings(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _strings(inner)
