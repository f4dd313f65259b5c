"""What the model is told of Brief, and how its result reads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tool import BriefOutput

DESCRIPTION = "Switch to short answers, or back to answers as usual."

PROMPT = """\
- Use it when the person asks for shorter answers, or for fuller ones again; never on your own account.
- Leave enabled out to switch to the other of the two. It lasts until the end of the session."""


def result_text(output: BriefOutput) -> str:
    """The result as the model reads it."""
    if output.brief:
        return "Short answers from now on: the result and what the person has to know, in a few sentences at most."
    return "Answers as usual from now on."
