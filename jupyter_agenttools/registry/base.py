"""The single truthful list of the tools that could exist here."""

from __future__ import annotations

from functools import cache

from ..core.flags import ToolFlags
from ..core.names import BRIEF_TOOL_NAME, SLEEP_TOOL_NAME
from ..core.tool import Tool


@cache
def get_all_base_tools() -> tuple[Tool, ...]:
    """Every built-in tool. Importing the tools is put off until somebody asks."""
    from ..tools.ask_user_question import ask_user_question_tool
    from ..tools.bash import bash_tool
    from ..tools.brief import brief_tool
    from ..tools.config import config_tool
    from ..tools.edit import edit_tool
    from ..tools.enter_plan_mode import enter_plan_mode_tool
    from ..tools.exit_plan_mode import exit_plan_mode_tool
    from ..tools.glob import glob_tool
    from ..tools.grep import grep_tool
    from ..tools.inspect_variable import inspect_variable_tool
    from ..tools.monitor import monitor_tool
    from ..tools.notebook_edit import notebook_edit_tool
    from ..tools.notebook_read import notebook_read_tool
    from ..tools.powershell import powershell_tool
    from ..tools.read import read_tool
    from ..tools.repl import repl_tool
    from ..tools.run_cell import run_cell_tool
    from ..tools.sleep import sleep_tool
    from ..tools.task_output import task_output_tool
    from ..tools.task_stop import task_stop_tool
    from ..tools.todo_write import todo_write_tool
    from ..tools.write import write_tool

    return (
        ask_user_question_tool,
        bash_tool,
        brief_tool,
        config_tool,
        edit_tool,
        enter_plan_mode_tool,
        exit_plan_mode_tool,
        glob_tool,
        grep_tool,
        inspect_variable_tool,
        monitor_tool,
        notebook_edit_tool,
        notebook_read_tool,
        powershell_tool,
        read_tool,
        repl_tool,
        run_cell_tool,
        sleep_tool,
        task_output_tool,
        task_stop_tool,
        todo_write_tool,
        write_tool,
    )


def registered_tools(tools: tuple[Tool, ...], flags: ToolFlags) -> tuple[Tool, ...]:
    """Those of ``tools`` that a session with these flags has: one whose flag is not set is as if it did not exist."""
    without = {name for name, is_set in ((BRIEF_TOOL_NAME, flags.brief), (SLEEP_TOOL_NAME, flags.sleep)) if not is_set}
    return tuple(tool for tool in tools if tool.name not in without)
