"""A person types to a program that runs: what it gets, and what is seen of it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from jupyter_agenttools.core.errors import ToolError, UsageError
from jupyter_agenttools.shell import Job, JobLabel, Jobs, ShellCommand, approved_environment, input_watch
from jupyter_agenttools.shell.waiting import is_question
from jupyter_agenttools.tools.bash.capture import Capture
from tests.support.shell import Mark, contents, until

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


def program(pid: int) -> str:
    """The name of what a process runs; empty when it is over."""
    return (contents(f"/proc/{pid}/comm") or b"").decode().strip()


async def test_an_interrupt_from_the_keyboard(typed: Typed) -> None:
    mark = Mark()
    job = typed("echo up; sleep 300; echo down", **mark.env)
    await until(lambda: any(name == "sleep" for name in map(program, mark.alive())))  # bash forgets it in between
    job.press("interrupt")
    text = await ended(job)
    assert "down" not in text
    assert job.signal == 2 or job.exit_code == 130


async def test_a_prompt_looks_like_waiting_and_work_does_not(typed: Typed) -> None:
    working = typed("echo working; sleep 300")
    await until(lambda: working.output.total_bytes > 0)
    asking, silent = typed("read -p 'Go on? ' x"), typed("printf 'Go on? '; sleep 300")
    await until(lambda: asking.input.state == "asked")
    await until(lambda: silent.input.state == "asked")
    assert working.input.state == "", "it has been silent for longer than the one that seems to wait"
    asking.type("")
    for job in (working, silent):
        job.stop()
    for job in (asking, working, silent):
        await ended(job)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_watch, "ENDS_AFTER_S", 0.3)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "command", ["cat", "cat; cat", "read x", "sort </dev/tty", "echo building; cat", "(bash -c 'wc -l')", "set -m; cat"]
)
async def test_a_read_that_nobody_was_asked_about_ends(typed: Typed, command: str) -> None:
    job = typed(f"{command}; echo over")
    assert (await ended(job)).endswith("over\n")
    assert job.state == "completed" and job.input.was_ended


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("question", ["read -p 'Name: ' name", "echo 'Your name?'; read name", "read -es name"])
async def test_a_question_can_wait_for_its_answer(typed: Typed, question: str) -> None:
    job = typed(f"{question}; echo hello $name")
    await until(lambda: job.input.state == "asked")
    assert job.input.ends_in_s is None
    job.input.end_vain_input(can_type=True)
    job.type("Ada")
    assert "hello Ada" in await ended(job)
    assert not job.input.was_ended


@pytest.mark.usefixtures("impatient")
async def test_a_person_who_is_about_to_type_has_time(typed: Typed) -> None:
    job = typed("read x; echo got $x")
    job.input.hold()
    await until(lambda: job.input.state == "silent")
    assert job.input.ends_in_s is None
    job.type("this")
    assert (await ended(job)).endswith("got this\n")


async def test_what_asks_in_the_background_is_told_that_nobody_is_there(typed: Typed) -> None:
    job = typed("read -p 'Name: ' name; echo over")
    await shows(job, "Name: ")
    assert job.to_background("bash_1", "person")
    assert (await ended(job)).endswith("over\n")


async def test_a_program_that_only_works_is_never_at_the_end_of_its_input(typed: Typed) -> None:
    job = typed("sleep 0.6 | cat; sleep 0.6; echo over")
    while not job.over:
        assert job.input.state == ""
        await anyio.sleep(0.05)
    assert not job.input.was_ended


@pytest.mark.parametrize(
    ("printed", "question"),
    [
        ("", False), ("Compiling\ndone\n", False), ("3 files (2 new)\n", False), ("Name: ", True), ("Name:\n", True),
        ("Go on?\n", True), ("Overwrite [y/N]\n", True), ("Press Enter to go on\n", True), ("mystery now\n", False),
    ],
)  # fmt: skip
def test_what_looks_like_a_question(printed: str, question: bool) -> None:
    assert is_question(printed) is question


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
