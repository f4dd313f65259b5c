"""``%agent transcript``, ``export``, ``sessions``, ``resume``, ``reset``: this conversation, and earlier ones."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from anyio.to_thread import run_sync

from ..session import save_export
from ..session.anew import begin_anew, last_in, take_up
from ..session.export import ExportFormat
from ..session.listing import list_sessions, search_sessions, search_view, sessions_view
from .agent_conversation_views import found_view, transcript_view
from .agent_run_line import LAST
from .agent_transcript_line import AgentTranscript, unquoted
from .agent_turn import path_of
from .note import lines_bundle, note_bundle
from .output import show
from .plan import Plan

if TYPE_CHECKING:
    from .runtime import Runtime

SHOWN_SESSIONS = 30
ID_CHARS = 12
FORMATS: Mapping[str, ExportFormat] = {"html": "html", "md": "markdown"}


def transcript_plan(runtime: Runtime, asked: AgentTranscript) -> Plan:
    """Show the conversation or what is found in it, or write it to a file.

    Raises:
        UsageError: the file cannot be written, or there is another one already.
    """
    from ..render import view_bundle

    session = runtime.session
    if asked.action == "show":
        show(view_bundle(transcript_view(session)))
    elif asked.action == "search":
        show(view_bundle(found_view(session.messages, asked.text)))
    else:
        path = path_of(session, asked.file)
        lost = [words] if (words := session.transcript.fault_words) else []
        write = partial(save_export, session.transcript.path, path, FORMATS[asked.form], force=asked.force, notes=lost)
        run = runtime.new_run(lambda: run_sync(write))
        yield run
        runtime.result_of(run)
        show(note_bundle(f"the conversation was written to {path}"))
        for words in lost:
            show(note_bundle(f"⚠ {words}"))
    return None


def sessions_command(text: str) -> None:
    """The last conversations, or those in which a text stands, and the line that goes on with one of them."""
    from ..render import view_bundle

    if text:
        found = search_sessions(text)
        sessions = [hit.session for hit in found.hits]
        show(view_bundle(search_view(text, found)))
    else:
        listing = list_sessions(SHOWN_SESSIONS)
        sessions = list(listing.sessions)
        show(view_bundle(sessions_view(listing)))
    free = next((each.id[:ID_CHARS] for each in sessions if not each.is_running), "")
    if free:
        show(note_bundle(f"%agent resume ID goes on with one of them, for example: %agent resume {free}"))


def resume_plan(runtime: Runtime, source: str) -> Plan:
    """Go on with an earlier conversation; without a source list those that there are.

    Raises:
        UsageError: there is none such, it still runs, or something runs here.
    """
    if not source:
        sessions_command("")
        return None
    run = runtime.new_run(lambda: resume_now(runtime, unquoted(source)))
    yield run
    show(lines_bundle(runtime.result_of(run)))
    return None


async def resume_now(runtime: Runtime, source: str | os.PathLike[str]) -> list[str]:
    """Go on with an earlier conversation, and say in lines with which. To be called in the portal.

    Raises:
        UsageError: as :func:`resume_plan`.
    """
    runtime.background.require_none("go on with another conversation")
    session = runtime.session
    before = session.id if session.messages else ""
    notes = await take_up(session, source)
    if runtime.lab is not None:
        runtime.lab.tell_state()
    is_other = before and before != session.id
    back = [f"the conversation before is kept: %agent resume {before[:ID_CHARS]}"] if is_other else []
    return [f"this is {_called(runtime)}, {len(session.messages)} messages long", *notes, *back]


def resume_for_turn(runtime: Runtime, source: str) -> Plan:
    """Before a turn that is to go on with an earlier conversation. Nothing happens where that is the one of this
    kernel, or with :data:`LAST` where this kernel has one already.

    Raises:
        UsageError: as :func:`resume_plan`.
    """
    session = runtime.session
    if source == LAST:
        if session.messages:
            return
        running: list[Path] = []
        last = last_in(session.cwd, running)
        for path in running:
            id = path.parent.name[:ID_CHARS]
            show(note_bundle(f"the conversation {id} of this folder was passed over: it still runs in another kernel"))
        if last is None:
            show(note_bundle(f"there is no earlier conversation of the folder {session.cwd}; this one begins"))
            return
        source = str(last)
    before = session.id
    run = runtime.new_run(lambda: take_up(session, source))
    yield run
    notes = runtime.result_of(run)
    if session.id != before:
        show(lines_bundle([f"goes on with {_called(runtime)}", *notes]))


def reset_plan(runtime: Runtime) -> Plan:
    """Begin an empty conversation, and say how to get back.

    Raises:
        UsageError: something runs.
    """
    runtime.background.require_none("begin another conversation")
    had = bool(runtime.session.messages)
    run = runtime.new_run(lambda: begin_anew(runtime.session))
    yield run
    before = runtime.result_of(run)
    if runtime.lab is not None:
        runtime.lab.tell_state()
    lines = ["the conversation is empty; files, rights and what runs in the background stay as they are"]
    back = [f"back to the one before: %agent resume {before[:ID_CHARS]}"] if had else []
    show(lines_bundle([*lines, *back]))
    return None


def _called(runtime: Runtime) -> str:
    session = runtime.session
    return f"the conversation {session.id[:ID_CHARS]}" + (f" ({session.name})" if session.name else "")
