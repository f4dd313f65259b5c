"""What the model is told of REPL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...core.context import ToolOptions
    from ...core.tool import Tool

DEFAULT_TIMEOUT_MS = 30_000
"""The documented default."""
MAX_TIMEOUT_MS = 600_000

DESCRIPTION = "Run Python code in the person's notebook kernel, with their variables."

PROMPT = f"""\
- The code runs in the namespace of the notebook: it sees the person's variables, and what it defines stays there.
  Name your own variables so that they overwrite none of theirs. InspectVariable looks at variables without any code.
- It is plain Python with `await` at the top. Lines for IPython (`!command`, `%magic`, `name?`) are refused: use Bash
  for commands.
- You get what it prints, displays and raises, and the value of the last expression, as text and images (matplotlib
  figures as well). Print a part of what is long. `_` and the history of the notebook stay as they are.
- What programs print that it starts is not part of the result: use subprocess.run(…, capture_output=True), or Bash.
- The person is asked before code runs, so keep it short, readable, and to one purpose.
- timeout is in milliseconds, {DEFAULT_TIMEOUT_MS} by default, {MAX_TIMEOUT_MS} at most; time in which it waits for
  other tools does not count.
- While the code runs `tools` holds the session's last outcomes: tools[-1].output is the structured output of the last
  call and tools[-1].text its text; so a result can be worked on without being repeated."""

_AS_FUNCTIONS = """\
- These tools are async functions there: `outcome = await tools.Read(file_path="/a/file")`; outcome.text is what it
  says, outcome.output its value. Each call is judged like any other, and the person may be asked: a refusal raises
  tools.DeniedError, any other failure tools.Error (the class of both). They run one after the other."""


def prompt(options: ToolOptions) -> str:
    """How to use it; where other tools are hidden behind it, also how those are used."""
    hidden = options.repl_tools
    if not hidden:
        return PROMPT
    return "\n".join([PROMPT, _AS_FUNCTIONS, *(line for tool in hidden for line in _function(tool, options))])


def _function(tool: Tool, options: ToolOptions) -> Iterator[str]:
    schema = tool.json_schema
    required = schema.get("required", ())
    fields = ", ".join(name if name in required else f"{name}=…" for name in schema.get("properties", {}))
    yield ""
    yield f"### tools.{tool.name}({fields})"
    yield tool.description(None, options)
    yield tool.prompt(options)
