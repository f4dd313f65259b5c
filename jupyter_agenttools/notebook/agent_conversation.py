"""``%agent model``, ``cost``, ``tools``, ``say`` and ``compact``: the conversation and who it is held with."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..core.errors import UsageError
from ..core.updates import Compacted
from ..models import model_specs
from ..render.chars import one_line
from .agent_conversation_views import cost_view, models_view, tools_view
from .agent_story import compacted_note
from .agent_turn import model_of, session_model
from .note import lines_bundle, note_bundle
from .output import show
from .plan import Plan

if TYPE_CHECKING:
    from .runtime import Runtime

SAID_CHARS = 200


def model_command(runtime: Runtime, spec: str) -> None:
    """Show who answers, or let another model answer from the next turn on.

    Raises:
        UsageError: a model that there is not, or that something is missing for.
    """
    from ..render import view_bundle

    session = runtime.session
    if spec:
        session.model = model_of(runtime, spec)
        show(note_bundle(f"model: {session.model.name}, from the next turn on"))
        return
    now = session.model.name if session.model is not None else "none is set"
    show(view_bundle(models_view(now, model_specs({**os.environ, **session.settings.env}))))


def cost_command(runtime: Runtime) -> None:
    """What each model used up."""
    from ..render import view_bundle

    session = runtime.session
    show(view_bundle(cost_view(runtime.totals.by_model, session.usage, session.cost_usd)))


def tools_command(runtime: Runtime) -> None:
    """What the model is offered."""
    from ..render import view_bundle

    show(view_bundle(tools_view(runtime.session)))


def say_command(runtime: Runtime, text: str) -> None:
    """Tell the model something while it works.

    Raises:
        UsageError: no turn runs that could be told.
    """
    runtime.saying.say(text)
    show(note_bundle(f"the model will be told: {one_line(text, SAID_CHARS)}"))


def compact_plan(runtime: Runtime, instructions: str) -> Plan:
    """Put a summary in the place of older messages, and say what became of them.

    Raises:
        UsageError: there is nothing to shorten, no model to do it, or a turn runs.
    """
    session_model(runtime, "%agent compact")
    run = runtime.new_run(lambda: runtime.session.compact(instructions))
    yield run
    done = runtime.result_of(run)
    if not isinstance(done, Compacted):
        raise UsageError("%agent compact: the conversation is too short to be shortened")
    show(lines_bundle([compacted_note(done).text, "", *done.summary.splitlines()]))
