"""A person types to a program that runs: what it gets, and what is seen of it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from jupyter_agenttools.core.errors import ToolError, UsageError
from jupyter_agenttools.shell import Job, JobLabel, Jobs, ShellCommand, approved_environment
from jupyter_agenttools.tools.bash.capture import Capture
from tests.support.shell import Mark, until

pytestmark = pytest.mark.anyio

Typed = Callable[[str], Job]


@pytest.fixture
def typed(tmp_path: Path) -> Typed:
    """Start a command that can be typed to, in front."""

    def start(text: str, **env: str) -> Job:
        environment = {**approved_environment(os.environ, {}, {}, ()), **env}
        command = ShellCommand(text, str(tmp_path), environment, "pty", 30.0, typing=True)
        return Jobs().start(command, Capture(tmp_path / "out", 10_000), JobLabel(text))

    return start


async def shows(job: Job, text: str) -> None:
    await until(lambda: text in job.output.tail())


async def ended(job: Job) -> str:
    with anyio.fail_after(10):
        await job.wait()
    return job.output.so_far(10_000)


async def test_an_answer_to_read(typed: Typed) -> None:
    job = typed("read -p 'Name: ' name; echo hello $name")
    await shows(job, "Name: ")
    job.type("Ada")
    assert await ended(job) == "Name: Ada\nhello Ada\n"


async def test_an_answer_to_python(typed: Typed) -> None:
    job = typed("python3 -c " + shlex.quote("print('got', input('Number? '))"))
    await shows(job, "Number? ")
    job.type("42")
    assert "got 42" in await ended(job)


async def test_a_program_asks_before_it_removes(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "b").touch()
    job = typed("rm -i a b")
    await shows(job, "'a'?")
    assert job.over is False
    job.type("y")
    await shows(job, "'b'?")
    job.type("n")
    await ended(job)
    assert not (tmp_path / "a").exists()
    assert (tmp_path / "b").exists()


@pytest.mark.parametrize(
    "program",
    [
        "python3 -c " + shlex.quote("import getpass; print('length', len(getpass.getpass('Password: ')))"),
        "read -sp 'Password: ' secret; echo; echo length ${#secret}",
    ],
)
async def test_a_password_leaves_no_trace(typed: Typed, tmp_path: Path, program: str) -> None:
    job = typed(program)
    await shows(job, "Password: ")
    await until(lambda: job.hides_typing)
    job.type("swordfish")
    text = await ended(job)
    assert "length 9" in text
    assert "swordfish" not in text
    assert b"swordfish" not in (tmp_path / "out").read_bytes()
    assert not job.hides_typing


async def test_what_is_not_hidden_is_shown(typed: Typed) -> None:
    job = typed("read -p 'A: ' a")
    await shows(job, "A: ")
    assert not job.hides_typing
    job.type("x")
    await ended(job)


async def test_the_end_of_input(typed: Typed) -> None:
    job = typed("cat; echo over")
    await until(lambda: job.keyboard)
    job.type("a line")
    await shows(job, "a line\na line\n")
    job.press("end")
    assert (await ended(job)).endswith("over\n")
    assert job.state == "completed"


async def test_an_interrupt_from_the_keyboard(typed: Typed) -> None:
    job = typed("echo up; sleep 300; echo down")
    await shows(job, "up")
    job.press("interrupt")
    text = await ended(job)
    assert "down" not in text
    assert job.signal == 2 or job.exit_code == 130


async def test_a_prompt_looks_like_waiting_and_work_does_not(typed: Typed) -> None:
    asking, working = typed("read -p 'Go on? ' x"), typed("echo working; sleep 300")
    await until(lambda: asking.seems_to_wait)
    await until(lambda: working.output.total_bytes > 0)
    await anyio.sleep(1.2)  # longer than a program may be silent at a prompt before it seems to wait
    assert not working.seems_to_wait
    asking.type("")
    working.stop()
    await ended(asking)
    await ended(working)


async def test_a_line_that_a_terminal_would_cut_is_refused(typed: Typed) -> None:
    job = typed("read x; echo ${#x}")
    await until(lambda: job.keyboard)
    with pytest.raises(UsageError, match="at most"):
        job.type("x" * 5_000)
    job.type("x" * 4_000)
    assert (await ended(job)).endswith("\n4000\n")


async def test_nobody_types_to_what_is_over(typed: Typed) -> None:
    job = typed("true")
    await ended(job)
    with pytest.raises(ToolError):
        job.type("x")


async def test_nothing_lives_on_that_a_terminal_belongs_to(typed: Typed) -> None:
    mark = Mark()
    job = typed("sleep 300 & setsid sleep 300 & read -p 'Now? ' x", **mark.env)
    await shows(job, "Now?")
    job.type("")
    await ended(job)
    assert not mark.alive()


async def test_output_is_whole_when_the_owner_of_the_terminal_ends(typed: Typed) -> None:
    job = typed("seq 1 200000")
    assert (await ended(job)).endswith("199999\n200000\n")
    assert job.output.total_lines == 200_000
