"""The settings that Config knows, one by one. Whatever is not here cannot be read or set with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...core.config_state import with_configured
from ...core.plan_mode import with_mode
from ...permissions.mode_order import is_narrower

if TYPE_CHECKING:
    from ...core.context import ContextState, ToolUseContext

MODE_ALIASES: Mapping[str, str] = {"manual": "default"}


@dataclass(frozen=True)
class Option:
    """One setting.

    Args:
        about: what it is, for the model.
        get: its value in a context, plain JSON.
        values: what it can be set to; nothing when it can only be read.
        put: the state with another value.
        widens: whether a value lets more pass than the one that holds: then a person is always asked.
    """

    about: str
    get: Callable[[ToolUseContext], Any]
    values: tuple[str, ...] = ()
    put: Callable[[ContextState, str], ContextState] | None = None
    widens: Callable[[ToolUseContext, str], bool] = lambda context, value: False


def _with_mode(state: ContextState, mode: str) -> ContextState:
    return with_mode(state, mode)  # type: ignore[arg-type]


def _with_outputs(state: ContextState, policy: str) -> ContextState:
    return with_configured(state, "notebookOutputs", policy)


OPTIONS: Mapping[str, Option] = {
    "permissionMode": Option(
        "the permission mode of this session",
        get=lambda context: context.permission.mode,
        values=("default", "acceptEdits", "plan", "dontAsk"),  # what lets everything pass is for people alone
        put=_with_mode,
        widens=lambda context, value: not is_narrower(value, context.permission.mode),
    ),
    "notebookOutputs": Option(
        "what an edit of a code cell does with its outputs",
        get=lambda context: context.options.notebook_outputs,
        values=("clear", "keep"),
        put=_with_outputs,
    ),
    "model": Option("the model that answers", get=lambda context: context.options.main_loop_model or None),
    "sandbox": Option("whether commands run in the sandbox", get=lambda context: context.options.sandbox.mode),
    "workingDirectories": Option(
        "where files can be read without a question",
        get=lambda context: [context.cwd, *context.permission.additional_working_directories],
    ),
}
