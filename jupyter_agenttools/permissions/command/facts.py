"""Programs that tell about the system, the shell and other programs."""

from __future__ import annotations

from .programs import Program, program

FACTS: dict[str, Program] = {
    "alias": program(operands="name"),
    "apropos": program("ew", "", "exact wildcard and", "", "name"),
    "cal": program("13jmswy", "ABnc", operands="name"),
    "clear": program(operands="none"),
    "findmnt": program("aAbDeiJklnPrRuv", "to", "", "", "none"),
    "free": program("bkmghtwlv", "", "bytes kibi mebi gibi human si lohi total wide", "", "none"),
    "getconf": program("a", "", operands="name", max_operands=1),
    "groups": program(operands="name", max_operands=1),
    "hash": program("l", operands="none"),
    "help": program("dms", operands="name"),
    "history": program(operands="name", max_operands=1),
    "hostname": program("fsiI", "", "fqdn short ip-address all-ip-addresses long", "", "none"),
    "ifconfig": program("as", "", operands="none"),
    "jobs": program("lprs", operands="none"),
    "last": program("aFiwx", "n", operands="none", numeric=True),
    "locale": program("akcmv", "", "all-locales charmaps", "", "name"),
    "logname": program(operands="none"),
    "lsblk": program("abdfJlmnpPrStz", "oIe", "all json list nodeps paths fs", "output", "none"),
    "lscpu": program("aeJpxy", "", "json all extended parse", "", "none"),
    "lsmod": program(operands="none"),
    "man": program("fk", operands="name", max_operands=2),
    "pgrep": program("aflcinovxw", "uPtsgGUd", "list-full list-name full count", "parent euid", "text"),
    "pidof": program("scxq", "", operands="name"),
    "pstree": program("aAcglnNpsStTuUhZ", "", "arguments compact-not ascii unicode", "", "name", 1),
    "mount": program(operands="none"),
    "mountpoint": program("dq", operands="names", max_operands=1),
    "whatis": program("w", "", operands="name"),
    "ss": program("tulnapsxw46eHoimO", "", "tcp udp listening numeric all processes summary", "", "none"),
    "times": program(operands="none"),
    "tput": program(
        operands="name",
        max_operands=2,
        only="cols lines colors longname bold dim smul rmul smso rmso rev blink sgr0 op setaf setab 0 1 2 3 4 5 6 7 8",
    ),
    "type": program("afptP", operands="text"),
    "ulimit": program("aSHbcdefiklmnpPqrRstTuvx", operands="none"),
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
    "R Rscript awk bash bc black bzip2 c++ cc clang clang++ cmake curl deno docker dpkg emacs fd fdfind "
    "ffmpeg g++ gawk gcc gh git gpg gunzip gzip jq julia ld less lua make mypy mysql "
    "nano ninja node nodejs npm npx nvim openssl pandoc perl php pip pip3 psql python python2 python3 "
    "python3.10 python3.11 python3.12 python3.13 redis-server rg ruby ruff sed sqlite3 ssh svn tar tmux "
    "tree unzip uv vim wget xz yq zip zsh zstd".split()
)
"""Programs that do nothing but print their version when that is all that is asked of them.

Left out are those that load code or tool chains of the project before they answer (``pytest``, ``cargo``), or that
leave files behind (``java``).
"""

_NO_HELP = frozenset({"deno", "docker", "uv", "man"})
_CAPITAL_V = frozenset("curl gunzip gzip jq less nano pip pip3 python python2 python3 rg ssh tmux uv wget xz".split())
_SMALL_V = frozenset("g++ gcc lua make node nodejs npm npx perl php ruby unzip".split())
_VERBS = frozenset({("go", "version"), ("openssl", "version")})


def asks_for_version(name: str, words: tuple[str, ...]) -> bool:
    """Whether this call only prints the version of a program."""
    if (name, *words) in _VERBS:
        return True
    if len(words) != 1 or name not in VERSION_PROGRAMS:
        return False
    word = words[0]
    if word == "--help":
        return name not in _NO_HELP
    if word == "-VV":
        return name.startswith("python")
    if word == "-V":
        return name in _CAPITAL_V
    if word == "-v":
        return name in _SMALL_V
    return word == "--version"
