"""kill -9 at any moment: a file is the old one or the new one, and nothing stays behind."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.files import content_hash, read_whole, safe_write
from jupyter_agenttools.files.unfinished import recover_writes
from tests.support.crashes import kill_after, kill_at_step, some_bytes

OLD = b"the same beginning\n" + b"old\n" * 3_000
NEW = {
    "longer": b"the same beginning\n" + b"the new text\n" * 9_000,
    "shorter": b"the same beginning\nshort\n",
    "of the same length": OLD.replace(b"old", b"NEW"),
    "empty": b"",
}
MAX_STEPS = 60


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in memory where there is one: a kill leaves the same there, and waiting for a disk takes long."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(dir=memory or tmp_path_factory.getbasetemp()))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Our own folder, for this test alone."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", str(folder))
    return folder


def write(path: Path, new: bytes, old: bytes | None) -> str:
    return safe_write(str(path), new, cancellation=Cancellation(), expected_hash=None, expected=old).how


def left_over(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name.startswith("."))


def put_right(folder: Path) -> None:
    os.environ["JUPYTER_AGENTTOOLS_HOME"] = str(folder / "home")
    recover_writes()
    assert not left_over(folder) and not unfinished(folder / "home")


def unfinished(home: Path) -> list[str]:
    folder = home / "unfinished"
    return [name for name in os.listdir(folder) if not name.endswith(".draft")] if folder.exists() else []


def every_step(tmp_path: Path, work: Callable[[Path], object], prepare: Callable[[Path], None]) -> list[Path]:
    """One folder for each system call of ``work`` at which a child was killed, whole or half way. Each has our own
    folder in it, so that no child is busy with what another one left."""
    folders = []
    for torn in (False, True):
        for step in range(1, MAX_STEPS):
            folder = tmp_path / f"{step}-{torn}"
            folder.mkdir()
            prepare(folder / "f")
            os.environ["JUPYTER_AGENTTOOLS_HOME"] = str(folder / "home")
            if not kill_at_step(lambda folder=folder: work(folder / "f"), step, torn=torn):
                break
            folders.append(folder)
        assert step < MAX_STEPS - 1
    return folders


@pytest.mark.parametrize("kind", NEW)
def test_killed_at_every_step_of_a_replacement(tmp_path: Path, home: Path, kind: str) -> None:
    new = NEW[kind]
    folders = every_step(tmp_path, lambda path: write(path, new, OLD), lambda path: path.write_bytes(OLD))
    assert {(folder / "f").read_bytes() for folder in folders} == {OLD, new}, "whole without any help"
    assert any(left_over(folder) for folder in folders)
    for folder in folders:
        put_right(folder)


@pytest.mark.parametrize("kind", NEW)
def test_killed_at_every_step_in_place(tmp_path: Path, home: Path, kind: str) -> None:
    new = NEW[kind]

    def prepare(path: Path) -> None:
        path.write_bytes(OLD)
        os.link(path, path.with_name("other"))

    folders = every_step(tmp_path, lambda path: write(path, new, OLD), prepare)
    if new:
        assert any((folder / "f").read_bytes() not in (OLD, new) for folder in folders), "some are torn at first"
    seen = set()
    for folder in folders:
        os.environ["JUPYTER_AGENTTOOLS_HOME"] = str(folder / "home")
        seen.add(read_whole(str(folder / "other")))
        put_right(folder)
    assert seen == {OLD, new}, "opening it through any of its names puts it right"
    assert all(os.path.samefile(folder / "f", folder / "other") for folder in folders)


def test_killed_at_every_step_of_a_creation(tmp_path: Path, home: Path) -> None:
    folders = every_step(tmp_path, lambda path: write(path, OLD, None), lambda path: None)
    found = [folder for folder in folders if (folder / "f").exists()]
    assert found and all((folder / "f").read_bytes() == OLD for folder in found)
    for folder in folders:
        put_right(folder)


def test_killed_at_every_step_of_putting_it_right(tmp_path: Path, home: Path) -> None:
    path, new = tmp_path / "f", NEW["longer"]
    path.write_bytes(OLD)
    os.link(path, tmp_path / "other")
    step = next(n for n in range(1, MAX_STEPS) if is_torn_at(path, new, n))
    for number in range(1, MAX_STEPS):
        if not kill_at_step(recover_writes, number, torn=True):
            break
    assert number > 3 and read_whole(str(path)) == OLD and not unfinished(home), f"torn at step {step}"


def is_torn_at(path: Path, new: bytes, step: int) -> bool:
    shutil.rmtree(path.with_name("home"), ignore_errors=True)  # a draft of the last step costs steps of this one
    kill_at_step(lambda: write(path, new, OLD), step, torn=True)
    if path.read_bytes() not in (OLD, new):
        return True
    recover_writes()
    path.write_bytes(OLD)
    return False


@pytest.mark.parametrize("names", [1, 2])
def test_a_thousand_writes_under_kills(tmp_path: Path, home: Path, names: int) -> None:
    path, number, kills, chance = tmp_path / "f", 0, 0, random.Random(names)
    path.write_bytes(some_bytes(0))
    if names == 2:
        os.link(path, tmp_path / "other")

    def writing(first: int, report: Callable[[int], None]) -> None:
        for n in count(first):  # until it is killed
            write(path, some_bytes(n + 1), some_bytes(n))
            report(n + 1)

    while number < 1_000 or kills < 10:
        progress = kill_after(lambda report, first=number: writing(first, report), chance.uniform(0.01, 0.2))
        last, kills = max(progress.reported, number), kills + progress.killed
        present = read_whole(str(path))
        assert present in (some_bytes(last), some_bytes(last + 1)), f"after {last} writes and {kills} kills"
        number = last if present == some_bytes(last) else last + 1
        assert not left_over(tmp_path) and not unfinished(home)


def test_what_somebody_wrote_since_is_left_alone(tmp_path: Path, home: Path) -> None:
    path, new = tmp_path / "f", NEW["longer"]
    path.write_bytes(OLD)
    os.link(path, tmp_path / "other")
    assert any(is_torn_at(path, new, n) for n in range(1, MAX_STEPS))
    by_hand = path.read_bytes()[:100] + b"a person repaired this\n"
    path.write_bytes(by_hand)
    assert read_whole(str(path)) == by_hand and not unfinished(home)


def test_a_living_writer_is_left_alone(tmp_path: Path, home: Path) -> None:
    """What another process works on right now is no left-over."""
    path = tmp_path / "f"
    path.write_bytes(OLD)
    seen: list[list[str]] = []

    class Looking(Cancellation):
        def check(self) -> None:
            recover_writes()
            seen.append(left_over(tmp_path))

    safe_write(str(path), b"new", cancellation=Looking(), expected_hash=content_hash(OLD))
    assert seen[-1] and path.read_bytes() == b"new" and not left_over(tmp_path)


def test_records_that_make_no_sense_change_nothing(tmp_path: Path, home: Path) -> None:
    (home / "unfinished").mkdir()
    (tmp_path / "precious").write_bytes(OLD)
    records = {
        "a": b'{"temporary": "%s"}\n' % os.fsencode(tmp_path / "precious"),
        "b": b"not JSON",
        "c": b'{"target": "%s", "kept": 0, "old": 5, "new": 9, "old_hash": "", "new_hash": ""}\nx'
        % os.fsencode(tmp_path / "precious"),
        "d": b'{"target": "/nowhere/f", "kept": 0, "old": 0, "new": 0, "old_hash": "", "new_hash": ""}\n',
        "e": b'["temporary"]\n',
    }
    for name, record in records.items():
        (home / "unfinished" / name).write_bytes(record)
    recover_writes()
    assert (tmp_path / "precious").read_bytes() == OLD
    assert set(unfinished(home)) <= {"e"}


def test_no_record_no_replacement_in_place(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_agenttools.files import WriteError, unfinished

    def refused(name: str) -> str:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "f"
    path.write_bytes(OLD)
    monkeypatch.setattr(unfinished, "working_folder", refused)
    assert write(path, b"new", OLD) == "replaced", "a temporary file needs no record"
    os.link(path, tmp_path / "other")
    with pytest.raises(WriteError) as refusal:
        write(path, b"newer", b"new")
    assert refusal.value.check_id == "write-no-safety-copy" and path.read_bytes() == b"new"


def test_a_new_session_puts_right_what_a_killed_kernel_left(tmp_path: Path, home: Path) -> None:
    path, new = tmp_path / "f", NEW["longer"]
    path.write_bytes(OLD)
    os.link(path, tmp_path / "other")
    assert any(is_torn_at(path, new, step) for step in range(1, MAX_STEPS))
    Session(cwd=tmp_path)
    assert path.read_bytes() == OLD and not unfinished(home)
