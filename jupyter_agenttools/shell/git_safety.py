"""Keep git from running programs that a repository's own files name.

A repository's configuration can name programs that plain `git status` or `git diff` start: a file system monitor, a
pager, hooks, filters, converters and external diffs of single file types, a signature checker; submodules bring their
own. Configuration from the environment wins over all of it (``GIT_CONFIG_COUNT``, git 2.31).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

QUERY_TIMEOUT_S = 5.0

# An empty command means "none" for filters; for an external diff it makes git stop with an error, which is why that
# one is overridden only where a repository sets it.
NO_PROGRAM = ""

ALWAYS: Mapping[str, str] = {
    "core.alternateRefsCommand": NO_PROGRAM,
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "diff.autoRefreshIndex": "false",
    "diff.ignoreSubmodules": "dirty",
    "diff.submodule": "short",
    "gpg.openpgp.program": "false",
    "gpg.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
    "log.showSignature": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
    "status.submoduleSummary": "false",
}

_BY_LAST_WORD: Mapping[str, Mapping[str, str]] = {
    "diff": {"cachetextconv": "false", "command": NO_PROGRAM, "textconv": "cat"},
    "filter": {"clean": NO_PROGRAM, "process": NO_PROGRAM, "smudge": NO_PROGRAM, "required": "false"},
    "submodule": {"ignore": "dirty"},
}
"""Settings ``SECTION.NAME.LAST`` whose NAME a repository chooses, and what each is set to instead."""

_OWN_SCOPES = frozenset({"local", "worktree"})


def hardened_git_environment(cwd: str, env: Mapping[str, str]) -> dict[str, str]:
    """The variables under which git reads what is in ``cwd`` and runs nothing that a repository there names.

    Args:
        cwd: where git will run; its repository is looked at (three short runs of ``git config`` at most).
        env: the environment in which git will run; its ``PATH`` says which git.
    """
    fixed = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_PAGER": "cat"}
    env = {**env, **fixed, **_as_variables(ALWAYS)}
    settings = dict(ALWAYS)
    for key in (*_own_keys(cwd, env), *_submodule_keys(cwd, env)):
        value = _override(key)
        if value is not None:
            settings[key] = value
    return {**fixed, **_as_variables(settings)}


def _override(key: str) -> str | None:
    """What a repository's setting is set to instead, ``None`` to leave it."""
    if key == "diff.external":
        return NO_PROGRAM
    section, _, rest = key.partition(".")
    name, _, last = rest.rpartition(".")
    return _BY_LAST_WORD.get(section, {}).get(last) if name else None


def _own_keys(cwd: str, env: Mapping[str, str]) -> Iterator[str]:
    """The keys that the repository's own files set, included files as well."""
    fields = _query(["git", "config", "-z", "--show-scope", "--list"], cwd, env)
    for scope, entry in zip(fields[::2], fields[1::2], strict=False):
        if scope in _OWN_SCOPES:
            yield entry.partition("\n")[0]


def _submodule_keys(cwd: str, env: Mapping[str, str]) -> Iterator[str]:
    """``submodule.NAME.ignore`` of every submodule: what ``.gitmodules`` says there beats ``diff.ignoreSubmodules``."""
    for folder in (Path(cwd), *Path(cwd).parents):
        if (folder / ".gitmodules").is_file():
            for entry in _query(["git", "config", "-z", "--file", str(folder / ".gitmodules"), "--list"], cwd, env):
                yield entry.partition("\n")[0].rpartition(".")[0] + ".ignore"
        if (folder / ".git").exists():
            return


def _query(argv: list[str], cwd: str, env: Mapping[str, str]) -> list[str]:
    """NUL-separated fields; none when git is missing or this is no repository (then there is nothing to override)."""
    try:
        done = subprocess.run(
            argv, cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, timeout=QUERY_TIMEOUT_S,
            start_new_session=True, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        return []
    return os.fsdecode(done.stdout).split("\0")[:-1]


def _as_variables(settings: Mapping[str, str]) -> dict[str, str]:
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables
