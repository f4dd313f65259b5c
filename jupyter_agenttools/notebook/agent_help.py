"""What can be written after ``%agent``, by what it is about, in lines that fit a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from .agent_line import AGENT_COMMANDS, AGENT_VALUES, UNDO_OPTIONS, AgentCommand
from .agent_permissions_line import PERMISSION_ACTIONS, PERMISSION_VALUES, SCOPE_OPTION, SCOPES
from .agent_run_line import AGENT_OPTIONS
from .agent_transcript_line import FORCE

COLUMNS = 80
TEXT_COLUMN = 32
GAP = 2
GROUPS: Mapping[str, tuple[AgentCommand, ...]] = {
    "While it works": ("status", "say", "stop", "approve", "deny"),
    "The conversation": ("transcript", "export", "cost", "compact", "reset", "resume", "sessions"),
    "Who answers, with what": ("model", "tools"),
    "What it may do": ("mode", "permissions", "trust", "hooks"),
    "Taking back": ("history", "undo", "redo"),
    "Looking": ("tasks", "todos", "session"),
}
BELOW: Mapping[str, Mapping[str, str]] = {
    "export": {FORCE: "also over a file that is no earlier export"},
    "hooks": {
        "test HOOK": "what a hook would say, tried out on a call that is not made",
        "test HOOK TOOL {…}": "on this call",
        "test HOOK ID": "on a call of this session",
    },
    "permissions": {
        **{f"{name} {PERMISSION_VALUES.get(name, '')}": text for name, text in PERMISSION_ACTIONS.items()},
        f"… {SCOPE_OPTION} SCOPE": f"where the change is kept: {', '.join(SCOPES)}",
    },
    "transcript": {
        "export html|md FILE": "write it to a file",
        "search TEXT": "where this text stands in it",
    },
    "trust": {"approve [N]": "let the file count, the Nth of several", "refuse [N]": "nobody asks about it again"},
    "undo": UNDO_OPTIONS,
}
"""What a sub-command can be told."""


def help_lines() -> list[str]:
    """The help, at most :data:`COLUMNS` wide."""
    return list(_help())


def _help() -> Iterator[str]:
    yield from _row("%%agent [options]", "a turn: the cell below is the prompt")
    for name, text in AGENT_OPTIONS.items():
        yield from _row(f"  {name} {AGENT_VALUES.get(name, '')}", text)
    for title, commands in GROUPS.items():
        yield ""
        yield title
        for command in commands:
            yield from _row(f"  %agent {command} {AGENT_VALUES.get(command, '')}", AGENT_COMMANDS[command])
            for start, text in BELOW.get(command, {}).items():
                yield from _row(f"    {start}", text)


def _row(start: str, text: str) -> Iterator[str]:
    """Two columns; what is too long for the first one stands in a line of its own."""
    start = start.rstrip()
    lines = textwrap.wrap(text, COLUMNS - TEXT_COLUMN)
    if len(start) > TEXT_COLUMN - GAP:
        yield start
        start = ""
    for line in lines:
        yield start.ljust(TEXT_COLUMN) + line
        start = ""
