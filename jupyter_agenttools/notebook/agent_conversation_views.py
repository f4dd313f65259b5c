"""The conversation, its costs and the tools of the model, as views."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from ..core.blocks import ImageBlock, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUse
from ..core.faults import faults
from ..core.rough_tokens import rough_tokens
from ..core.tool import Tool
from ..core.usage import NO_USAGE, Usage
from ..core.views import Badge, ColumnKind, TableBlockView, TextBlockView, ToolView
from ..models import ModelSpec
from ..permissions import filter_denied
from ..render.chars import count_of, one_line
from ..render.totals import cost_words, usage_words
from ..session import Session
from .model_totals import ModelTotal

LINE_CHARS = 160
SHOWN_MESSAGES = 100
FOUND_LINES = 50
AROUND_CHARS = 60


# ---- the conversation


def transcript_view(session: Session) -> ToolView:
    """The last messages of the conversation, a line for each of their blocks."""
    messages = session.messages
    hidden = max(0, len(messages) - SHOWN_MESSAGES)
    rows = [
        (str(number), who, one_line(text, LINE_CHARS))
        for number, message in list(enumerate(messages, 1))[hidden:]
        for who, text in message_lines(message)
    ]
    lost = session.transcript.fault_words
    warning = (TextBlockView(lost, tone="warning"),) if lost else ()
    where = TextBlockView(
        f"{'What was written of it' if lost else 'All of it, with every stage of every call,'} is in "
        f"{session.transcript.path}. "
        "%agent export html FILE writes it to be read."
    )
    more = (TextBlockView(f"… {count_of(hidden, 'earlier message')}"),) if hidden else ()
    table = (TableBlockView(("#", "who", "what"), tuple(rows), kinds=("number", "text", "text")),) if rows else ()
    return ToolView("Conversation", (Badge(count_of(len(messages), "message")),), (*more, *table, *warning, where))


def found_view(messages: Sequence[Message], text: str) -> ToolView:
    """Where this text stands in the conversation, upper and lower case alike."""
    rows = [
        (str(number), who, found)
        for number, message in enumerate(messages, 1)
        for who, whole in message_lines(message)
        if (found := _around(whole, text))
    ]
    table = TableBlockView(("#", "who", "where"), tuple(rows[:FOUND_LINES]), kinds=("number", "text", "text"))
    more = len(rows) - FOUND_LINES
    blocks = (table, *((TextBlockView(f"… {count_of(more, 'more place')}"),) if more > 0 else ()))
    return ToolView(f"Conversation {text}", (Badge(count_of(len(rows), "place")),), blocks if rows else ())


def message_lines(message: Message) -> Iterator[tuple[str, str]]:
    """Who says what in this message, block by block."""
    speaker = {"user": "you", "assistant": "agent"}[message.role]
    for block in message.content:
        match block:
            case TextBlock(text=text):
                yield speaker, text
            case ThinkingBlock(thinking=text):
                yield "thought", text
            case ToolUse(name=name, input=given):
                yield "call", f"{name} {json.dumps(dict(given), ensure_ascii=False, default=str)}"
            case ToolResultBlock():
                yield ("error" if block.is_error else "result"), block.text
            case ImageBlock():
                yield speaker, "[image]"


def _around(whole: str, text: str) -> str:
    """The place of ``text`` with what stands around it, ``""`` when it is not there."""
    at = whole.casefold().find(text.casefold())
    if at < 0:
        return ""
    start, end = max(0, at - AROUND_CHARS), at + len(text) + AROUND_CHARS
    before, after = "…" if start else "", "…" if end < len(whole) else ""
    return before + one_line(whole[start:end], LINE_CHARS + len(text)) + after


# ---- what it costs


def cost_view(totals: Mapping[str, ModelTotal], usage: Usage, cost_usd: float | None) -> ToolView:
    """Tokens and dollars of each model in this kernel, and of the conversation that goes on.

    Args:
        usage, cost_usd: of the conversation, which may have begun in another kernel.
    """
    rows = [(name, str(total.answers), *_usage_cells(total.usage), _cost(total)) for name, total in totals.items()]
    known = "" if cost_usd is None else f", {cost_words(cost_usd)}"
    whole = (TextBlockView(f"this conversation so far: {usage_words(usage)}{known}"),) if usage != NO_USAGE else ()
    if not rows:
        return ToolView("Cost", (Badge("no model has answered in this kernel yet"),), whole)
    paid = sum(total.cost_usd for total in totals.values())
    missing = sum(total.unpriced for total in totals.values())
    unknown = (Badge(f"without {count_of(missing, 'answer')} of unknown price", "warning"),) if missing else ()
    here = usage_words(sum((total.usage for total in totals.values()), NO_USAGE)) or "no tokens counted"
    columns = ("model", "answers", "tokens in", "cached", "out", "cost")
    kinds: tuple[ColumnKind, ...] = ("code", "number", "number", "number", "number", "number")
    table = TableBlockView(columns, tuple(rows), kinds=kinds)
    return ToolView("Cost", (Badge(cost_words(paid)), Badge(here), *unknown), (table, *whole))


def _usage_cells(usage: Usage) -> tuple[str, str, str]:
    return f"{usage.prompt_tokens:,}", f"{usage.cache_read_tokens:,}", f"{usage.output_tokens:,}"


def _cost(total: ModelTotal) -> str:
    if total.unpriced == total.answers:
        return "not known"
    return cost_words(total.cost_usd) + (" and more" if total.unpriced else "")


# ---- what it is offered


def models_view(now: str, specs: Sequence[ModelSpec]) -> ToolView:
    """Who answers now, and every way to name another."""
    rows = tuple((each.spec, each.about, each.missing) for each in specs)
    table = TableBlockView(("%agent model …", "what it is", "what is missing"), rows, kinds=("code",))
    return ToolView("Model", (Badge(now),), (table,))


def tools_view(session: Session) -> ToolView:
    """The tools, whether the model is offered each, and about how many tokens of each it reads."""
    offered = session.tools
    everything = session.call_environment().tools
    others = sorted((tool for tool in everything if tool not in offered), key=lambda tool: tool.name)
    sizes = {tool.name: tool_tokens(tool, session) for tool in offered}
    rows = [(tool.name, _offer(tool), *(f"{size:,}" for size in sizes[tool.name])) for tool in offered]
    rows += [(tool.name, _why_not(tool, session), "", "") for tool in others]
    total = sum(sum(sizes[tool.name]) for tool in offered if not is_deferred(tool))
    badges = (Badge(f"{len(offered)} offered"), Badge(f"about {total:,} tokens in every request"))
    columns = ("tool", "offered", "prompt", "schema")
    kinds: tuple[ColumnKind, ...] = ("code", "text", "number", "number")
    return ToolView("Tools", badges, (TableBlockView(columns, tuple(rows), "tokens, estimated", kinds),))


def tool_tokens(tool: Tool, session: Session) -> tuple[int, int]:
    """About how many tokens the texts and the schema of a tool are."""
    options = session.options
    texts = []
    for make in (lambda: tool.prompt(options), lambda: tool.description(None, options)):
        try:
            texts.append(str(make()))
        except faults():  # a tool's own text that fails takes up nothing; its help says what is wrong
            continue
    return rough_tokens("\n".join(texts)), rough_tokens(json.dumps(tool.json_schema, default=str))


def is_deferred(tool: Tool) -> bool:
    """Whether the model reads of the tool only once it has looked for it."""
    return tool.should_defer and not tool.always_load


def _offer(tool: Tool) -> str:
    return "when it is looked for" if is_deferred(tool) else "yes"


def _why_not(tool: Tool, session: Session) -> str:
    denied = not filter_denied((tool,), session.state.permission)
    return "no: a rule denies it" if denied else "no: turned off here"
