"""Tools described for a person: all of them in a table, one of them in full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..core.context import ToolOptions
from ..core.faults import faults
from ..core.tool import Tool
from ..core.views import Badge, CodeBlockView, JsonBlockView, TableBlockView, TextBlockView, ToolView
from .chars import one_line
from .highlight import PROSE

DESCRIPTION_CHARS = 140
VALUE_CHARS = 120
FLAGS = ("is_read_only", "is_concurrency_safe", "is_destructive", "is_search_or_read_command")
DEPENDS = "depends on the input"
SHORT_FLAGS = {"is_read_only": "reads only", "is_concurrency_safe": "may overlap", "is_destructive": "destructive"}


def tools_table(tools: Iterable[Tool], options: ToolOptions | None = None) -> ToolView:
    """Which tools are there, and what does each do?"""
    known = options or ToolOptions()
    rows = tuple(_row(tool, known) for tool in tools)
    badge = Badge(f"{len(rows)}")
    return ToolView("Tools", (badge,), (TableBlockView(("tool", "main field", "flags", "what it does"), rows),))


def _row(tool: Tool, options: ToolOptions) -> tuple[str, ...]:
    description = one_line(_text(lambda: tool.description(None, options)), DESCRIPTION_CHARS)
    return tool.name, tool.primary_field or "", _flags(tool), description


def _flags(tool: Tool) -> str:
    """The flags of a tool in a few words; ``?`` after one that depends on the input."""
    marks = {"yes": "", DEPENDS: "?"}
    said = ((word, flag_words(getattr(tool, name))) for name, word in SHORT_FLAGS.items())
    return ", ".join(word + marks[value] for word, value in said if value in marks) or "none"


def tool_help(tool: Tool, options: ToolOptions | None = None) -> ToolView:
    """What is this tool, to a person and to a model: its fields, its schema, its flags, and the texts a model reads."""
    known = options or ToolOptions()
    prompt = _text(lambda: tool.prompt(known))
    blocks = (
        TextBlockView(_text(lambda: tool.description(None, known)) or "(no description)"),
        TableBlockView(("field", "type", "default", "meaning"), tuple(_fields(tool.json_schema)), title="input"),
        TableBlockView(("property", "value"), tuple(_properties(tool)), title="how it is run"),
        *([CodeBlockView(prompt, PROSE, title="what the model is told beside the description")] if prompt else []),
        JsonBlockView(tool.json_schema, title="input schema, as the model sees it"),
    )
    aliases = tuple(Badge(f"also {alias}") for alias in tool.aliases)
    return ToolView(tool.name, aliases, blocks)


def _text(make: Callable[[], str]) -> str:
    try:
        return str(make())
    except faults() as fault:  # a tool's own text must not take the help of all tools away
        return f"(its text failed: {type(fault).__name__}: {fault})"


def flag_words(flag: Callable[[Any], bool]) -> str:
    """``yes`` or ``no`` where that is fixed; a flag that wants to see an input depends on it."""
    try:
        return "yes" if flag(None) else "no"
    except faults():
        return DEPENDS


def _fields(schema: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    required = set(schema.get("required", ()))
    for name, spec in schema.get("properties", {}).items():
        default = "required" if name in required else one_line(repr(spec.get("default")), VALUE_CHARS)
        yield name, type_words(spec), default, one_line(spec.get("description", ""), 2 * VALUE_CHARS)


def type_words(spec: Mapping[str, Any]) -> str:
    """The type of a JSON Schema in a few words: ``string``, ``array of integer``, ``"a" | "b"``."""
    if "enum" in spec:
        return " | ".join(repr(value) for value in spec["enum"])
    if "const" in spec:
        return repr(spec["const"])
    for key in ("anyOf", "oneOf"):
        if key in spec:
            return " | ".join(type_words(option) for option in spec[key])
    if spec.get("type") == "array":
        return f"array of {type_words(spec.get('items', {}))}"
    return str(spec.get("type") or str(spec.get("$ref", "any")).rpartition("/")[2])


def _properties(tool: Tool) -> Iterator[tuple[str, str]]:
    yield from ((name, flag_words(getattr(tool, name))) for name in FLAGS)
    yield "runs on", "the kernel's main thread" if tool.thread == "main" else "the pipeline's thread"
    yield "when a person writes meanwhile", _text(tool.interrupt_behavior)
    limit = tool.max_result_size_chars
    yield "longest result", "any" if limit is None else f"{limit:,} characters, then to disk"
    yield "own checks", "validate_input" if tool.validate_input else "none"
    yield "own opinion about rights", "yes" if tool.check_permissions else "none: the gate decides"
    rules = dict.fromkeys((tool.name, *tool.rule_names))
    yield "permission rules", f"{', '.join(rules)} (matched by {tool.rule_family})"
    yield "sent to the model", "when searched for" if tool.should_defer and not tool.always_load else "always"
    if tool.is_mcp:
        yield "from", f"MCP {dict(tool.mcp_info or {})}"
