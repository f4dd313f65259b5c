"""The sandbox for commands: a view of the system in which little can be written, and nothing reached over the network.

Bubblewrap (Linux) makes it: user, process, network and IPC namespaces of its own, the whole file system read-only, the
writable folders bound into it, a ``/tmp`` and a ``/run`` of its own. On macOS the same would be a Seatbelt profile:
``(deny default)``, ``(allow file-read*)``, ``(allow file-write* (subpath …))`` for each writable folder, then the
denials in the same order as here, since the last matching rule holds; there is none in this version.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from .environment import looks_secret
from .sandbox_mounts import NOTHING_PROTECTED, Mount, Protection, held_places, is_below, protect
from .sandbox_probe import SandboxSupport, sandbox_support

PRIVATE_FOLDERS = ("/run", "/tmp", "/var/tmp")
"""Empty inside: there are the sockets by which the rest of the system can be told to do something."""

FILTER_FD = 196
"""By this descriptor bubblewrap gets the filter of system calls; nothing of it is left in the command."""

SECRET_PLACES = (
    ".aws .azure .config/gcloud .config/gh .config/op .docker .git-credentials .gnupg .kube .local/share/keyrings "
    ".local/share/jupyter/runtime .netrc .npmrc .password-store .pypirc .ssh Library/Jupyter/runtime"
).split()
"""Below the home folder: what holds keys and passwords, and the keys of running Jupyter kernels."""

_CACHES: Mapping[str, str] = {
    "TMPDIR": "/tmp",
    "XDG_CACHE_HOME": "/tmp/.cache",
    "PIP_CACHE_DIR": "/tmp/.cache/pip",
    "MPLCONFIGDIR": "/tmp/.cache/matplotlib",
    "npm_config_cache": "/tmp/.cache/npm",
}
"""The home folder cannot be written to: what programs keep there for later goes to the private ``/tmp``."""

_REACHES_OUT = frozenset(
    "DBUS_SESSION_BUS_ADDRESS DISPLAY DOCKER_HOST JPY_PARENT_PID JPY_SESSION_NAME SSH_AGENT_PID SSH_AUTH_SOCK "
    "WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR".split()
)
"""Variables that lead to something that is not there inside."""


@dataclass(frozen=True)
class SandboxProfile:
    """What a command can do inside.

    Args:
        writable: folders that it may write to, absolute.
        read_only: files and folders in them that it may not, absolute.
        hidden: files and folders that it cannot see, absolute.
        protected: names in each writable folder that decide what runs later: read-only, and when they are not there,
            they cannot be made.
        network: whether the network is there.
    """

    writable: tuple[str, ...]
    read_only: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    protected: Protection = NOTHING_PROTECTED
    network: bool = False


class SandboxProblem(OSError):
    """The sandbox cannot be had for this command; says why."""


def sandboxed_environment(env: Mapping[str, str]) -> dict[str, str]:
    """The environment inside: no keys, nothing that leads outside, caches in the private ``/tmp``."""
    kept = {n: v for n, v in env.items() if n not in _REACHES_OUT and not looks_secret(n)}
    return {**kept, **_CACHES}


@contextmanager
def open_sandbox(profile: SandboxProfile, cwd: str, support: SandboxSupport | None = None) -> Iterator[tuple[str, ...]]:
    """The words before a command that make it run in the sandbox, in ``cwd``, for as long as the block is open.

    Inside of the block there are empty folders at places that are protected and were not there. Where the words name
    :data:`FILTER_FD`, the command needs the filter of :func:`.sandbox_calls.call_filter` there.

    Raises:
        SandboxProblem: there is none on this machine, or it cannot protect what it should.
    """
    support = support or sandbox_support()
    if support.program is None:
        raise SandboxProblem(support.problem)
    try:
        mounts = [mount for root in profile.writable for mount in protect(root, profile.protected)]
    except OSError as error:
        raise SandboxProblem(f"{error.filename} cannot be protected in the sandbox: {error.strerror}") from error
    with held_places(mount for mount in mounts if mount.kind in ("absent", "unwanted")):
        filtered = ("--seccomp", str(FILTER_FD)) if support.filters else ()
        yield (support.program, *support.options, *filtered, *_arguments(profile, mounts), "--chdir", cwd, "--")


def _arguments(profile: SandboxProfile, mounts: Iterable[Mount]) -> Iterator[str]:
    yield from ("--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
    if profile.network:
        yield "--share-net"
    yield from ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
    for folder in PRIVATE_FOLDERS:
        if os.path.isdir(folder) and not os.path.islink(folder):
            yield from ("--tmpfs", folder)
    if profile.network:
        yield from _resolver()
    for root in profile.writable:
        yield from ("--bind", root, root)
    for mount in mounts:
        yield from mount.arguments()
    home = os.path.expanduser("~")
    for path in (os.path.join(home, name) for name in SECRET_PLACES):
        if not any(is_below(root, os.path.realpath(path)) for root in profile.writable):
            yield from _hidden(path)
    for path in profile.read_only:
        yield from ("--ro-bind-try", path, path)
    for path in profile.hidden:
        yield from _hidden(path)


def _resolver() -> Iterator[str]:
    """Where names of hosts are looked up, which often lies in ``/run``."""
    path = os.path.realpath("/etc/resolv.conf")
    if any(is_below(path, folder) for folder in PRIVATE_FOLDERS) and os.path.isfile(path):
        yield from ("--ro-bind", path, path)


def _hidden(path: str) -> Iterator[str]:
    real = os.path.realpath(path)
    if any(is_below(real, folder) for folder in PRIVATE_FOLDERS) and not os.path.exists(real):
        return
    if os.path.isdir(real):
        yield from ("--tmpfs", real, "--remount-ro", real)
    elif os.path.exists(real):
        yield from ("--ro-bind", "/dev/null", real)
