"""Nothing of a command is alive when it is over, on whatever path it ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from jupyter_agenttools.shell import ShellCommand, ShellRun
from jupyter_agenttools.shell import run as run_module
from jupyter_agenttools.shell import starter as starter_module
from jupyter_agenttools.shell.supervisor import children_by_ps, children_of, descendants
from jupyter_agenttools.shell.transports import TransportName
from tests.support.shell import Mark, Runner, until, wait_for_text

pytestmark = pytest.mark.anyio

LEAVES_SOMETHING = {
    "background": "sleep 300 &",
    "subshell": "(sleep 300 &)",
    "own session": "setsid sleep 300 &",
    "nohup and disown": "nohup sleep 300 >/dev/null 2>&1 & disown",
    "double fork": "setsid sh -c 'setsid sh -c \"sleep 300 & exit\" & exit' &",
    "loop": "(while :; do sleep 0.37; done) &",
    "deaf to SIGTERM": "(trap '' TERM; while :; do sleep 0.37; done) &",
    "no environment": "env -i sh -c 'sleep 300 # '$SHELL_TEST_MARK &",
    "no outputs": "setsid sleep 300 >/dev/null 2>&1 </dev/null 197>&- 198>&- 199>&- &",
    "stopped": "sleep 300 & kill -STOP $!",
    "hops from process to process": "hop() { (( $1 < 20000 )) && hop $(( $1 + 1 )) & }; hop 0",
}


@pytest.fixture(params=LEAVES_SOMETHING, ids=str)
def leaving(request: pytest.FixtureRequest) -> str:
    return LEAVES_SOMETHING[request.param]


async def test_what_is_left_in_the_background_ends_with_the_command(sh: Runner, mark: Mark, leaving: str) -> None:
    ran = await sh(f"{leaving}\necho over", env=mark.env)
    assert not mark.alive()
    assert (ran.out, ran.exit.status, ran.exit.stopped, ran.exit.left) == ("over\n", 0, None, ())


async def test_a_time_limit_ends_everything(sh: Runner, mark: Mark, leaving: str) -> None:
    ran = await sh(f"echo one; {leaving}\nsleep 60; echo two", env=mark.env, timeout_s=1.0, transport="pty")
    assert not mark.alive()
    assert (ran.out, ran.exit.stopped) == ("one\n", "timeout")
    assert ran.exit.duration_ms < 20_000


async def test_a_cancelled_task_ends_everything_first(sh: Runner, mark: Mark, transport: TransportName) -> None:
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: sh("setsid sleep 300 & sleep 300", env=mark.env, transport=transport))
            assert await anyio.to_thread.run_sync(mark.wait_until, True)
            scope.cancel()
    assert scope.cancelled_caught
    assert not mark.alive()


async def test_a_stop_gives_time_to_clean_up_and_keeps_the_output(sh: Runner, mark: Mark, tmp_path: Path) -> None:
    runs: list[ShellRun] = []
    command = "trap 'echo cleaned; exit 7' TERM; echo begun; sleep 300 & wait"
    async with anyio.create_task_group() as group:

        async def run() -> None:
            ran = await sh(command, env=mark.env, started=runs.append)
            assert (ran.out, ran.exit.status, ran.exit.stopped) == ("begun\ncleaned\n", 7, "cancelled")

        group.start_soon(run)
        assert await anyio.to_thread.run_sync(wait_for_text, tmp_path / "out", b"begun")
        runs[0].stop(grace_s=20)
    assert not mark.alive()


async def test_a_second_stop_kills_at_once(sh: Runner, mark: Mark, tmp_path: Path) -> None:
    runs: list[ShellRun] = []
    async with anyio.create_task_group() as group:

        async def run() -> None:
            ran = await sh("trap '' TERM; echo begun; sleep 300", env=mark.env, started=runs.append)
            assert ran.exit.status == -signal.SIGKILL
            assert ran.exit.duration_ms < 20_000

        group.start_soon(run)
        assert await anyio.to_thread.run_sync(wait_for_text, tmp_path / "out", b"begun")
        runs[0].stop(grace_s=60)
        runs[0].stop(grace_s=60)
    assert not mark.alive()


async def test_a_stop_before_the_start_runs_nothing(sh: Runner, tmp_path: Path) -> None:
    ran = await sh(f"touch {tmp_path}/made", started=ShellRun.stop)
    assert ran.exit.stopped == "cancelled"
    assert not (tmp_path / "made").exists()


async def test_a_killed_supervisor_takes_everything_along(sh: Runner, mark: Mark) -> None:
    ran = await sh("setsid sleep 300 & echo before; kill -9 $PPID; sleep 300", env=mark.env)
    assert ran.exit.supervisor_lost
    assert ran.out == "before\n"
    assert mark.wait_until(False, 1.0)


async def test_one_supervisor_watches_one_call_after_the_other(sh: Runner) -> None:
    first = (await sh("echo $PPID")).out
    assert (await sh("echo $PPID", transport="pty")).out == first
    assert (await sh("exit 3")).exit.status == 3
    assert (await sh("echo $PPID; pwd", cwd="/")).out == f"{first}/\n"


def is_over(pid: int) -> bool:
    """Whether a process has let go of everything that it held."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True


async def test_a_supervisor_that_was_killed_between_two_calls_is_replaced(sh: Runner) -> None:
    first = (await sh("echo $PPID")).out
    os.kill(int(first), signal.SIGKILL)
    await until(lambda: is_over(int(first)))  # a signal takes a moment
    ran = await sh("echo $PPID")
    assert ran.out.strip().isdecimal() and ran.out != first
    assert not ran.exit.supervisor_lost


async def test_a_stop_that_comes_too_late_does_not_reach_the_next_call(sh: Runner) -> None:
    runs: list[ShellRun] = []
    await sh("true", started=runs.append)
    runs[0].stop()
    runs[0].stop()
    ran = await sh("sleep 0.1; echo whole")
    assert (ran.out, ran.exit.stopped, ran.exit.status) == ("whole\n", None, 0)


async def test_a_call_with_what_survives_it_leaves_its_supervisor_clean(sh: Runner, mark: Mark) -> None:
    for _ in range(3):
        await sh("sleep 300 & exit 0", env=mark.env)
        assert not mark.alive()


async def test_what_is_stopped_is_woken_to_end_itself(sh: Runner, tmp_path: Path) -> None:
    trap = f"trap 'echo cleaned > {tmp_path}/said; exit' TERM"
    ran = await sh(f"{trap}; kill -STOP $BASHPID; sleep 60", timeout_s=0.3)
    assert ran.exit.stopped == "timeout"
    assert (tmp_path / "said").read_text() == "cleaned\n"


async def test_a_stopped_supervisor_is_given_up_and_its_tree_ends(
    sh: Runner, mark: Mark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "LOST_S", 0.3)
    monkeypatch.setattr(run_module, "TIMEOUT_GRACE_S", 0.2)
    ran = await sh("sleep 300 & kill -STOP $PPID; sleep 60", env=mark.env, timeout_s=0.5)
    assert ran.exit.supervisor_lost and ran.exit.stopped == "timeout"
    assert mark.wait_until(some_alive=False, within_s=1.0)
    assert (await sh("echo on")).out == "on\n"


async def test_a_killed_starter_is_replaced(sh: Runner) -> None:
    assert (await sh("echo one")).out == "one\n"
    process = starter_module.starter._process
    assert process is not None
    process.kill()
    process.wait()
    assert (await sh("echo two")).out == "two\n"


def test_a_child_that_the_kernel_forked_can_run_commands_too() -> None:
    def run() -> int | None:
        return getattr(ShellRun(ShellCommand("exit 5", "/", {"PATH": "/bin"}), {})._run(), "status", None)

    assert run() == 5
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = 0 if run() == 5 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert run() == 5


KERNEL = """
import os, sys, anyio
from jupyter_agenttools.shell import ShellCommand, ShellRun
if "fork" in sys.argv:
    import multiprocessing
    worker = multiprocessing.get_context("fork").Process(target=__import__("time").sleep, args=(60,))
command = ShellCommand("setsid sleep 300 & sleep 300", "/", dict(os.environ), sys.argv[1])
run = ShellRun(command, {"stdout": print, "stderr": print})
async def main():
    async with anyio.create_task_group() as group:
        group.start_soon(run.run)
        if "fork" in sys.argv:
            while run._child is None:
                await anyio.sleep(0.01)
            worker.start()
        print("running", worker.pid if "fork" in sys.argv else 0, flush=True)
anyio.run(main)
"""


@pytest.mark.parametrize("how", ["plain", "fork"])
def test_a_killed_kernel_leaves_nothing(mark: Mark, transport: TransportName, how: str) -> None:
    """With ``fork`` a child of the kernel holds copies of its sockets, so that its death closes none."""
    argv, env = [sys.executable, "-c", KERNEL, transport, how], {**os.environ, **mark.env}
    with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, text=True) as kernel:
        assert kernel.stdout is not None
        worker = int(kernel.stdout.readline().split()[1])
        deadline = time.monotonic() + 60
        while len(_sleepers(mark)) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(_sleepers(mark)) == 2
        os.kill(kernel.pid, signal.SIGKILL)
        kernel.wait()
        gone_by = time.monotonic() + 1.0
        while _sleepers(mark) and time.monotonic() < gone_by:
            time.sleep(0.01)
        left = _sleepers(mark)
        if worker:
            os.kill(worker, signal.SIGKILL)
        assert not left
    assert mark.wait_until(False, 1.0)


def _sleepers(mark: Mark) -> list[int]:
    return [pid for pid in mark.alive() if _arguments(pid)[:1] == [b"sleep"]]


def _arguments(pid: int) -> list[bytes]:
    try:
        return Path("/proc", str(pid), "cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def test_both_ways_of_finding_children_agree() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 300 & sleep 300 & wait"], start_new_session=True) as parent:
        deadline = time.monotonic() + 60
        while len(children_of(parent.pid)) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(children_of(parent.pid)) == 2
        assert sorted(children_of(parent.pid)) == sorted(children_by_ps(parent.pid))
        assert set(children_of(parent.pid)) <= set(descendants(os.getpid()))
        os.killpg(parent.pid, signal.SIGKILL)


def test_a_child_of_another_thread_is_found() -> None:
    started: list[subprocess.Popen[bytes]] = []
    ready, done = threading.Event(), threading.Event()

    def start() -> None:
        started.append(subprocess.Popen(["sleep", "300"]))
        ready.set()
        done.wait(10)

    thread = threading.Thread(target=start)
    thread.start()
    assert ready.wait(10)
    assert started[0].pid in children_of(os.getpid())
    done.set()
    thread.join()
    started[0].kill()
    started[0].wait()
