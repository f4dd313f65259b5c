"""Which rules would allow this command from now on?"""

from __future__ import annotations

import re
from itertools import islice

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


MAX_RULES = 5
"""More rules than this are never offered for one command."""


def suggest_rules(
    command: str, tool_name: str = "Bash", *, cwd: str = "/", roots: tuple[str, ...] = (), may_mix: bool = False
) -> tuple[str, ...]:
    """The rules that would allow this very call, the narrowest first; each of them is enough by itself.

    Args:
        command: the text for bash.
        tool_name: the tool that the rules are for.
        cwd, roots, may_mix: as for :func:`.coverage.coverage`: calls that only read need no rule then.

    Returns:
        At most five: the rule for exactly this text (never with a here-document in it, whose text no later command
        will have), then rules for one of its programs (and sub-command) with any words, where that is enough and the
        program is not dangerous with other words. Empty when no rule can be written.
    """
    text = command.lstrip(" \t\n")
    if not text:
        return ()
    exact = () if _HEREDOC.search(text) else (format_rule(ParsedRule(tool_name, escape_wildcards(text))),)
    parsed = parse_command(command)
    patterns = dict.fromkeys(pattern for call in parsed.commands if (pattern := _prefix(call)) is not None)
    offered = list(exact)
    for pattern in islice(patterns, MAX_PROGRAMS):
        rule = PermissionRule(tool_name, pattern, "session", "allow")
        compiled = ((compile_command_pattern(pattern), rule),)
        if coverage(command, compiled, cwd=cwd, roots=roots, may_mix=may_mix).covered:
            offered.append(format_rule(ParsedRule(tool_name, pattern)))
    return tuple(offered[:MAX_RULES])


MAX_PROGRAMS = 12
"""Programs of one line for which a rule is tried."""

_HEREDOC = re.compile(r"<<(?!<)")


def _prefix(call: SimpleCommand) -> str | None:
    words = _leading_words(unwrap(call))
    if words is None or not has_safe_env(call):
        return None
    return f"{' '.join(words)} *"


def _leading_words(call: SimpleCommand) -> tuple[str, ...] | None:
    program, first = call.argv[0], call.argv[1] if len(call.argv) > 1 else ""
    if not _PROGRAM.fullmatch(program) or program.startswith("-"):
        return None
    if program.startswith("python") and first == "-m" and len(call.argv) > 2 and _SUBCOMMAND.fullmatch(call.argv[2]):
        return call.argv[:3]
    if program in SUBCOMMAND_PROGRAMS:
        return (program, first) if _SUBCOMMAND.fullmatch(first) and 1 not in call.globs else None
    return None if program in _TOO_WIDE else (program,)
