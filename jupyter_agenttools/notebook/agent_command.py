"""``%agent``: let the model work, answer its questions, and look at what it may do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..core.errors import UsageError
from ..core.prompting import PermissionAnswer
from ..core.todos import todos_view
from ..core.views import ToolView
from .agent_cell import CellTurn, more_of
from .agent_conversation import compact_plan, cost_command, model_command, say_command, tools_command
from .agent_expand import expand
from .agent_help import help_lines
from .agent_hooks import hooks_plan
from .agent_hooks_line import AgentHooks
from .agent_line import AgentSubcommand, AgentUndo, parse_agent_line
from .agent_permissions import permissions_plan
from .agent_permissions_line import AgentPermissions
from .agent_run_line import AgentRun
from .agent_sessions import reset_plan, resume_for_turn, resume_plan, sessions_command, transcript_plan
from .agent_tasks import stop_plan, tasks_bundle
from .agent_transcript_line import AgentTranscript
from .agent_trust import trust_command
from .agent_trust_line import AgentTrust
from .agent_turn import prepare_turn
from .agent_undo import undo_plan
from .background import BackgroundRun
from .lab.presence import presence_line
from .note import lines_bundle, note_bundle
from .output import show
from .plan import Plan
from .runtime import Runtime


def agent_plan(runtime: Runtime, text: str, body: str | None, shown: bool) -> Plan:
    """What ``%agent text``, or ``%%agent text`` with ``body`` below it, does.

    Args:
        shown: whether IPython's display hook will be given the value.
    """
    asked = parse_agent_line(text, body)
    match asked:
        case AgentRun():
            return (yield from _turn(runtime, asked, shown))
        case AgentSubcommand(command="stop" | "compact" | "resume" | "reset"):
            return (yield from _PLANS[asked.command](runtime, asked))
        case AgentSubcommand():
            return _subcommand(runtime, asked)
        case AgentHooks():
            return (yield from hooks_plan(runtime, asked))
        case AgentPermissions():
            return (yield from permissions_plan(runtime, asked))
        case AgentTrust():
            return trust_command(runtime, asked)
        case AgentTranscript():
            return (yield from transcript_plan(runtime, asked))
        case AgentUndo():
            return (yield from undo_plan(runtime, asked))


# ---- sub-commands


_PLANS: Mapping[str, Callable[[Runtime, AgentSubcommand], Plan]] = {
    "stop": lambda runtime, asked: stop_plan(runtime, asked.id),
    "compact": lambda runtime, asked: compact_plan(runtime, asked.text),
    "resume": lambda runtime, asked: resume_plan(runtime, asked.id),
    "reset": lambda runtime, asked: reset_plan(runtime),
}
"""Those that something has to be waited for."""


def _subcommand(runtime: Runtime, asked: AgentSubcommand) -> Any:
    match asked.command:
        case "approve":
            _answer(runtime, asked.id, PermissionAnswer("allow", answered_by="%agent approve"))
        case "cost":
            cost_command(runtime)
        case "deny":
            _answer(runtime, asked.id, PermissionAnswer("deny", asked.text, answered_by="%agent deny"))
        case "model":
            model_command(runtime, asked.text)
        case "say":
            say_command(runtime, asked.text)
        case "session":
            return runtime.session
        case "sessions":
            sessions_command(asked.text)
        case "status":
            show(lines_bundle(status_lines(runtime)))
        case "tasks":
            show(tasks_bundle(runtime.session, asked.id))
        case "todos":
            show(todos_bundle(runtime))
        case "tools":
            tools_command(runtime)
        case None:
            show(lines_bundle(help_lines()))
    return None


def _answer(runtime: Runtime, id: str, answer: PermissionAnswer) -> None:
    prompt = runtime.prompts.find(id)
    if prompt.is_open and (why := prompt.why_not(answer.behavior)):
        raise UsageError(f"%agent: the question {id} cannot be answered from here: {why}")
    if not prompt.answer(answer):
        raise UsageError(f"%agent: the question {id} was answered already")
    show(note_bundle(f"{prompt.request.tool_name}: {'allowed' if answer.behavior == 'allow' else 'denied'}"))


def status_lines(runtime: Runtime) -> list[str]:
    """The session, what runs in the background, and which questions are open."""
    session, prompts = runtime.session, runtime.prompts.names()
    tasks = [job.id for job in session.jobs.all() if job.id and not job.over]
    asked = [f"  {name}  {p.request.view.title}  ({p.request.decision.reason})" for p, name in prompts.items()]
    return [
        f"session {session.id[:12]}{f' ({session.name})' if session.name else ''} in {session.cwd}",
        f"mode: {session.state.permission.mode}",
        f"model: {getattr(session.model, 'name', 'none is set')}",
        f"conversation: {len(session.messages)} messages",
        *runtime.background.lines(),
        f"calls so far: {len(session.outcomes)}; transcript: {session.transcript.path}",
        *([f"⚠ {lost}"] if (lost := session.transcript.fault_words) else []),
        f"in the background: {', '.join(tasks) or 'nothing'}",
        f"open questions: {len(prompts) or 'none'}",
        *asked,
        *(["  answer one with %agent approve ID, or %agent deny ID [reason]"] if asked else []),
        *([presence_line(runtime.lab)] if runtime.lab is not None else []),
    ]


def todos_bundle(runtime: Runtime) -> dict[str, Any]:
    """What the agent has on its list; when all of it is done, the list as it was last."""
    from ..render import view_bundle
    from ..render.outcome_views import last_todos

    view = todos_view(runtime.session.todos)
    if not view.blocks and (finished := last_todos(runtime.session.outcomes)):
        view = ToolView("Todos none: the last list is finished", blocks=finished)
    return view_bundle(view)


# ---- a turn


def _turn(runtime: Runtime, asked: AgentRun, shown: bool) -> Plan:
    if asked.expand:  # once: the record's fingerprint is of the text that the model is asked
        asked = replace(asked, prompt=expand(asked.prompt, runtime.shell.user_ns))
    place = runtime.cell_records.place(more_of(runtime, asked))
    recorded = None if asked.rerun else runtime.cell_records.replay(place, asked.prompt)
    if recorded is not None:
        runtime.shown.add(recorded)
        return recorded
    if asked.resume:
        runtime.background.require_none("go on with another conversation")
        yield from resume_for_turn(runtime, asked.resume)
    turn = prepare_turn(runtime, asked)
    if asked.name:
        runtime.session.name = asked.name
    played = CellTurn(runtime, turn, place, background=asked.background)
    if isinstance(played.run, BackgroundRun):
        played.run.begin(played.finish)
        return None
    yield played.run
    ended = played.finish()
    runtime.shown.add(ended)
    runtime.result_of(played.run)
    return ended
