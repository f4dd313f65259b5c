"""Running commands: a fresh bash each, watched over so that nothing of it stays alive, over pipes or a terminal."""

from .environment import approved_environment, hardened_environment, system_path
from .job import Job, JobLabel, JobOutput, JobState, Mover
from .jobs import Jobs
from .output import OutputLog, OutputText
from .run import ShellCommand, ShellExit, ShellRun
from .sandbox import SandboxProblem, SandboxProfile, open_sandbox, sandboxed_environment
from .sandbox_mounts import Protection
from .sandbox_probe import SandboxSupport, sandbox_support
from .script import EnvironmentChange, ExitState
from .terminal_text import plain_line

__all__ = [
    "EnvironmentChange",
    "ExitState",
    "Job",
    "JobLabel",
    "JobOutput",
    "JobState",
    "Jobs",
    "Mover",
    "OutputLog",
    "OutputText",
    "Protection",
    "SandboxProblem",
    "SandboxProfile",
    "SandboxSupport",
    "ShellCommand",
    "ShellExit",
    "ShellRun",
    "approved_environment",
    "hardened_environment",
    "open_sandbox",
    "plain_line",
    "sandbox_support",
    "sandboxed_environment",
    "system_path",
]
