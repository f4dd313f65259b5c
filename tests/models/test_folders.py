"""Folders by name: where one is a folder and where only its letters stand, there and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.models.folders import Folders, map_texts

FOLDERS = Folders({"home": "/home/me", "cwd": "/home/me/work", "root": "/", "relative": "x"})


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("/home/me/work", "⟦cwd⟧"),
        ("/home/me/work/a.csv, /home/me.", "⟦cwd⟧/a.csv, ⟦home⟧."),
        ("cd '/home/me/work/'; ls", "cd '⟦cwd⟧/'; ls"),
        ("file:///home/me/a", "file://⟦home⟧/a"),
        ("PATH=/home/me/bin:/home/me/work", "PATH=⟦home⟧/bin:⟦cwd⟧"),
        ("/home/menu /home/me.old /home/me-2", "/home/menu /home/me.old /home/me-2"),
        ("/data/home/me ~/home/me ../home/me", "/data/home/me ~/home/me ../home/me"),
        ("/home/me/workers", "⟦home⟧/workers"),
        ("x / y ⟦cwd⟧", "x / y ⟦⟧cwd⟧"),
    ],
)
def test_what_is_a_folder(text: str, named: str) -> None:
    assert FOLDERS.name(text) == named
    assert FOLDERS.place(named) == text


PIECES = st.sampled_from(
    ["/home/me", "/home/me/work", "/home", "⟦", "⟧", "⟦cwd⟧", "⟦⟧", "cwd", "/", "a", ".", " ", ":"]
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=8).map("".join))
def test_there_and_back(text: str) -> None:
    assert FOLDERS.place(FOLDERS.name(text)) == text
    assert Folders({}).place(Folders({}).name(text)) == text


def test_a_name_that_is_unknown_here_stays() -> None:
    assert Folders({"cwd": "/b"}).place("⟦other⟧/x ⟦cwd⟧") == "⟦other⟧/x /b"


def test_the_stronger_name_wins_where_two_are_one_folder() -> None:
    assert Folders({"home": "/root", "cwd": "/root"}).name("/root/a") == "⟦cwd⟧/a"


def test_texts_at_every_depth_and_keys() -> None:
    data = {"/home/me": ["/home/me/work", 1, None, {"a": ("/home/me",)}], 5: True}
    assert map_texts(data, FOLDERS.name) == {"⟦home⟧": ["⟦cwd⟧", 1, None, {"a": ["⟦home⟧"]}], 5: True}
