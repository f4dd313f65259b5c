"""What the model is told of Monitor, and how its result reads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tool import MonitorOutput

DESCRIPTION = "Runs a command in the background and tells you of the lines that it prints."

PROMPT = """\
- For what you want to hear of as it happens: a log in which an error may turn up, a build, a file that changes. The
  call returns at once; each batch of lines reaches you beside the next result or prompt, and so does its end.
- Print only what matters: filter in the command, with programs that do not hold their output back, e.g.
  `tail -n0 -f app.log | grep --line-buffered ERROR`. A few lines a second at most are handed on, the rest is counted;
  the file with all of it is named.
- To wait for a single thing, let the command end when it has happened: `until test -e done; do sleep 1; done`.
- timeout_ms stops it (300000 unless given, 3600000 at most); with persistent: true it runs until TaskStop or the end of
  the session. Like every command it is judged by the rules for Bash."""


def result_text(output: MonitorOutput) -> str:
    """The result as the model reads it."""
    limit = "until it is stopped" if output.timeout_ms is None else f"for at most {output.timeout_ms / 1000:.0f} s"
    return (
        f"Watching as task {output.task_id}, {limit}: {output.description}. You are told of the lines that it prints, "
        f"and of its end. Everything it prints goes to {output.output_path}."
    )
