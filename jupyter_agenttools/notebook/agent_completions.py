"""What may stand at the cursor of an ``%agent`` line: options and their values, sub-commands, ids, files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import get_args

from ..models import model_specs as named_models
from ..session import Session
from ..session.listing import list_sessions
from ..shell import Jobs
from .agent_line import AGENT_COMMANDS, UNDO_OPTIONS
from .agent_permissions_line import MODES, PERMISSION_ACTIONS, SCOPE_OPTION, SCOPES
from .agent_run_line import AGENT_OPTION_VALUES, AGENT_OPTIONS
from .agent_transcript_line import FORCE, TRANSCRIPT_ACTIONS, ExportForm
from .runtime import Runtime

MAX_FILES = 100
MAX_SESSIONS = 30
LIST_BUDGET_S = 0.3
"""A person who has pressed Tab does not wait longer."""


def for_agent(before: Sequence[str], word: str, in_cell: bool, runtime: Runtime) -> list[str]:
    """The words that may stand in the place of ``word``, after ``before`` on an ``%agent`` line."""
    if (option := _open_option(before, word)) is not None:
        given = f"{option}=" if word.startswith("--") else ""
        return [given + value for value in _values(option, word.removeprefix(given), runtime)]
    if before and not before[0].startswith("--"):
        return [] if in_cell else _after_command(list(before), word, runtime)
    commands: Iterable[str] = () if in_cell or before else AGENT_COMMANDS
    return [*commands, *(o for o in AGENT_OPTIONS if o not in _names(before))]


def _names(words: Sequence[str]) -> set[str]:
    return {word.partition("=")[0] for word in words}


def _open_option(before: Sequence[str], word: str) -> str | None:
    """The option whose value is being written, if any."""
    name, given, _ = word.partition("=")
    if given and name in AGENT_OPTION_VALUES:
        return name
    return before[-1] if before and before[-1] in AGENT_OPTION_VALUES else None


def _values(option: str, word: str, runtime: Runtime) -> list[str]:
    """What an option can be given."""
    match option:
        case "--model":
            return model_specs(word, runtime.session)
        case "--mode":
            return [*MODES]
        case "--tools":
            return tool_lists(word, runtime.session)
        case "--resume":
            return [*session_ids(runtime), *files(word, runtime.session.cwd)]
        case "--script" | "--record" | "--replay":
            return [*(["-"] if option == "--script" else []), *files(word, runtime.session.cwd)]
    return []


def _after_command(before: list[str], word: str, runtime: Runtime) -> list[str]:
    session = runtime.session
    first = len(before) == 1
    simple: Mapping[str, Callable[[], list[str]]] = {
        "approve": lambda: [*runtime.prompts.names().values()],
        "deny": lambda: [*runtime.prompts.names().values()],
        "hooks": lambda: ["test"],
        "model": lambda: model_specs(word, session),
        "resume": lambda: [*session_ids(runtime), *files(word, session.cwd)],
        "stop": lambda: task_ids(session.jobs, running=True),
        "tasks": lambda: task_ids(session.jobs),
        "trust": lambda: ["approve", "refuse"],
        "transcript": lambda: [*TRANSCRIPT_ACTIONS],
    }
    if before[0] in simple:
        if before[0] == "transcript" and before[1:2] == ["export"]:
            return _export(before[2:], word, session)
        return simple[before[0]]() if first else []
    if before[0] in ("mode", "permissions"):
        return for_permissions(before)
    if before[0] == "export":
        return _export(before[1:], word, session)
    if before[0] == "undo":
        return [option for option in UNDO_OPTIONS if option not in before]
    return []


def _export(after: Sequence[str], word: str, session: Session) -> list[str]:
    forms = () if set(get_args(ExportForm)) & set(after) else get_args(ExportForm)
    force = [FORCE] if FORCE.startswith(word) and FORCE not in after else []
    return [*forms, *force, *files(word, session.cwd)]


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


# ---- values


def task_ids(jobs: Jobs, *, running: bool = False) -> list[str]:
    """What was started in the background, or only what still runs."""
    return [job.id for job in jobs.all() if job.id and not (running and job.over)]


def tool_lists(word: str, session: Session) -> list[str]:
    """The names of tools; after a comma those that are not in the list yet."""
    done, comma, _ = word.rpartition(",")
    taken = set(done.split(","))
    return [done + comma + tool.name for tool in session.tools if tool.name not in taken]


def model_specs(word: str, session: Session) -> list[str]:
    """The beginnings of model names; after one that takes a file, the files."""
    kind, colon, rest = word.partition(":")
    if colon and kind in ("script", "replay"):
        return [f"{kind}:{file}" for file in files(rest, session.cwd)]
    return [each.spec for each in named_models({**os.environ, **session.settings.env})]


def session_ids(runtime: Runtime) -> list[str]:
    """The last conversations."""
    return [each.id[:12] for each in list_sessions(MAX_SESSIONS, budget_s=LIST_BUDGET_S).sessions]


def files(word: str, cwd: str) -> list[str]:
    """The files and folders whose names begin as ``word`` does."""
    folder, name = os.path.split(word)
    try:
        with os.scandir(Path(cwd, Path(folder).expanduser())) as entries:
            found = sorted((entry.name, entry.is_dir()) for entry in entries if entry.name.startswith(name))
    except (OSError, RuntimeError):
        return []
    shown = [(each, is_folder) for each, is_folder in found if name or not each.startswith(".")]
    return [os.path.join(folder, each) + ("/" if is_folder else "") for each, is_folder in shown[:MAX_FILES]]
