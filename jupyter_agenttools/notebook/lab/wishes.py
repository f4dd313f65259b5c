"""What a person does in a page that concerns the session: answers, stops, chooses a mode, changes a rule, looks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from anyio import to_thread

from ...core.errors import UsageError
from ...core.faults import faults, words_of
from ...core.prompting import BY_PAGE, PermissionAnswer
from ...core.secrets import redact
from ...core.stepping import StepAction, StepChoice
from ...render.chars import visible
from .exports import export_session
from .messages import Answer, Ask, Command, read_message
from .reports import report
from .shelf import Shelf, transcript_of

if TYPE_CHECKING:
    from ..runtime import Runtime
    from .front_end import LabFrontEnd

STOPPED = "stopped by the person"


class PageWishes:
    """Carries them out. A wish that cannot be is told to the pages, and changes nothing.

    Args:
        lab: the pages. runtime: what the extension keeps for this kernel.
    """

    def __init__(self, lab: LabFrontEnd, runtime: Runtime) -> None:
        self._lab, self._runtime = lab, runtime
        self._shelf = Shelf()

    def take(self, message: dict[str, Any]) -> None:
        """Called in the control channel's thread: an answer counts at once, all else is left to the portal."""
        wish = read_message(message)
        try:
            if isinstance(wish, Answer):
                self._answer(wish)
            elif isinstance(wish, Command) and wish.name == "step":
                self._step(wish)
            elif isinstance(wish, Command):
                self._runtime.portal.start_soon(self._run, wish)
            elif isinstance(wish, Ask):
                self._runtime.portal.start_soon(self._tell, wish)
        except UsageError as problem:
            self._say(str(problem))

    def _answer(self, wish: Answer) -> None:
        prompt = self._runtime.prompts.of_key(wish.question)
        if prompt.is_open and (why := prompt.why_not(wish.behavior)):
            raise UsageError(f"{prompt.request.tool_name}: {why}")
        if not prompt.answer(PermissionAnswer(wish.behavior, wish.message, answered_by=BY_PAGE)):
            raise UsageError(f"{prompt.request.tool_name}: this question was answered already")

    def _step(self, wish: Command) -> None:
        action, input = str(wish.args.get("action")), wish.args.get("input")
        if action not in get_args(StepAction) or (action == "edit") != isinstance(input, dict):
            raise UsageError("a step goes on with next, run_on, abort, or edit and a whole input")
        id = str(wish.args.get("id", ""))
        if action == "next" and all(step.key != id for step in self._runtime.steps.all()):
            return  # a key that is pressed quickly comes between two stops, and nothing is lost
        step = self._runtime.steps.of_key(id)
        if action == "edit" and not step.may_edit:
            raise UsageError("the tool has been called: its input cannot be changed any more")
        if not step.choose(StepChoice(action, input)):  # type: ignore[arg-type]  # just checked
            raise UsageError("this step was answered already")

    async def _tell(self, wish: Ask) -> None:
        session, args = self._runtime.session, wish.args
        made = partial(to_thread.run_sync, report, session, wish.name, args, self._shelf)
        await self._tell_outcome(wish, made)

    async def _run(self, wish: Command) -> None:
        await self._tell_outcome(wish, partial(self._do, wish))

    async def _tell_outcome(self, wish: Ask | Command, work: Callable[[], Awaitable[Any]]) -> None:
        """A page that waits for it is told of what came of it, all pages of what went wrong with any other wish."""
        try:
            ok, data = True, await work()
        except UsageError as problem:
            ok, data = False, visible(str(problem))
        except faults() as fault:
            ok, data = False, visible(redact(f"{type(fault).__name__}: {words_of(fault)}"))
        if wish.id:
            self._lab.channel.tell({"type": "report", "to": wish.client, "id": wish.id, "ok": ok, "data": data})
        elif not ok:
            self._say(data)

    async def _do(self, wish: Command) -> Any:
        session = self._runtime.session
        if wish.name == "stop":
            self._stop(str(wish.args.get("cell", "")))
        elif wish.name == "stop-job":
            job = session.jobs.find(str(wish.args.get("id", "")))
            if job is None:
                raise UsageError("that task is over")
            await job.stop_and_wait("stopped by the person")
        elif wish.name == "mode":
            session.set_mode(wish.args.get("mode"))  # type: ignore[arg-type]  # refused when it is none
        elif wish.name == "cleared":
            self._runtime.was_cleared(str(wish.args.get("widgets", "")))
        elif wish.name == "rule":
            await self._change_rule(wish)
        elif wish.name == "resume":
            return await self._resume(wish)
        elif wish.name == "export":
            return await to_thread.run_sync(export_session, session, wish.args)
        else:
            raise UsageError(f"this kernel knows no command {wish.name!r}")
        return None

    async def _resume(self, wish: Command) -> Any:
        """Now or not at all: nothing waits for a cell to end, and then comes as a surprise."""
        from ..agent_sessions import resume_now

        runtime = self._runtime
        if runtime.heartbeat.is_cell_running:
            raise UsageError("a cell runs in this kernel: wait for its end, or stop it, and resume then")
        path = transcript_of(runtime.session, str(wish.args.get("session", "")))
        return {"lines": [visible(line) for line in await resume_now(runtime, path)]}

    def _stop(self, cell: str) -> None:
        """What a cell runs, in the background or not; with no cell, all that is not in the background."""
        background = self._runtime.background.running
        runs = [*self._runtime.running, *([background] if background is not None else [])]
        chosen = [run for run in runs if cell and run.cell.cell_id == cell]
        if cell and not chosen:
            raise UsageError("nothing of this cell runs any more")
        for run in chosen:
            run.stop(STOPPED)
        if not cell:
            self._runtime.stop(STOPPED)

    async def _change_rule(self, wish: Command) -> None:
        """Rules of this session; those in files are changed where a person sees the file."""
        from ..agent_permissions import updates_for
        from ..agent_permissions_line import AgentPermissions

        action, rule = wish.args.get("action"), str(wish.args.get("rule", "")).strip()
        if action not in ("allow", "ask", "deny", "remove") or not rule:
            raise UsageError("a rule is needed, and one of allow, ask, deny, remove")
        session = self._runtime.session
        await session.update_permissions(updates_for(session, AgentPermissions(action, rule, "session")))

    def _say(self, text: str) -> None:
        self._lab.channel.tell({"type": "notice", "text": text})
