"""How one command is started: with which environment, in the sandbox or not."""

from __future__ import annotations

import os

from ...core.context import ToolUseContext
from ...core.errors import ToolError
from ...shell import SandboxProfile, approved_environment, hardened_environment, sandboxed_environment
from .sandboxing import SandboxChoice, choose_sandbox, sandbox_profile

REMOVED_VARIABLES = "bash_removed_variables"
"""Key in ``ContextState.app_state``: names that commands took out of the kernel's environment."""


def command_environment(command: str, context: ToolUseContext, *, is_disabled: bool = False) -> dict[str, str]:
    """The whole environment of a command of this call.

    Args:
        is_disabled: the input asks for running outside of the sandbox.
    """
    env = _environment(command, context)
    if choose_sandbox(command, is_disabled, context).state == "sandbox":
        env = sandboxed_environment(env)
    return {**env, "PWD": context.cwd}


def _environment(command: str, context: ToolUseContext) -> dict[str, str]:
    """What earlier commands exported reaches only commands that somebody approved."""
    state = context.state
    if is_allowed_by_sandbox(command, context):
        return approved_environment(os.environ, context.options.env, {}, ())
    if context.hardened:
        return hardened_environment(os.environ, state.cwd, command)
    removed = state.app_state.get(REMOVED_VARIABLES, ())
    return approved_environment(os.environ, context.options.env, state.shell_env, removed)


def command_sandbox(command: str, context: ToolUseContext, *, is_disabled: bool = False) -> SandboxProfile | None:
    """What a command of this call can do in the sandbox; ``None`` when it runs outside of it.

    Raises:
        ToolError: the sandbox is required, or was what the command was allowed for, and there is none.
    """
    choice = choose_sandbox(command, is_disabled, context)
    if choice.refusal:
        raise ToolError(choice.refusal, check_id="bash-sandbox-missing")
    if choice.state == "sandbox":
        return sandbox_profile(context)
    if is_allowed_by_sandbox(command, context):
        why = f"the command was allowed because it runs in the sandbox, and now it would not: {choice.reason}"
        raise ToolError(f"Nothing was run: {why}", check_id="bash-sandbox-gone")
    return None


def is_allowed_by_sandbox(command: str, context: ToolUseContext) -> bool:
    """Whether nobody was asked about this command because of the sandbox, and not because it only reads."""
    if not context.hardened or not context.options.sandbox.auto_allow or context.options.sandbox.mode == "off":
        return False
    from ...permissions.command.chain import judge_command
    from ...permissions.question import working_directories

    roots = working_directories(context.permission, context.cwd)
    return not judge_command(command, cwd=context.cwd, roots=roots).verdict.ok


def sandbox_notice(choice: SandboxChoice) -> str:
    """What a reader of the result should know of where it ran; empty for nothing."""
    if choice.state == "unavailable":
        return f"Ran outside of the sandbox, which the settings want: {choice.reason}."
    return ""
