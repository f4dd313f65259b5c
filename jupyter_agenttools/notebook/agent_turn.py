"""One turn of the agent: what it is made of, running it, and the record that it leaves."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.context import PermissionMode
from ..core.errors import UsageError
from ..core.faults import words_of
from ..core.permission_updates import SetMode
from ..core.updates import TurnEnded
from ..models import Model, RecordedModel, RetryingModel, ScriptedModel, default_spec, make_model
from .agent_run_line import AgentRun
from .agent_view import TurnWatcher
from .manual_form import FormPlayer
from .model_totals import answering
from .sigint import open_to_interrupts
from .tool_command import make_stepper

if TYPE_CHECKING:
    from ..session import Session
    from .runtime import Runtime

NO_MODEL = (
    "no model is set. Choose one with %agent model SPEC or --model SPEC, e.g. local or manual (you play it), "
    "or play turns with --script FILE"
)


@dataclass(frozen=True)
class PreparedTurn:
    """A turn that can be run.

    Args:
        prompt: what the model is asked, variables in place.
        model: who answers.
        mode: the permission mode while it runs, ``None`` for that of the session.
        options: what else :meth:`Session.query` is given.
    """

    prompt: str
    model: Model
    mode: PermissionMode | None
    options: Mapping[str, Any]


def prepare_turn(runtime: Runtime, asked: AgentRun) -> PreparedTurn:
    """Everything that a turn needs, checked before the model is asked anything.

    Args:
        asked: with the variables in their places.

    Raises:
        UsageError: a model, mode, tool or file that is not there.
    """
    session = runtime.session
    options: dict[str, Any] = {}
    if max_turns := asked.max_turns or runtime.max_turns:
        options["max_turns"] = max_turns
    if asked.step:
        options["stepper"] = make_stepper(runtime)
    if asked.tools is not None:
        options["tools"] = chosen_tools(session, asked.tools)
    if asked.mode:
        session.rights.checked(SetMode(asked.mode))  # type: ignore[arg-type]
    return PreparedTurn(asked.prompt, chosen_model(runtime, asked), asked.mode or None, options)  # type: ignore[arg-type]


def chosen_model(runtime: Runtime, asked: AgentRun) -> Model:
    """Who answers.

    Raises:
        UsageError: a script, recording or model that cannot be used, or no model at all.
    """
    session = runtime.session
    model = _model(runtime, asked)
    if not asked.record:
        return model
    return RecordedModel.record(model, path_of(session, asked.record), cwd=session.cwd)


def _model(runtime: Runtime, asked: AgentRun) -> Model:
    session = runtime.session
    if asked.inline_script:
        where = "the script in the cell"
        is_json = asked.inline_script.lstrip().startswith(("[", "{"))
        read = ScriptedModel.from_json if is_json else ScriptedModel.from_yaml
        return RetryingModel(read(asked.inline_script, where=where))
    if asked.script:
        with open_to_interrupts():
            return RetryingModel(ScriptedModel.load(played_file(session, asked.script)))
    if asked.replay:
        with open_to_interrupts():
            return runtime.replays.model(played_file(session, asked.replay), session.cwd, session.messages)
    if asked.model:
        return model_of(runtime, asked.model)
    return session_model(runtime, "%%agent")


def session_model(runtime: Runtime, magic: str) -> Model:
    """Who answers where nothing else is said: the session's model, which is that of the environment at first.

    Raises:
        UsageError: there is none, or the one of the environment cannot be used.
    """
    session = runtime.session
    if session.model is None:
        spec = default_spec(env={**os.environ, **session.settings.env})
        if not spec:
            raise UsageError(f"{magic}: {NO_MODEL}")
        session.model = model_of(runtime, spec)
    return session.model


def model_of(runtime: Runtime, spec: str) -> Model:
    """The model that a person names.

    Raises:
        UsageError: there is none such, or something is missing for it.
    """
    session = runtime.session
    player = FormPlayer(runtime)
    return make_model(spec, cwd=session.cwd, settings_env=session.settings.env, player=player)


def path_of(session: Session, file: str) -> Path:
    """A file that a person names, from the session's folder.

    Raises:
        UsageError: no file can have that name.
    """
    try:
        path = Path(session.cwd, Path(file).expanduser())
        if b"\0" in os.fsencode(path):
            raise ValueError("it holds a null character")
    except (ValueError, RuntimeError) as fault:
        raise UsageError(f"%agent: no file can have the name {file!r}: {words_of(fault)}") from None
    return path


def played_file(session: Session, file: str) -> Path:
    """A file whose answers are played. One that is not there is told of where it is read.

    Raises:
        UsageError: it is no regular file: a pipe or a device may never come to an end.
    """
    path = path_of(session, file)
    with suppress(OSError):
        if not stat.S_ISREG(path.stat().st_mode):
            raise UsageError(f"%%agent: {path} is no regular file; a script or recording is read from one")
    return path


def chosen_tools(session: Session, names: tuple[str, ...]) -> tuple[str, ...]:
    """The tools of these names, as the pool calls them.

    Raises:
        UsageError: there is none of that name, or it is denied; says which there are.
    """
    pool = session.tools
    chosen = []
    for name in names:
        tool = next((tool for tool in pool if tool.answers_to(name)), None)
        if tool is None:
            denied = session.find_tool(name) is not None
            why = "is denied or turned off here" if denied else "is none"
            raise UsageError(f"%%agent --tools: {name!r} {why}. Tools: {', '.join(tool.name for tool in pool)}.")
        chosen.append(tool.name)
    return tuple(chosen)


@contextmanager
def mode_of_turn(session: Session, mode: PermissionMode | None) -> Iterator[None]:
    """The session in this permission mode, and afterwards in the one before.

    A mode that a person or a tool chooses meanwhile stays: putting the old one back could widen what they narrowed.
    """
    before = session.state.permission.mode
    if mode is None or mode == before:
        yield
        return
    session.set_mode(mode)
    try:
        yield
    finally:
        if session.state.permission.mode == mode:
            _put_back(session, before)


def _put_back(session: Session, mode: PermissionMode) -> None:
    """The mode before the turn; ``default`` where settings that changed meanwhile do not allow that one any more."""
    try:
        session.set_mode(mode)
    except UsageError:
        session.set_mode("default")


async def play_turn(session: Session, turn: PreparedTurn, watcher: TurnWatcher) -> None:
    """Run the turn, telling ``watcher`` all of it."""
    answering.set(turn.model.name)  # each turn has a context of its own
    with mode_of_turn(session, turn.mode):
        async for update in session.query(turn.prompt, model=turn.model, **turn.options):
            watcher.story.take(update)


def turn_bundle(watcher: TurnWatcher, ended: TurnEnded) -> dict[str, Any]:
    """The record of a turn that is over."""
    from ..render import turn_record

    return turn_record(watcher.story.finished_parts, ended, watcher.story.seconds, watcher.times)
