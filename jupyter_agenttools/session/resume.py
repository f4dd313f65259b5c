"""Going on with a session that is over: after a kernel restart, a crash, or another day."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..core.blocks import TextBlock, ToolResultBlock
from ..core.context import ContextState, RuleBehavior, ToolPermissionContext
from ..core.errors import UsageError
from ..core.plan_mode import with_mode
from ..core.secrets import REDACTION
from ..permissions.mode_order import is_narrower
from ..permissions.question import working_directories
from ..permissions.rules import make_rule
from ..render.chars import count_of
from .finding import find_transcript, is_ours
from .session import Session
from .transcript_file import is_held
from .transcript_reading import TRANSCRIPT_NAME, LoadedTranscript, load_transcript

_WITH_TEXT = (TextBlock, ToolResultBlock)
_NOT_RESTORED = ("plan",)
"""State of tools that stays behind: the mode that leaving plan mode goes back to is that of the new session."""


def resume_session(
    source: str | os.PathLike[str] = "last", *, make: Callable[..., Session] = Session, **session_arguments: Any
) -> Session:
    """A session that goes on where ``source`` stopped, in the same folder and the same transcript.

    The conversation, the todo list, the state of tools, the totals, the name and the working directory come back.
    Rights never do: the session has those of the settings as they are now. What the old one had narrowed (deny and ask
    rules, a narrower mode) stays narrow; allow rules, working directories and a wider mode have to be given again.
    No file counts as read: what is to be edited is read again. Secrets were never written down, so where the
    conversation held one it reads ``[redacted]``. ``session.resume_notes`` says what was left behind.

    Args:
        source: ``last``, the beginning of an id, a name, or the path of a transcript or its folder.
        make: makes the session, :class:`Session` by default.
        session_arguments: those of :class:`Session`; what is not given is as it was.

    Raises:
        UsageError: no such session, or several; it still runs (then :func:`fork_session` makes another one of it); or
            what :class:`Session` raises.
    """
    path = find_transcript(source)
    if path.name != TRANSCRIPT_NAME:
        raise UsageError(f"{path} is a copy of a transcript; fork_session makes a new session of it")
    if is_held(path):
        raise _still_runs(path)
    loaded = load_transcript(path)
    session, notes = session_like(loaded, make, {**session_arguments, "session_dir": path.parent})
    session.id = loaded.session_id or path.parent.name
    session.parent = loaded.parent
    try:
        free = session.transcript.resume(loaded.recorded)
    except OSError as problem:
        raise UsageError(f"the transcript cannot be written to: {problem}") from problem
    if not free:
        session.watch_settings(False)
        raise _still_runs(path)
    if loaded.messages != loaded.recorded:
        session.transcript.keep_history(loaded.messages)
    session.hook_events.source = "resume"
    session.resume_notes = (*loaded.notes, *notes)
    return session


def session_like(
    loaded: LoadedTranscript, make: Callable[..., Session], arguments: dict[str, Any]
) -> tuple[Session, tuple[str, ...]]:
    """A new session with the conversation and the state of ``loaded``, and what was not taken over."""
    notes: list[str] = []
    arguments.setdefault("name", loaded.name)
    if arguments.get("cwd") is None:
        arguments["cwd"] = _folder(loaded, notes)
    session = make(**arguments)
    session.restore(loaded)
    session.modify_state(partial(_restored, loaded=loaded))
    notes += _left_behind(loaded, session.state)
    return session, tuple(notes)


def _still_runs(path: Path) -> UsageError:
    return UsageError(
        f"the session {path.parent.name[:12]} still runs, here or in another kernel; close it first, or use "
        "fork_session to make another one of it"
    )


def _folder(loaded: LoadedTranscript, notes: list[str]) -> str:
    """The working directory that the session begins with. A file from elsewhere does not choose it."""
    began = loaded.began_in
    if began and is_ours(loaded.path):
        if os.path.isdir(began):
            return began
        notes.append(f"its folder {began} is gone; it goes on in {os.getcwd()}")
    return os.getcwd()


# ---- the state, never wider than that of a new session


def _restored(state: ContextState, *, loaded: LoadedTranscript) -> ContextState:
    permission = state.permission
    for behavior in ("deny", "ask"):
        for rule in loaded.session_rules.get(behavior, ()):
            if _is_rule(rule, behavior):
                permission = permission.with_rule(behavior, "session", rule)
    cwd = loaded.cwd if _may_work_in(loaded.cwd, state) else state.cwd
    app_state = {**state.app_state, **_state_of_tools(loaded)}
    state = replace(state, permission=permission, cwd=cwd, app_state=app_state)
    return with_mode(state, _mode(loaded, permission))  # type: ignore[arg-type]


def _is_rule(text: str, behavior: RuleBehavior) -> bool:
    """Whether the rule can be read; in a file that somebody changed it may be anything."""
    try:
        make_rule(text, "session", behavior)
    except UsageError:
        return False
    return True


def _state_of_tools(loaded: LoadedTranscript) -> Mapping[str, Any]:
    """What tools had kept; of a file from elsewhere only what is known to be in its proper form."""
    if not is_ours(loaded.path):
        return {name: value for name, value in loaded.app_state.items() if name == "todos"}
    odd = () if isinstance(loaded.app_state.get("config", {}), Mapping) else ("config",)
    return {name: value for name, value in loaded.app_state.items() if name not in (*_NOT_RESTORED, *odd)}


def _mode(loaded: LoadedTranscript, permission: ToolPermissionContext) -> str:
    return loaded.mode if is_narrower(loaded.mode, permission.mode) else permission.mode


def _may_work_in(folder: str, state: ContextState) -> bool:
    """Whether the folder is there, and inside of where the new session works anyway."""
    if not folder or not os.path.isdir(folder):
        return False
    place = os.path.realpath(folder)
    return any(os.path.commonpath((place, root)) == root for root in working_directories(state.permission, state.cwd))


def _left_behind(loaded: LoadedTranscript, state: ContextState) -> Iterator[str]:
    """What the old session had and the new one has not, one sentence each."""
    mode = state.permission.mode
    if loaded.mode and loaded.mode != mode:
        yield f"the mode {loaded.mode} was not restored, it lets more pass: this session is in the mode {mode}"
    has = {rule for rules in state.permission.always_allow_rules.values() for rule in rules}
    if gone := [rule for rule in loaded.session_rules.get("allow", ()) if rule not in has]:
        yield f"not restored: {count_of(len(gone), 'allow rule')} of the session: {', '.join(gone[:5])}"[:500]
    if folders := [f for f in loaded.session_folders if f not in state.permission.additional_working_directories]:
        yield f"not restored: working directories that were added in the session: {', '.join(folders[:5])}"[:500]
    if loaded.cwd and loaded.cwd != state.cwd:
        yield f"commands ran in {loaded.cwd} at last; now they run in {state.cwd}"
    if loaded.exported:
        yield f"exported variables are gone, export them again: {', '.join(loaded.exported[:10])}"[:500]
    if any(REDACTION in block.text for m in loaded.messages for block in m.content if isinstance(block, _WITH_TEXT)):
        yield f"what was secret was never written down: in the conversation it reads {REDACTION}…"
    if loaded.messages:
        yield "no file counts as read: what is to be changed is read again"
