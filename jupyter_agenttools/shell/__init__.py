"""Running commands: a fresh bash each, watched over so that nothing of it stays alive, over pipes or a terminal."""

from .environment import approved_environment, hardened_environment, system_path
from .output import OutputLog, OutputText
from .run import ShellCommand, ShellExit, ShellRun
from .script import EnvironmentChange, ExitState

__all__ = [
    "EnvironmentChange",
    "ExitState",
    "OutputLog",
    "OutputText",
    "ShellCommand",
    "ShellExit",
    "ShellRun",
    "approved_environment",
    "hardened_environment",
    "system_path",
]
