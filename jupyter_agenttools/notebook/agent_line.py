"""What does the text of an ``%agent`` line ask for?"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from ..core.errors import UsageError
from .agent_hooks_line import AgentHooks, parse_hooks
from .agent_permissions_line import AgentPermissions, parse_mode, parse_permissions
from .agent_run_line import AGENT_OPTION_VALUES, AGENT_OPTIONS, AgentRun, read_run
from .agent_transcript_line import AgentTranscript, parse_export, parse_transcript
from .agent_trust_line import AgentTrust, parse_trust
from .options import take_options

AgentCommand = Literal[
    "approve", "compact", "cost", "deny", "export", "history", "hooks", "mode", "model", "permissions", "redo", "reset",
    "resume", "say", "session", "sessions", "status", "stop", "tasks", "todos", "tools", "transcript", "trust", "undo",
]  # fmt: skip

AGENT_COMMANDS: Mapping[AgentCommand, str] = {
    "approve": "allow the call that waits for an answer",
    "compact": "put a summary in the place of older messages; TEXT says what matters in it",
    "cost": "tokens and dollars of this session, for each model",
    "deny": "refuse it; the model reads the reason",
    "export": "write the conversation to a file",
    "history": "the turns that changed files, and what they changed",
    "hooks": "the hooks and where each is written",
    "mode": "show the permission mode, or change it",
    "model": "show who answers, or change it",
    "permissions": "the mode, the folders and every rule with where it is written",
    "redo": "take the last undo back",
    "reset": "begin an empty conversation; files and rights stay",
    "resume": "list earlier conversations, or go on with one",
    "say": "tell the model something while it works",
    "session": "the session of this kernel, as a value",
    "sessions": "the last conversations, or those that hold a text",
    "status": "what runs, and which questions are open",
    "stop": "end the turn that runs, or a command in the background",
    "tasks": "the commands in the background, or one and what it printed last",
    "todos": "what the agent has on its list",
    "tools": "the tools that the model is offered, and how much it reads of each",
    "transcript": "the conversation so far",
    "trust": "what settings files of the project ask for",
    "undo": "put files back as before the last turn, or the last N",
}
AGENT_VALUES: Mapping[str, str] = {
    **AGENT_OPTION_VALUES,
    "approve": "ID",
    "compact": "[TEXT]",
    "deny": "ID [reason]",
    "export": "html|md FILE",
    "mode": "[MODE]",
    "model": "[SPEC]",
    "resume": "[ID]",
    "say": "TEXT",
    "sessions": "[TEXT]",
    "stop": "[ID]",
    "tasks": "[ID]",
    "undo": "[N]",
}
"""What is written after an option or a sub-command."""

UNDO_OPTIONS: Mapping[str, str] = {
    "--force": "also what changed after the turn, and notebooks changed meanwhile",
    "--list": "only show what could be undone",
}


@dataclass(frozen=True)
class AgentSubcommand:
    """A sub-command of ``%agent``; ``None`` shows the help.

    Args:
        id: of a question, task or conversation. text: what else follows.
    """

    command: AgentCommand | None
    id: str = ""
    text: str = ""


@dataclass(frozen=True)
class AgentUndo:
    """What to take back of what turns did to files.

    Args:
        action: ``history`` only shows what there is.
        turns: how many turns.
        force: also files that somebody changed after the turn.
    """

    action: Literal["undo", "redo", "history"]
    turns: int = 1
    force: bool = False


AgentLine = AgentRun | AgentSubcommand | AgentUndo | AgentHooks | AgentPermissions | AgentTrust | AgentTranscript


def parse_agent_line(text: str, body: str | None) -> AgentLine:
    """What to do for ``%agent text``, or for ``%%agent text`` with ``body`` below it.

    Raises:
        UsageError: an unknown option or sub-command, a missing id, a bad number, or a cell with nothing in it.
    """
    options, rest = take_options("%agent", text, AGENT_OPTIONS, valued=AGENT_OPTION_VALUES)
    if "--help" in options or (body is None and not options and rest in ("", "?")):
        return AgentSubcommand(None)
    if body is None and not options:
        return _subcommand(rest)
    return read_run(options, rest, body or "")


def _subcommand(text: str) -> AgentLine:
    word, _, rest = text.partition(" ")
    rest = rest.strip()
    if word not in get_args(AgentCommand):
        near = difflib.get_close_matches(word, AGENT_COMMANDS, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise UsageError(
            f"%agent: {word!r} is no sub-command; a prompt is written in an %%agent cell.{hint} "
            f"Sub-commands: {', '.join(AGENT_COMMANDS)}."
        )
    if (read := _READERS.get(word)) is not None:
        return read(rest)
    return _plain(word, rest)  # type: ignore[arg-type]


def _plain(word: AgentCommand, rest: str) -> AgentLine:
    """A sub-command that takes nothing, an id, or a text."""
    if word in ("say", "compact", "model", "sessions"):
        if word == "say" and not rest:
            raise UsageError("%agent say: what is the model to be told? Write %agent say TEXT.")
        return AgentSubcommand(word, text=rest)
    id, _, reason = rest.partition(" ")
    if word in ("approve", "deny") and not id:
        raise UsageError(f"%agent {word}: which question? Write %agent {word} ID; %agent status lists them.")
    if word in ("stop", "tasks") and reason.strip():
        raise UsageError(f"%agent {word}: takes one ID, got {rest!r}")
    if word == "resume":
        return AgentSubcommand(word, rest)  # a path may hold blanks
    if word not in ("approve", "deny", "stop", "tasks") and id:
        raise UsageError(f"%agent {word}: takes nothing after it, got {rest!r}")
    if word in ("redo", "history"):
        return AgentUndo(word)  # type: ignore[arg-type]
    return AgentSubcommand(word, id, reason.strip())


def _undo(text: str) -> AgentUndo:
    words = text.split()
    numbers = [word for word in words if word not in UNDO_OPTIONS]
    if len(numbers) > 1 or any(not word.isdecimal() or int(word) < 1 for word in numbers):
        options = " or ".join(UNDO_OPTIONS)
        raise UsageError(f"%agent undo: expected how many turns (1, 2 …), {options}, got {text.strip()!r}")
    if "--list" in words:
        return AgentUndo("history")
    return AgentUndo("undo", int(numbers[0]) if numbers else 1, "--force" in words)


_READERS: Mapping[str, Callable[[str], AgentLine]] = {
    "undo": _undo,
    "trust": parse_trust,
    "hooks": parse_hooks,
    "permissions": parse_permissions,
    "mode": parse_mode,
    "transcript": parse_transcript,
    "export": parse_export,
}
"""Sub-commands with a grammar of their own."""
