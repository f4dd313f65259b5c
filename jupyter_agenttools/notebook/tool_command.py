"""``%tool``: run one tool, explain it, step through it, or show help."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from ..core.blocks import ToolResultBlock, ToolUse
from ..core.errors import InterruptedToolError, UsageError
from ..core.names import POWERSHELL_TOOL_NAME
from ..core.outcome import Outcome
from ..core.stepping import Stepper
from ..core.tool import Tool
from ..permissions import working_directories
from .formatters import decision_text
from .line import TOOL_OPTIONS, ToolLine, build_input, parse_tool_line
from .live import LiveDisplay
from .note import lines_bundle
from .output import show
from .plan import Plan
from .run import Run
from .runtime import Runtime
from .watcher import CallWatcher, watching


def tool_plan(runtime: Runtime, text: str, body: str | None, shown: bool) -> Plan:
    """What ``%tool text`` (with ``body`` below it) does.

    Args:
        shown: whether IPython's display hook will be given the value.
    """
    line = parse_tool_line(text)
    if line.trace:
        return _show_last_walk(runtime)
    if not line.name:
        return _show_tools(runtime)
    tool = find_tool(runtime, line.name)
    if line.help:
        return _show_help(runtime, tool)
    return (yield from _use(runtime, tool, line, build_input(tool, line, body), shown))


def find_tool(runtime: Runtime, name: str) -> Tool:
    """The tool of that name.

    Raises:
        UsageError: there is none; says which there are.
    """
    tool = runtime.session.find_tool(name)
    if tool is None:
        names = [t.name for t in runtime.session.tools]
        near = difflib.get_close_matches(name, names, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        options = f" Options stand before the name: {', '.join(TOOL_OPTIONS)}." if name.startswith("-") else ""
        raise UsageError(f"%tool: no tool is named {name!r}.{hint}{options} Tools: {', '.join(names)}.")
    return tool


def _show_tools(runtime: Runtime) -> None:
    from ..render import tools_table, view_bundle

    show(view_bundle(tools_table(runtime.session.tools, runtime.session.options)))


def _show_help(runtime: Runtime, tool: Tool) -> None:
    from ..render import tool_help, view_bundle

    show(view_bundle(tool_help(tool, runtime.session.options)))


def _show_last_walk(runtime: Runtime) -> Outcome:
    from ..render import call_record, trace_text

    outcomes = runtime.session.outcomes
    if not outcomes:
        raise UsageError("%tool --trace: nothing has been called yet")
    show({**call_record(outcomes[-1], walk="full"), "text/plain": trace_text(outcomes[-1])})
    runtime.shown.add(outcomes[-1])
    return outcomes[-1]


def _use(runtime: Runtime, tool: Tool, line: ToolLine, input: Mapping[str, Any], shown: bool) -> Plan:
    if line.explain:
        return (yield from _explain(runtime, tool, input))
    return (yield from _call(runtime, tool, input, line.step, shown))


def _explain(runtime: Runtime, tool: Tool, input: Mapping[str, Any]) -> Plan:
    run = runtime.new_run(lambda: runtime.session.decide(tool.name, input))
    yield run
    decision = runtime.result_of(run)
    command = _command_of(tool, input)
    reading = _reading_of(runtime, command) if command else []
    show(lines_bundle([*decision_text(decision, command).split("\n"), *reading]))
    runtime.shown.add(decision)
    return decision


def _command_of(tool: Tool, input: Mapping[str, Any]) -> str:
    """The command for bash that a call would run, ``""`` when it is none."""
    command = input.get(tool.primary_field or "")
    is_bash = tool.rule_family == "command" and tool.name != POWERSHELL_TOOL_NAME
    return command if is_bash and isinstance(command, str) else ""


def _reading_of(runtime: Runtime, command: str) -> list[str]:
    from ..permissions.command.explain import explain_command

    state = runtime.session.state
    return explain_command(command, cwd=state.cwd, roots=working_directories(state.permission, state.cwd))


def _call(runtime: Runtime, tool: Tool, input: Mapping[str, Any], step: bool, shown: bool) -> Plan:
    use = ToolUse(tool.name, input)
    run = runtime.new_run(lambda: watching(runtime.session, watcher, _work(runtime, use, step)))
    run.live = LiveDisplay(run.cell, f"{tool.name} …", runtime.front_ends)
    watcher = CallWatcher(run, run.live, runtime)
    yield run
    outcome = _outcome(run, watcher, use)
    _show_record(runtime, run, outcome, step, shown)
    runtime.result_of(run)
    return outcome


async def _work(runtime: Runtime, use: ToolUse, step: bool) -> Outcome:
    stepper = make_stepper(runtime) if step else None
    return await runtime.session.call(use.name, use.input, tool_use_id=use.id, stepper=stepper)


def make_stepper(runtime: Runtime) -> Stepper:
    """Who asks a person between the stages of a call."""
    from .stepper import KernelStepper

    return KernelStepper(runtime)


def _outcome(run: Run, watcher: CallWatcher, use: ToolUse) -> Outcome:
    """The outcome, also of a call whose cell did not wait for it any longer."""
    if isinstance(run.value, Outcome):
        return run.value
    if watcher.outcomes:
        return watcher.outcomes[-1]
    error = run.error or InterruptedToolError(f"{'stopped' if run.begun else 'not started'}: {run.why_stop()}")
    block = ToolResultBlock(use.id, str(error), is_error=True)
    return Outcome(use, "interrupted" if run.error is None else "error", block, error=error)


def _show_record(runtime: Runtime, run: Run, outcome: Outcome, step: bool, shown: bool) -> None:
    """Leave the record in the cell. A terminal's display hook prints it itself, after its ``Out[n]:``."""
    from ..render import call_record

    if run.cell.in_terminal and shown:
        return
    assert run.live is not None
    run.live.finish(call_record(outcome, walk="full") if step else call_record(outcome))
    if shown or run.blocking:
        runtime.shown.add(outcome)
