"""PowerShell: run commands in ``pwsh``, where it is installed."""

from .tool import powershell_tool

__all__ = ["powershell_tool"]
