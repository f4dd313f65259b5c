"""Commands that provably only read, and every kind that only looks like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools.permissions import classify_read_only, is_read_only_shape
from jupyter_agenttools.permissions.command.facts import FACTS
from jupyter_agenttools.permissions.command.programs import TEXT_PROGRAMS


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A working directory with a few files, a folder beside it, and a link that leads there."""
    project = tmp_path / "proj"
    for folder in ("src", "docs", "-odd"):
        (project / folder).mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "token.txt").write_text("T")
    (tmp_path / "proj2").mkdir()
    for name in ("notes.txt", "README.md", "src/app.py", "src/util.py", "docs/guide.md"):
        (project / name).write_text("alpha\n")
    (project / "link-out").symlink_to("../secret")
    (project / "link-file").symlink_to("../secret/token.txt")
    (project / "link-in").symlink_to("src")
    return project


ALLOWED = """\
pwd
ls
ls -lah src
ls *.md
ls 'src' "docs" 2>/dev/null
ls -R src
ls link-in
ls src/../docs
cat README.md missing.txt
cat -A notes.txt | head
head -5 notes.txt
tail -n5 -- notes.txt
tail -c 100 README.md
wc -l src/*.py
echo hello 'a && b' -n
echo *.md
true || false
basename src/app.py .py
dirname src/app.py
stat -c '%s %n' README.md
grep -rn alpha .
grep -E 'a|b' notes.txt
grep -e a -e b notes.txt README.md
grep -rIl TODO . --exclude-dir=.git
grep --color=never alpha notes.txt
grep -A2 -3 alpha
egrep -c a notes.txt
rg -n --glob '*.py' TODO src
rg --files -g '*.py'
diff -u notes.txt README.md
cmp notes.txt README.md
sort -k2,2 -t, -rn notes.txt
sort notes.txt | uniq -c | sort -rn
cut -d' ' -f1,3 notes.txt
tr a-z A-Z
nl -ba notes.txt
date
date -u '+%Y-%m-%d'
whoami
id -u
uname -a
which python
command -v git
find . -name '*.py' -type f | wc -l
find src docs -maxdepth 2 ! -name x \\( -name '*.py' -o -name '*.md' \\) -print0
du -sh .
realpath src
sha256sum notes.txt
seq 1 3
time ls
nice ls
timeout 5 ls
LC_ALL=C.UTF-8 NO_COLOR=1 sort notes.txt
cut --help
ls --version
cat /dev/null
git status
git log -p
sed -n 1p notes.txt
awk 1 notes.txt
less notes.txt
man ls
env ls
/bin/ls
python3 --version
cd src
cd src && ls
ls *[a]*
""".splitlines()


@pytest.mark.parametrize("command", ALLOWED)
def test_only_reads(command: str, project: Path) -> None:
    verdict = classify_read_only(command, cwd=str(project), roots=[str(project)])
    assert verdict.ok, verdict
    assert is_read_only_shape(command)


REFUSED = {
    "writes-by-option": [
        "sort -o out notes.txt",
        "sort notes.txt -o out",
        "sort ''-o out notes.txt",
        "sort --output=out notes.txt",
        "sort --outp out notes.txt",
        "sort -nro out notes.txt",
        "tree -o out",
        "iconv -f utf-8 -o out notes.txt",
        "date -s 10:00",
        "date --set=@0",
        "date 01010101",
        "file -C -m magic",
        "find . -fprint out",
        "find . -delete",
        "find . '-delete'",
        "find . -\\delete",
    ],
    "writes-by-operand": ["uniq notes.txt out", "uniq *", "shuf a b", "hostname new", "tee out", "cp a b", "touch x"],
    "runs-a-program": [
        "find . -exec rm {} +",
        "find . -okdir rm {} \\;",
        "sort --compress-program=./x notes.txt",
        "rg --pre ./x TODO",
        "rg --p're' ./x TODO",
        "rg -z TODO",
        "rg --hostname-bin ./x TODO",
        "grep -rn --pager x alpha",
        "sudo ls",
        "xargs ls",
        "watch ls",
        "command touch x",
        "nice touch x",
        "timeout 5 touch x",
        "time touch x",
        "./ls",
        "src/cat notes.txt",
        "printf '%n' 'a[0]'",
        "test -v 'a[0]'",
        "[ -v 'a[0]' ]",
    ],
    "reads-outside": [
        "cat ../secret/token.txt",
        "cat link-out/token.txt",
        "cat link-file",
        "cat src/../../secret/token.txt",
        "cat /etc/passwd",
        "cat /proc/self/environ",
        "ls ..",
        "ls link-out",
        "ls ../proj2",
        "ls ../s*",
        "cat link-*",
        "echo ../secret/*",
        "head -5 -- ../secret/token.txt",
        "grep -f ../secret/token.txt notes.txt",
        "grep alpha ../secret/token.txt",
        "grep -e alpha ../secret/token.txt",
        "grep -rn alpha link-out",
        "grep -R alpha .",
        "grep --exclude-from=../secret/token.txt -r x .",
        "diff notes.txt ../secret/token.txt",
        "diff --to-file=../secret/token.txt notes.txt",
        "diff . src",
        "find ../secret",
        "find -L .",
        "find . -newer ../secret/token.txt",
        "wc --files0-from=notes.txt",
        "sort --files0-from=notes.txt",
        "sort --random-source=../secret/token.txt -R notes.txt",
        "du -X ../secret/token.txt",
        "date -f ../secret/token.txt",
        "date -r ../secret/token.txt",
        "rg TODO ../secret",
        "rg --follow TODO",
        "rg --color never -e x ../secret",
        "sha256sum -c notes.txt",
    ],
    "environment": [
        "PATH=src ls",
        "LD_PRELOAD=./x.so ls",
        "RIPGREP_CONFIG_PATH=rc rg x",
        "FOO=1 ls",
        "TZ=/etc/passwd date",
        "LC_ALL=../x ls",
        "env",
        "printenv",
        "echo $SECRET",
    ],
    "shell-state": ["export A=1", "alias ls=rm", "source x", ". x", "eval ls", "exec ls"],
    "never-ends-or-stays": ["tail -f notes.txt", "tail -F notes.txt", "ls &"],
    "unknown": [
        "ls --colour-x",
        "ls --foreign",
        "cat -Q notes.txt",
        "grep -5x a",
        "foo",
        "grep a* notes.txt",
        "ls -*",
    ],
}


@pytest.mark.parametrize(
    ("kind", "command"), [(kind, command) for kind, commands in REFUSED.items() for command in commands]
)
def test_anything_else_asks(kind: str, command: str, project: Path) -> None:
    verdict = classify_read_only(command, cwd=str(project), roots=[str(project)])
    assert not verdict.ok
    assert verdict.reason and verdict.check_id
    assert not verdict.reads


@pytest.mark.parametrize("command", ["ls && touch x", "touch x | cat", "ls\ntouch x", "ls; touch x", "cat a | tee b"])
def test_one_bad_part_spoils_the_line(command: str, project: Path) -> None:
    check_id = classify_read_only(command, cwd=str(project), roots=[str(project)]).check_id
    assert check_id == ("operands" if "tee" in command else "unknown-program")


def test_too_many_calls_ask(project: Path) -> None:
    line = "; ".join(["ls"] * 201)
    assert classify_read_only(line, cwd=str(project), roots=[str(project)]).check_id == "too-many-calls"


def test_a_wildcard_hit_that_reads_as_an_option_asks(tmp_path: Path) -> None:
    def check_id(command: str) -> str:
        return classify_read_only(command, cwd=str(tmp_path), roots=[str(tmp_path)]).check_id

    (tmp_path / "a.md").write_text("")
    assert check_id("ls *.md") == check_id("sort *") == ""
    (tmp_path / "-o.md").write_text("")
    assert check_id("ls *.md") == check_id("sort *") == "glob"
    assert check_id("ls ./*.md") == ""


def test_a_wildcard_never_stands_where_one_word_is_meant(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("")
    assert classify_read_only("uniq *", cwd=str(tmp_path), roots=[str(tmp_path)]).check_id == "operands"
    assert classify_read_only("uniq a b", cwd=str(tmp_path), roots=[str(tmp_path)]).check_id == "operands"
    assert classify_read_only("head -n * a", cwd=str(tmp_path), roots=[str(tmp_path)]).check_id == "option"


def test_more_roots_read_more(project: Path) -> None:
    secret = project.parent / "secret"
    command = "cat ../secret/token.txt"
    assert classify_read_only(command, cwd=str(project), roots=[str(project), str(secret)]).ok


def test_a_linked_root_is_the_folder_it_leads_to(project: Path) -> None:
    alias = project.parent / "alias"
    alias.symlink_to(project)
    assert classify_read_only("cat notes.txt", cwd=str(alias), roots=[str(alias)]).ok


def test_the_whole_file_system_is_no_root_for_system_folders() -> None:
    assert not classify_read_only("cat /proc/self/environ", cwd="/", roots=["/"]).ok
    assert not classify_read_only("grep -r KEY /", cwd="/", roots=["/"]).ok


def test_reads_are_named(project: Path) -> None:
    verdict = classify_read_only("cat link-in/app.py; grep -r x docs", cwd=str(project), roots=[str(project)])
    first, second = verdict.reads
    assert (first.path, first.given) == (str(project / "src/app.py"), str(project / "link-in/app.py"))
    assert (second.path, second.whole_tree) == (str(project / "docs"), True)


def test_shape_does_not_look_at_paths() -> None:
    assert is_read_only_shape("cat ../secret/token.txt")
    assert not is_read_only_shape("sort -o x y")


def test_no_program_lists_an_option_twice() -> None:
    for name, program in {**TEXT_PROGRAMS, **FACTS}.items():
        assert not set(program.short) & set(program.short_valued), name
        assert not program.long & program.long_valued, name
