"""Names that more than one package has to know, in one place."""

from __future__ import annotations

from typing import Final

ASK_USER_QUESTION_TOOL_NAME: Final = "AskUserQuestion"
BASH_TOOL_NAME: Final = "Bash"
BRIEF_TOOL_NAME: Final = "Brief"
CONFIG_TOOL_NAME: Final = "Config"
EDIT_TOOL_NAME: Final = "Edit"
ENTER_PLAN_MODE_TOOL_NAME: Final = "EnterPlanMode"
EXIT_PLAN_MODE_TOOL_NAME: Final = "ExitPlanMode"
GLOB_TOOL_NAME: Final = "Glob"
GREP_TOOL_NAME: Final = "Grep"
INSPECT_VARIABLE_TOOL_NAME: Final = "InspectVariable"
MONITOR_TOOL_NAME: Final = "Monitor"
NOTEBOOK_EDIT_TOOL_NAME: Final = "NotebookEdit"
NOTEBOOK_READ_TOOL_NAME: Final = "NotebookRead"
POWERSHELL_TOOL_NAME: Final = "PowerShell"
READ_TOOL_NAME: Final = "Read"
REPL_TOOL_NAME: Final = "REPL"
RUN_CELL_TOOL_NAME: Final = "RunCell"
SLEEP_TOOL_NAME: Final = "Sleep"
SYNTHETIC_OUTPUT_TOOL_NAME: Final = "SyntheticOutput"
TASK_OUTPUT_TOOL_NAME: Final = "TaskOutput"
TASK_STOP_TOOL_NAME: Final = "TaskStop"
TODO_WRITE_TOOL_NAME: Final = "TodoWrite"
WRITE_TOOL_NAME: Final = "Write"

INTERNAL_INPUT_FIELDS: Final = frozenset({"_simulatedSedEdit"})
"""Fields that only our own code may set; they are taken out of whatever a model sends."""

TRACE_MIME_TYPE: Final = "application/vnd.jupyter-agenttools.trace+json"
