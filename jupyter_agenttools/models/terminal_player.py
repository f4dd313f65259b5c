"""Being the model in a terminal: the conversation is shown, and an answer is typed line by line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterator, Sequence

from ..core.blocks import Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUse
from ..core.errors import ModelError
from ..core.terminal import read_line
from ..core.texts import visible
from ..core.tool import Tool, find_tool_by_name
from .form_fields import FormError, FormField
from .form_values import accepted, parse_value
from .forms import parse_form, tool_form
from .protocol import ModelRequest
from .turns import Turn, TurnBlock

TurnDialog = Generator[str, str, Turn]
"""Yields each text to show before a line is read, is sent the line, and returns the answer."""

COMMANDS = (
    "Type the answer, an empty line ends it. /call TOOL calls a tool, /think TEXT thinks, /tools lists the tools, "
    "/clear begins anew, /stop refuses to answer."
)
MANY_LINES = "<<"
"""Typed as a value: the lines up to ``>>`` are the value."""
END_OF_LINES = ">>"
SHOWN_CHARS = 2_000
"""Of each text of the conversation."""


class TerminalPlayer:
    """Plays the model line by line.

    Args:
        read: shows a text and returns the typed line; the process's own terminal by default.
    """

    def __init__(self, read: Callable[[str], Awaitable[str]] | None = None) -> None:
        self._read = read or read_line

    async def play(self, request: ModelRequest) -> Turn:
        """The answer that is typed.

        Raises:
            ModelError: the person refuses to answer, or the input is at its end.
        """
        dialog = turn_dialog(request)
        try:
            shown = next(dialog)
            while True:
                shown = dialog.send(await self._read(shown))
        except StopIteration as end:
            return end.value
        except EOFError as error:
            raise ModelError("you are the model, but the input is at its end: nothing more can be typed") from error


def turn_dialog(request: ModelRequest) -> TurnDialog:
    """The dialog for one answer.

    Raises:
        ModelError: the person refuses to answer.
    """
    blocks: list[TurnBlock] = []
    shown = "\n".join([*conversation_lines(request.messages), "You are the model.", COMMANDS, ""])
    while True:
        typed = yield f"{shown}model> "
        command, _, rest = typed.strip().partition(" ")
        shown = ""
        match command, rest.strip():
            case "", _:
                if blocks:
                    return Turn(tuple(blocks))
                shown = "Nothing was said yet. /stop refuses to answer.\n"
            case "/stop", why:
                raise ModelError(f"the person who plays the model does not answer{f': {why}' if why else ''}")
            case "/clear", _:
                blocks, shown = [], "What was said is taken back.\n"
            case "/tools", _:
                shown = "".join(f"  {line}\n" for line in tool_lines(request.tools))
            case "/think", text:
                blocks.append(ThinkingBlock(text))
            case "/call", name:
                shown = yield from _call(name, request.tools, blocks)
            case _ if command.startswith("/") and len(command) > 1 and command[1:].isalpha():
                shown = f"There is no {command}. {COMMANDS}\n"
            case _:
                _say(blocks, typed)


def _say(blocks: list[TurnBlock], line: str) -> None:
    """Put one more line of text behind what was said."""
    if blocks and isinstance(blocks[-1], TextBlock):
        blocks[-1] = TextBlock(f"{blocks[-1].text}\n{line}")
    else:
        blocks.append(TextBlock(line))


def _call(name: str, tools: Sequence[Tool], blocks: list[TurnBlock]) -> Generator[str, str, str]:
    """Ask for the input of one call and add it; what to show next."""
    tool = find_tool_by_name(tuple(tools), name)
    if tool is None:
        return f"There is no tool {name!r}. There are: {', '.join(each.name for each in tools) or 'none'}\n"
    form = tool_form(tool)
    typed: dict[str, str] = {}
    shown = f"{tool.name}: {form.summary}\nA value of many lines: {MANY_LINES}, the lines, {END_OF_LINES}.\n"
    for field in form.fields:
        value = yield from _value(field, shown)
        if value is not None:
            typed[field.name] = value
        shown = ""
    try:
        blocks.append(ToolUse(tool.name, parse_form(tool, typed)))
    except FormError as error:
        return f"{error}\nThe call was not added.\n"
    return f"Added: {tool.name}. An empty line sends the answer.\n"


def _value(field: FormField, shown: str) -> Generator[str, str, str | None]:
    """What is typed for one field, asked again until it can be read; ``None`` leaves it out."""
    ask = f"  {field.name} ({accepted(field)}{'' if field.required else ', optional'}): "
    if field.description:
        shown += f"  {_one_line(field.description, 160)}\n"
    while True:
        typed: str | None = yield f"{shown}{ask}"
        if typed == MANY_LINES:
            lines = []
            while (line := (yield "  | ")) != END_OF_LINES:
                lines.append(line)
            typed = "\n".join(lines)
        elif not typed and not field.required:
            return None
        try:
            parse_value(field, typed)
        except ValueError as error:
            shown = f"  {field.name}: {error}\n"
            continue
        return typed


def tool_lines(tools: Sequence[Tool]) -> Iterator[str]:
    """One line for each tool: its name, and what it does."""
    for tool in tools:
        yield f"{tool.name}: {_one_line(tool_form(tool).summary, 100)}"


def conversation_lines(messages: Sequence[Message]) -> Iterator[str]:
    """What was said since the model's last answer."""
    since = next((n for n, m in reversed([*enumerate(messages, 1)]) if m.role == "assistant"), 0)
    for message in messages[since:]:
        for block in message.content:
            if isinstance(block, ToolResultBlock):
                yield f"[result{' (error)' if block.is_error else ''}] {_clipped(block.text)}"
            else:
                yield f"[{message.role}] {_clipped(block.text if isinstance(block, TextBlock) else f'({block.type})')}"


def _clipped(text: str) -> str:
    """A text that a terminal can show: no control characters, and not too much of it."""
    shown = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in visible(text))
    return (
        shown if len(shown) <= SHOWN_CHARS else f"{shown[:SHOWN_CHARS]}… [{len(shown) - SHOWN_CHARS:,} more characters]"
    )


def _one_line(text: str, limit: int) -> str:
    line = " ".join(_clipped(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
