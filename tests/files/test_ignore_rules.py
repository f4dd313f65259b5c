"""What ignore files leave out: as git says where git has a say."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.files.plain_search.ignore import IgnoreFile, LeftOut, rules_for


@pytest.mark.parametrize(
    ("text", "left_out", "kept"),
    [
        ("*.log\n!keep.log", ["a.log", "d/b.log"], ["keep.log", "d/keep.log", "log"]),
        ("/top", ["top"], ["d/top"]),
        ("a/b", ["a/b"], ["x/a/b", "b"]),
        ("**/b", ["b", "x/b", "x/y/b"], ["bb"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["b"]),
        ("a/**", ["a/x", "a/x/y"], ["a", "b/a/x"]),
        ("d/*", ["d/x"], ["d", "d/x/y"]),
        ("# word\n\\#x\n\\!y", ["#x", "!y"], ["# word"]),
        ("x \ny\\ \nz\r", ["x", "y ", "z"], ["x ", "y"]),
        ("[ab]?.t", ["a1.t"], ["c1.t", "a/.t"]),
        ("[!a].t", ["b.t"], ["a.t"]),
        ("bad[\n*.o", ["x.o"], ["bad["]),
        ("", [], ["x"]),
    ],
)
def test_rules_of_one_file(text: str, left_out: list[str], kept: list[str]) -> None:
    file = IgnoreFile(text)
    assert [path for path in left_out if not file.verdict(path, os.path.basename(path), False)] == []
    assert [path for path in kept if file.verdict(path, os.path.basename(path), False)] == []


def test_rules_for_folders_alone() -> None:
    file = IgnoreFile("build/\n")
    assert file.verdict("build", "build", True) and file.verdict("build", "build", False) is None


name = st.sampled_from(["a", "b", "ab", "a.x", ".h"])
rule = st.sampled_from(
    [
        "a",
        "b/",
        "*.x",
        "!a.x",
        "/a",
        "/b/*",
        "a/b",
        "**/a.x",
        "a/**",
        "!/a/b",
        "?",
        "*",
        "!*/",
        "a/*/b",
        "!b",
        "#a",
        "!.h",
    ]
)


@given(
    st.lists(st.lists(name, min_size=1, max_size=3).map("/".join), min_size=1, max_size=8),
    st.dictionaries(st.sampled_from(["", "a/", "b/", "a/b/"]), st.lists(rule, max_size=4).map("\n".join), max_size=3),
)
@settings(max_examples=40)
def test_git_agrees(paths: list[str], files: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(os.path.realpath(folder))
        subprocess.run(["git", "init", "-q", root], check=True)
        for path, text in [*((p, "") for p in paths), *((f"{w}.gitignore", t) for w, t in files.items())]:
            try:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            except OSError:
                continue  # one path's file is another one's folder
        here = [os.path.relpath(os.path.join(at, n), root) for at, _, names in os.walk(root) for n in names]
        here = sorted(path for path in here if not path.startswith(".git/"))
        command = ["git", "-C", root, "check-ignore", "--no-index", "-z", "--stdin"]
        said = subprocess.run(command, input="\0".join(here).encode(), capture_output=True, check=False)
        left_out = LeftOut(str(root), rules_for(str(root)).rules)
        ours = [path for path in here if left_out.holds(path)]
        assert ours == sorted(path for path in said.stdout.decode().split("\0") if path)


def test_a_folder_that_is_named_is_free_of_rules_from_above(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("out/\nscripts/*\n*.log\n")
    for folder in ("out/in", "scripts/in", "src"):
        (tmp_path / folder).mkdir(parents=True)
    assert rules_for(str(tmp_path / "src")).outer == "all"
    for folder in ("out", "out/in", "scripts", "scripts/in"):
        at = rules_for(str(tmp_path / folder))
        assert at.outer == "none" and not at.rules.has_any
    (tmp_path / "out" / ".gitignore").write_text("*.tmp\n")
    at = rules_for(str(tmp_path / "out" / "in"))
    assert at.outer == "some" and LeftOut(str(tmp_path / "out" / "in"), at.rules).holds("x.tmp")
