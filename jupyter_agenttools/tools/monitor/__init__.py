"""Monitor: runs a command in the background and tells of the lines that it prints."""

from .tool import MonitorInput, MonitorOutput, monitor_tool

__all__ = ["MonitorInput", "MonitorOutput", "monitor_tool"]
