"""What does the text of an ``%agent`` line ask for?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from ..core.errors import UsageError
from .agent_hooks_line import AgentHooks, parse_hooks
from .agent_permissions_line import AgentPermissions, parse_mode, parse_permissions
from .agent_trust_line import AgentTrust, parse_trust
from .options import take_options

AgentCommand = Literal[
    "approve", "deny", "history", "hooks", "mode", "permissions", "redo", "session", "status", "stop", "tasks", "todos",
    "trust", "undo",
]  # fmt: skip

AGENT_OPTIONS: Mapping[str, str] = {
    "--script": "play the model's turns from a JSON file, or from the cell itself (-)",
    "--max-turns": "how many times the model may be asked",
    "--step": "stop after each stage of each call",
    "--help": "show help",
}
AGENT_COMMANDS: Mapping[AgentCommand, str] = {
    "approve": "allow the call that waits for an answer",
    "deny": "refuse it; the model reads the reason",
    "history": "the turns that changed files, and what they changed",
    "hooks": "the hooks and where each is written",
    "mode": "show the permission mode, or change it",
    "permissions": "the mode, the folders and every rule with where it is written",
    "redo": "take the last undo back",
    "session": "the session of this kernel, as a value",
    "status": "what runs, and which questions are open",
    "stop": "end a command that runs in the background",
    "tasks": "the commands in the background, or one and what it printed last",
    "todos": "what the agent has on its list",
    "trust": "what settings files of the project ask for",
    "undo": "put files back as before the last turn, or the last N",
}
AGENT_VALUES: Mapping[str, str] = {
    "--script": "FILE",
    "--max-turns": "N",
    "approve": "ID",
    "deny": "ID [reason]",
    "mode": "[MODE]",
    "stop": "ID",
    "tasks": "[ID]",
    "undo": "[N]",
}
"""What is written after an option or a sub-command."""

UNDO_OPTIONS: Mapping[str, str] = {
    "--force": "also what changed after the turn, and notebooks changed meanwhile",
    "--list": "only show what could be undone",
}


@dataclass(frozen=True)
class AgentRun:
    """A turn to run.

    Args:
        prompt: what the model is asked.
        script: a file of scripted turns, ``""`` for none.
        inline_script: the JSON text of scripted turns, ``""`` for none.
        step: stop after each stage.
        max_turns: how many times the model may be asked; ``None`` for the default.
    """

    prompt: str
    script: str = ""
    inline_script: str = ""
    step: bool = False
    max_turns: int | None = None


@dataclass(frozen=True)
class AgentSubcommand:
    """A sub-command of ``%agent`` with what follows it; ``None`` shows the help."""

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


AgentLine = AgentRun | AgentSubcommand | AgentUndo | AgentHooks | AgentPermissions | AgentTrust


def parse_agent_line(text: str, body: str | None) -> AgentLine:
    """What to do for ``%agent text``, or for ``%%agent text`` with ``body`` below it.

    Raises:
        UsageError: an unknown option or sub-command, a missing id, a bad number, or a cell with nothing in it.
    """
    options, rest = take_options("%agent", text, AGENT_OPTIONS, valued=("--script", "--max-turns"))
    if "--help" in options or (body is None and not options and rest in ("", "?")):
        return AgentSubcommand(None)
    if body is None and not options:
        return _subcommand(rest)
    return _run(options, rest, body or "")


def _subcommand(text: str) -> AgentLine:
    word, _, rest = text.partition(" ")
    if word not in get_args(AgentCommand):
        raise UsageError(
            f"%agent: {word!r} is no sub-command; a prompt is written in an %%agent cell. "
            f"Sub-commands: {', '.join(AGENT_COMMANDS)}."
        )
    if word == "undo":
        return _undo(rest)
    if word == "trust":
        return parse_trust(rest)
    if word == "hooks":
        return parse_hooks(rest)
    if word == "permissions":
        return parse_permissions(rest)
    if word == "mode":
        return parse_mode(rest)
    id, _, reason = rest.strip().partition(" ")
    if word in ("approve", "deny") and not id:
        raise UsageError(f"%agent {word}: which question? Write %agent {word} ID; %agent status lists them.")
    if word == "stop" and not id:
        raise UsageError("%agent stop: which task? Write %agent stop ID; %agent tasks lists them.")
    if word in ("stop", "tasks") and reason.strip():
        raise UsageError(f"%agent {word}: takes one ID, got {rest.strip()!r}")
    if word not in ("approve", "deny", "stop", "tasks") and id:
        raise UsageError(f"%agent {word}: takes nothing after it, got {rest.strip()!r}")
    if word in ("redo", "history"):
        return AgentUndo(word)  # type: ignore[arg-type]
    return AgentSubcommand(word, id, reason.strip())  # type: ignore[arg-type]


def _undo(text: str) -> AgentUndo:
    words = text.split()
    numbers = [word for word in words if word not in UNDO_OPTIONS]
    if len(numbers) > 1 or any(not word.isdecimal() or int(word) < 1 for word in numbers):
        options = " or ".join(UNDO_OPTIONS)
        raise UsageError(f"%agent undo: expected how many turns (1, 2 …), {options}, got {text.strip()!r}")
    if "--list" in words:
        return AgentUndo("history")
    return AgentUndo("undo", int(numbers[0]) if numbers else 1, "--force" in words)


def _run(options: Mapping[str, str], line: str, body: str) -> AgentRun:
    script = options.get("--script")
    inline = script in ("-", "") and body.lstrip().startswith(("[", "{"))
    if script in ("-", "") and not inline:
        raise UsageError('%%agent --script -: the cell holds the model\'s turns as a JSON array, e.g. ["Hello."]')
    if script and not inline and body.lstrip().startswith("["):
        raise UsageError(f"%%agent --script {script}: there is a script in the cell too; keep one of them")
    prompt = line if inline else "\n".join(filter(None, (line, body.removesuffix("\n"))))
    if not prompt.strip():
        if script is None:
            raise UsageError("%%agent: write what the agent is to do below the first line")
        prompt = "Go on."
    return AgentRun(
        prompt=prompt,
        script="" if inline else script or "",
        inline_script=body if inline else "",
        step="--step" in options,
        max_turns=_number(options.get("--max-turns")),
    )


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"%%agent --max-turns: expected a whole number from 1 on, got {text!r}")
    return int(text)
