"""Sleep: waiting for a while."""

from .tool import SleepInput, SleepOutput, sleep_tool

__all__ = ["SleepInput", "SleepOutput", "sleep_tool"]
