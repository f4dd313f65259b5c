"""What a person does in a page that concerns the session: answers a question, stops something, chooses a mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.errors import UsageError
from ...core.prompting import PermissionAnswer
from .messages import Answer, Command, read_message

if TYPE_CHECKING:
    from ..runtime import Runtime
    from .front_end import LabFrontEnd

ANSWERED_BY = "JupyterLab"


class PageWishes:
    """Carries them out. A wish that cannot be is told to the pages, and changes nothing.

    Args:
        lab: the pages. runtime: what the extension keeps for this kernel.
    """

    def __init__(self, lab: LabFrontEnd, runtime: Runtime) -> None:
        self._lab, self._runtime = lab, runtime

    def take(self, message: dict[str, Any]) -> None:
        """Called in the control channel's thread: an answer counts at once, all else is left to the portal."""
        wish = read_message(message)
        try:
            if isinstance(wish, Answer):
                self._answer(wish)
            elif isinstance(wish, Command):
                self._runtime.portal.start_soon(self._run, wish)
        except UsageError as problem:
            self._say(str(problem))

    def _answer(self, wish: Answer) -> None:
        prompt = self._runtime.prompts.find(wish.question)
        if not prompt.answer(PermissionAnswer(wish.behavior, wish.message, answered_by=ANSWERED_BY)):
            raise UsageError(f"{prompt.request.tool_name}: this question was answered already")

    async def _run(self, wish: Command) -> None:
        try:
            await self._do(wish)
        except UsageError as problem:
            self._say(str(problem))

    async def _do(self, wish: Command) -> None:
        session = self._runtime.session
        if wish.name == "stop":
            self._runtime.stop("stopped by the person")
        elif wish.name == "stop-job":
            job = session.jobs.find(str(wish.args.get("id", "")))
            if job is None:
                raise UsageError("that task is over")
            await job.stop_and_wait("stopped by the person")
        elif wish.name == "mode":
            session.set_mode(wish.args.get("mode"))  # type: ignore[arg-type]  # refused when it is none
        else:
            raise UsageError(f"this kernel knows no command {wish.name!r}")

    def _say(self, text: str) -> None:
        self._lab.channel.tell({"type": "notice", "text": text})
