"""Programs inside of commands: sed, awk and jq, words with braces, and what the lists say of options."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.permissions.command.ansi_c import decode_ansi_c
from jupyter_agenttools.permissions.command.awk_program import BadProgram, check_awk
from jupyter_agenttools.permissions.command.braces import expand_braces
from jupyter_agenttools.permissions.command.jq_filter import BadFilter, check_jq
from jupyter_agenttools.permissions.command.parsed import TooComplex
from jupyter_agenttools.permissions.command.reader import read_script
from jupyter_agenttools.permissions.command.sed_script import BadScript, check_sed

PRINTING_SED = [
    "p",
    "1,3p",
    "$p",
    "/a/,/b/p",
    "s/a/b/g",
    "s|/|_|",
    "s,a,b,2p",
    "1~2d",
    "/x/!d",
    "1{p;q}",
    "y/abc/xyz/",
    "$!N;P;D",
    ":a;s/x/y/;ta",
    "=",
    "2q",
    "s/[a-z]*/X/",
    "s/\\//x/",
    "1i text",
    "n;d",
    "/^$/d",
    "s/a\\/b/c/;p",
    "# all of it",
    "5,+2p",
    "0,/x/s//y/",
    "l 20",
    "1i\\header",
    "$a\\ footer",
]
WRITING_SED = [
    "w out",
    "1w out",
    "W out",
    "s/a/b/w out",
    "s/a/b/gw out",
    "r x",
    "R x",
    "e",
    "1e ls",
    "s/a/b/e",
    "s/a/b/pe",
    "p;w out",
    "{w out}",
    "s/[/]/;w o/p",
    "s/[]/]/;/w made/p",
    "a\\\nx\nw out",
    "s/a/b",
    "y/a/b",
    "{p",
    "p}",
    "k",
    "v",
    "F;w x",
    "s\nab\nw x\n",
    "1,w out",
    "i\\",
    ":a b;w x",
]
PRINTING_AWK = [
    "1",
    "{print $1}",
    "NR==2",
    "/a|b/",
    "/a/ {print; next}",
    'BEGIN{FS=","} {s+=$2} END{print s/NR}',
    "!seen[$0]++",
    "$3 > 2",
    "{print ($1 > 2)}",
    '{printf "%s\\n", $1}',
    "{a[$1]++} END{for (k in a) print k, a[k]}",
    "length > 5",
    '{gsub(/x/, "y"); print}',
    "function f(x) { return x+1 } {print f($1)}",
    "{if ($1 ~ /^a/) print; else next}",
    "/a/{print; getline; print}",
    "{getline x; print x}",
    "/start/{f=1;next} /end/{f=0} f",
]
WRITING_AWK = [
    '{print > "f"}',
    '{print >> "f"}',
    '{print | "sh"}',
    'BEGIN{system("ls")}',
    '{getline x < "f"}',
    '{getline < "f"}',
    "{getline a[1]}",
    '{"ls" | getline x}',
    'BEGIN { while ((getline line < "/etc/passwd") > 0) print line }',
    'BEGIN{"ls" | getline}',
    '@load "x"',
    'BEGIN{ARGV[1]="x"}',
    '{print a,\nb > "f"}',
    'BEGIN{f="system";@f()}',
    '{print(1)(2) > "f"}',
    '{printf "x" > ("f")}',
    'ENVIRON["x"]',
    '{close("x")}',
    'BEGIN{if(x) /"/; q("a") #"}',
    'BEGIN{print length /x/ > "f"}',
    '{print 1 |& "sh"}',
    "{other(1)}",
]


@pytest.mark.parametrize("script", PRINTING_SED)
def test_sed_scripts_that_print(script: str) -> None:
    check_sed(script)


@pytest.mark.parametrize("script", WRITING_SED)
def test_sed_scripts_that_do_more_or_are_odd(script: str) -> None:
    with pytest.raises(BadScript):
        check_sed(script)


@given(st.text(st.sampled_from("spdwerRW/;{}\n a1$,!|[]\\q&^"), max_size=24))
@settings(max_examples=150, deadline=None)
def test_a_script_that_is_let_through_writes_nothing(script: str) -> None:
    """With ``--sandbox`` sed refuses itself whatever writes, reads or runs."""
    try:
        check_sed(script)
    except BadScript:
        return
    run = subprocess.run(
        ["sed", "--sandbox", "-n", "--", script], input="a\n", capture_output=True, text=True, timeout=10, check=False
    )
    assert "sandbox" not in run.stderr


@pytest.mark.parametrize("program", PRINTING_AWK)
def test_awk_programs_that_print(program: str) -> None:
    check_awk(program)


@pytest.mark.parametrize("program", WRITING_AWK)
def test_awk_programs_that_do_more_or_are_odd(program: str) -> None:
    with pytest.raises(BadProgram):
        check_awk(program)


@pytest.mark.parametrize(
    "text", [".", ".env", ".a.env", ".items[] | select(.n > 1)", "keys", "$env", '"\\(.a)=\\(.b)"']
)
def test_jq_filters_that_compute(text: str) -> None:
    check_jq(text)


@pytest.mark.parametrize(
    "text",
    [
        "env",
        "$ENV",
        "[.]-env",
        '"\\(env)"',
        ".. | env",
        "{env}",
        'import "x" as m; .',
        'include "x";.',
        "1|env.HOME",
        ". |env",
    ],
)
def test_jq_filters_that_read_more(text: str) -> None:
    with pytest.raises(BadFilter):
        check_jq(text)


def bash_words(texts: list[str]) -> list[list[str]]:
    """The words that bash makes of each text."""
    script = 'for t; do eval "set -- $t"; printf "%s\\0" "$@" =next=; done'
    command = ["/bin/bash", "-fc", script, "bash", *texts]
    out = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    found: list[list[str]] = [[]]
    for word in out.split("\0")[:-1]:
        if word == "=next=":
            found.append([])
        else:
            found[-1].append(word)
    return found[:-1]


@given(st.lists(st.text(st.sampled_from("ab{},.'12x-"), min_size=1, max_size=12), min_size=30, max_size=30))
@settings(max_examples=20, deadline=None)
def test_braces_become_the_words_that_bash_makes(texts: list[str]) -> None:
    ours: dict[str, list[str]] = {}
    for text in texts:
        try:
            (call,) = read_script(f"x {text}").root.items
            words = [expand_braces(word) for word in call.words[1:]]
        except TooComplex:
            continue
        ours[text] = ["".join(piece.value for piece in pieces) for word in words for pieces in word]
    assert list(ours.values()) == bash_words(list(ours))


@given(st.text(st.sampled_from("abcxu01247\\n'te"), max_size=10))
def test_ansi_c_escapes_are_those_of_bash(inner: str) -> None:
    text = f"x $'{inner}'"
    try:
        (call,) = read_script(text).root.items
    except (TooComplex, ValueError):
        return
    literal = call.words[1].literal if len(call.words) == 2 else None
    if literal is not None and call.words[1].pieces[0].value == decode_ansi_c(inner):
        assert bash_words([f"$'{inner}'"]) == [[literal]]
