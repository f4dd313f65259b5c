"""Paths that one program prints and another one reads: through ``xargs``, ``find -exec``, loops and substitutions."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from jupyter_agenttools.permissions import classify_read_only
from jupyter_agenttools.permissions.command.find_branches import what_is_printed
from jupyter_agenttools.permissions.command.git_index import index_names

READS = """\
find . -type f | xargs wc -l
find . -type f -print0 | xargs -0 ls -la
find src -name '*.py' | sort | head -5 | xargs -I{} head -1 {}
find . -name .git -prune -o -type f -print | xargs grep -l TODO
find src -name '*.py' | grep -v test | xargs sed -n 1p
grep -rl def src | xargs wc -l
rg --null -l TODO | xargs -0 wc -l
fdfind -e py | xargs wc -l
ls *.md | xargs wc -l
git ls-files '*.py' | xargs wc -l
git ls-files -z | xargs -0 wc -l
git grep -l TODO | xargs wc -l
echo notes.txt README.md | xargs wc -l
find . -type f -name '*.py' -exec wc -l {} + | sort -n | tail
find src -type f -exec grep -q def {} \\; -print
find . -name link-out -exec ls -l {} \\;
for f in $(find src -name '*.py'); do wc -l $f; done
for f in $(git ls-files src); do echo "$f: $(wc -l < "$f")"; done
for f in $(ls src); do echo $f; done
for i in $(seq 3); do echo $((i + 1)); done
wc -l $(git ls-files '*.py')
files=$(find src -name '*.py'); wc -l $files
find src -name '*.py' | while IFS= read -r f; do grep -c def "$f"; done
find src -name '*.py' -print0 | while IFS= read -r -d '' f; do head -1 "$f"; done
git ls-files src | while read -r f; do git log --oneline -1 -- "$f"; done
git show "$(git rev-parse HEAD)":README.md
git log --oneline $(git merge-base main main2)..HEAD
commit=$(git rev-parse HEAD); git show --stat $commit
for c in $(git rev-list HEAD); do git show -s --format=%s $c; done""".split("\n")

MAY_DO_MORE = """\
find . -name link-out | xargs ls
ls | xargs ls
ls src | xargs wc -l
cat notes.txt | xargs cat
find . -print0 | xargs cat
find . -type f | sort 5 | xargs cat
find . -type f | xargs gzip
find . -type f | xargs -d , cat
find src -name '*.py' | xargs -I{} grep {} /etc/passwd
find src -name '*.py' | xargs -I{} cat /{}
echo link-out/token.txt | xargs cat
find src -type f -exec rm {} \\;
find src -type f -exec sort {} -o x \\;
find src -type f -exec sh -c 'cat $1' _ {} \\;
find src -type f -exec cat {} /etc/passwd \\;
find -L . -type f -exec cat {} +
find . -type f -execdir cat {} +
find . -type f -exec cat {} ';' -delete
ls $(find . -name link-out)
files=$(find src -name '*.py'); cat "$files"
for f in $(find . -name '*.py'); do cd src; cat "$f"; done
find src -name '*.py' | while read -r f; do head -c1; cat "$f"; done
find src -name '*.py' | while read -r f; do x=$(head -c1); cat "$f"; done
find src -name '*.py' | while read -r f; do read -n 1 x; cat "$f"; done
find src -name '*.py' -print0 | while read -r -d '' f; do read -r g; cat "$f"; done
find src -name '*.py' | while read -n 3 f; do read -r g; cat "$g"; done
find src -name '*.py' | while head -c1; read -r f; do cat "$f"; done
find src -name '*.py' | while read -r f; do grep -f "$f"; done
find src -name '*.py' | while read -r f; do grep "$f"; cat "$f"; done
find src -name '*.py' | while read -r f; do cat ${f#.}; done
find src -name '*.py' | while IFS=/ read -r f; do cat "$f"; done
find src -name '*.py' | while read -r f; do cat "$f"; done < notes.txt
cat notes.txt | while read -r f; do cat "$f"; done
git diff $(git rev-parse --output=x)
git diff "$(git rev-parse HEAD)--output=x"
git log $(git describe --tags --abbrev=0)..HEAD
branch=$(git branch --show-current); git log -1 "$branch"
git diff --no-index notes.txt link-out/token.txt""".split("\n")


@pytest.mark.parametrize("command", READS)
def test_paths_that_are_looked_at_may_be_read(command: str, project: Path) -> None:
    verdict = classify_read_only(command, cwd=str(project), roots=[str(project)])
    assert verdict.ok, verdict.reason


@pytest.mark.parametrize("command", MAY_DO_MORE)
def test_what_may_lead_elsewhere_or_do_more_asks(command: str, project: Path) -> None:
    assert not classify_read_only(command, cwd=str(project), roots=[str(project)]).ok


@pytest.mark.parametrize(("name", "command"), [
    ("a b.py", "find src -name '*.py' | xargs cat"),
    ("a b.py", "cat $(find src -name '*.py')"),
    ("[x].py", "cat $(find src -name '*.py')"),
    ("it's.py", "find src -name '*.py' | xargs cat"),
    ("a\nb.py", "find src -name '*.py' | while read -r f; do cat \"$f\"; done"),
    (" x/y.py", "grep -rl '' src | xargs cat"),
])  # fmt: skip
def test_a_name_that_is_taken_apart_asks(name: str, command: str, tmp_path: Path) -> None:
    (tmp_path / "src" / name).parent.mkdir(parents=True)
    (tmp_path / "src" / name).write_text("x\n")
    assert not classify_read_only(command, cwd=str(tmp_path), roots=[str(tmp_path)]).ok
    whole = "find src -type f -print0 | xargs -0 cat"
    assert classify_read_only(whole, cwd=str(tmp_path), roots=[str(tmp_path)]).ok


def test_a_link_to_a_file_outside_asks(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("x\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path / "outside")

    def ok(command: str) -> bool:
        return classify_read_only(command, cwd=str(inside), roots=[str(inside)]).ok

    assert not ok("find . | xargs cat")
    assert not ok("find . -name link -exec cat {} +")
    assert not ok("ls | xargs cat")
    assert ok("find . -type f -exec cat {} +")


def test_the_index_is_read_as_git_reads_it(project: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=project, capture_output=True, check=True, text=True).stdout
    assert index_names(str(project / ".git")) == listed.split("\0")[:-1]


def test_an_index_that_names_what_is_not_there_asks(tmp_path: Path) -> None:
    run = ["git", "-C", str(tmp_path)]
    subprocess.run([*run, "init", "-q"], check=True)
    blob = subprocess.run([*run, "hash-object", "-w", "--stdin"], input=b"", capture_output=True, check=True).stdout
    entry = f"100644,{blob.decode().strip()},x /etc/passwd"
    subprocess.run([*run, "update-index", "--add", "--cacheinfo", entry], check=True)
    assert index_names(str(tmp_path / ".git")) == ["x /etc/passwd"]
    assert not classify_read_only("git ls-files | xargs cat", cwd=str(tmp_path), roots=[str(tmp_path)]).ok


def test_a_folder_of_the_index_that_became_a_link_asks(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "d").mkdir(parents=True)
    (work / "d" / "x").write_text("x\n")
    for words in (["init", "-q"], ["add", "d/x"]):
        subprocess.run(["git", "-C", str(work), *words], check=True)
    assert classify_read_only("git ls-files | xargs cat", cwd=str(work), roots=[str(work)]).ok
    (work / "d").rename(tmp_path / "outside")
    (work / "d").symlink_to(tmp_path / "outside")
    assert not classify_read_only("git ls-files | xargs cat", cwd=str(work), roots=[str(work)]).ok


@pytest.mark.parametrize(("expression", "only_files"), [
    ("-type f", True),
    ("-name x -type f -print", True),
    ("-print -type f", False),
    ("-type f -o -name x", False),
    ("-name x -prune -o -type f -print", True),
    ("-name x -prune -o -print", False),
    ("! -type f", False),
    ("-type f,d", False),
    ("( -type f -o -type d )", False),
    ("( -name a -o -name b ) -type f", True),
    ("-type f , -print", False),
    ("-name -type f", False),
])  # fmt: skip
def test_what_a_search_prints(expression: str, only_files: bool) -> None:
    assert what_is_printed(expression.split()).only_files is only_files
