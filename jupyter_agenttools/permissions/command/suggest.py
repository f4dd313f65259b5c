"""Which rules would allow this command from now on?"""

from __future__ import annotations

import re

from ..patterns import escape_wildcards
from ..rules import ParsedRule, PermissionRule, format_rule
from .coverage import coverage
from .matching import compile_command_pattern, has_safe_env
from .parse import parse_command
from .parsed import SimpleCommand
from .wrappers import INTERPRETERS, TEXT_RUNNERS, WRAPPERS, unwrap

SUBCOMMAND_PROGRAMS = frozenset(
    "apt apt-cache apt-get black brew bun bundle cargo conda dask deno docker dotnet flutter gem gh git go gradle helm "
    "hg jupyter kubectl make mamba meson micromamba mix mvn nbdime npm npx pdm pip pip3 pipenv pipx pixi pnpm poetry "
    "pre-commit rustup stack svn systemctl terraform tox uv yarn".split()
)
"""Programs whose first word says what they do: a rule for one of them names that word too."""

_TOO_WIDE = WRAPPERS.keys() | TEXT_RUNNERS | INTERPRETERS | frozenset(
    "chmod chown curl dd deno docker find kill killall ln mkfs mv nc ncat npx pkill rm rmdir shred ssh tee wget".split()
)  # fmt: skip
"""Programs for which "with any words" is never offered."""

_SUBCOMMAND = re.compile(r"[a-z][\w:.-]*", re.ASCII | re.IGNORECASE)
_PROGRAM = re.compile(r"[\w.+/-]+", re.ASCII)


def suggest_rules(command: str, tool_name: str = "Bash") -> tuple[str, ...]:
    """The rules that would allow this very call, the narrowest first.

    Args:
        command: the text for bash.
        tool_name: the tool that the rules are for.

    Returns:
        The rule for exactly this text; then, for a single call of a program that is not dangerous with other words, the
        rule for its program (and sub-command) with any words. Empty for a command without any text.
    """
    text = command.lstrip(" \t\n")
    if not text:
        return ()
    exact = format_rule(ParsedRule(tool_name, escape_wildcards(text)))
    prefix = _prefix(command, tool_name)
    return (exact,) if prefix is None else (exact, format_rule(ParsedRule(tool_name, prefix)))


def _prefix(command: str, tool_name: str) -> str | None:
    parsed = parse_command(command)
    if parsed.kind != "simple" or len(parsed.commands) != 1 or parsed.operators:
        return None
    call = parsed.commands[0]
    words = _leading_words(unwrap(call))
    if words is None or not has_safe_env(call):
        return None
    pattern = f"{' '.join(words)} *"
    rule = PermissionRule(tool_name, pattern, "session", "allow")
    return pattern if coverage(command, ((compile_command_pattern(pattern), rule),)).covered else None


def _leading_words(call: SimpleCommand) -> tuple[str, ...] | None:
    program, first = call.argv[0], call.argv[1] if len(call.argv) > 1 else ""
    if not _PROGRAM.fullmatch(program) or program.startswith("-"):
        return None
    if program.startswith("python") and first == "-m" and len(call.argv) > 2 and _SUBCOMMAND.fullmatch(call.argv[2]):
        return call.argv[:3]
    if program in SUBCOMMAND_PROGRAMS:
        return (program, first) if _SUBCOMMAND.fullmatch(first) and 1 not in call.globs else None
    return None if program in _TOO_WIDE else (program,)
