"""Which commands are a plain ``sed -i``, and what of them is left to sed itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.permissions.sed_command import SedCommand, are_plain_files, read_sed_command, written_paths


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.txt", "b.txt", "c d.py"):
        (tmp_path / name).write_text("one\n")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "options", "files", "suffix"),
    [
        ("sed -i 's/a/b/' a.txt", ("-e", "s/a/b/"), ("a.txt",), ""),
        ("sed -i 's/a/b/g; 3d' a.txt b.txt", ("-e", "s/a/b/g; 3d"), ("a.txt", "b.txt"), ""),
        ("sed -i.bak s/a/b/ a.txt", ("-e", "s/a/b/"), ("a.txt",), ".bak"),
        ("sed --in-place=.old 's/a/b/' a.txt", ("-e", "s/a/b/"), ("a.txt",), ".old"),
        ("sed -ie s/a/b/ a.txt", ("-e", "s/a/b/"), ("a.txt",), "e"),
        ("sed -Ei 's/(a)/\\1/' a.txt", ("-E", "-e", "s/(a)/\\1/"), ("a.txt",), ""),
        ("sed -r -n -i -e '/x/p' -e '1,$ s|/|\\||2gI' a.txt", ("-E", "-n", "-e", "/x/p", "-e", "1,$ s|/|\\||2gI"),
         ("a.txt",), ""),
        ("sed a.txt -i -e 1d", ("-e", "1d"), ("a.txt",), ""),
        ("sed -i '/^#/!d' 'c d.py'", ("-e", "/^#/!d"), ("c d.py",), ""),
        ("sed -i '2~3d;y/abc/xyz/;/a/,/b/d;/a/,+2p' -- a.txt", ("-e", "2~3d;y/abc/xyz/;/a/,/b/d;/a/,+2p"),
         ("a.txt",), ""),
        ("sed -i 's/[a-z]*/X/' *.txt", ("-e", "s/[a-z]*/X/"), ("a.txt", "b.txt"), ""),
    ],
)  # fmt: skip
def test_recognised(folder: Path, command: str, options: tuple[str, ...], files: tuple[str, ...], suffix: str) -> None:
    assert read_sed_command(command, str(folder)) == SedCommand(options, files, suffix)


@pytest.mark.parametrize(
    "command",
    [
        "sed 's/a/b/' a.txt",
        "sed -n -e 1p a.txt",
        "sed -i s/a/b/",
        "sed -i 's/a/b/e' a.txt",
        "sed -i 's/a/b/w out' a.txt",
        "sed -i '1w out' a.txt",
        "sed -i '1e touch x' a.txt",
        "sed -i '1r b.txt' a.txt",
        "sed -i '1q' a.txt",
        "sed -i '1a text' a.txt",
        "sed -i '1{p;d}' a.txt",
        "sed -i ':x;N;bx' a.txt",
        "sed -i 's/a/b' a.txt",
        "sed -i 's/a/b/ d' a.txt",
        "sed -i 's/[/]/x/' a.txt",
        "sed -i 's/[[:alpha:]]/x/' a.txt",
        "sed -i 's/a\nb/x/' a.txt",
        "sed -i 'sxaxbx' a.txt",
        "sed -i -f script a.txt",
        "sed -i -z s/a/b/ a.txt",
        "sed -i --follow-symlinks s/a/b/ a.txt",
        "sed --in-pl s/a/b/ a.txt",
        "sed -i --expr=s/a/b/ a.txt",
        "sed -i s/a/b/ a.txt > out",
        "sed -i s/a/b/ a.txt 2>/dev/null",
        "sed -i s/a/b/ a.txt # why",
        "sed -i s/a/b/ a.txt && rm b.txt",
        "cd x; sed -i s/a/b/ a.txt",
        "LANG=C sed -i s/a/b/ a.txt",
        "nice sed -i s/a/b/ a.txt",
        "/bin/sed -i s/a/b/ a.txt",
        "sed -i s/a/b/ $FILE",
        "sed -i s/a/b/ $(ls)",
        "sed -i s/a/b/ {a,b}.txt",
        "sed -i s/a/b/ none-*.txt",
        "sed -i s/a/b/ [ab].txt",
        "sed -i./x s/a/b/ a.txt",
        "sed -i* s/a/b/ a.txt",
        'sed -i "s/a/$HOME/" a.txt',
        "sed -i -- a.txt",
        "gsed -i s/a/b/ a.txt",
        "sed -i s/a/b/ a.txt ./a.txt",
        "sed -i.b s/a/b/ a.txt a.txt.b",
        "",
    ],
)
def test_left_to_sed(folder: Path, command: str) -> None:
    assert read_sed_command(command, str(folder)) is None


def test_what_is_written_and_what_is_not_plain(folder: Path) -> None:
    sed = SedCommand((), ("a.txt", "./b.txt"), ".bak")
    names = ["a.txt", "a.txt.bak", "b.txt", "b.txt.bak"]
    assert written_paths(sed, str(folder)) == tuple(str(folder / name) for name in names)
    assert are_plain_files(sed, str(folder))
    (folder / "b.txt.bak").symlink_to(folder / "c d.py")
    assert not are_plain_files(sed, str(folder))
    (folder / "link").symlink_to("a.txt")
    (folder / "hard").hardlink_to(folder / "c d.py")
    for name in ("link", "hard", "missing", ".", "~/x"):
        assert not are_plain_files(SedCommand((), (name,)), str(folder)), name


PIECES = [
    "s/",
    "a",
    "/",
    "b",
    "g",
    "e",
    "w ",
    ";",
    "\n",
    "\\",
    "[",
    "]",
    "|",
    "1",
    ",",
    "$",
    "d",
    "p",
    "{",
    "}",
    "r",
    "!",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join))
def test_whatever_is_recognised_does_nothing_but_edit(script: str) -> None:
    """GNU sed's own sandbox refuses commands that run, read or write something."""
    if "'" in script or read_sed_command(f"sed -i '{script}' a.txt", "/") is None:
        return
    done = subprocess.run(["sed", "--sandbox", "-e", script], input=b"a\nb\n", capture_output=True, check=False)
    assert b"sandbox" not in done.stderr
