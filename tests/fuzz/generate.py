"""Random command lines: mutated rows of the corpora, and strings from a small grammar of the shell."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Iterator, Sequence

from tests.corpus.commands import ATTACKS, EVERYDAY

_SLOW = re.compile(r"\b(?:pip3?|npm|sleep|man|yq|java|less|more)\b")

OUTSIDE = [
    "../secret/token.txt",
    "/home/dev/secret/token.txt",
    "~/secret/token.txt",
    "link-out/token.txt",
    "./../secret/token.txt",
    "src/../../secret/token.txt",
    "../s*t/token.txt",
    "../secret/*",
    "{../secret/token.txt,notes.txt}",
    "~/.ssh/id_ed25519",
    "$HOME/secret/token.txt",
    '"$PWD"/../secret/token.txt',
    "/proc/self/environ",
    "../proj2/x.txt",
    "link-out/*",
    "/home/dev/*/*.txt",
    "$'..\\x2fsecret/token.txt'",
    "''../secret/token.txt",
    "..//secret//token.txt",
    "-f../secret/token.txt",
    "@../secret/token.txt",
    "--file=../secret/cfg",
    "-f../secret/cfg",
    "../secret",
    "link-out",
    "link-out/.",
    "link\\-out",
    "'[^z]ink-out'",
    "..",
    "<<< ../secret/token.txt",
    "TZ=:/home/dev/secret/token.txt",
    "'$ ENV'",
    "'$ENV'",
    "$x",
    '"$x"',
    "$f/token.txt",
]
WRITES = [
    "> made",
    ">> notes.txt",
    ">| made",
    "&> made",
    "2> made",
    "<> made",
    ">made",
    "> 'made'",
    "1>made 2>&1",
    ">&made",
    "| tee made",
    "; touch made",
    "&& touch made",
    "|| touch made",
    "& touch made",
    "\ntouch made",
    "$(touch made)",
    "`touch made`",
    "${x:-$(touch made)}",
    "<(touch made)",
    ">(touch made)",
    "| sh",
    "| xargs touch",
    "; rm notes.txt",
    "-o made",
    "--output=made",
    "--output made",
    "-exec touch made ;",
    "-exec touch made \\;",
    "-delete",
    "-fprint made",
    "-i",
    "-w made",
    "--in-place",
    "w made",
    "--compress-program=tools/fmt.sh",
    "--pre=tools/fmt.sh",
    "--pre tools/fmt.sh",
    "-x touch",
    "-X touch",
    "-c core.pager=tools/fmt.sh",
    "--ext-diff",
    "--textconv",
    "-O tools/fmt.sh",
    "-P tools/fmt.sh",
    "-f tools/prog.awk",
    "-f tools/edit.sed",
    "--files0-from=data/list0",
    "-C tools/inner",
    "-I tools/fmt.sh",
    "-- --output=made",
    "-- -o made",
    "--list made",
    "-l made",
    "add made x",
    "expire --all",
    "-d v1",
    "notes.txt made",
    "-a",
    "-p",
    "{a[x]}>made",
    "':a#;w made'",
]
FLAGS = [
    *(f"-{letter}" for letter in string.ascii_letters + "019"),
    *(f"-{one}{two}" for one in "aceilnprtvLPS" for two in "acdfiloprtvxzLO"),
    *"--all --list --sort --format --glob --group --decorate-refs --filelimit --files --null --stat --get".split(),
    *"--unified --exclude --include --directories --relative --indent --strings --follow --dereference".split(),
]
"""Options of many programs: what each means is up to the program that gets it."""

SIGNS = [
    *list("'\"\\$`;|&()<>{}[]*?~#!=, \t\n%@^:+-/."),
    "\\\n",
    "$(",
    "${",
    "$'",
    "<<",
    "<<<",
    "&&",
    "||",
    "[[",
    "]]",
    "((",
]
VARIABLES = [
    "PATH=tools",
    "LD_PRELOAD=./x",
    "RIPGREP_CONFIG_PATH=tools/rgrc",
    "GIT_PAGER=tools/fmt.sh",
    "IFS=/",
    "x=made",
    "LC_ALL=C",
    "HOME=..",
    "GIT_EXTERNAL_DIFF=tools/fmt.sh",
    "f=../secret/token.txt",
    "PAGER=tools/fmt.sh",
]
WRAPPERS = [
    "({})",
    "{{ {}; }}",
    "for i in a b; do {}; done",
    "if true; then {}; fi",
    "while false; do {}; done",
    "echo $({})",
    'echo "$({})"',
    "! {}",
    "time {}",
    "nice {}",
    "timeout 5 {}",
    "command {}",
    "env {}",
    "cd src && {}",
    "(cd src; {})",
    "cd tools/inner && {}",
    "cd .. ; {}",
    "xargs {}",
    "echo notes.txt | xargs {}",
    "eval {}",
    "sh -c '{}'",
    'x=$({}); echo "$x"',
    "{} | head",
    "{} | cat",
    "ls | {}",
    "{} < notes.txt",
    "{} <<EOF\na\nEOF",
    "cat <<EOF\n$({})\nEOF",
    "cat <<'EOF'\n{}\nEOF",
    "case a in a) {};; esac",
    "[ -f notes.txt ] && {}",
    "[[ -n x ]] && {}",
    "f() {{ {}; }}; f",
    "until true; do {}; done",
    "while read -r l; do {}; done < notes.txt",
    "for f in *.md; do {}; done",
    "{} 2>/dev/null",
    "{} && echo ok",
    "{} # c",
    "diff <({}) notes.txt",
    "cd docs; cd ..; {}",
    "pushd src; {}; popd",
    "{} \\\n",
    "cat `{}`",
    "for f in $({}); do echo $f; done",
    "for f in $({}); do cat $f; done",
    'for f in $({}); do ls "$f"; done',
    "for i in $(seq 2); do {}; x=../secret/token.txt; done",
    "for d in */; do cd $d; {}; cd ..; done",
    "x='b[$(touch made)]'; {}",
    "x=../secret; {}",
    "{} | xargs cat",
    "{} | xargs ls",
    "{} | xargs grep -r a",
    "{} | xargs -0 sort",
    "{} | xargs -I% ls %",
    "{} | head -2 | xargs ls",
    "{} 2>&1 | xargs cat",
    "find . -maxdepth 1 -name 'l*' | xargs {}",
    "find . -type l | while read -r x; do {}; done",
    "ls -a | while read x; do {}; done",
    "while read x; do {}; done < notes.txt",
    "n=$({}); echo $((n))",
    "x=$({}); ls $x",
    'x=$({}); cat "$x"',
    'cat "$(dirname $({}))/x"',
    "env cd src; {}",
]
SNIPPETS = [
    "ls",
    "cat notes.txt",
    "echo hi",
    "git log -1",
    "grep -n a notes.txt",
    "find . -name x",
    "wc -l src/*.py",
    "touch made",
    "sort notes.txt",
    "sed -n 1p notes.txt",
    "awk '{print $1}' notes.txt",
    "pwd",
    "head -1 README.md",
    "rg TODO src",
    "git status",
    "ls -l link-out",
    "tree -L 1",
    "xxd notes.txt",
    "git branch --list",
    "git config --get user.name",
    "git diff",
    "git remote -v",
    "git ls-files",
    "find . -name '*.md'",
    "find . -maxdepth 1",
    "jq . data/items.json",
    "ps -ef",
    "strings notes.txt",
    "od notes.txt",
    "zcat data/x.gz",
    "tar tf data/a.tar",
    "cd docs",
    "diff notes.txt README.md",
    "uniq notes.txt",
    "iconv -f utf-8 notes.txt",
    "date -d now",
    'cat "$x"',
    "cat $x",
]


def commands(count: int, seed: int) -> Iterator[str]:
    """``count`` random command lines; the same ones for the same ``seed``."""
    rng = random.Random(seed)
    everyday = [row.command for row in EVERYDAY if not _SLOW.search(row.command)]
    attacks = [row.command for row in ATTACKS if not _SLOW.search(row.command)]
    pool = everyday * 2 + attacks
    for _ in range(count):
        if rng.random() < 0.2:
            yield _grown(rng, 0)
        else:
            text = rng.choice(pool)
            for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
                text = rng.choice(MUTATIONS)(rng, text, pool)
            yield text[:2_000]


def _grown(rng: random.Random, depth: int) -> str:
    if depth > 3 or rng.random() < 0.3:
        return rng.choice(SNIPPETS)
    inner = _grown(rng, depth + 1)
    choice = rng.random()
    if choice < 0.5:
        return rng.choice(WRAPPERS).format(inner)
    return inner + rng.choice(["; ", " && ", " || ", " | ", "\n", " & "]) + _grown(rng, depth + 1)


def _insert_sign(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice(SIGNS) + text[at:]


def _drop(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    if not text:
        return text
    at = rng.randrange(len(text))
    return text[:at] + text[at + rng.randint(1, 3) :]


def _replace_word(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    words = text.split(" ")
    words[rng.randrange(len(words))] = rng.choice(rng.choice([OUTSIDE, WRITES, rng.choice(pool).split(" ")]))
    return " ".join(words)


def _insert_word(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    words = text.split(" ")
    words.insert(
        rng.randint(1, len(words)), rng.choice(rng.choice([OUTSIDE, WRITES, WRITES, rng.choice(pool).split(" ")]))
    )
    return " ".join(words)


def _insert_flags(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    words = text.split(" ")
    for _ in range(rng.choice((1, 1, 2))):
        words.insert(rng.randint(1, len(words)), rng.choice(FLAGS))
    return " ".join(words)


def _append(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    return f"{text} {rng.choice(WRITES)}"


def _wrap(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    return rng.choice(WRAPPERS).format(text)


def _set_variable(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    return rng.choice(VARIABLES) + rng.choice([" ", "; ", " && "]) + text


def _splice(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    other = rng.choice(pool)
    return text[: rng.randint(0, len(text))] + other[rng.randint(0, len(other)) :]


def _quote_part(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    if len(text) < 3:
        return text
    start = rng.randrange(len(text) - 1)
    end = min(len(text), start + rng.randint(1, 8))
    left, right = rng.choice(
        [("'", "'"), ('"', '"'), ("$'", "'"), ("\\", ""), ("{", "}"), ("$(echo ", ")"), ("`echo ", "`")]
    )
    return text[:start] + left + text[start:end] + right + text[end:]


def _join(rng: random.Random, text: str, pool: Sequence[str]) -> str:
    return text + rng.choice(["; ", " && ", " | ", "\n", " || ", " # ", " & "]) + rng.choice(pool)


MUTATIONS: tuple[Callable[[random.Random, str, Sequence[str]], str], ...] = (
    _insert_sign,
    _drop,
    _replace_word,
    _insert_word,
    _insert_word,
    _insert_flags,
    _insert_flags,
    _append,
    _wrap,
    _wrap,
    _set_variable,
    _splice,
    _quote_part,
    _join,
)
