"""Jobs from start to end: how they stand, who waits for them, how they are stopped."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from jupyter_agenttools.core.errors import ToolError
from jupyter_agenttools.shell import Job, JobLabel, Jobs, ShellCommand, approved_environment
from jupyter_agenttools.shell import jobs as jobs_module
from jupyter_agenttools.tools.bash.capture import Capture
from tests.support.shell import Mark, until

pytestmark = pytest.mark.anyio

Start = Callable[..., Job]


class Seen:
    """What a list of jobs told, in order, with the size of the output file at that moment."""

    def __init__(self) -> None:
        self.news: list[tuple[str, str, int]] = []

    def moved(self, job: Job) -> None:
        self.news.append(("moved", job.id, job.output.path.stat().st_size))

    def ended(self, job: Job) -> None:
        self.news.append(("ended", job.id, job.output.path.stat().st_size))


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def jobs(seen: Seen) -> Jobs:
    return Jobs(seen.moved, seen.ended)


@pytest.fixture
def start(jobs: Jobs, tmp_path: Path) -> Start:
    def start(text: str, *, background: bool = True, env: dict[str, str] | None = None, timeout_s=None) -> Job:
        number = len(jobs.all())
        environment = {**approved_environment(os.environ, {}, {}, ()), **(env or {})}
        command = ShellCommand(text, str(tmp_path), environment, "pty", timeout_s)
        output = Capture(tmp_path / f"out{number}", 10_000)
        return jobs.start(command, output, JobLabel(text, tool_use_id=f"call_{number}"), background=background)

    return start


async def over(job: Job) -> Job:
    with anyio.fail_after(10):
        await job.wait()
    return job


def shell_of(job: Job, mark: Mark) -> int:
    """The process of the job's shell: the one whose parent is no marked process."""
    import psutil

    marked = mark.alive()
    (shell,) = [pid for pid in marked if psutil.Process(pid).ppid() not in marked]
    return shell


@pytest.mark.parametrize(
    ("text", "state", "words", "code", "number"),
    [
        ("true", "completed", "completed, exit code 0", 0, None),
        ("exit 7", "failed", "failed, exit code 7", 7, None),
        ("kill -9 $$", "killed", "killed by signal 9 (SIGKILL)", None, 9),
        ("kill -SEGV $$", "killed", "killed by signal 11 (SIGSEGV)", None, 11),
    ],
)
async def test_how_it_ended_is_told(start: Start, text: str, state: str, words: str, code: int, number: int) -> None:
    job = await over(start(text))
    assert (job.state, job.state_words, job.exit_code, job.signal) == (state, words, code, number)


async def test_killed_from_outside_it_keeps_what_it_printed(start: Start, seen: Seen) -> None:
    mark = Mark()
    job = start("echo start; sleep 300; echo end", env=mark.env)
    await until(lambda: job.output.total_lines)
    assert job.state == "running"
    os.kill(await anyio.to_thread.run_sync(shell_of, job, mark), signal.SIGKILL)
    await over(job)
    assert (job.state, job.signal) == ("killed", 9)
    assert job.output.path.read_bytes() == b"start\n"
    assert seen.news == [("moved", job.id, 0), ("ended", job.id, 6)], "the file was there before anybody was told"
    assert not mark.alive()


async def test_its_time_is_up(start: Start) -> None:
    job = await over(start("echo a; sleep 300", timeout_s=0.3))
    assert (job.state, job.exit_code) == ("timed out", None)


async def test_a_command_that_cannot_start_failed(jobs: Jobs, tmp_path: Path) -> None:
    command = ShellCommand("true", str(tmp_path / "gone"), {"PATH": "/bin:/usr/bin"}, "pipes")
    job = await over(jobs.start(command, Capture(tmp_path / "out", 100), JobLabel("true"), background=True))
    assert job.state == "failed"
    assert "could not be started" in job.state_words and "gone" in job.state_words


async def test_stopping_ends_everything_it_started(start: Start) -> None:
    mark = Mark()
    job = start("trap '' TERM; sleep 300 & setsid sleep 300 & echo up; sleep 300", env=mark.env)
    assert await anyio.to_thread.run_sync(mark.wait_until, True)
    assert await job.stop_and_wait("stopped by a test")
    assert (job.state, job.state_words) == ("killed", "killed (stopped by a test)")
    assert not mark.alive()


async def test_stopped_while_it_ends_it_is_told_as_one_of_both(start: Start) -> None:
    for delay in range(12):
        job = start("exit 0")
        await anyio.sleep(delay / 1000)
        job.stop("stopped by a test")
        await over(job)
        assert job.state in ("completed", "killed")
        assert job.state == "killed" or job.exit_code == 0
        assert (job.end is not None) and (job.end.stopped is not None) == (job.state == "killed")


async def test_many_readers_and_one_end(start: Start) -> None:
    job, read = start("sleep 0.2; echo done; exit 3"), []

    async def reader() -> None:
        await over(job)
        read.append((job.state, job.exit_code, job.output.so_far(1_000)))

    async with anyio.create_task_group() as group:
        for _ in range(20):
            group.start_soon(reader)
        impatient = anyio.move_on_after(0.05)
        with impatient:
            await job.wait()
    assert impatient.cancelled_caught
    assert read == [("failed", 3, "done\n")] * 20


async def test_waiting_in_two_loops(start: Start) -> None:
    job = start("sleep 0.2")
    other = await anyio.to_thread.run_sync(lambda: anyio.run(job.wait))
    await over(job)
    assert other is None


async def test_moved_while_somebody_waits(jobs: Jobs, start: Start, seen: Seen) -> None:
    job = start("echo a; sleep 0.4; echo b", background=False)
    thread = threading.Timer(0.1, jobs.move_to_background, ("call_0",))
    thread.start()
    with anyio.fail_after(5):
        await job.wait_in_front()
    assert (job.over, job.moved_by) == (False, "person")
    assert jobs.find(job.id) is job
    assert not jobs.move(job, "person"), "once is enough"
    await over(job)
    assert job.output.path.read_bytes() == b"a\nb\n"
    assert [news[0] for news in seen.news] == ["moved", "ended"]


async def test_moving_takes_the_time_limit_away(jobs: Jobs, start: Start) -> None:
    job = start("sleep 2.5; echo b", background=False, timeout_s=2.0)
    assert jobs.move(job, "person")
    await over(job)
    assert (job.state, job.output.so_far(100)) == ("completed", "b\n")


async def test_what_is_over_is_not_moved(jobs: Jobs, start: Start, seen: Seen) -> None:
    job = start("true", background=False)
    await over(job)
    assert not jobs.move(job, "person")
    assert not jobs.move_to_background("call_0")
    assert seen.news == []
    await until(lambda: not jobs.all())  # what ran in front is forgotten with its end


async def test_moves_and_ends_at_the_same_time_are_told_in_order(jobs: Jobs, start: Start, seen: Seen) -> None:
    for delay in range(15):
        job = start("true", background=False)
        await anyio.sleep(delay / 1000)
        moved = jobs.move(job, "person")
        await over(job)
        await until(lambda: not jobs.running_in_background() and not jobs.of_call(job.label.tool_use_id))  # noqa: B023
        if moved:
            await until(lambda: ("ended", job.id) in [news[:2] for news in seen.news])  # noqa: B023
        told = [news[0] for news in seen.news if news[1] == job.id]
        assert told == (["moved", "ended"] if moved else [])


async def test_only_so_many_run_at_once(start: Start, jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "MAX_RUNNING", 2)
    start("sleep 300")
    start("sleep 300")
    with pytest.raises(ToolError) as caught:
        start("true")
    assert caught.value.check_id == "too-many-jobs"
    await jobs.aclose()


async def test_ended_ones_are_kept_for_a_while(start: Start, jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "KEPT_ENDED", 2)
    ids = []
    for _ in range(4):
        job = await over(start("true"))
        ids.append(job.id)
    await until(lambda: len(jobs.all()) == 2)
    assert [job.id for job in jobs.all()] == ids[2:]


async def test_closing_ends_all_and_starts_nothing(start: Start, jobs: Jobs) -> None:
    mark = Mark()
    for _ in range(3):
        start("setsid sleep 300 & sleep 300", env=mark.env)
    assert await anyio.to_thread.run_sync(mark.wait_until, True)
    await jobs.aclose()
    assert not mark.alive()
    assert {job.state for job in jobs.all()} == {"killed"}
    with pytest.raises(ToolError) as caught:
        start("true")
    assert caught.value.check_id == "session-closed"


async def test_the_file_is_capped_and_says_so(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyter_agenttools.shell import output

    monkeypatch.setattr(output, "MAX_FILE_BYTES", 100_000)
    job = await over(start("head -c 1000000 /dev/zero | tr '\\0' a"))
    assert job.output.path.stat().st_size == 100_000
    assert job.output.total_bytes == 1_000_000
    assert any("first" in gap for gap in job.output.gaps)
