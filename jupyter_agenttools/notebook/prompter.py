"""Who answers in a notebook when the gate says ask: the person, by a card, else by a line of text, else nobody."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..core.prompting import PermissionAnswer
from ..session import Session, how_to_allow
from .asking import Asking
from .prompts import OpenPrompt
from .stdin import ask_on_stdin

if TYPE_CHECKING:
    from ..core.prompting import PermissionRequest
    from .cards import PermissionCard, WidgetBag
    from .cards.parts import Post
    from .runtime import Runtime

NOBODY = "nobody can be asked here: this front end takes no input"


class KernelPrompter:
    """Decides for each question, from the cell that it comes from, where it can be answered.

    Args:
        runtime: the kernel's extension.
        session: whose questions these are.
    """

    def __init__(self, runtime: Runtime, session: Session) -> None:
        self._runtime, self._session = runtime, session

    async def ask(self, request: PermissionRequest) -> PermissionAnswer:
        prompt = self._runtime.prompts.open(request)
        try:
            return await self._ask(prompt)
        finally:
            self._runtime.prompts.close(prompt)
            prompt.future.cancel()

    async def _ask(self, prompt: OpenPrompt) -> PermissionAnswer:
        asking = Asking(self._runtime, f"{prompt.request.tool_name} asks to run")
        place = asking.first_place
        if place == "card":
            if await asking.on_card(lambda bag, post: self._make_card(prompt, bag, post), prompt.future):
                return prompt.future.result()
            place = "stdin"
        if place == "nobody":
            return PermissionAnswer("deny", how_to_allow(prompt.request, NOBODY), answered_by="nobody")
        answer = await asking.on_stdin(
            lambda: ask_on_stdin(prompt.request, self._session, input, print, why=asking.why_stdin)
        )
        prompt.answer(answer)
        return await asyncio.wrap_future(prompt.future)

    def _make_card(self, prompt: OpenPrompt, bag: WidgetBag, post: Post) -> PermissionCard:
        from .cards import PermissionCard

        return PermissionCard(prompt, self._session, bag, post)
