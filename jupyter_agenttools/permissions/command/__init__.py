"""Shell commands: what one runs, whether it only reads, and whether a rule is about it."""

from .parse import parse_command
from .parsed import ParsedCommand, SimpleCommand
from .places import ReadPath
from .read_only import ReadOnlyVerdict, classify_read_only, is_read_only_shape
from .suggest import suggest_rules

__all__ = [
    "ParsedCommand",
    "ReadOnlyVerdict",
    "ReadPath",
    "SimpleCommand",
    "classify_read_only",
    "is_read_only_shape",
    "parse_command",
    "suggest_rules",
]
