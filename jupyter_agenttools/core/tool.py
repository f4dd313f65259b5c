"""The one contract that every tool fulfils, built in or from elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .blocks import ToolResultBlock
from .context import ToolOptions, ToolUseContext
from .decision import PermissionResult
from .errors import ToolError
from .prompting import PromptForm
from .result import ToolResult, ValidationResult
from .schema import LazySchema
from .views import Density, ToolView

RuleFamily = Literal["command", "read", "edit", "domain", "mcp", "name"]
"""How the specifier of a permission rule is matched against a tool's input."""


@dataclass(frozen=True, eq=False)
class Tool:
    """A tool, complete: :func:`build_tool` makes it and fills in what its author left out.

    ``input`` below is the parsed input (a pydantic model, or a frozen mapping where ``input_json_schema`` is used);
    ``observed`` is the back-filled plain copy that hooks and permission code see.

    Identity and schema:
        name: what the model calls. aliases: older names that still work.
        input_model: lazily built pydantic model of the input, the single source of truth.
        input_json_schema: a raw JSON Schema used as it is instead (MCP tools).
        output_schema: optional JSON Schema of the output.
        primary_field: the field that plain text on a ``%tool`` line goes to.
        body_field: the field that the body of a ``%%tool`` cell goes to; the primary field by default.
        strict: ask providers for strict schema mode.
    Model-visible:
        description(input, options): what it does; ``input`` may be ``None``.
        prompt(options): how to use it, for the system prompt.
        search_hint, should_defer, always_load: for tool search.
    Execution:
        call(input, context): do the work.
        validate_input(input, context): can it work? Never about rights.
        map_tool_result(output, tool_use_id): the block that the model reads.
        thread: ``main`` runs it on the kernel's main thread.
        max_result_size_chars: a longer result goes to disk; ``None`` never does.
        interrupt_behavior(): whether a person's new message stops the call or waits.
    Rights:
        check_permissions(input, context): the tool's own opinion; ``passthrough`` has none.
        prepare_permission_matcher(input): compiles an input once to test patterns such as ``git *``.
        rule_family: how specifiers of rules are matched; rule_names: rule names that govern it besides its own.
        get_path(observed): the absolute path that the call touches.
        backfill_observable_input(observed, context): add derived fields to the copy that hooks and rules see.
        to_auto_classifier_input(input): text for a classifier, ``""`` skips it.
        requires_user_interaction(input): the call is a question to a person: no rule, hook or mode answers it.
        person_fields: fields of the input that only a person's or a hook's answer may fill, never the model.
        prompt_form: how that question, or the one for approval, is put.
    Flags, each a function of the parsed input:
        is_read_only, is_concurrency_safe, is_destructive, is_search_or_read_command; is_enabled(options).
    For people, all returning data:
        user_facing_name(input), render_tool_use(partial_input, density), render_progress(payload),
        render_result(output, density), render_rejected(observed, decision), render_error(observed, error),
        render_grouped(partial_inputs), preview(input, context) (what an approval card shows, e.g. the diff of an edit;
        may read files), extract_search_text(output), get_tool_use_summary(partial_input),
        get_activity_description(partial_input).
    """

    name: str
    call: Callable[[Any, ToolUseContext], Awaitable[ToolResult[Any]]]
    aliases: tuple[str, ...]
    input_model: LazySchema[Any] | None
    input_json_schema: Mapping[str, Any] | None
    output_schema: Mapping[str, Any] | None
    primary_field: str | None
    body_field: str | None
    strict: bool

    description: Callable[[Any, ToolOptions], str]
    prompt: Callable[[ToolOptions], str]
    search_hint: str
    should_defer: bool
    always_load: bool

    validate_input: Callable[[Any, ToolUseContext], Awaitable[ValidationResult]] | None
    map_tool_result: Callable[[Any, str], ToolResultBlock]
    thread: Literal["pipeline", "main"]
    max_result_size_chars: int | None
    interrupt_behavior: Callable[[], Literal["cancel", "block"]]

    check_permissions: Callable[[Any, ToolUseContext], Awaitable[PermissionResult]] | None
    prepare_permission_matcher: Callable[[Any], Callable[[str], bool]] | None
    rule_family: RuleFamily
    rule_names: tuple[str, ...]
    get_path: Callable[[Mapping[str, Any]], str | None]
    backfill_observable_input: Callable[[dict[str, Any], ToolUseContext], None] | None
    to_auto_classifier_input: Callable[[Any], str]
    requires_user_interaction: Callable[[Any], bool]
    person_fields: tuple[str, ...]
    prompt_form: PromptForm

    is_enabled: Callable[[ToolOptions], bool]
    is_read_only: Callable[[Any], bool]
    is_concurrency_safe: Callable[[Any], bool]
    is_destructive: Callable[[Any], bool]
    is_search_or_read_command: Callable[[Any], bool]

    is_mcp: bool
    mcp_info: Mapping[str, str] | None

    user_facing_name: Callable[[Mapping[str, Any]], str]
    render_tool_use: Callable[[Mapping[str, Any], Density], ToolView]
    render_progress: Callable[[Any], ToolView]
    render_result: Callable[[Any, Density], ToolView]
    render_rejected: Callable[[Mapping[str, Any], str], ToolView]
    render_error: Callable[[Mapping[str, Any], ToolError | BaseException], ToolView]
    preview: Callable[[Any, ToolUseContext], ToolView] | None
    render_grouped: Callable[[tuple[Mapping[str, Any], ...]], ToolView] | None
    extract_search_text: Callable[[Any], str]
    get_tool_use_summary: Callable[[Mapping[str, Any]], str]
    get_activity_description: Callable[[Mapping[str, Any]], str]

    def __repr__(self) -> str:
        return f"<Tool {self.name}>"

    @property
    def json_schema(self) -> Mapping[str, Any]:
        """The JSON Schema of the input, as the model is shown it."""
        if self.input_json_schema is not None:
            return self.input_json_schema
        return self.input_model.json_schema if self.input_model else {"type": "object", "properties": {}}

    def answers_to(self, name: str) -> bool:
        """Whether ``name`` is this tool's name or one of its aliases."""
        return name == self.name or name in self.aliases


def find_tool_by_name(tools: tuple[Tool, ...], name: str) -> Tool | None:
    """The tool of that name; a real name wins over another tool's alias."""
    for tool in tools:
        if tool.name == name:
            return tool
    return next((tool for tool in tools if tool.answers_to(name)), None)


__all__ = ["RuleFamily", "Tool", "find_tool_by_name"]
