"""The card that stops between two stages of a call."""

from __future__ import annotations

import json
from concurrent.futures import Future, InvalidStateError
from typing import Any

from ipywidgets import Textarea, VBox

from ...core.errors import UsageError
from ...core.events import StageEvent
from ...core.stepping import StepChoice
from ...core.views import Badge, JsonBlockView, ToolView
from ...render import view_html
from .edit_drawer import edited_input
from .parts import Post, WidgetBag, heading_html, problem_html


class StepCard:
    """Shows what one stage did, and asks how to go on.

    Args:
        event: what the stage did.
        next_stage: what would run next.
        may_edit: whether the input can still be changed.
        choice: the thread-safe future of the choice; resolved once.
        bag: makes the widgets.
        post: hands a callback over to the loop that owns this card.

    Attributes:
        root: the widget to show.
    """

    def __init__(
        self,
        event: StageEvent,
        next_stage: str,
        may_edit: bool,
        choice: Future[StepChoice],
        bag: WidgetBag,
        post: Post,
    ) -> None:
        self._event, self._choice, self._bag, self._post = event, choice, bag, post
        self._face = bag.html(stage_html(event, next_stage))
        buttons = [
            self._button("Next", f"Go on to {next_stage}", lambda: self._choose(StepChoice("next")), "primary"),
            self._button(
                "Run on", "Finish this call without further stops", lambda: self._choose(StepChoice("run_on"))
            ),
            self._button(
                "Abort", f"End the call before {next_stage}", lambda: self._choose(StepChoice("abort")), "danger"
            ),
        ]
        if may_edit:
            buttons.insert(2, self._button("Edit input…", "Change the input; it is judged again", self._open_edit))
        self._row = bag.row(*buttons)
        self._buttons = buttons
        self.root: VBox = bag.column(self._face, self._row)

    def _button(self, label: str, hint: str, act: Any, kind: str = "") -> Any:
        return self._bag.button(label, hint, lambda: self._post(act), kind=kind)

    def _choose(self, choice: StepChoice) -> None:
        try:
            self._choice.set_result(choice)
        except InvalidStateError:
            return
        for button in self._buttons:
            button.disabled = True

    def _open_edit(self) -> None:
        text = json.dumps(dict(self._event.before.tool_use.input), indent=2, ensure_ascii=False)
        self._text: Textarea = self._bag.textarea("Input (JSON)", text, hint="The whole new input, a JSON object")
        use = self._button("Use this input", "Judge the call again with this input", self._use_edit, "primary")
        self.root.children = [self._face, self._row, self._text, self._bag.row(use)]
        self._text.focus()

    def _use_edit(self) -> None:
        try:
            edited = edited_input({}, "", self._text.value)
        except UsageError as error:
            self.root.children = [*self.root.children[:4], self._bag.html(problem_html(str(error)))]
            return
        self._choose(StepChoice("edit", edited))


def stage_html(event: StageEvent, next_stage: str) -> str:
    """What a stage looked at, what it filled in, how long it took, and why."""
    name = event.before.tool_use.name
    badges = (Badge(event.status), Badge(f"{event.duration_ms:.1f} ms"))
    blocks = (JsonBlockView(event.went_in(), title="in"), JsonBlockView(event.came_out(), title="out"))
    heading = heading_html(f"{name}: {event.stage} {event.status}; next is {next_stage}", event.reason)
    return heading + view_html(ToolView(f"{name} {event.stage}", badges, blocks), "transcript")
