"""How the kernel's session is now, told to every page: what waits, what runs, the mode, the todo list."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from ...render.chars import one_line
from ...render.walk import trace_so_far
from ...session import job_title
from ..run import current_run
from .reports import plan_path, title_of

if TYPE_CHECKING:
    from ...core.blocks import Message, ToolUse
    from ...core.call import CallState
    from ...core.context import ToolPermissionContext
    from ...core.events import JobEvent, StageEvent
    from ...core.outcome import Outcome
    from ..open_steps import OpenStep
    from ..runtime import Runtime
    from .front_end import LabFrontEnd

TITLE_CHARS = 120
REASON_CHARS = 2_000
"""Of why a question is asked: a person who is to answer it may want to read all of it."""

LISTED = 20
"""Of each kind; a state is told often, and a person looks at a few lines."""

STEPS = 4
"""Calls that stop between stages; each comes with its whole walk."""

PAUSE_S = 0.1
"""Between two states. What changes within it is told together."""


class StateTeller:
    """Watches a session and tells the pages. Thread-safe; nothing of it blocks.

    Args:
        lab: the pages. runtime: what the extension keeps for this kernel.
    """

    def __init__(self, lab: LabFrontEnd, runtime: Runtime) -> None:
        self._lab, self._runtime = lab, runtime
        self._lock = threading.Lock()
        self._due = False
        self._running: dict[str, dict[str, Any]] = {}
        self._rights = self._history = self._calls = 0
        self._greeted: frozenset[str] = frozenset()

    def start(self) -> None:
        """Watch from now on, as long as there is the session."""
        self._runtime.session.observers.attach(self)
        self._runtime.prompts.listen(self.tell)
        self._runtime.steps.listen(self.tell)
        self._runtime.turns.listen(self.tell)
        self.tell()

    # ---- what changes it

    def on_call_start(self, tool_use: ToolUse, state: CallState) -> None:
        run = current_run()
        call = {
            "id": tool_use.id,
            "tool": tool_use.name,
            "title": one_line(title_of(tool_use.input), TITLE_CHARS),
            "cell": "" if run is None else run.cell.cell_id,
            "client": "" if run is None else run.cell.client,
            "since": _now_ms(),
        }
        with self._lock:
            self._running[tool_use.id] = call
        self.tell()

    def on_stage(self, event: StageEvent) -> None:
        """An input that was edited on the way is what the call is about from then on."""
        title = one_line(title_of(event.after.tool_use.input), TITLE_CHARS)
        with self._lock:
            call = self._running.get(event.tool_use_id)
            if call is None or call["title"] == title:
                return
            self._running[event.tool_use_id] = {**call, "title": title}
        self.tell()

    def on_call_end(self, outcome: Outcome) -> None:
        with self._lock:
            self._running.pop(outcome.tool_use.id, None)
            self._calls += 1
            self._history += 1
        self.tell()

    def on_message(self, message: Message) -> None:
        with self._lock:
            self._history += 1
        self.tell()

    def on_job(self, event: JobEvent) -> None:
        self.tell()

    def on_rights(self, rights: ToolPermissionContext) -> None:
        self._rights += 1
        self.tell()

    def tell(self) -> None:
        """Let the pages know soon; what changes until then is in it too."""
        with self._lock:
            if self._due or not len(self._lab.pages):
                return
            self._due = True
        timer = threading.Timer(PAUSE_S, self._tell_now)  # who calls may be in any thread, the portal's too
        timer.daemon = True
        timer.start()

    def _tell_now(self) -> None:
        with self._lock:
            self._due = False
        self._lab.channel.tell({"type": "state", "state": self.state()})
        self._tell_new_pages()

    def _tell_new_pages(self) -> None:
        """A page that has just come may have missed the beginning of cells that run, and of outputs that are still
        being drawn."""
        clients = self._lab.pages.clients
        if clients - self._greeted:
            standing = [each for each in self._runtime.standing_displays() if each.cell]
            displays = [{**self._placed(each._asdict()), "data": dict(each.data)} for each in standing]
            cells = [self._placed(each._asdict()) for each in self._runtime.heartbeat.running_cells]
            self._lab.channel.tell({"type": "displays", "displays": displays, "cells": cells})
        self._greeted = clients

    # ---- what it is

    def state(self) -> dict[str, Any]:
        """The whole of it, as JSON data; see ``state.ts`` in the front end."""
        session = self._runtime.session
        with self._lock:
            running = list(self._running.values())
            history, calls = self._history, self._calls
        waiting = [prompt for prompt in self._runtime.prompts.all() if prompt.is_open]
        steps = self._runtime.steps.all()[:STEPS]
        asked = {prompt.request.tool_use_id for prompt in waiting} | {step.event.tool_use_id for step in steps}
        jobs = [job for job in session.jobs.all() if job.id and not job.over]
        at_work = [call for call in running if call["id"] not in asked]
        return {
            "session": session.id[:8],
            "cwd": session.cwd,
            "mode": session.state.permission.mode,
            "modes": [*_MODES, *(["bypassPermissions"] if _may_bypass(session) else [])],
            "rights": self._rights,
            "plan": plan_path(session),
            "waiting": [self._placed(_question(prompt)) for prompt in waiting[:LISTED]],
            "steps": [self._placed(_step(step)) for step in steps],
            "running": [self._placed(each) for each in (*self._answering(at_work), *at_work)][:LISTED],
            "jobs": [{"id": job.id, "title": one_line(job_title(job), TITLE_CHARS)} for job in jobs[:LISTED]],
            "todos": [{"text": todo.words, "status": todo.status} for todo in session.todos[:LISTED]],
            "calls": calls,
            "history": history,
        }

    def _answering(self, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The turns that wait for their model: of none of them a call runs or asks."""
        others = (*self._runtime.prompts.all(), *self._runtime.steps.all())
        busy = {(each["cell"], each["client"]) for each in calls} | {(each.cell, each.client) for each in others}
        return [
            {
                "id": f"turn-{turn.since}",
                "tool": "Model",
                "title": one_line(turn.prompt, TITLE_CHARS),
                "cell": turn.cell,
                "client": turn.client,
                "since": int(turn.since * 1000),
            }
            for turn in self._runtime.turns.all()
            if (turn.cell, turn.client) not in busy
        ]

    def _placed(self, told: dict[str, Any]) -> dict[str, Any]:
        """With the notebook of its cell in the place of who ran it: a copy has cells with the same ids."""
        rest = {name: value for name, value in told.items() if name != "client"}
        return {**rest, "notebook": self._lab.pages.notebook_of(told["client"])}


_MODES = ("default", "acceptEdits", "plan", "dontAsk")


def _may_bypass(session: Any) -> bool:
    return bool(session.state.permission.is_bypass_permissions_mode_available)


def _question(prompt: Any) -> dict[str, Any]:
    request = prompt.request
    return {
        "id": prompt.key,
        "tool": request.tool_name,
        "title": one_line(request.view.title, TITLE_CHARS),
        "reason": one_line(request.decision.reason, REASON_CHARS),
        "cell": prompt.cell,
        "answers": [*prompt.answers],
        "client": prompt.client,
    }


def _step(step: OpenStep) -> dict[str, Any]:
    call = step.event.after.tool_use
    return {
        "id": step.key,
        "tool": one_line(call.name, TITLE_CHARS),
        "title": one_line(title_of(call.input), TITLE_CHARS),
        "cell": step.cell,
        "client": step.client,
        "next": step.next_stage,
        "mayEdit": step.may_edit,
        "input": dict(call.input),
        "trace": trace_so_far(step.walked),
    }


def _now_ms() -> int:
    return int(time.time() * 1000)
