"""Writing: all of the old bytes or all of the new ones, and everything around them as it was."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.core.errors import InterruptedToolError, ToolError, ToolValidationError
from jupyter_agenttools.files import WriteError, content_hash, file_lock, in_place, safe_write
from tests.support.other_user import as_ordinary_user, in_child

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def write(path: Path | str, data: bytes, expected: bytes | None = b"old\n") -> str:
    expected_hash = None if expected is None else content_hash(expected)
    return safe_write(str(path), data, cancellation=Cancellation(), expected_hash=expected_hash).how


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "f"
    path.write_bytes(b"old\n")
    return path


def test_create_and_replace(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "f"
    assert write(path, b"new", None) == "created" and path.read_bytes() == b"new"
    assert write(path, b"", b"new") == "replaced" and path.read_bytes() == b""
    assert names(path.parent) == ["f"], "no temporary file stays behind"


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "by_hand").touch()
    write(tmp_path / "f", b"x", None)
    assert (tmp_path / "f").stat().st_mode == (tmp_path / "by_hand").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o444 | 0o200])
def test_the_mode_stays_and_is_never_wider(file: Path, mode: int) -> None:
    file.chmod(mode)
    seen: set[int] = set()

    class Watching(Cancellation):
        def check(self) -> None:
            seen.update(stat.S_IMODE(os.lstat(file.parent / name).st_mode) for name in os.listdir(file.parent))

    safe_write(str(file), b"new", cancellation=Watching(), expected_hash=content_hash(b"old\n"))
    assert stat.S_IMODE(file.stat().st_mode) == mode and seen == {mode}


def test_a_private_content_is_private_from_the_first_byte_on(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.chmod(0o640)
    modes: list[int] = []
    real = os.fsync

    def watching(descriptor: int) -> None:
        modes.append(os.fstat(descriptor).st_mode)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", watching)
    write(file, b"new")
    assert stat.S_IMODE(modes[0]) == 0o600 and stat.S_ISREG(modes[0])


@root_only
def test_owner_and_group_stay(file: Path) -> None:
    os.chown(file, 1234, 33)
    file.chmod(0o640)
    assert write(file, b"new") == "replaced"
    assert (file.stat().st_uid, file.stat().st_gid, stat.S_IMODE(file.stat().st_mode)) == (1234, 33, 0o640)


def test_attributes_stay(file: Path) -> None:
    try:
        os.setxattr(file, "user.note", b"kept")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    write(file, b"new")
    assert os.getxattr(file, "user.note") == b"kept"


def test_links_stay_links(tmp_path: Path) -> None:
    (tmp_path / "real" / "host").mkdir(parents=True)
    (tmp_path / "real" / "s").write_bytes(b"old\n")
    (tmp_path / "real" / "host" / "s").symlink_to("../s")
    (tmp_path / "synced").symlink_to("real/host")
    (tmp_path / "dot").symlink_to("synced")
    write(tmp_path / "dot" / "s", b"new")
    assert (tmp_path / "real" / "s").read_bytes() == b"new"
    assert all((tmp_path / name).is_symlink() for name in ("real/host/s", "synced", "dot"))


def test_a_link_to_nothing_is_filled(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    assert write(tmp_path / "link", b"new", None) == "created"
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_bytes() == b"new"


def test_hard_links_keep_sharing(file: Path) -> None:
    other = file.with_name("other")
    os.link(file, other)
    assert write(file, b"longer than before") == "in_place"
    assert other.read_bytes() == b"longer than before" and other.samefile(file)
    assert write(file, b"s", b"longer than before") == "in_place" and other.read_bytes() == b"s"


def test_another_content_is_never_overwritten(file: Path, tmp_path: Path) -> None:
    for expected in (b"something else", None):
        with pytest.raises(ToolValidationError) as refusal:
            write(file, b"new", expected)
        assert refusal.value.check_id == "content-changed"
    with pytest.raises(ToolValidationError, match="deleted"):
        write(tmp_path / "gone", b"new", b"old\n")
    os.link(file, tmp_path / "second")
    with pytest.raises(ToolValidationError, match="content changed"):
        write(file, b"new", b"something else")
    assert file.read_bytes() == b"old\n" and names(tmp_path) == ["f", "second"]


def test_a_file_that_appears_at_the_last_moment_stays(tmp_path: Path) -> None:
    path = tmp_path / "f"

    class Meanwhile(Cancellation):
        calls = 0

        def check(self) -> None:
            self.calls += 1
            if self.calls == 2:
                path.write_bytes(b"somebody else's")

    with pytest.raises(ToolValidationError, match="meanwhile"):
        safe_write(str(path), b"mine", cancellation=Meanwhile(), expected_hash=None)
    assert path.read_bytes() == b"somebody else's" and names(tmp_path) == ["f"]


@pytest.mark.parametrize("links", [1, 2])
def test_a_stop_is_noticed_directly_before_the_change(file: Path, links: int) -> None:
    if links == 2:
        os.link(file, file.with_name("g"))

    class Late(Cancellation):
        calls = 0

        def check(self) -> None:
            self.calls += 1
            if self.calls == 2:
                self.cancel("late")
            super().check()

    late = Late()
    with pytest.raises(InterruptedToolError):
        safe_write(str(file), b"new", cancellation=late, expected_hash=content_hash(b"old\n"))
    assert late.calls == 2 and file.read_bytes() == b"old\n" and "f" in names(file.parent)
    assert not [name for name in names(file.parent) if name.endswith(".tmp")]


def test_a_stopped_creation_leaves_no_folders(tmp_path: Path) -> None:
    class Late(Cancellation):
        def check(self) -> None:
            if (tmp_path / "a").exists():
                self.cancel()
            super().check()

    with pytest.raises(InterruptedToolError):
        safe_write(str(tmp_path / "a" / "b" / "f"), b"x", cancellation=Late(), expected_hash=None)
    assert names(tmp_path) == []


def test_what_is_no_regular_file_is_refused(tmp_path: Path, file: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, check in (("pipe", "file-not-regular"), (".", "file-is-directory"), ("f/below", "path-not-a-folder")):
        with pytest.raises(ToolError) as refusal:
            write(f"{tmp_path}/{name}", b"x", None)
        assert refusal.value.check_id == check
    assert file.read_bytes() == b"old\n"


def limited(path: Path, data: bytes, expected: bytes | None) -> str:
    """Write while no file may grow beyond 64 kB: what a full disk looks like to a program."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, 65_536))
    try:
        return write(path, data, expected)
    except WriteError as error:
        return f"{error.check_id} {path.exists() and path.read_bytes()[:10]!r}"


@pytest.mark.parametrize("links", [1, 2])
def test_no_room_leaves_the_old_bytes(file: Path, links: int) -> None:
    if links == 2:
        os.link(file, file.with_name("g"))
    assert in_child(lambda: limited(file, b"n" * 100_000, b"old\n")) == "write-failed b'old\\n'"
    assert file.read_bytes() == b"old\n"
    assert [name for name in names(file.parent) if name.endswith(".tmp")] == []


def test_no_room_for_a_new_file_leaves_nothing(tmp_path: Path) -> None:
    assert in_child(lambda: limited(tmp_path / "d" / "f", b"n" * 100_000, None)) == "write-failed False"
    assert names(tmp_path) == []


def test_a_failure_in_place_is_undone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.link(file, file.with_name("g"))
    real, calls = os.ftruncate, []

    def failing_once(descriptor: int, length: int) -> None:
        calls.append(length)
        if len(calls) == 1:
            raise OSError(5, "Input/output error")
        real(descriptor, length)

    monkeypatch.setattr(in_place.os, "ftruncate", failing_once)
    with pytest.raises(WriteError):
        write(file, b"new and longer")
    assert file.read_bytes() == b"old\n" and len(calls) == 2


KILLED = """
import sys
from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.files import content_hash, safe_write
path, old = sys.argv[1], b"0" * 3_000_000
print("ready", flush=True)
for number in range(1, 10**9):
    new = bytes([48 + number % 10]) * 3_000_000
    safe_write(path, new, cancellation=Cancellation(), expected_hash=content_hash(old))
    old = new
    print(number, flush=True)
"""


def test_a_kill_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"0" * 3_000_000)
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    for _ in range(4):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    data = path.read_bytes()
    assert len(data) == 3_000_000 and len(set(data)) == 1


@root_only
def test_a_folder_that_takes_no_new_file_still_lets_its_files_change(everybodys_folder: Path) -> None:
    (everybodys_folder / "f").write_bytes(b"old\n")
    (everybodys_folder / "f").chmod(0o666)
    inode = (everybodys_folder / "f").stat().st_ino
    assert as_ordinary_user(lambda: write(everybodys_folder / "f", b"new")) == "in_place"
    assert (everybodys_folder / "f").read_bytes() == b"new" and (everybodys_folder / "f").stat().st_ino == inode


@root_only
def test_an_owner_that_cannot_be_given_to_a_new_file_stays(everybodys_folder: Path) -> None:
    everybodys_folder.chmod(0o777)
    (everybodys_folder / "f").write_bytes(b"old\n")
    (everybodys_folder / "f").chmod(0o666)
    assert as_ordinary_user(lambda: write(everybodys_folder / "f", b"new")) == "in_place"
    assert (
        (everybodys_folder / "f").stat().st_uid == 0
        and (everybodys_folder / "f").read_bytes() == b"new"
        and names(everybodys_folder) == ["f"]
    )


def refusal_of(path: Path, expected: bytes | None = b"old\n") -> str:
    try:
        return write(path, b"new", expected)
    except ToolError as error:
        return error.check_id


@root_only
def test_what_may_not_be_written_is_refused_and_unchanged(everybodys_folder: Path) -> None:
    (everybodys_folder / "f").write_bytes(b"old\n")
    assert as_ordinary_user(lambda: refusal_of(everybodys_folder / "f")) == "file-read-only"
    assert as_ordinary_user(lambda: refusal_of(everybodys_folder / "new", None)) == "write-permission"
    assert as_ordinary_user(lambda: refusal_of(everybodys_folder / "d" / "new", None)) == "write-permission"
    assert names(everybodys_folder) == ["f"] and (everybodys_folder / "f").read_bytes() == b"old\n"


def test_one_writer_at_a_time_for_each_file(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    (tmp_path / "link").symlink_to("f")
    inside, entered = threading.Event(), threading.Event()

    def second() -> None:
        inside.set()
        with file_lock(str(tmp_path / "link")):
            entered.set()

    thread = threading.Thread(target=second)
    with file_lock(str(tmp_path / "f")):
        thread.start()
        inside.wait(5)
        with file_lock(str(tmp_path / "other")):
            pass
        assert not entered.wait(0.05), "the link leads to the same file"
    assert entered.wait(5)
    thread.join()


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "count"
    path.write_text("0")

    def add() -> None:
        for _ in range(10):
            with file_lock(str(path)):
                old = path.read_bytes()
                write(path, str(int(old) + 1).encode(), old)

    threads = [threading.Thread(target=add) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() == "50"
