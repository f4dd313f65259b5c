"""Many ways to write one call so that its program is still written out: what a rule against it has to see."""

from __future__ import annotations

from collections.abc import Iterator

NAMES = [
    "{p}", "'{p}'", '"{p}"', "\\{p}", "{a}''{b}", '{a}""{b}', "{a}'{b}'", "'{a}'{b}", '"{a}"{b}', "{a}\\{b}", "$'{p}'",
    "$'\\x{xa}{b}'", "$'\\{oa}'{b}", "$'\\u00{xa}'{b}", "'{a}'\"{b}\"", "/bin/{p}", "/usr/bin/{p}", "//bin//{p}", "/bin/../bin/{p}",
    "'/bin/{p}'", "/bin/'{p}'", "./../../bin/{p}", "{{{p},}}", "/bin/{a}[{b0}]{b1}", "/bin/{a}?{b1}",
]  # fmt: skip
"""The name of a program, ``p``, cut in two where needed."""

FRAMES = [
    "{c}", "   {c}", "\t{c}", "{c};", "{c} # done", "ls; {c}", "ls;{c}", "ls && {c}", "ls || {c}", "ls | {c}", "ls |& {c}", "ls & {c}",
    "ls\n{c}", "ls # a\n{c}", "! {c}", "({c})", "( {c} )", "{{ {c}; }}", "if {c}; then :; fi", "if true; then {c}; fi",
    "if false; then :; else {c}; fi", "while {c}; do break; done", "until {c}; do break; done", "for f in a; do {c}; done",
    "case a in a) {c};; esac", "f() {{ {c}; }}; f", "echo $({c})", 'echo "$({c})"', "echo `{c}`", 'echo "`{c}`"', "x=$({c})",
    "cat <({c})", "cat < <({c})", "cat <<E\n$({c})\nE", "cat <<< $({c})", "echo a$({c})b", "A=1 {c}", "PATH=/bin {c}", "A=1 B=2 {c}",
    "{c} > out", "> out {c}", "2>&1 {c}", "{c} 2>/dev/null", "{c} <<< x", "< notes.txt {c}", "{c} &", "(ls; (ls; ({c})))",
    "[[ -n $({c}) ]]", "[ $({c}) ]", "echo ${{x:-$({c})}}", "echo $(( $({c}) + 1 ))", "ls \\\n ; {c}", "time {c}", "time -p {c}", "command {c}",
    "builtin {c}", "exec {c}", "exec -a x {c}", "env {c}", "env -i {c}", "env A=1 {c}", "env -u A {c}", "env -C src {c}", "env -- {c}",
    "/usr/bin/env {c}", "nice {c}", "nice -n 5 {c}", "nice -5 {c}", "nohup {c}", "timeout 5 {c}", "timeout -k 1 5s {c}",
    "timeout --signal=KILL 5 {c}", "stdbuf -oL {c}", "setsid {c}", "setsid -w {c}", "ionice -c3 {c}", "ionice -c 2 -n 7 {c}", "chrt -i 0 {c}",
    "taskset 1 {c}", "sudo {c}", "sudo -u dev {c}", "sudo -n -- {c}", "sudo A=1 {c}", "doas {c}", "doas -u dev {c}", "xargs {c}",
    "echo a | xargs {c}", "xargs -0 -n1 {c}", "xargs -I{{}} {c}", "find . -exec {c} \\;", "find . -name x -execdir {c} +", "find . -ok {c} ';'",
    "busybox {c}", "toybox {c}", "watch {c}", "watch -n 1 {c}", "strace -f {c}", "ltrace {c}", "unshare -r {c}", "chroot / {c}",
    "nsenter -t 1 {c}", "prlimit --nofile=9 {c}", "setpriv --reuid 0 {c}", "systemd-run {c}", "flock /tmp/l {c}", "script -c '{q}' x",
    "runuser -u dev {c}", "su -c '{q}'", "su dev -c '{q}'", "sh -c '{q}'", 'bash -c "{q}"', "bash -lc '{q}'", "bash -euo pipefail -c '{q}'",
    "zsh -c '{q}'", "dash -c 'ls; {q}'", "sh -c 'sh -c \"{q}\"'", "eval {c}", "eval '{q}'", 'eval "ls; {q}"', "trap '{q}' EXIT", "bash <<< '{q}'",
    "bash <<E\n{c}\nE", "sh <<'E'\n{c}\nE", "cat <<E | sh\n{c}\nE", "echo '{q}' | sh", "echo {c} | bash", "printf '{q}' | bash -s",
    "printf '%s\\n' '{q}' | sh", "source /dev/stdin <<< '{q}'", ". <(echo '{q}')", "source <(echo {c})", "bash <(echo '{q}')", "alias l='{q}'; l",
    "coproc {c}", "coproc {{ {c}; }}", "nice timeout 5 env A=1 {c}", "sudo env nice {c}", "sudo sh -c '{q}'", "find . -exec sh -c '{q}' \\;",
    "xargs sh -c '{q}'", "timeout 5 bash -c '{q}'", "env -S '{q}'", "parallel {c}", "ssh host '{q}'", "if true\nthen\n{c}\nfi", "\n\n{c}",
]  # fmt: skip
"""Where a call, ``c``, may stand; ``q`` is the same without quotes of its own."""

THROUGH_VARIABLES = [
    "x={p}; $x notes.txt", 'x={p}; "$x" notes.txt', "x={p} && ${{x}} notes.txt", "x='{p} -f'; $x notes.txt", "a={a}; b={b}; $a$b notes.txt",
    "x={p}; command $x notes.txt", "x={p}; sudo $x notes.txt", "x=/bin/{p}; $x y", "for c in {p}; do $c y; done", "export x={p}; $x y",
    "declare x={p}; $x y", "$(echo {p}) y", "`echo {p}` y", "$(printf {p}) y", "x=$(echo {p}); $x y", "{{{p},-f,y}}", "{{{a},{a}{b}}} y",
    "x={p}; eval $x y", "x={p}; sh -c \"$x y\"", "x={p}\n$x y", "if x={p}; then $x y; fi", "x=ls; x={p}; $x y",
]  # fmt: skip


def spellings(program: str, words: str = "notes.txt") -> Iterator[str]:
    """Every spelling of ``program words`` that the lists above make.

    Args:
        program: at least two letters, without signs of the shell.
    """
    parts = {
        "p": program, "a": program[0], "b": program[1:], "b0": program[1], "b1": program[2:], "xa": f"{ord(program[0]):02x}",
        "oa": f"{ord(program[0]):03o}",
    }  # fmt: skip
    for name in NAMES:
        yield f"{name.format(**parts)} {words}"
        yield f"ls; {name.format(**parts)} {words}"
    call = f"{program} {words}"
    for frame in FRAMES:
        yield frame.format(c=call, q=call)
        yield frame.format(c=f"'{program}' {words}", q=f"{program}  {words}")
    for text in THROUGH_VARIABLES:
        yield text.format(**parts)
