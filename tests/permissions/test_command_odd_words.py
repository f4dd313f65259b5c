"""Words that a program reads in another way than they look: each of these once slipped through a list of options."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from jupyter_agenttools.permissions import classify_read_only
from jupyter_agenttools.permissions.command.matching import compile_command_pattern, covers
from jupyter_agenttools.permissions.command.parse import parse_command
from tests.support.bash_project import build_project

HARMFUL = {
    "an option in the place of a value": [
        "git branch --sort --list made",
        "git branch --format -l made",
        "git tag --format -l made",
        "git config --get --file=../secret/cfg x.y",
        "git config --get -f../secret/cfg x.y",
        "jq --indent --arg . ../secret/token.json 1 .",
    ],
    "dashes in the place of a value": [
        "git log --decorate-refs -- --output=made",
        "git show --glob -- --output=made",
        "git diff --stat-width -- --output=made",
        "git shortlog --group -- --output=made",
        "tree --filelimit -- -o made",
        "diff --palette -- --to-file=../secret/token.txt notes.txt",
    ],
    "a value that is an operand": ["git diff -U ../secret/token.txt notes.txt", "od --strings ../secret/token.txt"],
    "a sub-command behind an option": [
        "git remote -v add made x",
        "git remote --verbose remove origin",
        "git reflog --all expire",
    ],
    "options taken apart in another way": [
        "xxd -ac notes.txt made",
        "xxd notes.txt -a",
        "xxd notes.txt -p",
        "xxd -groupsize 2 notes.txt",
        "tree -Po x made",
        "tree -Lo 2 made",
        "tree -aIo x made",
        "ps -eH -T",
        "ps -e -T --forest",
        "tar tff data/a.tar ../secret/x.tar",
    ],
    "a later option that undoes an earlier one": ["ls -lf link-out", "ls -l -f link-out", "tree -l"],
    "a value that is a file": [
        "iconv -f ../secret/token.txt -t utf-8 notes.txt",
        "iconv --to-code=../secret/token.txt notes.txt",
        "strings -n @../secret/token.txt notes.txt",
        "strings @../secret/token.txt",
        "TZ=:/home/dev/secret/token.txt date",
        "date -d 'TZ=\"/home/dev/secret/token.txt\" now'",
        "unzip -l '../secret/*'",
        "unzip -p 'data/*'",
    ],
    "a program text read in another way": [
        "sed ':a#;w made' notes.txt",
        "sed -n 'b a#;e touch made' notes.txt",
        "jq -n '$ ENV'",
        "jq -n '$\nENV.HOME'",
        "jq -n '$ __prog_args'",
    ],
    "words of xargs from elsewhere": [
        "find . -name '*.md' | xargs cat <<< ../secret/token.txt",
        "find . -name '*.md' | xargs rg x < tools/rgrc",
        "find . -name '*.md' | head <<< ../secret/token.txt | xargs cat",
        "find 'x ../secret/token.txt x' |& xargs cat",
        "find 'x ../secret/token.txt x' 2>&1 | xargs cat",
        "find . -name '*.md' | sort 5 | xargs cat",
        "find . -name 'link\\-out' | xargs ls",
        "find . -name '[^z]ink-out' | xargs grep -r x",
    ],
    "a later turn of a loop": [
        "x=notes.txt; for i in $(seq 2); do cat $x; x=../secret/token.txt; done",
        "x=notes.txt; for i in $(ls); do cat $x; x=../secret/token.txt; done",
        "for i in $(seq 2); do ls; cd ..; done",
    ],
    "an index that is written anew": ["git describe --dirty", "git describe --tags --always --broken"],
    "braces that pair up otherwise": ["sort {},-omade}{} notes.txt", "cat {},../secret/token.txt}", "ls {}},{},..}"],
    "a subscript that is evaluated": [
        "x='b[$(touch made)]'; echo {a[x]}>/dev/null",
        "x='b[$(touch made)]'; cat {a[x]}<notes.txt",
        "echo {a[1]}</dev/null",
    ],
    "a change of the shell behind a program": [
        "env cd src && cat ../secret/token.txt",
        "nice cd src; cat notes.txt",
        "timeout 5 read x; echo \"$x\"",
    ],
    "an output that is not what it seems": [
        "n=$(wc --help); ls $n",
        "cat $(expr substr \"$(head -1 notes.txt)\" 1 9)",
        "for f in $(git rev-parse -- 'link*/*'); do echo $f; done",
    ],
}  # fmt: skip

HARMLESS = """\
git branch --sort -committerdate
git branch --list 'm*'
git for-each-ref --sort=-committerdate --format='%(refname)'
git config --get user.name
git remote -v
git log --decorate-refs 'refs/heads/*' -- src
git diff -U5 -- src
git diff --stat-width 100
grep -n -- '-foo' notes.txt
grep -e -foo notes.txt
date -d '-1 day'
date -d 'TZ="Europe/Berlin" now'
head -n -5 notes.txt
cut -d - -f1 notes.txt
xxd -ps -c 5 notes.txt
xxd -s -5 notes.txt
tree -L 2 -I 'x|y'
tree -L2
iconv -f latin1 -t utf-8//TRANSLIT notes.txt
strings -n 4 notes.txt
ps -ef --forest
ps aux
ps -eo pid,args --sort=-pcpu
ls -lt link-out
sed -n ':a;N;$!ba;p' notes.txt
jq --indent 1 .items data/items.json
jq .ENV data/items.json
find . -name '*.md' | xargs cat
find . -name '*.md' 2>/dev/null | sort | head -n 5 | xargs wc -l
for i in $(seq 2); do cat notes.txt; done
cat "$(git rev-parse --show-toplevel)/notes.txt"
TZ=Europe/Berlin date
unzip -l data/a.zip
command cd src
""".splitlines()


def is_allowed(command: str, project: Path) -> bool:
    return classify_read_only(command, cwd=str(project), roots=[str(project)]).ok


@pytest.mark.parametrize("command", [command for commands in HARMFUL.values() for command in commands])
def test_what_only_looks_like_reading_asks(command: str, project: Path) -> None:
    assert not is_allowed(command, project)


@pytest.mark.parametrize("command", HARMLESS)
def test_what_stands_beside_it_is_still_allowed(command: str, project: Path) -> None:
    assert is_allowed(command, project)


def test_a_suffix_that_a_program_adds_is_looked_at(tmp_path: Path) -> None:
    home, project = tmp_path / "secret", tmp_path / "proj"
    home.mkdir()
    project.mkdir()
    for name in ("x.gz", "x.zip"):
        (project / name).symlink_to(home / name)
    for command in ("zcat x", "gzip -cd x", "unzip -p x", "zipinfo x"):
        assert not is_allowed(command, project), command
        assert is_allowed(command.replace("x", "y").replace("yipinfo", "zipinfo"), project), command


def test_a_listed_file_of_words_is_no_operand_of_strings(tmp_path: Path) -> None:
    (tmp_path / "@words").write_text("../secret")
    assert not is_allowed("strings *", tmp_path)
    (tmp_path / "@words").rename(tmp_path / "words")
    assert is_allowed("strings *", tmp_path)


@pytest.mark.parametrize("name", ["-omade", "@words", "+x"])
def test_a_listed_name_that_is_an_option_asks(name: str, tmp_path: Path) -> None:
    project = build_project(tmp_path)
    (project / name).write_text("alpha")
    subprocess.run(["git", "add", "--", name], cwd=project, check=True)
    for lister in ("git ls-files -z", "rg --files -0", "grep -rlZ alpha", "git grep -lz alpha"):
        assert not is_allowed(f"{lister} | xargs -0 sort", project), lister
    assert is_allowed("find . -type f -print0 | xargs -0 sort", project)


@pytest.mark.parametrize(("path", "allowed"), [
    ("../secret/token.txt", False), ("/etc/passwd", False), ("~/x", False), (".git-blame-ignore-revs", True),
])  # fmt: skip
def test_a_repository_that_makes_blame_read_outside_asks(path: str, allowed: bool, tmp_path: Path) -> None:
    project = build_project(tmp_path)
    subprocess.run(["git", "config", "blame.ignoreRevsFile", path], cwd=project, check=True)
    assert is_allowed("git blame notes.txt", project) is allowed


def _covers(rule: str, text: str) -> bool:
    return covers(compile_command_pattern(rule), parse_command(text).commands[0])


@pytest.mark.parametrize(("rule", "text"), [
    ("git *", "git -c core.pager=./x log"), ("git *", "git -C . -c alias.x='!touch made' x"),
    ("git *", "git --exec-path=tools status"), ("git *", "git rebase -x 'touch made' HEAD~1"),
    ("git *", "git rebase -ix 'touch made' HEAD~1"), ("git *", "git grep -O'touch made' x"),
    ("git *", "git bisect run touch made"), ("git *", "git submodule foreach 'touch made'"),
    ("git *", "git fetch --upload-pack='touch made'"), ("git *", "git clone 'ext::touch made' x"),
    ("git *", "git config alias.x '!touch made'"), ("git *", "git $x status"), ("git *", "git difftool --extc=x"),
    ("rg *", "rg --pre ./x y"), ("sort *", "sort --compress-prog=./x notes.txt"), ("fd *", "fd -Hx touch made"),
    ("tar *", "tar tIf ./x a.tar"), ("tar *", "tar -tf a.tar --to-command=./x"), ("make build *", "make build -f x.mk"),
    ("make build *", "make build SHELL=./x"), ("man *", "man -P ./x ls"), ("npm test *", "npm test --script-shell=./x"),
    ("go test *", "go test -exec ./x"), ("find *", "find . -del*"), ("find *", "find . -exec rm {} +"),
])  # fmt: skip
def test_a_rule_for_a_program_is_none_for_what_it_may_be_told_to_run(rule: str, text: str) -> None:
    assert not _covers(rule, text)


@pytest.mark.parametrize(("rule", "text"), [
    ("git *", "git commit -c HEAD"), ("git *", "git log -c"), ("git *", "git clean -xfd"), ("git *", "git push origin"),
    ("git -c *", "git -c core.pager=cat log"), ("git rebase *", "git rebase -i HEAD~1"), ("rg *", "rg --pretty x"),
    ("git bisect run *", "git bisect run make"), ("make *", "make build -j4"), ("tar *", "tar czf made.tar src"),
    ("go test *", "go test ./..."), ("find *", "find . -name *.py"), ("git config *", "git config user.name x"),
])  # fmt: skip
def test_it_still_is_a_rule_for_the_program(rule: str, text: str) -> None:
    assert _covers(rule, text)
