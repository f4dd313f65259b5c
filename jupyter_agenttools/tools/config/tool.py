"""The logic of Config."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.decision import PASSTHROUGH, PermissionResult
from ...core.immutable import freeze
from ...core.names import CONFIG_TOOL_NAME
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput
from ...core.texts import visible
from . import view
from .options import MODE_ALIASES, OPTIONS, Option
from .prompt import DESCRIPTION, prompt, result_text

if TYPE_CHECKING:
    from ...core.context import ContextState, ToolUseContext


class ConfigInput(StrictInput):
    setting: Annotated[str, Field(description="The name of the setting, e.g. permissionMode")]
    value: Annotated[str | None, Field(description="Its new value; left out: read it")] = None


@dataclass(frozen=True)
class ConfigOutput:
    """A setting as it is now.

    Args:
        setting, value: its name and its value, plain JSON.
        previous: the value before, ``None`` when it was only read.
    """

    setting: str
    value: Any
    previous: Any = None


def _value(input: ConfigInput) -> str | None:
    """The value that is asked for, by its own name."""
    if input.setting == "permissionMode" and input.value is not None:
        return MODE_ALIASES.get(input.value, input.value)
    return input.value


def _near(name: str) -> str:
    """The setting that may be meant: written nearly so, or with only a part of its name."""
    by_folded = {known.casefold(): known for known in OPTIONS}
    asked = name.casefold().rpartition(".")[2]
    near = difflib.get_close_matches(asked, by_folded, n=1)
    parts = [known for folded, known in by_folded.items() if asked and (asked in folded or folded in asked)]
    return by_folded[near[0]] if near else next(iter(parts), "")


async def validate(input: ConfigInput, context: ToolUseContext) -> ValidationResult:
    option = OPTIONS.get(input.setting)
    if option is None:
        known, near = ", ".join(OPTIONS), _near(input.setting)
        hint = f"; did you mean {near}?" if near else ""
        message = f"{visible(input.setting)!r} is no setting that Config knows; it knows {known}{hint}"
        return ValidationResult(False, message, "config-unknown-setting")
    value = _value(input)
    if value is None:
        return VALID
    if option.put is None:
        return ValidationResult(False, f"{input.setting} can only be read", "config-read-only")
    if value not in option.values:
        message = f"{input.setting} cannot be set to {visible(value)!r}; it can be {', '.join(option.values)}"
        return ValidationResult(False, message, "config-bad-value")
    if context.agent_id is not None:
        return ValidationResult(False, "a sub-agent cannot change the settings of the session", "config-sub-agent")
    return VALID


async def call(input: ConfigInput, context: ToolUseContext) -> ToolResult[ConfigOutput]:
    option = OPTIONS[input.setting]
    now, value = freeze(option.get(context)), _value(input)
    if value is None:
        return ToolResult(ConfigOutput(input.setting, now))
    return ToolResult(ConfigOutput(input.setting, value, now), context_modifier=_setting(option, value))


def _setting(option: Option, value: str) -> Any:
    put = option.put
    assert put is not None

    def modifier(state: ContextState) -> ContextState:
        return put(state, value)

    return modifier


async def check_permissions(input: ConfigInput, context: ToolUseContext) -> PermissionResult:
    """Reading needs nobody; what lets more pass is decided by a person, whatever rules and modes say."""
    value, option = _value(input), OPTIONS.get(input.setting)
    if value is None:
        return PermissionResult("allow", "it only looks at a setting of this session", check_id="config-read")
    if option is None or option.widens(context, value):
        now = context.permission.mode
        reason = f"{input.setting} = {visible(value)} lets more pass without a question than {now} does"
        return PermissionResult("ask", reason, check_id="config-widens", only_person=True)
    return PASSTHROUGH


def map_result(output: ConfigOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


config_tool = build_tool(
    name=CONFIG_TOOL_NAME,
    call=call,
    input_model=ConfigInput,
    primary_field="setting",
    description=DESCRIPTION,
    prompt=lambda options: prompt(),
    search_hint="read or change a setting such as the permission mode",
    validate_input=validate,
    map_tool_result=map_result,
    check_permissions=check_permissions,
    is_read_only=lambda input: input.value is None,
    is_concurrency_safe=lambda input: input.value is None,
    user_facing_name=lambda input: view.NAME,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: "Looking at the settings" if input.get("value") is None else "Setting",
)
