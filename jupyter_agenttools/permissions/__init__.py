"""May a call run? Rules, their matchers, the modes and the gate."""

from .command import classify_read_only, is_read_only_shape, parse_command, suggest_rules
from .explain import explain
from .from_settings import build_permission_context, merge_contexts, parse_settings
from .gate import decide, deny_rule_for_tool, filter_denied
from .lookup import matching_rule_for_path, may_look, path_filter
from .question import working_directories
from .rules import ParsedRule, PermissionRule, format_rule, parse_rule, split_rules
from .single_rule import rule_allows, rule_matches

__all__ = [
    "ParsedRule",
    "PermissionRule",
    "build_permission_context",
    "classify_read_only",
    "decide",
    "deny_rule_for_tool",
    "explain",
    "filter_denied",
    "format_rule",
    "is_read_only_shape",
    "matching_rule_for_path",
    "may_look",
    "merge_contexts",
    "parse_command",
    "parse_rule",
    "parse_settings",
    "path_filter",
    "rule_allows",
    "rule_matches",
    "split_rules",
    "suggest_rules",
    "working_directories",
]
