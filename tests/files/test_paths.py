"""Which file a path means."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.files.paths import describe_missing, locate, near_names, shown_path


def test_relative_absolute_and_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert locate("a/./b.txt", str(tmp_path)) == f"{tmp_path}/a/b.txt"
    assert locate("//etc//hosts", str(tmp_path)) == "/etc/hosts"
    assert locate("~/x", "/somewhere") == f"{tmp_path}/home/x"
    assert locate("/", "/somewhere") == "/"


def test_two_dots_go_through_links_as_the_kernel_does(tmp_path: Path) -> None:
    (tmp_path / "real" / "inner").mkdir(parents=True)
    (tmp_path / "real" / "f").write_text("behind the link")
    (tmp_path / "link").symlink_to("real/inner")
    meant = locate("link/../f", str(tmp_path))
    assert meant == f"{tmp_path}/real/f"
    assert Path(meant).read_text() == (tmp_path / "link" / ".." / "f").open().read()


@pytest.mark.parametrize(("path", "check"), [("", "path-empty"), ("a\0b", "path-nul"), ("a\ud83d", "path-encoding")])
def test_texts_that_are_no_path(path: str, check: str) -> None:
    with pytest.raises(ToolValidationError) as refusal:
        locate(path, "/")
    assert refusal.value.check_id == check


def test_another_unicode_form_of_the_name_is_found(tmp_path: Path) -> None:
    composed, decomposed = unicodedata.normalize("NFC", "Müller.txt"), unicodedata.normalize("NFD", "Müller.txt")
    (tmp_path / decomposed).touch()
    assert locate(composed, str(tmp_path)) == str(tmp_path / decomposed)
    (tmp_path / composed).touch()
    assert locate(composed, str(tmp_path)) == str(tmp_path / composed), "the exact name wins"


def test_the_narrow_space_of_screenshots_is_found_in_folders_too(tmp_path: Path) -> None:
    folder = tmp_path / "Shots 3.15\u202fPM"
    folder.mkdir()
    (folder / "Screenshot at 9.41\u202fAM.png").touch()
    found = locate("Shots 3.15 PM/Screenshot at 9.41 AM.png", str(tmp_path))
    assert os.path.exists(found) and found.count("\u202f") == 2


def test_two_candidates_are_none(tmp_path: Path) -> None:
    (tmp_path / "a\u202fb é").touch()
    (tmp_path / "a b e\u0301").touch()
    asked = "a\u202fb e\u0301"
    assert locate(asked, str(tmp_path)) == str(tmp_path / asked)


def test_near_names(tmp_path: Path) -> None:
    for name in ("settings.py", "settings.toml", "README.md", "unrelated"):
        (tmp_path / name).touch()
    assert near_names(str(tmp_path), "setings.py")[0] == str(tmp_path / "settings.py")
    assert str(tmp_path / "README.md") in near_names(str(tmp_path), "readme.MD")
    assert near_names(str(tmp_path), "zzzz") == []
    assert "settings" in describe_missing(str(tmp_path / "settings.cfg"))
    assert f"{tmp_path / 'src'} does not exist" in describe_missing(str(tmp_path / "src" / "a" / "b.py"))
    assert "is not a folder" in describe_missing(str(tmp_path / "README.md" / "x"))


def test_shown_paths_are_printable(tmp_path: Path) -> None:
    assert shown_path(f"{tmp_path}/a/b", str(tmp_path)) == "a/b"
    assert shown_path("/else/where", str(tmp_path)) == "/else/where"
    shown_path(f"{tmp_path}/bad\udce9name", str(tmp_path)).encode()
