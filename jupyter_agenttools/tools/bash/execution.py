"""Run the command of one call: in which environment, over what, and what it changes for the next one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...core.context import ContextState, ToolUseContext
from ...core.errors import ToolError
from ...core.result import ContextModifier, ToolResult
from ...results.store import ResultStore
from ...shell import (
    EnvironmentChange,
    ShellCommand,
    ShellExit,
    ShellRun,
    approved_environment,
    hardened_environment,
    system_path,
)
from .capture import Capture, Captured
from .exit_codes import interpret_exit_code
from .output import BashOutput

DEFAULT_OUTPUT_CHARS = 30_000
MIN_OUTPUT_CHARS, MAX_OUTPUT_CHARS = 1_000, 150_000

REMOVED_VARIABLES = "bash_removed_variables"
"""Key in ``ContextState.app_state``: names that commands took out of the kernel's environment."""

NOT_FOUND_CODE = 127

NAMED = 20
"""Functions or processes that a notice names; a command can make any number of them."""


def output_limit(env: Mapping[str, str]) -> int:
    """Characters of output that the model is shown: ``BASH_MAX_OUTPUT_LENGTH`` within bounds, or the default."""
    wanted = env.get("BASH_MAX_OUTPUT_LENGTH", "")
    chars = int(wanted) if wanted.isdecimal() else DEFAULT_OUTPUT_CHARS
    return max(MIN_OUTPUT_CHARS, min(chars, MAX_OUTPUT_CHARS))


async def execute(command: str, timeout_ms: int, context: ToolUseContext) -> ToolResult[BashOutput]:
    """Run a command to its end, its time limit or its stop. Nothing of it is alive afterwards.

    Raises:
        ToolError: bash could not be started, and not for want of its working directory.
        InterruptedToolError: the call was stopped before that.
    """
    env = _environment(command, context)
    named = ResultStore(context.results_dir).path_for(context.tool_use_id)
    capture = Capture(named.with_suffix(".output.txt"), output_limit({**os.environ, **context.options.env}))
    run = ShellRun(
        ShellCommand(command, context.cwd, env, "pipes" if context.hardened else "pty", timeout_ms / 1000),
        capture.sinks,
        lambda elapsed_ms: context.on_progress(capture.progress(elapsed_ms, is_incomplete=True)),
    )

    def stop(_: str) -> None:
        run.stop()

    context.cancellation.add_callback(stop)
    try:
        context.cancellation.check()
        end = await run.run()
    except OSError as error:
        if error.filename != context.cwd:
            raise ToolError(f"bash could not be started: {error}", check_id="bash-not-started") from error
        return _without_directory(error, context)
    finally:
        context.cancellation.remove_callback(stop)
        capture.close()
    context.on_progress(capture.progress(end.duration_ms, is_incomplete=False))
    return _result(command, timeout_ms, context, end, capture.finish(), env)


def _environment(command: str, context: ToolUseContext) -> dict[str, str]:
    state = context.state
    if context.hardened:
        env = hardened_environment(os.environ, state.cwd, command)
    else:
        removed = state.app_state.get(REMOVED_VARIABLES, ())
        env = approved_environment(os.environ, context.options.env, state.shell_env, removed)
    return {**env, "PWD": state.cwd}


def _result(
    command: str, timeout_ms: int, context: ToolUseContext, end: ShellExit, captured: Captured, env: Mapping[str, str]
) -> ToolResult[BashOutput]:
    code = end.status if end.status >= 0 else 128 - end.status
    cwd, modifier = _state_after(context, end, env)
    notices = (*captured.notices, *_notices(context, end, code, cwd))
    output = BashOutput(
        stdout=captured.text,
        stderr="\n".join(notices),
        interrupted=end.stopped == "cancelled",
        exit_code=code,
        timed_out_after_ms=timeout_ms if end.stopped == "timeout" else None,
        return_code_interpretation=interpret_exit_code(command, code, captured.text),
        persisted_output_path=captured.path,
        persisted_output_size=captured.size,
        total_lines=captured.lines,
        total_bytes=captured.bytes,
        cwd=cwd,
        duration_ms=end.duration_ms,
    )
    return ToolResult(output, context_modifier=modifier, is_error=output.is_error, interrupted=output.interrupted)


def _state_after(context: ToolUseContext, end: ShellExit, env: Mapping[str, str]) -> tuple[str, ContextModifier | None]:
    """Where the next command runs, and the change of the shared state that takes it there.

    A command that was stopped, and one of a sub-agent, changes nothing; one that nobody was asked about changes the
    directory at most.
    """
    if end.state is None or end.stopped or context.prevent_cwd_changes:
        return context.cwd, None
    cwd = end.state.cwd if os.path.isdir(end.state.cwd) else context.cwd
    change = EnvironmentChange({}, frozenset()) if context.hardened else end.state.change_since(env)
    if cwd == context.cwd and not change:
        return cwd, None
    return cwd, partial(_apply, cwd=cwd, change=change)


def _apply(state: ContextState, *, cwd: str, change: EnvironmentChange) -> ContextState:
    shell_env = {name: value for name, value in state.shell_env.items() if name not in change.removed}
    removed = (set(state.app_state.get(REMOVED_VARIABLES, ())) | change.removed) - change.exported.keys()
    app_state = {key: value for key, value in state.app_state.items() if key != REMOVED_VARIABLES}
    if removed := removed & os.environ.keys():
        app_state[REMOVED_VARIABLES] = tuple(sorted(removed))
    return replace(state, cwd=cwd, shell_env={**shell_env, **change.exported}, app_state=app_state)


def _notices(context: ToolUseContext, end: ShellExit, code: int, cwd: str) -> Iterator[str]:
    """What there is to say besides the output."""
    if end.supervisor_lost:
        yield "The command ended the process that watches over it; everything it had started was ended as well."
    if end.left:
        yield f"These processes could not be ended and still run: {_some([str(pid) for pid in end.left])}"
    if context.hardened and code == NOT_FOUND_CODE:
        yield f"Run without asking, so only programs in the system's folders were found (PATH={system_path()})."
    if end.stopped is None:
        yield from _state_notices(context, end, cwd)


def _state_notices(context: ToolUseContext, end: ShellExit, cwd: str) -> Iterator[str]:
    state = end.state
    if state is None:
        yield (
            "The shell did not tell its working directory and variables at its end (it was killed, or replaced by "
            f"`exec` or an EXIT trap of its own): they stay as they were, in {cwd}"
        )
        return
    if cwd != context.cwd:
        yield f"Working directory is now {cwd}"
    elif state.cwd != cwd:
        why = "a sub-agent does not move it" if context.prevent_cwd_changes else f"{state.cwd} is gone"
        yield f"Working directory stays {cwd}: {why}"
    if state.passing:
        yield f"Functions and aliases do not last to the next command: {_some(state.passing)}"


def _some(names: Sequence[str]) -> str:
    """The first names, and how many there are beside them."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _without_directory(error: OSError, context: ToolUseContext) -> ToolResult[BashOutput]:
    """The result when the command could not start where it should: said, with a way on."""
    start = context.cwd
    why = f"Nothing was run: the working directory {start} cannot be entered ({error.strerror})."
    if context.prevent_cwd_changes:
        return ToolResult(BashOutput("", f"{why} Create it again first, with another tool.", cwd=start), is_error=True)
    cwd = _nearest_folder(start)
    why = f"{why} The working directory is now {cwd}; run the command again if that is right."
    output = BashOutput("", why, cwd=cwd)
    return ToolResult(output, context_modifier=lambda state: replace(state, cwd=cwd), is_error=True)


def _nearest_folder(path: str) -> str:
    while not os.access(path, os.X_OK) or not os.path.isdir(path):
        path = os.path.dirname(path)
    return path
