"""``%agent``: let the model work, answer its questions, and look at what it may do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core.errors import UsageError
from ..core.prompting import PermissionAnswer
from ..core.todos import todos_view
from ..core.updates import TurnEnded
from ..core.views import ToolView
from ..models import Model, ScriptedModel
from .agent_help import help_lines
from .agent_hooks import hooks_plan
from .agent_hooks_line import AgentHooks
from .agent_line import AgentRun, AgentSubcommand, AgentUndo, parse_agent_line
from .agent_permissions import permissions_plan
from .agent_permissions_line import AgentPermissions
from .agent_tasks import stop_plan, tasks_bundle
from .agent_trust import trust_command
from .agent_trust_line import AgentTrust
from .agent_undo import undo_plan
from .agent_view import TurnWatcher
from .lab.presence import presence_line
from .live import LiveDisplay
from .note import lines_bundle, note_bundle
from .output import show
from .plan import Plan
from .prompts import short_id
from .run import Run
from .runtime import Runtime
from .tool_command import make_stepper
from .watcher import watching


def agent_plan(runtime: Runtime, text: str, body: str | None, shown: bool) -> Plan:
    """What ``%agent text``, or ``%%agent text`` with ``body`` below it, does.

    Args:
        shown: whether IPython's display hook will be given the value.
    """
    asked = parse_agent_line(text, body)
    if isinstance(asked, AgentSubcommand):
        if asked.command == "stop":
            return (yield from stop_plan(runtime, asked.id))
        return _subcommand(runtime, asked)
    if isinstance(asked, AgentHooks):
        return (yield from hooks_plan(runtime, asked))
    if isinstance(asked, AgentPermissions):
        return (yield from permissions_plan(runtime, asked))
    if isinstance(asked, AgentTrust):
        return trust_command(runtime, asked)
    if isinstance(asked, AgentUndo):
        return (yield from undo_plan(runtime, asked))
    return (yield from _turn(runtime, asked, shown))


# ---- sub-commands


def _subcommand(runtime: Runtime, asked: AgentSubcommand) -> Any:
    match asked.command:
        case "approve":
            _answer(runtime, asked.id, PermissionAnswer("allow", answered_by="%agent approve"))
        case "deny":
            _answer(runtime, asked.id, PermissionAnswer("deny", asked.text, answered_by="%agent deny"))
        case "status":
            show(lines_bundle(status_lines(runtime)))
        case "tasks":
            show(tasks_bundle(runtime.session, asked.id))
        case "todos":
            show(todos_bundle(runtime))
        case "session":
            return runtime.session
        case None:
            show(lines_bundle(help_lines()))
    return None


def _answer(runtime: Runtime, id: str, answer: PermissionAnswer) -> None:
    prompt = runtime.prompts.find(id)
    if not prompt.answer(answer):
        raise UsageError(f"%agent: the question {id} was answered already")
    show(note_bundle(f"{prompt.request.tool_name}: {'allowed' if answer.behavior == 'allow' else 'denied'}"))


def status_lines(runtime: Runtime) -> list[str]:
    """The session, what runs in the background, and which questions are open."""
    session, prompts = runtime.session, runtime.prompts.all()
    tasks = [job.id for job in session.jobs.all() if job.id and not job.over]
    asked = [
        f"  {short_id(p.request.tool_use_id)}  {p.request.view.title}  ({p.request.decision.reason})" for p in prompts
    ]
    return [
        f"session {session.id[:8]} in {session.cwd}",
        f"mode: {session.state.permission.mode}",
        f"calls so far: {len(session.outcomes)}; transcript: {session.transcript.path}",
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
    model = _model(runtime, asked)
    run = runtime.new_run(lambda: watching(runtime.session, watcher, _work(runtime, asked, model, watcher)))
    run.live = LiveDisplay(run.cell, "The agent is working …", runtime.front_ends)
    watcher = TurnWatcher(run, run.live, runtime)
    yield run
    ended = watcher.story.ended or TurnEnded("interrupted", _last_text(watcher), "the cell was interrupted")
    _show_turn(run, watcher, ended)
    runtime.shown.add(ended)
    runtime.result_of(run)
    return ended


def _model(runtime: Runtime, asked: AgentRun) -> Model:
    """Who answers.

    Raises:
        UsageError: a script that cannot be read, or no model at all.
    """
    if asked.inline_script:
        return ScriptedModel.from_json(asked.inline_script, where="the script in the cell")
    if asked.script:
        return ScriptedModel.load(Path(runtime.session.cwd, Path(asked.script).expanduser()))
    if runtime.session.model is None:
        raise UsageError(
            "%%agent: no model is set. Play one with --script FILE.json, or set one: "
            "from jupyter_agenttools.notebook import get_session; get_session().model = …"
        )
    return runtime.session.model


async def _work(runtime: Runtime, asked: AgentRun, model: Model, watcher: TurnWatcher) -> None:
    options: dict[str, Any] = {"model": model, "stepper": make_stepper(runtime) if asked.step else None}
    if max_turns := asked.max_turns or runtime.max_turns:
        options["max_turns"] = max_turns
    async for update in runtime.session.query(asked.prompt, **options):
        watcher.story.take(update)


def _last_text(watcher: TurnWatcher) -> str:
    return next((part for part in reversed(watcher.story.parts) if isinstance(part, str)), "")


def _show_turn(run: Run, watcher: TurnWatcher, ended: TurnEnded) -> None:
    from ..render import turn_record

    assert run.live is not None
    run.live.finish(turn_record(watcher.story.finished_parts, ended))
