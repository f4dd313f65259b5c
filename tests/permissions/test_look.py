"""One decision looks at the file system once; the next looks again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jupyter_agenttools.permissions.look import Astray, Look, OneLook, current_look
from jupyter_agenttools.permissions.question import working_directories
from tests.support.gate import BASH, READ, ask_gate, permission_of


@pytest.mark.parametrize(
    "path",
    [
        "a",
        "a/f",
        "link",
        "link/f",
        "link/../x",
        "chain/f",
        "missing/x",
        "a/./f",
        "a//f",
        "loop/x",
        "..",
        "/",
        "link/gone",
    ],
)
def test_it_follows_as_the_system_does(path: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/f").write_text("")
    os.symlink("a", tmp_path / "link")
    os.symlink(tmp_path / "link", tmp_path / "chain")
    os.symlink("loop", tmp_path / "loop")
    assert Look().real(os.path.join(tmp_path, path)) == os.path.realpath(os.path.join(tmp_path, path))


@pytest.mark.parametrize("path", ["/proc/self/cwd", "/dev/fd/0", "/dev/stdin"])
def test_what_is_another_file_in_every_process_is_not_followed(path: str) -> None:
    with pytest.raises(Astray):
        Look().walk("", path)


def test_what_was_seen_holds_inside_of_one_look_only(tmp_path: Path) -> None:
    place = tmp_path / "p"
    with OneLook():
        assert current_look() is current_look()
        assert current_look().mode(str(place)) == 0
        place.mkdir()
        assert current_look().mode(str(place)) == 0
    assert current_look() is not current_look()
    assert current_look().is_folder(str(place))


@pytest.mark.anyio
async def test_a_link_that_changed_is_seen_by_the_very_next_decision(tmp_path: Path) -> None:
    project, outside = tmp_path / "p", tmp_path / "o"
    for folder in (project / "in", outside):
        folder.mkdir(parents=True)
        (folder / "f").write_text("x\n")
    link = project / "link"
    os.symlink("in", link)
    call = {"file_path": "link/f"}
    assert (await ask_gate(READ, call, project)).behavior == "allow"
    link.unlink()
    os.symlink(outside, link)
    assert (await ask_gate(READ, call, project)).behavior == "ask"
    assert (await ask_gate(BASH, {"command": "x"}, project)).behavior == "ask"


def test_a_working_directory_that_became_a_link_is_followed_at_once(tmp_path: Path) -> None:
    project, other = tmp_path / "p", tmp_path / "o"
    project.mkdir()
    other.mkdir()
    permission = permission_of(project)
    assert working_directories(permission, str(project)) == (os.path.realpath(project),)
    project.rmdir()
    os.symlink(other, project)
    assert working_directories(permission, str(project)) == (os.path.realpath(other),)
