"""Which rules would allow this command from now on?"""

from __future__ import annotations

import re
from shlex import quote

from ..paths import escape_path
from ..patterns import escape_wildcards
from ..rules import ParsedRule, PermissionRule, format_rule
from .coverage import CommandRules, Overview, Rules, Uncovered, coverage, left_open
from .follow import MayWrite
from .matching import compile_command_pattern, has_safe_env
from .parse import parse_command
from .parsed import SimpleCommand
from .same_program import plain_name
from .sub_commands import RUNNERS
from .wrappers import INTERPRETERS, SHELLS, TEXT_RUNNERS, WRAPPERS, Argv, program_name, unwrap

SUBCOMMAND_PROGRAMS = frozenset(
    "apt apt-cache apt-get aws az black brew bun bundle cargo conda dask deno docker dotnet flutter gcloud gem gh git "
    "go gradle helm hg jupyter kubectl make mamba meson micromamba mix mvn nbdime npm npx pdm pip pipenv pipx pixi "
    "pnpm podman poetry pre-commit rustup rye stack svn systemctl terraform tox uv yarn".split()
)
"""Programs whose first word says what they do: a rule for one of them names that word too."""

_TWO_WORDS: dict[str, frozenset[str]] = {
    "aws": frozenset("ec2 ecr iam lambda logs s3 s3api sts".split()),
    "bun": frozenset({"run"}),
    "conda": frozenset({"env"}),
    "docker": frozenset("buildx compose container image network system volume".split()),
    "gcloud": frozenset("compute config projects storage".split()),
    "gh": frozenset("api issue pr release repo run workflow".split()),
    "go": frozenset({"mod", "tool"}),
    "kubectl": frozenset({"config", "rollout"}),
    "npm": frozenset({"run", "run-script"}),
    "pnpm": frozenset({"run"}),
    "uv": frozenset({"pip", "tool"}),
    "yarn": frozenset({"run", "workspace"}),
}
"""Sub-commands that say little without the word behind them."""

_TOO_WIDE = WRAPPERS.keys() | TEXT_RUNNERS | INTERPRETERS | frozenset(
    "at batch chgrp chmod chown cp crontab curl dd deno docker emacs fd fdfind find gpg halt hyperfine install "
    "iptables julia kill killall ln lua mkfs mount mv mysql nano nc ncat npx openssl passwd patch php pkill "
    "poweroff reboot rm rmdir screen sftp shred shutdown socat ssh svn tee telnet "
    "tmux truncate umount unlink unzip useradd userdel "
    "usermod uvx wget xdg-open yq Rscript R".split()
)  # fmt: skip
"""Programs for which "with any words" is never offered."""

_TOO_WIDE_BELOW: dict[str, frozenset[str]] = {
    "docker": frozenset("build create exec run".split()),
    "gh": frozenset("alias api extension".split()),
    "git": frozenset("archive bisect clean config difftool filter-branch mergetool rebase submodule".split()),
    "go": frozenset({"generate", "run", "tool"}),
    "kubectl": frozenset("config debug delete exec run".split()),
    "npm": frozenset("config exec explore publish x".split()),
    "poetry": frozenset({"config", "publish"}),
    "python": frozenset("code cProfile pdb profile runpy timeit trace".split()),
    "uv": frozenset({"publish", "tool"}),
}
"""Sub-commands (and modules) that run what their words say, or undo a lot."""

_READ_PROGRAMS = (SHELLS | INTERPRETERS) - frozenset("make rsync scp tar vi view vim zip".split())
"""Programs that run what they read, when no word tells them what to run."""

FEEDS_OTHERS = frozenset({"xargs", "parallel"})
"""Programs that make words for others from what they read."""

_SUBCOMMAND = re.compile(r"[a-z][\w:.-]*", re.ASCII | re.IGNORECASE)
_PROGRAM = re.compile(r"[\w.+/-]+", re.ASCII)
_HEREDOC = re.compile(r"<<(?!<)")

MAX_RULES = 5
"""More rules than this are never offered for one command."""

MAX_RULE_CHARS = 500
"""A longer text is written once only; no rule is made of it."""


def suggest_rules(
    command: str,
    tool_name: str = "Bash",
    *,
    cwd: str = "/",
    roots: tuple[str, ...] = (),
    may_mix: bool = False,
    rules: Rules = (),
    may_write: MayWrite | None = None,
    could_write: MayWrite | None = None,
    seen: Overview | None = None,
    wide: bool = False,
) -> tuple[str, ...]:
    """The rules that would allow this very call, the narrowest first.

    Args:
        command: the text for bash.
        tool_name: the tool that the rules are for.
        cwd, roots, may_mix, may_write: as for :func:`.coverage.coverage`: calls that only read need no rule then.
        rules: the allow rules that there are; what they cover needs no other.
        could_write: whether a rule could allow writing a file. seen: what is left open, where that is known already.
        wide: for a line of which more than one call is open, the rules for each program (and sub-command) with any
            words, where that is not dangerous.

    Returns:
        At most five. For a line of which one call is open: the rule for exactly this text (never with a here-document
        in it, whose text no later command will have), and the rule for its program (and sub-command) with any words,
        where that is enough and not dangerous. For a line of which more is open (:func:`are_together`): one rule for
        each such call and each written file, as narrow as for that call alone. Empty when no rule can be written.
    """
    text = command.lstrip(" \t\n")
    if not text:
        return ()
    has_exact = _HEREDOC.search(text) is None and len(text) <= MAX_RULE_CHARS
    exact = (format_rule(ParsedRule(tool_name, escape_wildcards(text))),) if has_exact else ()
    seen = seen or left_open(
        command, rules, cwd=cwd, roots=roots, may_mix=may_mix, may_write=may_write, could_write=could_write
    )
    left = seen.left
    if left is None:
        return exact
    if not left.calls and not left.written:  # it only reads: a rule helps where that alone is not enough
        left = Uncovered(parse_command(command).commands, ())
    is_one = len(left.calls) == 1 and not left.written
    specifiers = _specifiers(left, wide=wide or is_one, has_exact=has_exact)
    if specifiers is None:
        return exact
    made = CommandRules(
        (compile_command_pattern(text), PermissionRule(tool_name, text, "session", "allow")) for text in specifiers
    )
    if left.separate:
        is_enough = all(made.first(call) is not None for call in left.calls) or made.whole(command) is not None
    else:
        may_write_then = _with_files(may_write, left.written)
        then = coverage(command, rules, cwd=cwd, roots=roots, may_mix=may_mix, may_write=may_write_then, more=made)
        is_enough = then.covered
    offered = _rules_for(specifiers, left.written, tool_name)
    if not is_enough or len(offered) > MAX_RULES:
        return exact
    return tuple(dict.fromkeys((*exact, *offered))) if is_one else offered


def _rules_for(specifiers: tuple[str, ...], files: tuple[str, ...], tool_name: str) -> tuple[str, ...]:
    """The rules as text: one for each call and for each file that is written."""
    calls = (format_rule(ParsedRule(tool_name, text)) for text in specifiers)
    return (*calls, *(format_rule(ParsedRule("Edit", escape_path(path))) for path in files))


def _with_files(may_write: MayWrite | None, files: tuple[str, ...]) -> MayWrite:
    """``may_write`` with rules for these files besides."""
    return lambda given, resolved: given in files or (may_write is not None and may_write(given, resolved))


def are_together(suggestions: tuple[str, ...], command: str) -> bool:
    """Whether all of these rules are needed, and not only one of them: none of them is for the whole text."""
    exact = escape_wildcards(command.lstrip(" \t\n"))
    return len(suggestions) > 1 and all(not rule.endswith(f"({_escaped(exact)})") for rule in suggestions)


def _escaped(specifier: str) -> str:
    return format_rule(ParsedRule("X", specifier))[2:-1]


def _specifiers(left: Uncovered, *, wide: bool, has_exact: bool) -> tuple[str, ...] | None:
    """One specifier for each open call that can have one.

    ``None`` when one of them can only be allowed with any words, and the rule for exactly the whole text is narrower.
    """
    narrow = [None if wide else _exactly(call) for call in left.calls]
    if not wide and has_exact and None in narrow:
        return None
    found = [text or _prefix(call) or _exactly(call) for text, call in zip(narrow, left.calls, strict=True)]
    return tuple(dict.fromkeys(text for text in found if text is not None))


def _exactly(call: SimpleCommand) -> str | None:
    """The rule for this one call; none where a variable in it could make it another one each time."""
    if _is_fed(call):
        return None
    spelt = call.raw
    if call.raw == call.argv:  # as the shell makes it, not as it is written
        spelt = tuple(word if i in call.globs else quote(word) for i, word in enumerate(call.argv))
    text = " ".join((*(f"{name}={value}" for name, value in call.env), *spelt))
    plain = not call.dynamic and all(re.fullmatch(r"[\w./:@%+,-]*", value) for _, value in call.env)
    return escape_wildcards(text) if plain and "\n" not in text and len(text) <= MAX_RULE_CHARS else None


def _is_fed(call: SimpleCommand) -> bool:
    """Whether what the call does comes from what it reads: a shell without a script, ``xargs``."""
    argv = unwrap(call).argv
    name = plain_name(program_name(argv[0])) if argv else ""
    return name in FEEDS_OTHERS or (name in _READ_PROGRAMS and all(word.startswith("-") for word in argv[1:]))


def _prefix(call: SimpleCommand) -> str | None:
    inner = unwrap(call)
    if not has_safe_env(call) or not _PROGRAM.fullmatch(inner.argv[0]) or inner.argv[0].startswith("-"):
        return None
    plain = next((i for i, word in enumerate(inner.argv) if i in inner.globs | inner.dynamic), len(inner.argv))
    words = _leading_words(inner.argv[:plain])
    return None if words is None else f"{' '.join(words)} *"


def _leading_words(argv: Argv) -> Argv | None:
    """The words that say what a call does; ``None`` when no few words do, or with other words it is dangerous."""
    if not argv or not _PROGRAM.fullmatch(argv[0]):
        return None
    name, first = plain_name(program_name(argv[0])), argv[1] if len(argv) > 1 else ""
    below = _TOO_WIDE_BELOW.get(name, frozenset())
    if name == "python" and first == "-m" and len(argv) > 2:
        module = (*argv[:2], *(_leading_words(argv[2:]) or ())) if argv[2] in SUBCOMMAND_PROGRAMS else argv[:3]
        return module if len(module) > 2 and _SUBCOMMAND.fullmatch(argv[2]) and argv[2] not in below else None
    for path, runner in RUNNERS.get(name, {}).items():
        if argv[1 : len(path) + 1] == path:
            inner = _leading_words(argv[len(path) + 1 :]) if not runner.positional else None
            return None if inner is None else (argv[0], *path, *inner)
    if name not in SUBCOMMAND_PROGRAMS:
        return None if name in _TOO_WIDE else argv[:1]
    if not _SUBCOMMAND.fullmatch(first) or first in below:
        return None
    if first not in _TWO_WORDS.get(name, frozenset()):
        return argv[:2]
    return argv[:3] if len(argv) > 2 and _SUBCOMMAND.fullmatch(argv[2]) else None


assert SHELLS <= _TOO_WIDE
