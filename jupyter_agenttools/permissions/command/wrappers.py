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
        flags: the letters of options without a value; any other option may have one or not.
        optional: the words between may also be missing.
    """

    valued: frozenset[str] = frozenset()
    positional: int = 0
    assignments: bool = False
    flags: frozenset[str] = frozenset()
    optional: bool = False


def make_wrapper(
    valued: str = "", positional: int = 0, assignments: bool = False, flags: str = "", optional: bool = False
) -> Wrapper:
    """The wrapper of these words; ``flags`` as letters."""
    return Wrapper(frozenset(valued.split()), positional, assignments, frozenset(flags), optional)


WRAPPERS: dict[str, Wrapper] = {
    "bash": make_wrapper("-O -o --init-file --rcfile"),
    "builtin": make_wrapper(),
    "busybox": make_wrapper(),
    "bwrap": make_wrapper(),
    "chroot": make_wrapper(positional=1),
    "caffeinate": make_wrapper("-t -w", flags="dimsu"),
    "catchsegv": make_wrapper(),
    "chpst": make_wrapper("-u -U -b -/ -n -l -L -m -d -o -p -f -c -e"),
    "chrt": make_wrapper("-T -P -D", positional=1, optional=True),
    "command": make_wrapper(flags="p"),
    "cpulimit": make_wrapper("-l -p -P -e -c --limit"),
    "daemonize": make_wrapper("-c -e -o -p -l -u -E"),
    "dbus-run-session": make_wrapper("--config-file --dbus-daemon"),
    "doas": make_wrapper("-u -C -a", flags="nsL"),
    "eatmydata": make_wrapper(),
    "entr": make_wrapper(flags="acdnprsz"),
    "env": make_wrapper("-u --unset -C --chdir", assignments=True, flags="i0v"),
    "exec": make_wrapper("-a", flags="cl"),
    "fakechroot": make_wrapper("-l -s -e -c -b"),
    "fakeroot": make_wrapper("-l -s -i -b"),
    "firejail": make_wrapper(),
    "flock": make_wrapper("-w -E --timeout --wait", positional=1, flags="snxueoFv"),
    "gosu": make_wrapper(positional=1),
    "ionice": make_wrapper("-c -n --class --classdata", flags="t"),
    "ld.so": make_wrapper("--library-path --preload --argv0 --audit"),
    "linux32": make_wrapper(),
    "linux64": make_wrapper(),
    "ltrace": make_wrapper("-e -o -p -s -u -n -l -x -A -a -D -F", flags="cCfhiLrStTV"),
    "mosh": make_wrapper("-p --ssh --server --predict", positional=1),
    "newgrp": make_wrapper(positional=1),
    "nice": make_wrapper("-n --adjustment"),
    "nocorrect": make_wrapper(),
    "noglob": make_wrapper(),
    "nohup": make_wrapper(),
    "nsenter": make_wrapper("-t -S -G --target --setuid --setgid"),
    "numactl": make_wrapper("-N -m -C -i -p -l --cpunodebind --membind --physcpubind --interleave --preferred"),
    "parallel": make_wrapper("-j --jobs -a --arg-file -I -n -N -L -S --sshlogin", flags="0kmXtvqu"),
    "pkexec": make_wrapper("--user"),
    "prlimit": make_wrapper("-p --pid"),
    "proot": make_wrapper("-r -b -w"),
    "proxychains": make_wrapper("-f", flags="q"),
    "proxychains4": make_wrapper("-f", flags="q"),
    "rlwrap": make_wrapper("-a -f -H"),
    "run0": make_wrapper("-u -g -D --user --group --chdir --property --setenv", assignments=True),
    "runuser": make_wrapper("-u -g -G -c -s", flags="lmpfP"),
    "script": make_wrapper("-c -E -I -O -B -T -o -m", positional=1, flags="aefqt", optional=True),
    "sem": make_wrapper("-j --jobs --id"),
    "setarch": make_wrapper(positional=1, optional=True),
    "setpriv": make_wrapper(),
    "setsid": make_wrapper(flags="cfw"),
    "sg": make_wrapper(positional=1),
    "softlimit": make_wrapper("-d -s -l -a -m -o -p -f -c -r -t"),
    "ssh": make_wrapper(
        "-b -B -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w", 1, flags="46AaCfGgKkMNnqsTtVvXxYy"
    ),
    "start-stop-daemon": make_wrapper("--exec --pidfile --name --user --chuid --chdir --startas -x -p -n -u -c -d -a"),
    "stdbuf": make_wrapper("-i -o -e --input --output --error"),
    "strace": make_wrapper("-a -b -e -E -I -o -O -p -P -s -S -u -U -X", flags="cCdfFhiknNqrtTvVwxyYzZ"),
    "su": make_wrapper("-c -s -g -G -w --command --shell", positional=1, flags="lmpfP", optional=True),
    "su-exec": make_wrapper(positional=1),
    "sudo": make_wrapper(
        "-u -g -h -p -C -T -D -R -r -t -U --user --group --chdir --prompt --host",
        assignments=True,
        flags="AbBEHiKklNnPSsVv",
    ),
    "systemd-inhibit": make_wrapper("--what --who --why --mode"),
    "systemd-run": make_wrapper("-u -p -E --unit --property --setenv", flags="dGPqrStT"),
    "taskset": make_wrapper(positional=1, flags="acp"),
    "time": make_wrapper("-f -o --format --output", assignments=True, flags="apqvV"),
    "timeout": make_wrapper("-s -k --signal --kill-after", positional=1, flags="v"),
    "torsocks": make_wrapper(),
    "toybox": make_wrapper(),
    "trickle": make_wrapper("-d -u -w -t -l -n -L -P", flags="hVvs"),
    "tsocks": make_wrapper(),
    "unbuffer": make_wrapper(),
    "unshare": make_wrapper("-R -w -S -G"),
    "valgrind": make_wrapper(flags="hqv"),
    "watch": make_wrapper("-n -q --interval --equexit", flags="bcCdegprtwxv"),
    "watchexec": make_wrapper(
        "-w -e -i -f -s -d --watch --exts --ignore --filter --signal --delay-run", flags="cnopqrv"
    ),
    "xargs": make_wrapper(
        "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --max-lines --replace", flags="0ioprtx"
    ),
    "xterm": make_wrapper("-T -n -bg -fg -fn -geometry -title"),
    "xvfb-run": make_wrapper("-n -s -e -f -p -w"),
}
SHELLS = frozenset("ash bash csh dash elvish fish ksh mksh nu powershell pwsh rbash sh tcsh xonsh yash zsh".split())
for _name in SHELLS:
    WRAPPERS[_name] = WRAPPERS["bash"]

TEXT_RUNNERS = SHELLS | {"eval", "trap", "source", ".", "ssh", "find", "alias", "compgen", "complete", "bind", "coproc"}
"""Programs whose words may be command lines of their own, beside the wrappers."""

INTERPRETERS = frozenset(
    "awk gawk mawk nawk ed ex expect gdb lua make node perl php psql python python2 python3 rsync ruby scp sed "
    "sqlite3 tar tclsh vi view vim zip".split()
)
"""Programs whose words may hold a program text that runs others."""

_LD_SO = re.compile(r"ld-linux.*\.so.*|ld-musl.*|ld\.so.*")
_FIND_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FD_EXEC = frozenset({"-x", "-X", "--exec", "--exec-batch"})
_EXEC_WORDS = {
    "gdb": frozenset({"--args"}),
    "find": _FIND_EXEC,
    "gfind": _FIND_EXEC,
    "fd": _FD_EXEC,
    "fdfind": _FD_EXEC,
}
_EXEC_WORDS["nix"] = frozenset({"-c", "--command"})
RUNNERS_BY_OPTION = _EXEC_WORDS.keys() | {"bwrap"}
"""Programs that run what stands behind one of their options."""

_COMMAND_ASKS = re.compile(r"-p?[vV]")
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
    starting = _EXEC_WORDS.get(name)
    if starting is not None:
        for i, word in enumerate(argv[:-1]):
            if word in starting:
                end = argv.index(";", i) if ";" in argv[i:] else len(argv)
                yield argv[i + 1 : end]
    wrapper = WRAPPERS.get(name)
    if name == "bwrap":  # its options take up to three values
        yield from (argv[i:] for i in range(1, len(argv)) if not argv[i].startswith("-"))
    if name == "command" and any(_COMMAND_ASKS.fullmatch(word) for word in argv[1:2]):
        return
    if wrapper is not None and name not in SHELLS:
        yield from calls_behind(argv, wrapper)


def calls_behind(argv: Argv, wrapper: Wrapper) -> Iterator[Argv]:
    """Every call that may stand behind the first word and its options."""
    yield from (argv[start:] for start in sorted(_starts(argv, wrapper)) if start < len(argv))


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
        elif word.startswith(("-", "+")):
            pending.update(_after_option(argv, at, word, wrapper))
        elif wrapper.assignments and _ASSIGNMENT.match(word):
            pending.add(at + 1)
        else:
            found.update(_after_positional(argv, at, wrapper))
    return found


def _after_option(argv: Argv, at: int, word: str, wrapper: Wrapper) -> set[int]:
    """Where it goes on behind an option: when it is not known to take a value, the next word may be one."""
    if word in wrapper.valued:
        return {at + 2}
    if word in ("-", "+"):
        return {at + 1}
    letters = word[1:]
    if word[:2] in wrapper.valued or wrapper.flags.issuperset(letters):
        return {at + 1}
    if wrapper.flags.issuperset(letters[:-1]) and f"-{letters[-1]}" in wrapper.valued:
        return {at + 2}
    following = argv[at + 1] if at + 1 < len(argv) else ""
    return {at + 1} if "=" in word or following.startswith("-") else {at + 1, at + 2}


def _after_positional(argv: Argv, at: int, wrapper: Wrapper) -> set[int]:
    """Behind the words of the wrapper's own; a ``--`` may stand there once more."""
    after = at + wrapper.positional
    if argv[after : after + 1] == ("--",):
        after += 1
    return {at, after} if wrapper.optional else {after}
