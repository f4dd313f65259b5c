"""File name patterns, what git leaves out, and the walk."""

from __future__ import annotations

import glob
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.core.errors import InterruptedToolError, ToolValidationError
from jupyter_agenttools.files.glob_pattern import GlobPattern, expand_braces, split_base
from jupyter_agenttools.files.search import FoundFiles, find_files
from tests.support.other_user import as_ordinary_user


def found(root: Path, pattern: str, **how: object) -> FoundFiles:
    return find_files(str(root), GlobPattern(pattern), cancellation=Cancellation(), **how)  # type: ignore[arg-type]


def names(root: Path, pattern: str, **how: object) -> list[str]:
    return sorted(os.path.relpath(path, root) for path in found(root, pattern, **how).paths)


def tree(root: Path, *files: str) -> Path:
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).touch()
    return root


def matches(pattern: str, path: str) -> bool:
    compiled = GlobPattern(pattern)
    *folders, name = path.split("/")
    states = compiled.start()
    for folder in folders:
        states = compiled.enter(states, folder)
    return compiled.matches(states, name)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", ["a.py", ".py", ".hidden.py"], ["a.pyc", "d/a.py", "a.PY"]),
        ("**/*.py", ["a.py", "d/a.py", "d/e/a.py"], ["a.txt"]),
        ("src/**", ["src/a", "src/d/a"], ["src", "other/a"]),
        ("src/**/t/*.py", ["src/t/a.py", "src/x/y/t/a.py"], ["src/a.py", "t/a.py"]),
        ("**/a/**/b", ["a/b", "x/a/b", "a/x/b"], ["b", "a"]),
        ("?.[ch]", ["a.c", "b.h"], ["ab.c", "a.d"]),
        ("[!a-c]*", ["d", "é"], ["a", "bx"]),
        ("[]x]", ["]", "x"], ["a"]),
        ("[a", ["[a"], ["a"]),
        ("*.{py,ip{ynb,y}}", ["a.py", "a.ipynb", "a.ipy"], ["a.ip"]),
        ("{a/b,c}/*.t", ["a/b/x.t", "c/x.t"], ["a/x.t"]),
        ("a{b}c", ["a{b}c"], ["abc"]),
        ("**/**/*.py", ["a.py", "x/y/a.py"], []),
        ("a**b", ["ab", "axxb"], ["a/b"]),
        ("./a", ["a"], ["b"]),
        ("a+b(c).$", ["a+b(c).$"], ["aab(c).$"]),
        ("*", ["line\nbreak"], ["d/e"]),
    ],
)
def test_patterns(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not matches(pattern, path)] == []
    assert [path for path in no if matches(pattern, path)] == []


NO_PATTERNS = [
    ("../x", "glob-climbs"),
    ("a/../b", "glob-climbs"),
    ("/", "glob-pattern"),
    ("[b-a]", "glob-pattern"),
    ("{a,b}" * 12, "glob-too-many"),
]


@pytest.mark.parametrize(("pattern", "check"), NO_PATTERNS)
def test_patterns_that_are_none(pattern: str, check: str) -> None:
    with pytest.raises(ToolValidationError) as refusal:
        GlobPattern(pattern)
    assert refusal.value.check_id == check


def test_stars_in_a_row_stay_fast() -> None:
    assert not matches("*a" * 20 + "*b", "a" * 200) and matches("*a" * 20 + "*b", "a" * 200 + "b")
    assert matches("*ab*ab", "abab") and not matches("*ab*ab", "ab") and matches("a*[bc]*c", "abc")


def test_the_plain_beginning_of_a_pattern() -> None:
    assert split_base("src/a/*.py") == ("src/a", "*.py")
    assert split_base("src/a.py") == ("src", "a.py") and split_base("*.py") == ("", "*.py")
    assert split_base("/etc/**") == ("/etc", "**") and split_base("/a") == ("/", "a")
    assert split_base("a{b,c}/d") == ("", "a{b,c}/d")


name = st.text(alphabet="ab.", min_size=1, max_size=3).filter(lambda n: n not in (".", "..") and not n.startswith("."))
path = st.lists(name, min_size=1, max_size=4).map("/".join)
glob_name = st.one_of(st.just("**"), st.text(alphabet="ab*?.", min_size=1, max_size=4))
glob_text = st.lists(glob_name, min_size=1, max_size=4).map("/".join)


@given(st.lists(path, max_size=12), glob_text)
@settings(max_examples=60, deadline=None)
def test_the_walk_agrees_with_pythons_glob(tmp_path_factory, paths: list[str], pattern: str) -> None:
    odd = any(part in (".", "..") or (part != "**" and "**" in part) for part in pattern.split("/"))
    if odd or pattern.endswith("**"):
        return  # Python's glob has its own mind about these (`file/**` finds the file itself)
    root = tmp_path_factory.mktemp("g")
    for one in paths:
        try:
            tree(root, one)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue  # one path's file is another one's folder
    expected = glob.glob(pattern, root_dir=root, recursive=True, include_hidden=True)
    files = sorted({os.path.normpath(p) for p in expected if (root / p).is_file()})
    assert names(root, pattern, limit=1000) == files


@given(st.text(alphabet="ab{},/", max_size=12))
def test_braces_never_fail_and_never_lose_text(text: str) -> None:
    for expanded in expand_braces(text):
        assert len(expanded) <= len(text)


def test_the_newest_first_and_the_total(tmp_path: Path) -> None:
    tree(tmp_path, *(f"f{i}" for i in range(9)))
    for i in range(9):
        os.utime(tmp_path / f"f{i}", ns=(0, (i * 7 % 9) * 10**9))
    result = found(tmp_path, "*", limit=3)
    assert [os.path.basename(path) for path in result.paths] == ["f5", "f1", "f6"] and result.total == 9


def test_links_to_folders_are_not_entered_and_links_to_files_count(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.py", "outside/y.py")
    (tmp_path / "a" / "up").symlink_to("..")
    (tmp_path / "a" / "out").symlink_to("../outside")
    (tmp_path / "a" / "z.py").symlink_to("x.py")
    (tmp_path / "a" / "gone.py").symlink_to("nothing.py")
    assert names(tmp_path / "a", "**/*.py") == ["x.py", "z.py"]


def test_folders_of_version_control_are_never_searched(tmp_path: Path) -> None:
    tree(tmp_path, ".git/config", ".hg/x", "sub/.git/config", "config")
    assert names(tmp_path, "**/*") == ["config"]


def repository(root: Path, rules: str, *files: str) -> Path:
    (root / ".git").mkdir()
    tree(root, *files)
    (root / ".gitignore").write_text(rules)
    return root


def test_what_git_leaves_out_is_counted(tmp_path: Path) -> None:
    repository(tmp_path, ".wt/\n*.log\n!keep.log\n", "src/k.py", ".wt/a/k.py", ".wt/b/k.py", "x.log", "keep.log")
    result = found(tmp_path, "**/k.py")
    assert [os.path.relpath(p, tmp_path) for p in result.paths] == ["src/k.py"] and result.ignored == 2
    assert names(tmp_path, "*.log") == ["keep.log"] and found(tmp_path, "*.log").ignored == 1
    assert found(tmp_path, "**/k.py", respect_ignore=False).total == 3


def test_inner_rules_and_the_exclude_file(tmp_path: Path) -> None:
    repository(tmp_path, "*.tmp\n", "a/x.tmp", "a/y.tmp", "b/x.tmp", "local/n")
    (tmp_path / "a" / ".gitignore").write_text("!x.tmp\n")
    (tmp_path / ".git" / "info").mkdir()
    (tmp_path / ".git" / "info" / "exclude").write_text("/local\n")
    assert names(tmp_path, "**/*.tmp") == ["a/x.tmp"]
    assert names(tmp_path, "**/n") == []
    assert names(tmp_path / "a", "*.tmp") == ["x.tmp"], "rules above the searched folder hold in it too"


def test_a_left_out_folder_that_is_asked_for_is_searched(tmp_path: Path) -> None:
    repository(tmp_path, ".wt/\n", ".wt/a/k.py", ".wt/a/j.pyc")
    (tmp_path / ".wt" / "a" / ".gitignore").write_text("*.pyc\n")
    assert names(tmp_path / ".wt", "**/*.py*") == ["a/k.py"]


def test_without_a_repository_nothing_is_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "a.log")
    (tmp_path / ".gitignore").write_text("*.log")
    assert names(tmp_path, "*.log") == ["a.log"]


def test_running_out_of_time_is_said(tmp_path: Path) -> None:
    tree(tmp_path, "a/b")
    result = found(tmp_path, "**/*.none", time_limit_s=0.0)
    assert result.stopped_after_s == 0.0 and result.total == 0
    assert found(tmp_path, "**/*.none").stopped_after_s is None


def test_a_stopped_call_stops_walking(tmp_path: Path) -> None:
    stopped = Cancellation()
    stopped.cancel()
    with pytest.raises(InterruptedToolError):
        find_files(str(tmp_path), GlobPattern("*"), cancellation=stopped)


def test_roots_that_are_none(tmp_path: Path) -> None:
    tree(tmp_path, "file")
    for root, check in ((tmp_path / "file", "glob-not-a-folder"), (tmp_path / "gone", "file-missing")):
        with pytest.raises(ToolValidationError) as refusal:
            found(root, "*")
        assert refusal.value.check_id == check


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a folder of somebody else")
def test_folders_that_cannot_be_opened_are_counted(everybodys_folder: Path) -> None:
    tree(everybodys_folder, "open/x", "shut/x")
    (everybodys_folder / "shut").chmod(0o700)
    assert as_ordinary_user(lambda: str(found(everybodys_folder, "**/x")[1:5])) == str((1, 0, False, 1))
