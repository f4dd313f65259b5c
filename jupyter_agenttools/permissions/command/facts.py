"""Programs that tell about the system, the shell and other programs."""

from __future__ import annotations

from .programs import Program, program

FACTS: dict[str, Program] = {
    "alias": program(operands="none"),
    "cal": program("13jmswy", "ABnc", operands="name"),
    "free": program("bkmghtwlv", "", "bytes kibi mebi gibi human si lohi total wide", "", "none"),
    "getconf": program("a", "", operands="name", max_operands=1),
    "groups": program(operands="name", max_operands=1),
    "hash": program("l", operands="none"),
    "help": program("dms", operands="name"),
    "history": program(operands="none"),
    "hostname": program("fsiI", "", "fqdn short ip-address all-ip-addresses long", "", "none"),
    "jobs": program("lprs", operands="none"),
    "last": program("aFiwx", "n", operands="none", numeric=True),
    "locale": program("akcmv", "", "all-locales charmaps", "", "name"),
    "logname": program(operands="none"),
    "lsblk": program("abdfJlmnpPrStz", "oIe", "all json list nodeps paths fs", "output", "none"),
    "lscpu": program("aeJpxy", "", "json all extended parse", "", "none"),
    "lsof": program("nPtRlw", "pu", operands="none", words="-i"),
    "man": program("fk", operands="name", max_operands=2),
    "pgrep": program("aflcinovxw", "uPtsgGUd", "list-full list-name full count", "parent euid", "name"),
    "ss": program("tulnapsxw46eHoimO", "", "tcp udp listening numeric all processes summary", "", "none"),
    "times": program(operands="none"),
    "tput": program(operands="name", max_operands=1, only="cols lines colors longname"),
    "type": program("afptP", operands="text"),
    "ulimit": program("aSH", operands="none", one_of="-a"),
    "umask": program("S", operands="none"),
    "uptime": program("psV", "", "pretty since", "", "none"),
    "users": program(operands="none"),
    "vmstat": program("asSdm", "", operands="none"),
    "w": program("hsfio", operands="none"),
    "whereis": program("bmsul", operands="name"),
    "who": program("abdHlmpqrsTuw", operands="none"),
}
"""Asked with a path in front they are other programs."""

PRINTABLE_VARIABLES = frozenset("HOME LANG LOGNAME PATH PWD SHELL TERM TZ USER".split())
"""What ``printenv NAME`` may name."""

VERSION_PROGRAMS = frozenset(
    "bash  bzip2 clang clang++ cmake  curl deno docker emacs fdfind ffmpeg g++ gcc  git gpg gunzip gzip "
    "java javac jq julia kotlin less lua make    mysql nano node nodejs npm openssl pandoc perl php "
    "pip pip3  psql python python2 python3 R Rscript redis-server rg ruby  sed sqlite3 ssh svn  tar "
    "tmux tree uv vim wget xz  zip zsh zstd awk gawk bc fd ninja nvim       ".split()
)
"""Programs that do nothing but print their version when that is all that is asked of them.

Left out are those that load code or tool chains of the project before they answer (``pytest``, ``cargo``).
"""

_CAPITAL_V = frozenset("curl gunzip gzip jq less nano pip pip3 python python2 python3 rg ssh tmux uv wget xz".split())
_SMALL_V = frozenset("node nodejs npm perl php   ".split())
_VERBS = frozenset({("go", "version"), ("openssl", "version")})


def asks_for_version(name: str, words: tuple[str, ...]) -> bool:
    """Whether this call only prints the version of a program."""
    if (name, *words) in _VERBS:
        return True
    if len(words) != 1 or name not in VERSION_PROGRAMS:
        return False
    word = words[0]
    if word == "-V":
        return name in _CAPITAL_V
    if word == "-v":
        return name in _SMALL_V
    return word == "--version" or (word == "-version" and name == "java")
