"""Run the command of one call: in which environment, over what, and what it changes for the next one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import anyio.to_thread

from ...core.context import ContextState, ToolUseContext
from ...core.errors import ToolError
from ...core.result import ContextModifier, ToolResult
from ...results.store import ResultStore
from ...shell import (
    EnvironmentChange,
    Job,
    JobLabel,
    Jobs,
    ShellCommand,
    ShellExit,
    system_path,
)
from .background import background_output, input_notices, jobs_of, moves_at_limit, wait_in_front
from .capture import Capture, Captured
from .exit_codes import interpret_exit_code
from .git_operations import notice_git_operations
from .launch import REMOVED_VARIABLES, command_environment, command_sandbox, sandbox_notice
from .output import BashOutput
from .output_kinds import decode_image
from .sandboxing import SandboxChoice, choose_sandbox

DEFAULT_OUTPUT_CHARS = 30_000
MIN_OUTPUT_CHARS, MAX_OUTPUT_CHARS = 1_000, 150_000

NOT_FOUND_CODE = 127

NAMED = 20
"""Functions or processes that a notice names; a command can make any number of them."""


def output_limit(*environments: Mapping[str, str]) -> int:
    """Characters of output that the model is shown: ``BASH_MAX_OUTPUT_LENGTH`` within bounds, or the default.

    Args:
        environments: where the variable is looked for, in this order.
    """
    name = "BASH_MAX_OUTPUT_LENGTH"
    wanted = next((env[name] for env in environments if name in env), "")
    chars = int(wanted) if wanted.isdecimal() else DEFAULT_OUTPUT_CHARS
    return max(MIN_OUTPUT_CHARS, min(chars, MAX_OUTPUT_CHARS))


async def execute(
    command: str,
    timeout_ms: int,
    context: ToolUseContext,
    *,
    background: bool = False,
    description: str = "",
    is_disabled: bool = False,
) -> ToolResult[BashOutput]:
    """Run a command to its end, its time limit or its stop; nothing of it is alive afterwards. Or until it goes on in
    the background.

    Args:
        background: start it there.
        description: what it does, for the person.
        is_disabled: the input asks for running outside of the sandbox.

    Raises:
        ToolError: bash could not be started, and not for want of its working directory.
        InterruptedToolError: the call was stopped before that.
    """
    env = command_environment(command, context, is_disabled=is_disabled)
    limit = output_limit(context.options.env, os.environ)
    jobs, moves = jobs_of(context), moves_at_limit(context)
    timeout_s = None if background or moves else timeout_ms / 1000
    label = JobLabel(command, description, context.tool_use_id, agent_id=context.agent_id)
    job, capture = start_job(
        command, env, label, context, jobs, timeout_s=timeout_s, background=background, is_disabled=is_disabled
    )
    if not background:
        await wait_in_front(job, jobs, timeout_ms / 1000 if moves else None, context)
    if job.moved_by is not None:
        return ToolResult(background_output(job, capture, limit, context.cwd))
    if job.failure is not None:
        if job.failure.filename != context.cwd:
            raise ToolError(f"bash could not be started: {job.failure}", check_id="bash-not-started") from job.failure
        return _without_directory(job.failure, context)
    assert job.end is not None
    context.on_progress(capture.progress(job.end.duration_ms, is_incomplete=False))
    captured = await _with_image(capture.finish(), context)
    captured = captured._replace(notices=(*captured.notices, *input_notices(job)))
    result = _result(command, timeout_ms, context, job.end, captured, env)
    return _with_sandbox(result, choose_sandbox(command, is_disabled, context), has_begun=job.end.state is not None)


def start_job(
    command: str,
    env: Mapping[str, str],
    label: JobLabel,
    context: ToolUseContext,
    jobs: Jobs,
    *,
    timeout_s: float | None,
    background: bool,
    on_output: Callable[[bytes], None] | None = None,
    is_disabled: bool = False,
    on_beat: Callable[[], None] = lambda: None,
    on_created: Callable[[Job], object] = lambda job: None,
) -> tuple[Job, Capture]:
    """Begin a command, with its output going to disk; raises as :meth:`Jobs.start`, and
    ``InterruptedToolError`` when the call was stopped before that.

    Args:
        env: its whole environment.
        on_output: also given the output as it comes, of both streams, in the job's thread.
        on_beat, on_created: see :meth:`Jobs.start`.
        is_disabled: the input asks for running outside of the sandbox.
    """
    store = ResultStore(context.results_dir)
    file = store.free_path_for(context.tool_use_id, ".output.txt", ".output.stderr.txt")
    limit = output_limit(context.options.env, os.environ)
    capture = Capture(file, limit, on_output)
    sandbox = command_sandbox(command, context, is_disabled=is_disabled)
    typing = not context.hardened and not background and jobs.can_type()
    context.cancellation.check()
    job = jobs.start(
        ShellCommand(command, context.cwd, env, _transport(context), timeout_s, typing, sandbox),
        capture,
        label,
        background=background,
        on_progress=lambda elapsed_ms: context.on_progress(capture.progress(elapsed_ms, is_incomplete=True)),
        interpret=lambda code: interpret_exit_code(command, code, capture.so_far(limit)),
        on_beat=on_beat,
        on_created=on_created,
    )
    return job, capture


def _transport(context: ToolUseContext) -> Literal["pipes", "pty"]:
    return "pipes" if context.hardened else "pty"


async def _with_image(captured: Captured, context: ToolUseContext) -> Captured:
    """The output with its image decoded, if it is one; one that cannot be is said to be."""
    if captured.image is None:
        return captured
    shown = await anyio.to_thread.run_sync(decode_image, captured.image, context.cancellation)
    if isinstance(shown, str):
        return captured._replace(text=f"{captured.text.rstrip(']')}, which cannot be shown: {shown}]")
    return captured._replace(shown=shown)


def _with_sandbox(result: ToolResult[BashOutput], choice: SandboxChoice, *, has_begun: bool) -> ToolResult[BashOutput]:
    """The result with what is to be said of the sandbox; a shell that told its end ran, whatever it printed."""
    output = result.data
    if choice.state == "sandbox" and not has_begun and output.exit_code == 1 and output.stdout.startswith("bwrap: "):
        raise ToolError(f"The sandbox could not be set up: {output.stdout.strip()}", check_id="bash-sandbox-failed")
    notices = "\n".join(filter(None, (output.stderr, sandbox_notice(choice))))
    return replace(result, data=replace(output, sandbox=choice.state, stderr=notices))


def _result(
    command: str, timeout_ms: int, context: ToolUseContext, end: ShellExit, captured: Captured, env: Mapping[str, str]
) -> ToolResult[BashOutput]:
    code = end.status if end.status >= 0 else 128 - end.status
    cwd, modifier, too_big = _state_after(context, end, env)
    notices = (*captured.notices, *_notices(context, end, code, cwd))
    if too_big:
        notices += (f"Too long to be handed on, so unset for the next command (keep it in a file): {_some(too_big)}",)
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
        transport=_transport(context),
        git_operation=notice_git_operations(command, code, captured.text),
        image=captured.shown,
    )
    return ToolResult(output, context_modifier=modifier, is_error=output.is_error, interrupted=output.interrupted)


def _state_after(
    context: ToolUseContext, end: ShellExit, env: Mapping[str, str]
) -> tuple[str, ContextModifier | None, tuple[str, ...]]:
    """Where the next command runs, the change of the shared state that takes it there, and the variables that no
    program can be started with.

    A command that was stopped, and one of a sub-agent, changes nothing; one that nobody was asked about changes the
    directory at most.
    """
    if end.state is None or end.stopped or context.prevent_cwd_changes:
        return context.cwd, None, ()
    cwd = end.state.cwd if os.path.isdir(end.state.cwd) else context.cwd
    change = EnvironmentChange({}, frozenset()) if context.hardened else end.state.change_since(env)
    change, too_big = change.startable(env)
    if cwd == context.cwd and not change:
        return cwd, None, ()
    return cwd, partial(_apply, cwd=cwd, change=change), too_big


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
    if context.hardened and code == NOT_FOUND_CODE and not context.options.sandbox.auto_allow:
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
