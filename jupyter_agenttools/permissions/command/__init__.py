"""Shell commands: what one runs, whether it only reads, and whether a rule is about it."""

from .parsed import ParsedCommand, SimpleCommand
from .read_only import ReadOnlyVerdict, ReadPath, classify_read_only, is_read_only_shape
from .suggest import suggest_rules
from .tokens import parse_command

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
