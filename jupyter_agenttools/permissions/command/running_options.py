"""Words by which a program that a rule allows runs another one, which the rule says nothing about.

``Bash(git *)`` is about git: that git may be told to start any program by ``-c core.pager=…`` or ``rebase --exec`` is
nobody's intention. A rule that names such an option (``Bash(git rebase --exec *)``) is about it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

_OPTIONS: dict[str, str] = {
    "cargo": r"--config(?:=.*)?",
    "fd": r"-[a-zA-Z0-9]*[xX].*|--exec.*",
    "fdfind": r"-[a-zA-Z0-9]*[xX].*|--exec.*",
    "go": r"--?(?:exec|toolexec|vettool|overlay)(?:=.*)?",
    "less": r"\+.*|-[a-zA-Z]*[kt].*|--lesskey.*",
    "make": r"-[a-zA-Z]*[fCI].*|--(?:f|mak|dir|ev|inc).*|(?:SHELL|MAKEFILES|MAKEFLAGS|\.SHELLFLAGS)[:+?!]*=.*",
    "man": r"-[a-zA-Z0-9]*[PHCl].*|--(?:pag|h?tml|con|loc).*",
    "npm": r"--(?:script-shell|node-options|prefix|userconfig|globalconfig).*",
    "rg": r"--pre(?:=.*)?|--hostname-bin(?:=.*)?",
    "sort": r"--co.*",
    "split": r"--fil.*",
    "tar": r"-[a-zA-Z]*[IF].*|--(?:to-c|checkpoint-a|use-c|info-s|new-volume-s|rsh-c|rmt-c).*",
    "zip": r"-[a-zA-Z]*TT.*|--unzip-c.*",
}
"""By program, as a pattern: its options that run a program or take its orders from elsewhere, abbreviated too."""

_GIT_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--exec-path"})
_GIT_GLOBAL = re.compile(r"-c|--config-env(?:=.*)?|--exec-path=.*", re.DOTALL)
_GIT_WORDS: dict[str, str] = {
    "archive": r"--e.*",
    "bisect": r"run",
    "clone": r"-[a-zA-Z]*[cu].*|--(?:u|c|t).*",
    "config": r"(?i:alias\.|pager\.|include(?:if)?\.|url\.|protocol\."
    r"|core\.(?:pager|editor|fsmonitor|sshcommand|askpass|hookspath|gitproxy|alternaterefscommand|worktree)"
    r"|sequence\.editor|.*\.(?:textconv|cachetextconv|command|cmd|helper|program|clean|smudge|process|driver"
    r"|external|update|diffFilter|defaultKeyCommand|uploadpack|receivepack|vcs|proxy)\b).*"
    r"|--(?:rename|edit|file|f).*|-[a-zA-Z]*[ef].*|(?:rename-section|edit)",
    "difftool": r"-[a-zA-Z]*x.*|--ext.*",
    "fetch": r"--up.*",
    "fetch-pack": r"--(?:u|e).*",
    "filter-branch": r"--\w+-filter.*",
    "grep": r"-[a-zA-Z]*O.*|--op.*",
    "init": r"--t.*",
    "ls-remote": r"--(?:u|e(?!xi)).*",
    "pull": r"--up.*",
    "push": r"--(?:rec|e).*",
    "rebase": r"-[a-zA-Z]*x.*|--ex.*",
    "send-pack": r"--(?:rec|e).*",
    "send-email": r"--(?:smtp-server|sendmail-cmd|to-cmd|cc-cmd|header-cmd).*",
    "submodule": r"foreach",
}
_GIT_RUNNERS = re.compile(r"config|remote-.*|daemon|shell|hook|credential.*|http-.*|instaweb|web--browse|imap-send")
"""Sub-commands that start what their words or their input say, or that set what git starts later."""

_TRANSPORT = re.compile(r"(?:--[\w-]+=)?(?:ext|fd)::.*", re.DOTALL)


def runs_others(name: str, words: Sequence[str], named: Sequence[str]) -> bool:
    """Whether this call says which other program is run, and the rule does not.

    Args:
        name: the plain name of the program. words: those behind it. named: the words of the rule.
    """
    find = _FINDERS.get(name)
    if find is None:
        return False
    return any(not any(word.startswith(part) for part in named if len(part) > 1) for word in find(words))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Few of the programs are ever met in a session."""
    return re.compile(pattern, re.DOTALL)


def _finder(pattern: str) -> Callable[[Sequence[str]], Iterator[str]]:
    return lambda words: filter(_compiled(pattern).fullmatch, words)


def _in_tar(words: Sequence[str]) -> Iterator[str]:
    """The letters of the first word need no dash."""
    first = words[0] if words else ""
    return filter(_compiled(_OPTIONS["tar"]).fullmatch, [first if first.startswith("-") else f"-{first}", *words[1:]])


def _in_git(words: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        if _GIT_GLOBAL.fullmatch(words[at]):
            yield words[at]
        at += 2 if words[at] in _GIT_VALUED else 1
    if at >= len(words):
        return
    if _GIT_RUNNERS.fullmatch(words[at]):
        yield words[at]
    pattern = _GIT_WORDS.get(words[at])
    for word in words[at + 1 :]:
        if _TRANSPORT.fullmatch(word) or (pattern is not None and _compiled(pattern).fullmatch(word)):
            yield word


_FINDERS: dict[str, Callable[[Sequence[str]], Iterator[str]]] = {
    **{name: _finder(pattern) for name, pattern in _OPTIONS.items()},
    "git": _in_git,
    "tar": _in_tar,
}
