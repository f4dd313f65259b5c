"""What do the options of an ``%%agent`` cell ask for, and what is its prompt?"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from ..core.errors import UsageError
from .agent_permissions_line import MODES

AGENT_OPTIONS: Mapping[str, str] = {
    "--model": "who answers, in this turn",
    "--mode": "the permission mode, in this turn",
    "--tools": "only these tools are offered, in this turn",
    "--max-turns": "how many times the model may be asked",
    "--name": "a name for this conversation, to find it again",
    "--continue": "go on with the last conversation of this folder",
    "--resume": "go on with a conversation: its id, or its file",
    "--expand": "put variables in place of {name} and $name in the text",
    "--background": "run it beside the cells; %agent status looks at it",
    "--rerun": "ask the model also where the record is kept already",
    "--script": "play the model's turns from a file, or from the cell itself (-)",
    "--record": "keep the model's answers in a file",
    "--replay": "play answers that were kept with --record",
    "--step": "stop after each stage of each call",
    "--help": "show help",
}
AGENT_OPTION_VALUES: Mapping[str, str] = {
    "--model": "SPEC",
    "--mode": "MODE",
    "--tools": "A,B",
    "--max-turns": "N",
    "--name": "NAME",
    "--resume": "ID",
    "--script": "FILE",
    "--record": "FILE",
    "--replay": "FILE",
}
"""What is written after an option."""

_ONE_OF = (("--model", "--script", "--replay"), ("--record", "--replay"), ("--continue", "--resume"))
"""Of each of these only one: they answer the same question."""
_NOT_WITH_BACKGROUND = {
    "--step": "a call that stops between its stages needs the cell that waits for it",
    "--mode": "a mode counts for everything that the session runs; change it with %agent mode",
}


@dataclass(frozen=True)
class AgentRun:
    """A turn to run.

    Args:
        prompt: what the model is asked.
        script: a file of scripted turns, ``""`` for none.
        inline_script: the JSON or YAML text of scripted turns, ``""`` for none.
        step: stop after each stage.
        max_turns: how many times the model may be asked; ``None`` for the default.
        model: who answers, as :func:`jupyter_agenttools.models.make_model` takes it; ``""`` for the session's model.
        mode: the permission mode of this turn, ``""`` for that of the session.
        tools: the only tools that are offered, ``None`` for all.
        name: what the conversation is called from now on.
        resume: a conversation to go on with: an id, a file, or ``last`` for the last one of this folder.
        expand: put variables into the prompt.
        record, replay: a file for the model's answers, or with them.
        background: do not wait for it.
        rerun: ask the model also where the notebook holds the record of this cell.
    """

    prompt: str
    script: str = ""
    inline_script: str = ""
    step: bool = False
    max_turns: int | None = None
    model: str = ""
    mode: str = ""
    tools: tuple[str, ...] | None = None
    name: str = ""
    resume: str = ""
    expand: bool = False
    record: str = ""
    replay: str = ""
    background: bool = False
    rerun: bool = False


LAST = "last"
"""The last conversation of this folder, taken up only where this kernel has none yet."""


def read_run(options: Mapping[str, str], line: str, body: str) -> AgentRun:
    """The turn that these options and this text ask for.

    Raises:
        UsageError: options that contradict each other, a value that is missing or cannot be used, or nothing to do.
    """
    _check_together(options)
    _check_values(options)
    inline = _inline_script(options.get("--script"), body)
    prompt = line if inline else "\n".join(filter(None, (line, body.removesuffix("\n"))))
    if not prompt.strip():
        if not options.keys() & {"--script", "--replay"}:
            raise UsageError("%%agent: write what the agent is to do below the first line")
        prompt = "Go on."
    return AgentRun(
        prompt=prompt,
        script="" if inline else options.get("--script", ""),
        inline_script=body if inline else "",
        step="--step" in options,
        max_turns=_number(options.get("--max-turns")),
        model=options.get("--model", ""),
        mode=options.get("--mode", ""),
        tools=_names(options["--tools"]) if "--tools" in options else None,
        name=options.get("--name", ""),
        resume=LAST if "--continue" in options else options.get("--resume", ""),
        expand="--expand" in options,
        record=options.get("--record", ""),
        replay=options.get("--replay", ""),
        background="--background" in options,
        rerun="--rerun" in options,
    )


def _check_together(options: Mapping[str, str]) -> None:
    for group in _ONE_OF:
        for one, other in combinations(group, 2):
            if one in options and other in options:
                raise UsageError(f"%%agent: {one} and {other} contradict each other; keep one of them")
    for name, why in _NOT_WITH_BACKGROUND.items():
        if name in options and "--background" in options:
            raise UsageError(f"%%agent: {name} and --background do not go together: {why}")


def _check_values(options: Mapping[str, str]) -> None:
    for name, what in AGENT_OPTION_VALUES.items():
        if name != "--script" and name in options and not options[name].strip():
            raise UsageError(f"%%agent {name}: write {name} {what}")
    mode = options.get("--mode")
    if mode is not None and mode not in MODES:
        near = difflib.get_close_matches(mode, MODES, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"%%agent --mode: one of {', '.join(MODES)}, got {mode!r}{hint}")


def _inline_script(script: str | None, body: str) -> bool:
    """Whether the cell holds the model's turns.

    Raises:
        UsageError: it should and does not, or there are turns in it and in a file.
    """
    looks_so = body.lstrip().startswith(("[", "{", "- ", "turns:"))
    if script in ("-", "") and not looks_so:
        raise UsageError(
            '%%agent --script -: the cell holds the model\'s turns as a JSON array or YAML, e.g. ["Hello."]'
        )
    if script and script != "-" and body.lstrip().startswith("["):
        raise UsageError(f"%%agent --script {script}: there is a script in the cell too; keep one of them")
    return script in ("-", "")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise UsageError("%%agent --tools: write the names of tools with commas between them, e.g. --tools Read,Grep")
    return names


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"%%agent --max-turns: expected a whole number from 1 on, got {text!r}")
    return int(text)
