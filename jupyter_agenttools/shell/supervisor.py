"""A process beside the kernel that starts commands and leaves nothing of them alive.

Run as a script (``python -I -S supervisor.py FD``). Three roles::

    kernel ── starter ── supervisor of one call ── bash ── whatever the command starts
                      ├─ supervisor of another call ── …
                      └─ spare: the next supervisor, waiting (a fork costs more than a start of bash)

A supervisor adopts every orphan of its call (child subreaper), so nothing that the command starts can leave its
tree. A call is over when ``waitpid`` says that the tree is empty; then the supervisor waits for another one, or for
the kernel to let it go. When the kernel dies, its end of the control socket is closed and the supervisor kills
everything at once. When a supervisor is killed, the starter adopts and kills its tree.

What a supervisor says on the control socket, one line each: ``pid PID`` once, then for each call ``failed STEP ERRNO``,
``exit WAITSTATUS``, ``gone`` or ``left PID …``. What it obeys: ``stop GRACE_MS`` (SIGTERM, SIGKILL after the grace),
``kill``, end of file. A call begins with a message that carries descriptors.
"""

from __future__ import annotations

import array  # noqa: F401 (socket.recv_fds loads it: once here instead of once in every supervisor)
import ctypes
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from typing import NamedTuple

END_GRACE_S = 0.25
"""What a command left running in the background gets to end by itself after the command's own end."""

GIVE_UP_S = 2.0
"""After this long a process that survives SIGKILL (it hangs inside the operating system) is told of instead."""

KILL_PAUSE_S = 0.005
STRAY_PAUSE_S = 0.05
PR_SET_CHILD_SUBREAPER = 36
CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
"""What comes over a socket is not inherited, where the platform can do that."""

PROC_KNOWS_CHILDREN = os.path.exists("/proc/thread-self/children")


def become_subreaper() -> bool:
    """Have every orphan below this process become its child. Whether the platform can do that."""
    try:
        return ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    except AttributeError:
        return False


def children_of(pid: int) -> list[int]:
    """The direct children of a process."""
    if not PROC_KNOWS_CHILDREN:
        return children_by_ps(pid)
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def children_by_ps(pid: int) -> list[int]:
    """The direct children of a process, on a platform that has no ``/proc/PID/task/TID/children``."""
    ps = subprocess.Popen(["ps", "-A", "-o", "pid=,ppid="], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    rows = [line.split() for line in ps.communicate()[0].splitlines()]
    return [int(child) for child, parent in rows if int(parent) == pid and int(child) != ps.pid]


def descendants(pid: int) -> list[int]:
    """Every process below ``pid``, parents first."""
    found = children_of(pid)
    for child in found:
        found += children_of(child)
    return found


def send_signal(pids: list[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def wake_on_child_exit() -> int:
    """A descriptor that becomes readable when a child ends."""
    readable, writable = os.pipe()
    os.set_blocking(readable, False)
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    return readable


def watch_process(pid: int) -> int | None:
    """A descriptor that becomes readable when that process ends, where the platform has such.

    A kernel that forked may have left copies of its sockets to its children: then its death closes nothing.
    """
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def drain(descriptor: int) -> bool:
    """Empty a descriptor that does not block. Whether there was anything."""
    found = False
    with suppress(BlockingIOError):
        while os.read(descriptor, 4096):
            found = True
    return found


class Supervisor:
    """Waits for one shell, then for the end of everything it started."""

    def __init__(self, post: Post, shell: int, is_boxed: bool) -> None:
        self.control = post.control
        self.shell = shell
        self.is_boxed = is_boxed
        self.wake = post.wake
        self.adopts = post.adopts
        self.watched: list[socket.socket | int] = [*post.sources, post.wake]
        self.status: int | None = None
        self.kill_at: float | None = None
        self.give_up_at: float | None = None

    def run(self) -> bool:
        """Return when nothing is left (``True``), or when what is left cannot be killed."""
        while self.something_lives():
            now = time.monotonic()
            if self.kill_at is not None and now >= self.kill_at:
                self.give_up_at = self.give_up_at or now + GIVE_UP_S
                if now >= self.give_up_at:
                    self.tell("left", *descendants(os.getpid()))
                    return False
                self.signal_all(signal.SIGKILL)
            self.wait()
        if not self.adopts:
            self.signal_all(signal.SIGKILL)
        self.tell("gone", status=self.status)
        return True

    def something_lives(self) -> bool:
        """Collect who has ended. As an adopting parent, having no child means having no descendant."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == self.shell:
                self.status = status
            if pid == 0:
                if self.status is not None:
                    self.tell(status=self.status)
                    self.status = None
                    self.end_by(END_GRACE_S)
                return True

    def end_by(self, grace_s: float) -> None:
        """Ask everything to end, and kill it after the grace."""
        due = time.monotonic() + grace_s
        if self.kill_at is None:
            self.signal_all(signal.SIGTERM)
            self.signal_all(signal.SIGCONT)  # what is stopped could not end itself
        self.kill_at = due if self.kill_at is None else min(self.kill_at, due)

    def signal_all(self, number: int) -> None:
        pids = descendants(os.getpid())
        if self.is_boxed and number != signal.SIGKILL:  # the end of the box would be a SIGKILL for all that is in it
            pids = [pid for pid in pids if pid != self.shell]
        send_signal(pids, number)
        if not self.adopts:  # what has left the tree can still be reached in the shell's group
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.shell, number)

    def wait(self) -> None:
        """Sleep until a child ends, an order comes, or the next signal is due."""
        timeout = None
        if self.kill_at is not None:
            timeout = max(self.kill_at - time.monotonic(), KILL_PAUSE_S)
        ready = select.select(self.watched, [], [], timeout)[0]
        if self.wake in ready:
            drain(self.wake)
        if [source for source in ready if source != self.wake]:
            self.obey(self.control.recv(256) if self.control in ready else b"")

    def obey(self, orders: bytes) -> None:
        if not orders:  # the kernel is gone
            self.watched = [self.wake]
        words = orders.split()
        if not words or b"kill" in words:
            self.end_by(0.0)
        else:
            self.end_by(int(words[-1]) / 1000)

    def tell(self, *words: object, status: int | None = None) -> None:
        """Say how the shell ended, if ``status`` is given, and these words."""
        ended = b"" if status is None else b"exit %d\n" % status
        with suppress(OSError):
            self.control.sendall(ended + (" ".join(map(str, words)).encode() + b"\n" if words else b""))


class Post(NamedTuple):
    """What a supervisor has from its first call to its last: see :class:`Supervisor`."""

    control: socket.socket
    wake: int
    kernel: int | None
    adopts: bool

    @property
    def sources(self) -> list[socket.socket | int]:
        """Where the kernel is heard, or its end."""
        return [self.control] + ([self.kernel] if self.kernel is not None else [])


def supervise(requests: socket.socket, kernel: int | None, taken: int) -> None:
    """The whole life of a supervisor: wait for calls, start their shells, and see to the end of everything."""
    os.setsid()
    adopts = become_subreaper()
    wake = wake_on_child_exit()
    sources = [requests] + ([kernel] if kernel is not None else [])
    if requests not in select.select(sources, [], [])[0]:
        return
    message, received, _, _ = socket.recv_fds(requests, 1, 1)
    if not message:
        return
    requests.close()
    post = Post(socket.socket(fileno=received[0]), wake, kernel, adopts)
    post.control.set_inheritable(False)
    post.control.sendall(b"pid %d\n" % os.getpid())
    is_first = True
    while descriptors := next_call(post):
        started = start_shell(post.control, *descriptors)
        if is_first:  # only now: the fork of another spare takes time from this call
            os.write(taken, b"+")
            is_first = False
        if started is not None and not Supervisor(post, *started).run():
            return
        os.chdir("/")


def next_call(post: Post) -> list[int]:
    """The descriptors of the next call; none when the kernel wants no more. Orders to the call before are over."""
    while post.control in select.select(post.sources, [], [])[0]:
        message, descriptors, _, _ = socket.recv_fds(post.control, 256, 16, CLOSE_ON_EXEC)
        if descriptors or not message:
            return list(descriptors)
    return []


def start_shell(control: socket.socket, described: int, *descriptors: int) -> tuple[int, bool] | None:
    """Start the job's program in a session of its own; its descriptors get the numbers that the job names.

    Returns its process, and whether that is only the box in which the job runs.
    """
    for descriptor in () if CLOSE_ON_EXEC else (described, *descriptors):
        os.set_inheritable(descriptor, False)
    program, argv, env, cwd, numbers, is_boxed = marshal.loads(os.read(described, os.fstat(described).st_size))
    step = "chdir"
    try:
        os.chdir(cwd)
        step = "exec"
        shell = os.posix_spawn(
            program,
            argv,
            env,
            file_actions=[(os.POSIX_SPAWN_DUP2, *pair) for pair in zip(descriptors, numbers, strict=True)],
            setsid=True,
            setsigmask=(),
            setsigdef=(signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD),  # Python changed these
        )
        return shell, is_boxed
    except OSError as error:
        control.sendall(f"failed {step} {error.errno}\ngone\n".encode())
        return None
    finally:
        for descriptor in (described, *descriptors):
            os.close(descriptor)


class Starter:
    """Keeps a spare supervisor ready until the kernel is gone, and cleans up after supervisors that were killed."""

    def __init__(self, requests: socket.socket) -> None:
        self.requests = requests
        self.kernel = watch_process(os.getppid())
        self.wake = wake_on_child_exit()
        self.taken, self.take = os.pipe()
        os.set_blocking(self.taken, False)
        self.supervisors: set[int] = set()
        self.spare = self.fork()

    def fork(self) -> int:
        pid = os.fork()
        if pid == 0:
            try:
                signal.set_wakeup_fd(-1)
                supervise(self.requests, self.kernel, self.take)
            finally:
                os._exit(0)
        self.supervisors.add(pid)
        return pid

    def run(self) -> None:
        """Return when the kernel is gone and every call is over."""
        pause: float | None = None
        while self.supervisors or pause:
            select.select([self.wake, self.taken], [], [], pause)
            drain(self.wake)
            if drain(self.taken):
                self.spare = self.fork()
            self.collect()
            pause = self.kill_strays()

    def collect(self) -> None:
        """Take note of supervisors that ended. A spare that ends by itself has seen the end of the kernel."""
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                self.supervisors.discard(pid)
                if pid == self.spare and os.WIFSIGNALED(status):
                    self.spare = self.fork()

    def kill_strays(self) -> float | None:
        """Kill what killed supervisors have left. Seconds until the next look, if one is due."""
        strays = [pid for pid in children_of(os.getpid()) if pid not in self.supervisors]
        for stray in strays:
            send_signal([stray, *descendants(stray)], signal.SIGKILL)
        return STRAY_PAUSE_S if strays else None


if __name__ == "__main__":
    become_subreaper()
    Starter(socket.socket(fileno=int(sys.argv[1]))).run()
