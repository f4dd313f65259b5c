"""Writing files in every state they can be in: what was around the bytes is as it was."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.core.errors import ToolError
from jupyter_agenttools.files import safe_write
from jupyter_agenttools.files.unfinished import common_prefix, is_torn
from tests.support.other_user import as_ordinary_user, in_child

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def write(path: Path | str, data: bytes, old: bytes | None = b"old\n") -> str:
    return safe_write(str(path), data, cancellation=Cancellation(), expected_hash=None, expected=old).how


def refusal(path: Path | str, old: bytes | None = b"old\n", data: bytes = b"new") -> str:
    try:
        return write(path, data, old)
    except ToolError as error:
        return error.check_id


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "f"
    path.write_bytes(b"old\n")
    return path


def meta(path: Path) -> tuple[int, int, int, int, dict[str, bytes]]:
    status = path.stat()
    attributes = {name: os.getxattr(path, name) for name in os.listxattr(path)}
    return status.st_mode, status.st_uid, status.st_gid, status.st_nlink, attributes


contents = st.one_of(
    st.binary(max_size=300),
    st.binary(max_size=40).map(lambda piece: piece * 3_000),
    st.lists(st.sampled_from([b"line\n", b"line\r\n", b"\xef\xbb\xbf", b"\0", b"caf\xe9\n"])).map(b"".join),
)
modes = st.integers(0, 0o7777).map(lambda mode: mode | 0o600)
states = st.sampled_from(["plain", "symlink", "chain", "hard link", "attribute", "given away"])


@given(contents, contents, modes, states)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_in_any_state(
    tmp_path_factory: pytest.TempPathFactory, old: bytes, new: bytes, mode: int, state: str
) -> None:
    folder = tmp_path_factory.mktemp("state")
    path = folder / "f"
    path.write_bytes(old)
    given_path = path
    if state in ("symlink", "chain"):
        (folder / "link").symlink_to("f")
        given_path = folder / "link"
    if state == "chain":
        (folder / "second").symlink_to(folder / "link")
        given_path = folder / "second"
    if state == "hard link":
        os.link(path, folder / "other")
    if state == "attribute":
        os.setxattr(path, "user.note", b"kept")
    if state == "given away" and os.geteuid() == 0:
        os.chown(path, 1234, 4321)
    path.chmod(mode)
    before, links = meta(path), sorted(name for name in os.listdir(folder) if (folder / name).is_symlink())
    how = write(given_path, new, old)
    assert path.read_bytes() == new and given_path.read_bytes() == new
    assert meta(path) == before and how == ("in_place" if state == "hard link" else "replaced")
    assert links == sorted(name for name in os.listdir(folder) if (folder / name).is_symlink())
    assert not [name for name in os.listdir(folder) if name.startswith(".")]
    if state == "hard link":
        assert (folder / "other").samefile(path)


@given(contents, contents)
def test_the_common_beginning(a: bytes, b: bytes) -> None:
    expected = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    assert common_prefix(a, b) == expected
    assert common_prefix(a + b, a) == len(a)


@given(contents, contents, st.data())
def test_whatever_half_a_write_leaves_is_known_as_torn(old: bytes, new: bytes, data: st.DataObject) -> None:
    longest = max(len(old), len(new))
    grown = old.ljust(max(len(old), data.draw(st.integers(0, len(new)), label="reserved")), b"\0")
    done = data.draw(st.integers(0, len(new)), label="written")
    torn = new[:done] + grown[done:]
    assert is_torn(torn, old, new)
    assert not is_torn(torn.ljust(longest, b"x") + b"more", old, new)


def test_another_text_is_not_torn() -> None:
    assert not is_torn(b"what a person wrote", b"the old text here..", b"a new text is here.")


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_follows_the_umask(tmp_path: Path, umask: int) -> None:
    def create() -> str:
        os.umask(umask)
        write(tmp_path / "deep" / "f", b"x", None)
        return oct(stat.S_IMODE((tmp_path / "deep" / "f").stat().st_mode))

    assert in_child(create) == oct(0o666 & ~umask)


@root_only
def test_a_folder_with_a_group_gives_it_to_new_files(tmp_path: Path) -> None:
    os.chown(tmp_path, 0, 4321)
    tmp_path.chmod(0o2775)
    write(tmp_path / "f", b"old\n", None)
    write(tmp_path / "f", b"new")
    assert (tmp_path / "f").stat().st_gid == 4321


@root_only
def test_access_lists_stay(file: Path) -> None:
    anybody = 0xFFFFFFFF
    entries = ((0x01, 6, anybody), (0x02, 4, 1234), (0x04, 4, anybody), (0x10, 6, anybody), (0x20, 0, anybody))
    packed = b"".join(struct.pack("<HHI", tag, rights, who) for tag, rights, who in entries)
    try:
        os.setxattr(file, "system.posix_acl_access", struct.pack("<I", 2) + packed)
    except OSError:
        pytest.skip("this file system has no access lists")
    before = meta(file)
    assert "system.posix_acl_access" in before[4]
    assert write(file, b"new") == "replaced" and meta(file) == before


def test_the_set_user_id_bit_survives_in_place(file: Path) -> None:
    os.link(file, file.with_name("g"))
    file.chmod(0o4755)
    assert write(file, b"new") == "in_place" and stat.S_IMODE(file.stat().st_mode) == 0o4755


@root_only
@pytest.mark.parametrize("flag", ["i", "a"])
def test_files_that_the_system_protects_are_refused(file: Path, flag: str) -> None:
    if subprocess.run(["chattr", f"+{flag}", str(file)], capture_output=True).returncode:
        pytest.skip("this file system has no such flags")
    try:
        assert refusal(file) in ("file-read-only", "write-permission")
        assert file.read_bytes() == b"old\n" and os.listdir(file.parent) == ["f"]
    finally:
        subprocess.run(["chattr", f"-{flag}", str(file)], check=True)


def test_links_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert refusal(tmp_path / "a") == refusal(tmp_path / "a", None) == "file-link-loop"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


@pytest.mark.parametrize("path", ["/proc/self/comm", "/proc/sys/kernel/hostname", "/sys/kernel/mm/ksm/run"])
def test_switches_of_the_kernel_are_no_files(path: str) -> None:
    if not os.access(path, os.R_OK):
        pytest.skip("not on this system")
    before = Path(path).read_bytes()
    assert refusal(path, before, before) in ("file-of-the-kernel", "file-read-only")
    assert refusal("/dev/null") == "file-not-regular" and Path(path).read_bytes() == before


@root_only
def test_a_file_of_somebody_else_in_a_sticky_folder(everybodys_folder: Path) -> None:
    everybodys_folder.chmod(0o1777)
    (everybodys_folder / "f").write_bytes(b"old\n")
    (everybodys_folder / "f").chmod(0o666)
    assert as_ordinary_user(lambda: refusal(everybodys_folder / "f")) == "in_place"
    assert (everybodys_folder / "f").read_bytes() == b"new" and (everybodys_folder / "f").stat().st_uid == 0
    assert os.listdir(everybodys_folder) == ["f"]


def mounted(source: str, target: Path, kind: str | None, flags: int, data: str = "") -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), str(target).encode(), kind and kind.encode(), flags, data.encode()):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def in_own_mounts(work: Callable[[], str]) -> str:
    """What ``work`` returns where mounts end with it; skips where nothing may be mounted."""

    def inside() -> str:
        libc = ctypes.CDLL(None, use_errno=True)
        try:
            if libc.unshare(0x00020000):  # CLONE_NEWNS
                raise OSError(ctypes.get_errno(), "unshare")
            mounted("none", Path("/"), None, 0x4000 | 0x40000)  # MS_REC | MS_PRIVATE
            return work()
        except OSError as error:
            if error.errno in (errno.EPERM, errno.EACCES):
                return "not allowed"
            raise

    answer = in_child(inside)
    if answer == "not allowed":
        pytest.skip("nothing may be mounted here")
    return answer


@root_only
def test_a_full_disk_leaves_the_old_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> str:
        disk = tmp_path / "disk"
        disk.mkdir()
        mounted("tmpfs", disk, "tmpfs", 0, "size=256k")
        (disk / "f").write_bytes(b"old\n")
        (disk / "g").write_bytes(b"old\n")
        os.link(disk / "g", disk / "h")
        big = b"n" * 400_000
        answers = [refusal(disk / "f", data=big), refusal(disk / "g", data=big), refusal(disk / "d" / "x", None, big)]
        left = sorted(os.listdir(disk))
        same = (disk / "f").read_bytes() == (disk / "h").read_bytes() == b"old\n"
        answers.append(refusal(disk / "f", data=b"n" * 10_000))
        return f"{answers} {left} {same}"

    expected = "['write-no-space', 'write-no-space', 'write-no-space', 'replaced'] ['f', 'g', 'h'] True"
    assert in_own_mounts(work) == expected


@root_only
def test_no_room_for_the_safety_copy_changes_nothing(tmp_path: Path) -> None:
    def work() -> str:
        home = tmp_path / "home"
        home.mkdir()
        mounted("tmpfs", home, "tmpfs", 0, "size=64k")
        os.environ["JUPYTER_AGENTTOOLS_HOME"] = str(home)
        path = tmp_path / "f"
        path.write_bytes(b"old\n")
        os.link(path, tmp_path / "g")
        answer = refusal(path, data=b"n" * 200_000)
        return f"{answer} {path.read_bytes() == b'old' + bytes([10])} {os.listdir(home / 'unfinished')}"

    assert in_own_mounts(work) == "write-no-space True []"


@root_only
def test_a_file_that_is_a_mount_point_keeps_being_one(file: Path, tmp_path: Path) -> None:
    def work() -> str:
        (tmp_path / "mounted").touch()
        mounted(str(file), tmp_path / "mounted", None, 0x1000)  # MS_BIND
        return f"{write(tmp_path / 'mounted', b'new')} {file.read_bytes()!r}"

    assert in_own_mounts(work) == "in_place b'new'"


@root_only
def test_a_read_only_disk(file: Path, tmp_path: Path) -> None:
    def work() -> str:
        mounted("tmpfs", tmp_path, "tmpfs", 0, "size=64k")
        (tmp_path / "f").write_bytes(b"old\n")
        mounted("tmpfs", tmp_path, "tmpfs", 0x20 | 0x1)  # MS_REMOUNT | MS_RDONLY
        return f"{refusal(tmp_path / 'f')} {refusal(tmp_path / 'new', None)}"

    assert in_own_mounts(work) == "file-read-only write-permission"


def test_a_concurrent_change_by_a_process_without_manners(file: Path) -> None:
    """Somebody who writes without asking between the reading and the writing: their bytes stay."""
    stop, foreign = threading.Event(), b"by somebody else"

    class Meanwhile(Cancellation):
        def check(self) -> None:
            if not stop.is_set():
                stop.set()
                file.write_bytes(foreign)

    with pytest.raises(ToolError) as error:
        safe_write(str(file), b"mine", cancellation=Meanwhile(), expected_hash=None, expected=b"old\n")
    assert error.value.check_id == "content-changed" and file.read_bytes() == foreign
