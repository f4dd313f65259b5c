"""Making tools: :func:`build_tool` from parts, :func:`tool` from an async function.

Every default is the careful one: not read-only, not safe to overlap, no opinion about rights. Forgetting something
can never widen what a tool may do.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, get_type_hints, overload

from pydantic import BaseModel, create_model

from . import default_views
from .blocks import ToolResultBlock, as_blocks
from .context import ToolUseContext
from .definitions import announce
from .errors import UsageError
from .events import describe
from .result import ToolResult
from .schema import LazySchema, StrictInput, lazy_schema
from .tool import Tool

DEFAULT_MAX_RESULT_SIZE_CHARS = 50_000
EMPTY_RESULT_TEXT = "(no content)"
"""A result with no text at all is refused by some providers and puzzles every model."""

_FLAGS = (
    "is_read_only", "is_concurrency_safe", "is_destructive", "is_search_or_read_command", "is_enabled",
    "requires_user_interaction",
)  # fmt: skip


def map_to_text(output: Any, tool_use_id: str) -> ToolResultBlock:
    """The block of an output that is text or images already, or JSON data."""
    if output is None or isinstance(output, str):
        return ToolResultBlock(tool_use_id, output or EMPTY_RESULT_TEXT)
    if blocks := as_blocks(output):
        return ToolResultBlock(tool_use_id, blocks)
    return ToolResultBlock(tool_use_id, json.dumps(describe(output), ensure_ascii=False, default=repr))


def _defaults(name: str) -> dict[str, Any]:
    return {
        "aliases": (),
        "input_model": None,
        "input_json_schema": None,
        "output_schema": None,
        "primary_field": None,
        "body_field": None,
        "strict": False,
        "description": "",
        "prompt": "",
        "search_hint": "",
        "should_defer": False,
        "always_load": False,
        "validate_input": None,
        "map_tool_result": map_to_text,
        "thread": "pipeline",
        "max_result_size_chars": DEFAULT_MAX_RESULT_SIZE_CHARS,
        "interrupt_behavior": lambda: "block",
        "check_permissions": None,
        "prepare_permission_matcher": None,
        "rule_family": "domain" if name == "WebFetch" else "name",
        "rule_names": (),
        "get_path": lambda observed: None,
        "backfill_observable_input": None,
        "to_auto_classifier_input": lambda input: "",
        "requires_user_interaction": False,
        "person_fields": (),
        "prompt_form": "approval",
        "is_enabled": True,
        "is_read_only": False,
        "is_concurrency_safe": False,
        "is_destructive": False,
        "is_search_or_read_command": False,
        "is_mcp": False,
        "mcp_info": None,
        "user_facing_name": lambda input: name,
        "render_tool_use": partial(default_views.tool_use, name),
        "render_progress": partial(default_views.progress, name),
        "render_result": partial(default_views.result, name),
        "render_rejected": partial(default_views.rejected, name),
        "render_error": partial(default_views.error, name),
        "preview": None,
        "render_grouped": None,
        "extract_search_text": default_views.search_text,
        "get_tool_use_summary": default_views.summary,
        "get_activity_description": lambda input: f"Running {name}",
    }


def build_tool(*, name: str, call: Callable[[Any, ToolUseContext], Awaitable[Any]], **definition: Any) -> Tool:
    """Which complete tool does this definition describe?

    Args:
        name: letters, digits, ``_`` and ``-``; at most 64.
        call: ``async (input, context)`` that returns a :class:`ToolResult` or just its data.
        definition: any other field of :class:`Tool`. ``description`` and ``prompt`` may be plain text, the flags plain
            booleans, ``input_model`` a model class or :func:`lazy_schema`.

    Raises:
        UsageError: an unknown field, a bad name, or ``call`` is not async.
    """
    defaults = _defaults(name)
    unknown = sorted(definition.keys() - defaults.keys())
    if unknown:
        raise UsageError(f"build_tool({name!r}): no such field: {', '.join(unknown)}. Fields: {', '.join(defaults)}")
    if not (0 < len(name) <= 64 and name.replace("_", "").replace("-", "").isalnum() and name.isascii()):
        raise UsageError(f"build_tool: {name!r} is not a tool name (ASCII letters, digits, _ and -, at most 64)")
    if not _is_async(call):
        raise UsageError(f"build_tool({name!r}): `call` must be an async function (async def)")
    merged = {**defaults, **definition}
    for flag in _FLAGS:
        merged[flag] = _as_function(merged[flag])
    return Tool(
        name=name,
        call=_returning_result(call),
        **{
            **merged,
            "aliases": tuple(merged["aliases"]),
            "body_field": merged["body_field"] or merged["primary_field"],
            "rule_names": tuple(merged["rule_names"]),
            "person_fields": tuple(merged["person_fields"]),
            "input_model": _as_schema(merged["input_model"]),
            "description": _as_text_function(merged["description"], 2),
            "prompt": _as_text_function(merged["prompt"], 1),
        },
    )


def _is_async(function: Any) -> bool:
    if not callable(function):
        return False
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def _as_function(flag: Any) -> Callable[..., bool]:
    if callable(flag):
        return flag
    value = bool(flag)
    return lambda *_: value


def _as_text_function(text: Any, arity: int) -> Callable[..., str]:
    if callable(text):
        return text
    return (lambda input, options: text) if arity == 2 else (lambda options: text)


def _as_schema(model: Any) -> LazySchema[Any] | None:
    if model is None or isinstance(model, LazySchema):
        return model
    if isinstance(model, type) and issubclass(model, BaseModel):
        return lazy_schema(lambda: model)
    raise UsageError(f"input_model must be a pydantic model class or lazy_schema(…), not {model!r}")


def _returning_result(call: Callable[[Any, ToolUseContext], Awaitable[Any]]) -> Callable[..., Awaitable[ToolResult]]:
    async def call_tool(input: Any, context: ToolUseContext) -> ToolResult[Any]:
        returned = await call(input, context)
        return returned if isinstance(returned, ToolResult) else ToolResult(returned)

    return call_tool


@overload
def tool(function: Callable[..., Awaitable[Any]], /) -> Tool: ...
@overload
def tool(**definition: Any) -> Callable[[Callable[..., Awaitable[Any]]], Tool]: ...
def tool(function: Any = None, /, **definition: Any) -> Any:
    """Turn an async function into a tool: input model from the signature, description from the docstring.

    A parameter annotated ``ToolUseContext`` is given the context and is not part of the input. Parameters need
    annotations; ``Annotated[int, Field(description=…)]`` documents one. Keywords are those of :func:`build_tool`.
    In a notebook with the extension loaded the tool can be used at once; elsewhere hand it to ``Session(tools=[…])``.

    Raises:
        UsageError: the function is not async, or a parameter has no annotation.
    """
    if function is None:
        return lambda f: tool(f, **definition)
    made = _from_function(function, definition)
    announce(made, key=f"{function.__module__}.{function.__qualname__}")
    return made


def _from_function(function: Callable[..., Awaitable[Any]], definition: dict[str, Any]) -> Tool:
    name = definition.pop("name", function.__name__)
    if not _is_async(function):
        raise UsageError(f"@tool {name}: write `async def {function.__name__}(…)`; a tool must be async")
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters.values()
    context_name = next((p.name for p in parameters if hints.get(p.name) is ToolUseContext), None)
    fields = {p.name: _field(name, p, hints) for p in parameters if p.name != context_name}

    async def call(input: BaseModel, context: ToolUseContext) -> Any:
        arguments = {field: getattr(input, field) for field in fields}
        if context_name:
            arguments[context_name] = context
        return await function(**arguments)

    description, _, guidance = inspect.cleandoc(function.__doc__ or name).partition("\n\n")
    given: Mapping[str, Any] = {
        "input_model": lazy_schema(lambda: create_model(f"{name}_input", __base__=StrictInput, **fields)),
        "description": " ".join(description.split()),
        "prompt": guidance,
        "primary_field": next(iter(fields), None),
        **definition,
    }
    return build_tool(name=name, call=call, **given)


def _field(name: str, parameter: inspect.Parameter, hints: Mapping[str, Any]) -> tuple[Any, Any]:
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise UsageError(f"@tool {name}: `*{parameter.name}` cannot be described by a schema; name each parameter")
    if parameter.name not in hints:
        raise UsageError(f"@tool {name}: annotate `{parameter.name}`, e.g. `{parameter.name}: str`")
    default = ... if parameter.default is parameter.empty else parameter.default
    return hints[parameter.name], default
