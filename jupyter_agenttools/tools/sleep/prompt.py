"""What the model is told of Sleep, and how its result reads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tool import SleepOutput

DESCRIPTION = "Wait for some time without running anything."

PROMPT = """\
- Use it when there is nothing to do before something happens that takes its time, or when the person asked you to wait.
  It takes no shell, unlike `sleep` in Bash, and can stand beside other calls.
- The person can wake you at any moment by saying something; then you are told how long it was.
- Wait long rather than often: each waking costs a request."""


def result_text(output: SleepOutput) -> str:
    """The result as the model reads it."""
    if output.woken:
        return f"Woken after {output.seconds:.1f} s: {output.woken}."
    return f"{output.seconds:.1f} s have passed."
