"""Who answers in a notebook when the gate says ask: the person, by a card, else by a line of text, else nobody."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..core.prompting import BY_RULES, PermissionAnswer
from ..session import Session, how_to_allow
from .asking import Asking
from .board import QuestionBoard
from .decided import decided_html
from .live import LiveDisplay
from .note import lines_bundle
from .open_notes import waiting_lines
from .output import show
from .prompts import OpenPrompt
from .rejudging import judged_while_open
from .stdin import ask_on_stdin
from .trust_offer import TrustOffer

if TYPE_CHECKING:
    from ..core.decision import Decision
    from ..core.prompting import PermissionRequest
    from ..session.approval_dialog import Work
    from .cards import WidgetBag
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
        self._boards: WeakKeyDictionary[LiveDisplay, QuestionBoard] = WeakKeyDictionary()
        self._cards: dict[OpenPrompt, Any] = {}
        self._trust = TrustOffer(session)
        runtime.prompts.listen(self._refresh_boards)

    async def ask(self, request: PermissionRequest) -> PermissionAnswer:
        asking = Asking(self._runtime, f"{request.tool_name} asks to run")
        prompt = self._runtime.prompts.open(request, asking.cell.cell_id, asking.cell.client)
        try:
            async with judged_while_open(self._session, request, lambda now: self._take(prompt, now)):
                return await self._ask(prompt, asking)
        finally:
            self._cards.pop(prompt, None)
            self._runtime.prompts.close(prompt)
            prompt.future.cancel()

    async def _ask(self, prompt: OpenPrompt, asking: Asking) -> PermissionAnswer:
        place = asking.first_place
        if place == "card":
            if await self._ask_on_card(asking, prompt):
                return prompt.future.result()
            place = "stdin"
        if place == "later":
            show(lines_bundle(waiting_lines([prompt], self._runtime.prompts)))
            return await asyncio.wrap_future(prompt.future)
        if place == "nobody":
            return PermissionAnswer("deny", how_to_allow(prompt.request, NOBODY), answered_by="nobody")
        self._runtime.prompts.put_on_line(prompt)
        typed = await asking.on_stdin(
            lambda: ask_on_stdin(prompt.request, self._session, input, print, why=asking.why_stdin, await_=self._await)
        )
        prompt.answer(typed)
        return _narrowed(await asyncio.wrap_future(prompt.future), typed)

    def _await(self, work: Work) -> Any:
        """Await something on behalf of the main thread, where a person is about to answer."""
        return self._runtime.portal.start_soon(work).result()

    async def _ask_on_card(self, asking: Asking, prompt: OpenPrompt) -> bool:
        return await asking.on_card(
            lambda bag, post: self._make_card(prompt, bag, post),
            prompt.future,
            before=lambda live: self._prepare(live, prompt),
            left=lambda: decided_html(prompt),
        )

    def _prepare(self, live: LiveDisplay, prompt: OpenPrompt) -> None:
        """What stands above the card: the bar, and once what a project's settings ask for."""
        board, prompt.live = self._board_of(live), live
        self._trust.show(live)
        board.enter(prompt)

    def _make_card(self, prompt: OpenPrompt, bag: WidgetBag, post: Post) -> Any:
        from .cards import card_for

        card = card_for(prompt, self._session, bag, post, lambda: self._others(prompt))
        self._cards[prompt] = card
        return card

    def _others(self, prompt: OpenPrompt) -> tuple[PermissionRequest, ...]:
        return tuple(p.request for p in self._runtime.prompts.all() if p is not prompt and p.is_open)

    # ---- several at once

    def _board_of(self, live: LiveDisplay) -> QuestionBoard:
        board = self._boards.get(live)
        if board is None:
            board = self._boards[live] = QuestionBoard(live, self._runtime.prompts)
        return board

    def _refresh_boards(self) -> None:
        for board in tuple(self._boards.values()):
            board.refresh()

    # ---- rights that change meanwhile

    def _take(self, prompt: OpenPrompt, now: Decision) -> None:
        """What the gate says by now: an answer that needs nobody, or another reason to ask."""
        if now.behavior != "ask":
            prompt.answer(PermissionAnswer(now.behavior, now.reason, answered_by=BY_RULES))
            return
        if now != prompt.request.decision:
            prompt.request = replace(prompt.request, decision=now, suggestions=now.suggestions)
            card = self._cards.get(prompt)
            if hasattr(card, "judged_again"):
                card.judged_again()


def _narrowed(first: PermissionAnswer, typed: PermissionAnswer) -> PermissionAnswer:
    """What counts when a line was typed after an answer had come: rules that changed, or a page that was quicker. A
    person who types no must not see it run, and one who types yes does not undo a no."""
    return first if typed.behavior == "allow" and first.behavior == "deny" else typed
