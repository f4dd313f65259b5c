"""Programs that run another program: what is inside ``timeout 5 nice rm x``?

Two readings. :func:`unwrap` is exact and serves allow rules: it takes off only what it fully understands.
:func:`inner_calls` is generous and serves deny and ask rules: where an option may or may not take a value, both are
tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .parsed import SimpleCommand

Argv = tuple[str, ...]


class Wrapper(NamedTuple):
    """How a program that runs another one reads its own words.

    Attributes:
        valued: options whose value is the next word.
        positional: how many words stand between the options and the inner program.
        assignments: ``NAME=value`` words may come before the inner program.
    """

    valued: frozenset[str] = frozenset()
    positional: int = 0
    assignments: bool = False


def _wrapper(valued: str = "", positional: int = 0, assignments: bool = False) -> Wrapper:
    return Wrapper(frozenset(valued.split()), positional, assignments)


WRAPPERS: dict[str, Wrapper] = {
    "bash": _wrapper("-O -o --init-file --rcfile"),
    "builtin": _wrapper(),
    "busybox": _wrapper(),
    "chroot": _wrapper(positional=1),
    "chrt": _wrapper("-T -P -D", positional=1),
    "command": _wrapper(),
    "doas": _wrapper("-u -C -a"),
    "env": _wrapper("-u --unset -C --chdir", assignments=True),
    "exec": _wrapper("-a"),
    "firejail": _wrapper(),
    "flock": _wrapper("-w -E --timeout --wait", positional=1),
    "ionice": _wrapper("-c -n --class --classdata"),
    "ld.so": _wrapper("--library-path --preload --argv0 --audit"),
    "ltrace": _wrapper("-e -o -p -s -u -n -l -x -A -a -D -F"),
    "nice": _wrapper("-n --adjustment"),
    "nocorrect": _wrapper(),
    "noglob": _wrapper(),
    "nohup": _wrapper(),
    "nsenter": _wrapper("-t -S -G --target --setuid --setgid"),
    "parallel": _wrapper("-j --jobs -a --arg-file -I -n -N -L -S --sshlogin"),
    "pkexec": _wrapper("--user"),
    "prlimit": _wrapper("-p --pid"),
    "proot": _wrapper("-r -b -w"),
    "rlwrap": _wrapper("-a -f -H"),
    "runuser": _wrapper("-u -g -G -c -s"),
    "script": _wrapper("-c -E -I -O -B -T -o -m"),
    "setarch": _wrapper(positional=1),
    "setpriv": _wrapper(),
    "setsid": _wrapper(),
    "stdbuf": _wrapper("-i -o -e --input --output --error"),
    "strace": _wrapper("-a -b -e -E -I -o -O -p -P -s -S -u -U -X"),
    "su": _wrapper("-c -s -g -G -w --command --shell"),
    "sudo": _wrapper("-u -g -h -p -C -T -D -R -r -t -U --user --group --chdir --prompt --host", assignments=True),
    "systemd-run": _wrapper("-u -p -E --unit --property --setenv"),
    "taskset": _wrapper(positional=1),
    "time": _wrapper("-f -o --format --output", assignments=True),
    "timeout": _wrapper("-s -k --signal --kill-after", positional=1),
    "torsocks": _wrapper(),
    "toybox": _wrapper(),
    "unbuffer": _wrapper(),
    "unshare": _wrapper("-R -w -S -G"),
    "watch": _wrapper("-n -q --interval --equexit"),
    "xargs": _wrapper("-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --max-lines --replace"),
    "xvfb-run": _wrapper("-n -s -e -f -p -w"),
}
for _name in ("ash", "dash", "fish", "ksh", "mksh", "rbash", "sh", "yash", "zsh"):
    WRAPPERS[_name] = WRAPPERS["bash"]

SHELLS = frozenset({"ash", "bash", "dash", "fish", "ksh", "mksh", "rbash", "sh", "yash", "zsh"})
TEXT_RUNNERS = SHELLS | {"eval", "trap", "source", ".", "ssh", "find", "alias", "compgen", "complete", "bind", "coproc"}
"""Programs whose words may be command lines of their own, beside the wrappers."""

INTERPRETERS = frozenset(
    "awk gawk mawk nawk ed ex expect gdb lua make node perl php psql python python2 python3 rsync ruby scp sed "
    "sqlite3 tar tclsh vi view vim zip".split()
)
"""Programs whose words may hold a program text that runs others."""

_LD_SO = re.compile(r"ld-linux.*\.so.*|ld-musl.*|ld\.so.*")
_FIND_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_PEELED_FOR_ALLOW = frozenset({"timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "noglob"})
_DURATION = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_VALUE = re.compile(r"-?\d+|\w[\w.]*", re.ASCII)
_OWN_OPTIONS: dict[str, re.Pattern[str]] = {
    "timeout": re.compile(r"--foreground|--preserve-status|-v|--verbose|--(?:signal|kill-after)=\w+|-[sk]\w+"),
    "time": re.compile(r"-p"),
    "nice": re.compile(r"-\d+|-n-?\d+|--adjustment=-?\d+"),
    "stdbuf": re.compile(r"-[ioe](?:L|0|\d+[KMG]?)|--(?:input|output|error)=(?:L|0|\d+[KMG]?)"),
}
MAX_INNER_CALLS = 200


def program_name(word: str) -> str:
    """The name that rules know a program by: the last part of its path."""
    name = (word.rpartition("/")[2] or word) if "/" in word else word
    return "ld.so" if name.startswith("ld") and _LD_SO.fullmatch(name) else name


def unwrap(command: SimpleCommand) -> SimpleCommand:
    """``command`` without the wrappers that change nothing about what runs; itself when it has none."""
    start = 0
    while start < len(command.argv):
        inner = inner_start(command.argv, start)
        if inner is None:
            break
        start = inner
    if not start:
        return command
    globs = frozenset(i - start for i in command.globs if i >= start)
    dynamic = frozenset(i - start for i in command.dynamic if i >= start)
    return SimpleCommand(command.argv[start:], command.raw[start:], command.env, globs, dynamic)


def inner_start(argv: Argv, start: int) -> int | None:
    """Where the program behind the wrapper at ``start`` stands; ``None`` when its own words are not understood."""
    name = argv[start]
    if name not in _PEELED_FOR_ALLOW:
        return None
    at, own = start + 1, _OWN_OPTIONS.get(name)
    while own and at < len(argv):
        if own.fullmatch(argv[at]):
            at += 1
        elif name != "time" and argv[at] in WRAPPERS[name].valued and _VALUE.fullmatch("".join(argv[at + 1 : at + 2])):
            at += 2
        else:
            break
    if name == "timeout":
        if not (at < len(argv) and _DURATION.fullmatch(argv[at])):
            return None
        at += 1
    return at if at < len(argv) and not argv[at].startswith("-") else None


def inner_calls(argv: Argv) -> Iterator[Argv]:
    """Every call that ``argv`` may run besides itself, the words of wrapper options taken both ways."""
    name = program_name(argv[0])
    if name == "find":
        yield from (argv[i + 1 :] for i, word in enumerate(argv) if word in _FIND_EXEC and i + 1 < len(argv))
    wrapper = WRAPPERS.get(name)
    if wrapper is not None:
        yield from (argv[start:] for start in sorted(_starts(argv, wrapper)) if start < len(argv))
    if name in SHELLS and "-c" in argv[1:-2]:  # the words after the script, which it may run as "$@"
        at = argv.index("-c") + 2
        yield from (argv[start:] for start in range(at, min(len(argv), at + 4)))


def _starts(argv: Argv, wrapper: Wrapper) -> set[int]:
    found: set[int] = set()
    pending = {1}
    while pending:
        at = pending.pop()
        if at >= len(argv) or at in found:
            continue
        word = argv[at]
        if word == "--":
            found.update(_after_positional(argv, at + 1, wrapper))
        elif word.startswith(("-", "+")) and len(word) > 1:
            pending.add(at + 2) if word in wrapper.valued else pending.update(_after_option(argv, at, word))
        elif wrapper.assignments and _ASSIGNMENT.match(word):
            pending.add(at + 1)
        else:
            found.update(_after_positional(argv, at, wrapper))
    return found


def _after_option(argv: Argv, at: int, word: str) -> set[int]:
    """An option that is not known to take a value: the next word may be one, if it stands alone."""
    following = argv[at + 1] if at + 1 < len(argv) else ""
    return {at + 1} if "=" in word or following.startswith("-") else {at + 1, at + 2}


def _after_positional(argv: Argv, at: int, wrapper: Wrapper) -> set[int]:
    if not wrapper.positional:
        return {at}
    return {at, at + wrapper.positional}


def option_free(argv: Argv) -> Iterator[Argv]:
    """``argv`` without the options between the program and its sub-command (``git -C . push`` → ``git push``)."""
    if len(argv) > 2 and argv[1].startswith("-"):
        valued = GLOBAL_OPTIONS.get(program_name(argv[0]), frozenset())
        for start in sorted(_starts(argv, Wrapper(valued))):
            if start < len(argv):
                yield (argv[0], *argv[start:])


GLOBAL_OPTIONS: dict[str, frozenset[str]] = {
    "git": frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env"}),
    "docker": frozenset({"-c", "--context", "-H", "--host", "-l", "--log-level", "--config"}),
    "kubectl": frozenset({"-n", "--namespace", "--context", "--cluster", "--kubeconfig", "-s", "--server", "--user"}),
    "npm": frozenset({"--prefix", "--registry", "-w", "--workspace", "-C"}),
}
"""Options with a value that stand between a program and its sub-command; unknown ones are tried both ways."""
