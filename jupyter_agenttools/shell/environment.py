"""The environment of a command: the person's own for approved ones, a fixed small one for the others."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping

from ..core.secret_values import speaks_of_secret
from .git_safety import hardened_git_environment

_CHANGES_THE_SHELL = frozenset(
    "BASHOPTS BASH_ARGV0 BASH_COMPAT BASH_ENV BASH_XTRACEFD CDPATH ENV EXECIGNORE FIGNORE GLOBIGNORE IFS "
    "POSIXLY_CORRECT PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 SHELLOPTS TMOUT".split()
)
"""Variables by which a shell runs or means something else than what the command says."""

_OF_THE_KERNEL = frozenset({"CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "MPLBACKEND"})
"""Set by a Jupyter kernel for itself: with these, programs write colour codes into files and plots go nowhere."""

_PLAIN_TERMINAL: Mapping[str, str] = {"TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat"}
"""Nobody can press keys: no cursor tricks, no pager that waits."""

_QUIET_TOOLS: Mapping[str, str] = {
    "GOTOOLCHAIN": "local",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONSAFEPATH": "1",
    "npm_config_logs_max": "0",
    "npm_config_update_notifier": "false",
}
"""With these, programs that are asked for a version or a list write no logs, ask no network, load no tool chain."""

_KEPT_WHEN_HARDENED = frozenset({"HOME", "LANG", "LANGUAGE", "LOGNAME", "TMPDIR", "TZ", "USER"})

_OF_A_PROVIDER = re.compile(
    r"^(?:AWS|AZURE|GOOGLE|GCP|ANTHROPIC|OPENAI)_(?!.*(?:REGION|PROJECT|LOCATION)$)", re.IGNORECASE
)

_GIT_SETTING = re.compile(r"GIT_CONFIG_KEY_\d+")
"""The name of a setting for git, which is no key; without it git fails, or runs with less care."""

_SYSTEM_FOLDERS = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")


def approved_environment(
    kernel: Mapping[str, str], settings: Mapping[str, str], exported: Mapping[str, str], removed: Iterable[str]
) -> dict[str, str]:
    """The environment of a command that somebody approved.

    Args:
        kernel: the kernel's own environment.
        settings: the session's ``env`` setting, on top of it.
        exported: what earlier commands exported, on top of that.
        removed: what earlier commands took away.
    """
    own = {name: value for name, value in kernel.items() if name not in _OF_THE_KERNEL}
    merged = {**own, **_PLAIN_TERMINAL, **settings, **exported}
    gone = (set(removed) - exported.keys()) | _CHANGES_THE_SHELL
    return {n: v for n, v in merged.items() if n not in gone and not n.startswith("BASH_FUNC_")}


def hardened_environment(kernel: Mapping[str, str], cwd: str, command: str) -> dict[str, str]:
    """The environment of a command that runs without anybody having been asked.

    Nothing that an earlier command, a setting or a repository chose reaches it: names by list, system folders as
    ``PATH``, git kept from running what a repository names (looked up only for commands that name git at all).
    """
    kept = {n: kernel[n] for n in kernel if n in _KEPT_WHEN_HARDENED or n.startswith("LC_")}
    env = {**kept, **_PLAIN_TERMINAL, **_QUIET_TOOLS, "PATH": system_path()}
    return {**env, **hardened_git_environment(cwd, env)} if _may_name_git(command) else env


def looks_secret(name: str) -> bool:
    """Whether a variable of this name is likely to hold a key or a password."""
    named = speaks_of_secret(name) or _OF_A_PROVIDER.search(name) is not None
    return named and not _GIT_SETTING.fullmatch(name)


def _may_name_git(command: str) -> bool:
    """Whether git can run: by its name in any quoting, or by a name that is only known after expansion."""
    return "$" in command or "git" in re.sub(r"[\\'\"\n]", "", command)


def system_path() -> str:
    """The system's program folders that only root can write to, as a ``PATH``."""
    return os.pathsep.join(folder for folder in _SYSTEM_FOLDERS if _only_root_writes(folder))


def _only_root_writes(folder: str) -> bool:
    try:
        status = os.stat(folder)
    except OSError:
        return False
    return status.st_uid == 0 and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
