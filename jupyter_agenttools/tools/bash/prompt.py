"""What the model reads about Bash."""

from __future__ import annotations

from ...core.context import ToolOptions

DESCRIPTION = "Runs a command in bash and returns its output and exit code."

PROMPT = """\
Runs a command in bash on the person's machine.

- Every call is a fresh shell. The working directory and exported variables carry over to the next call (`cd`, `export`,
  activating a virtual environment). Functions, aliases, shell options and unexported variables do not: define and use
  them in one call. A call that timed out or was interrupted changes nothing for the next one.
- Standard input is empty, or a person's keyboard whom you should not count on: a program that asks may get end of file.
  Use flags such as `-y`, `-m "…"`, `--no-edit`; no editors, pagers or full-screen programs.
- When the command ends, everything that it left running in the background is ended too: `&` and `nohup` do not outlive
  a call. For a server or a long build set `run_in_background`: the result names a task, TaskOutput shows its output and
  waits for its end, TaskStop stops it, and you are told when it is over. Do not sleep in a loop to wait for it.
- `timeout` is in milliseconds: 120000 unless given, at most 600000. When it is over, the command is stopped with all
  its children, and you get what it had printed.
- The command goes to bash exactly as you write it: quotes, backslashes, `!`, here-documents and several lines work as
  in a script. Put paths with blanks in quotes.
- Long output is cut in the middle, and the file with all of it is named: read that with offset and limit, or search
  it, instead of running the command again. Progress bars are shown as their last state.
- An image on the standard output (`cat plot.png`) is shown to you as one; other binary output is only named.
- A plain `sed -i 's/a/b/' FILE…` is shown to the person as the edit that it is, and written as shown.
- Prefer the tools for files (Read, Write, Edit, NotebookEdit, Glob, Grep) to `cat`, `sed`, `find`, `grep` and
  redirections: they ask less.
- Commands that only read may run without a question; then they run with the system's programs only, and variables
  that you exported do not reach them.
- Use `;` or `&&` to run commands in order in one call. Calls that do not depend on each other can be made at once.
"""


def prompt(options: ToolOptions) -> str:
    """What the model reads, with what it has to know of the sandbox."""
    if options.sandbox.mode == "off":
        return PROMPT
    from .sandboxing import sandbox_prompt

    return PROMPT + sandbox_prompt(options.sandbox)
