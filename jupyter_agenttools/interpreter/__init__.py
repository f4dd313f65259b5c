"""Running code and keeping what it prints, shows and raises: shared by the kernel and by sessions in a script."""

from .beside import beside
from .formats import plain_bundle
from .plain import PlainInterpreter
from .recorder import Recorder, adopt_displays, current_recorder
from .running import CodeRun, user_step
from .source import Source, SourceError, read_source
from .stopping import GOES_ON, heeding
from .tool_calls import CodeClock, ToolCalls

__all__ = [
    "GOES_ON",
    "CodeClock",
    "CodeRun",
    "PlainInterpreter",
    "Recorder",
    "Source",
    "SourceError",
    "ToolCalls",
    "adopt_displays",
    "beside",
    "current_recorder",
    "heeding",
    "plain_bundle",
    "read_source",
    "user_step",
]
