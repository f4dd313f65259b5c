"""Who plays the model in a notebook: a person, in a form below the turn, else line by line."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from ..core.errors import ModelError, UsageError
from ..models import ModelRequest
from ..models.terminal_player import turn_dialog
from ..models.turns import Turn
from .asking import Asking
from .stdin import Read, Write, read_line

if TYPE_CHECKING:
    from .runtime import Runtime

TITLE = "You are the model"
NOBODY = (
    "--model manual: nobody can play the model here, since this front end takes no input. Run the notebook in a front "
    "end with a person in front of it, or play turns with --script FILE"
)


class FormPlayer:
    """Asks a person for each answer of the model, where the cell is that runs the turn.

    Args:
        runtime: the kernel's extension.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def play(self, request: ModelRequest) -> Turn:
        """The next answer.

        Raises:
            UsageError: nobody can be asked.
            ModelError: the person does not answer.
        """
        asking = Asking(self._runtime, TITLE)
        place = asking.first_place
        if place == "card":
            from .cards import ManualCard

            answer: Future[Turn] = Future()
            if await asking.on_card(lambda bag, post: ManualCard(request, answer, bag, post), answer):
                return answer.result()
            place = "stdin"
        if place != "stdin":
            raise UsageError(NOBODY)
        return await asking.on_stdin(lambda: play_on_lines(request, input, print))


def play_on_lines(request: ModelRequest, read: Read, write: Write) -> Turn:
    """One answer, typed line by line where no form can be shown.

    Raises:
        ModelError: the person refuses to answer, or the input is at its end.
    """
    dialog = turn_dialog(request)
    try:
        step = next(dialog)
        while True:
            step = dialog.send(read_line(step, read, write))
    except StopIteration as end:
        return end.value
    except EOFError:
        raise ModelError("you are the model, but the input is at its end: nothing more can be typed") from None
