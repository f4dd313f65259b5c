"""Where the words of a program hold a command line, or a program text that may run one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from .sed_script import BadScript, check_sed
from .sub_commands import RUNNERS, runner_calls
from .wrappers import RUNNERS_BY_OPTION, WRAPPERS, Argv, inner_calls

_OPTIONS: dict[str, frozenset[str]] = {
    name: frozenset(options.split())
    for name, options in {
        "bind": "-x",
        "compgen": "-C -W",
        "complete": "-C -F",
        "entr": "-s",
        "env": "-S --split-string",
        "flock": "-c --command",
        "man": "-P --pager -H --html",
        "mapfile": "-C",
        "nix-shell": "--run --command",
        "nodemon": "-x --exec",
        "npm": "-c --call",
        "npx": "-c --call",
        "readarray": "-C",
        "newgrp": "-c",
        "rsync": "-e --rsh --rsync-path",
        "runuser": "-c --command --session-command",
        "scp": "-S -o",
        "script": "-c --command",
        "sftp": "-S -o",
        "sort": "--compress-program",
        "split": "--filter",
        "sg": "-c",
        "ssh": "-o",
        "su": "-c --command --session-command",
        "tar": "-I --use-compress-program --to-command --checkpoint-action -F --info-script --new-volume-script "
        "--rsh-command --rmt-command",
        "vagrant": "-c --command",
        "zip": "-TT --unzip-command",
    }.items()
}
"""Options whose value is a command line, by program."""

_GIT_OPTIONS: dict[str, re.Pattern[str]] = {
    "difftool": re.compile(r"-x|--extcmd"),
    "filter-branch": re.compile(r"--\w+-filter"),
    "rebase": re.compile(r"-x|--exec"),
}
_GIT_KEY = re.compile(
    r"(?:core\.(?:pager|editor|fsmonitor|sshcommand|askpass|gitproxy)|alias\..*|pager\..*|sequence\.editor"
    r"|.*\.(?:textconv|command|cmd|helper|program|clean|smudge|process|driver|external))",
    re.IGNORECASE,
)
_CLUSTER = re.compile(r"-[A-Za-z]+")
_LEAD = re.compile(r"(?:exec=|[!]|(?:Proxy|Local|Remote|KnownHosts)Command[= ])")

RUNNING_VARIABLE = re.compile(r"\w*(?:COMMAND|EDITOR|PAGER|VISUAL|BROWSER|ASKPASS|RSH|SSH|SHELL)|PS[0124]")
"""Variables before a call whose value the program runs."""

_LANGUAGES = frozenset(
    "deno emacs ex expect gdb lua make node perl php psql python ruby sqlite3 tclsh vi view vim mysql ed R Rscript "
    "osascript julia groovy".split()
)
_AWKS = frozenset({"awk", "gawk", "mawk", "nawk"})
_RUNS = re.compile(
    r"system|exec|spawn|popen|subprocess|shell|qx|%x|`|!(?!=)|fork|\brun\b|\bcall|pty|eval|passthru|\bopen"
    r"|child_process|import.*\b(?:os|pip|sh|shutil)\b|__import__|:;|^\t",
    re.IGNORECASE | re.MULTILINE,
)
_AWK_RUNS = re.compile(r"system|\|&?\s*(?:\"|getline)|\"\s*\|&?|@load", re.IGNORECASE)
_SED_RUNS = re.compile(r"(?:^|[\s;{}\d$/!,~])e\b|[^\w\s][gpiImM0-9]*e")


def texts_in_words(name: str, argv: Argv) -> Iterator[str]:
    """The command lines that stand in the words of this call.

    Args:
        name: the plain name of the program.
    """
    options = _OPTIONS.get(name, frozenset())
    for at, word in enumerate(argv[1:], start=1):
        pair = _value(word, argv[at + 1] if at + 1 < len(argv) else "", options)
        if pair:
            yield _LEAD.sub("", pair, count=1)
    if name in WRAPPERS or name in RUNNERS:  # in one word: a line for a shell
        yield from (" ".join(inner) for inner in (*inner_calls(argv), *runner_calls(argv)) if " " in inner[0])
    own = _TEXTS.get(name)
    if own is not None:
        yield from own(argv)


def reads_words(name: str) -> bool:
    """Whether there is anything to look for in the words of this program: calls, command lines or program texts."""
    holds_texts = name in _OPTIONS or name in _TEXTS or name in _LANGUAGES or name in _AWKS or name == "sed"
    return holds_texts or name in WRAPPERS or name in RUNNERS or name in RUNNERS_BY_OPTION


def _value(word: str, following: str, options: frozenset[str]) -> str:
    if word in options or (_CLUSTER.fullmatch(word) and f"-{word[-1]}" in options):
        return following
    long, equals, value = word.partition("=")
    if word.startswith("--"):
        return value if equals and long in options else ""
    return word[2:] if word[:2] in options else ""


def _git_texts(argv: Argv) -> Iterator[str]:
    for at, word in enumerate(argv[1:-1], start=1):
        own = _GIT_OPTIONS.get(word)
        if own is not None:
            for i, option in enumerate(argv[at + 1 :], start=at + 1):
                name, equals, value = option.partition("=")
                if own.fullmatch(name):
                    yield value if equals else "".join(argv[i + 1 : i + 2])
    for at, word in enumerate(argv[1:], start=1):
        key, equals, value = word.partition("=")
        if _GIT_KEY.fullmatch(key):
            value = value if equals else "".join(argv[at + 1 : at + 2])
            if value.startswith("!") or not key.lower().startswith("alias."):
                yield value.lstrip("!")


def _env_texts(argv: Argv) -> Iterator[str]:
    for at, word in enumerate(argv[1:], start=1):
        if word.startswith("--split-string") or re.match(r"-[A-Za-z]*S", word):
            yield " ".join(argv[at + 1 :])
            return


def _lines_after_dashes(argv: Argv) -> Iterator[str]:
    yield " ".join(argv[2:] if argv[1:2] == ("--",) else argv[1:])


_TEXTS: dict[str, Callable[[Argv], Iterator[str]]] = {
    "alias": lambda argv: (word.partition("=")[2] for word in argv[1:]),
    "env": _env_texts,
    "eval": _lines_after_dashes,
    "git": _git_texts,
    "hash": lambda argv: iter(argv[1:] if "-p" in argv else ()),
    "hyperfine": lambda argv: iter(argv[1:]),
    "less": lambda argv: (word.lstrip("+!") for word in argv[1:] if word.startswith("+!")),
    "parallel": lambda argv: iter(argv[argv.index(":::") :] if ":::" in argv else ()),
    "ssh": lambda argv: (" ".join(inner) for inner in inner_calls(argv)),
    "tmux": lambda argv: iter(argv[2:]),
    "trap": lambda argv: iter(argv[2:3] if argv[1:2] == ("--",) else argv[1:2]),
}


class ShellText(NamedTuple):
    """A line that a shell is given by ``-c``, and the words that it gets as ``$0``, ``$1`` …"""

    text: str
    parameters: Mapping[str, tuple[str, ...]]


def shell_text(argv: Argv) -> ShellText | None:
    """The line of ``bash -c …``, ``None`` when the call has none."""
    at = next((i for i, word in enumerate(argv) if i and _WITH_C.fullmatch(word)), None)
    if at is None:
        return None
    while at + 1 < len(argv) and argv[at + 1].startswith(("-", "+")):
        at += 1
    words = argv[at + 1 :]
    if not words:
        return None
    given = {str(i): (word,) for i, word in enumerate(words[1:])}
    return ShellText(words[0], {**given, "@": (" ".join(words[2:]),), "*": (" ".join(words[2:]),)})


_WITH_C = re.compile(r"-[A-Za-z]*c[A-Za-z]*|--command|-[Cc]ommand")


def may_run(name: str, text: str) -> bool:
    """Whether a text for this interpreter may run other programs.

    Args:
        name: the plain name of the interpreter; any other program runs nothing.
    """
    if name in _LANGUAGES:
        return _RUNS.search(text) is not None
    if name in _AWKS:
        return _AWK_RUNS.search(text) is not None
    if name != "sed" or _SED_RUNS.search(text) is None:
        return False
    try:
        check_sed(text)
    except BadScript:
        return True
    return False
