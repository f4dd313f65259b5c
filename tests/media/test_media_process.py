"""Whatever becomes of the process that decodes, nothing happens here."""

from __future__ import annotations

import re
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools.core.cancel import Cancellation
from jupyter_agenttools.core.errors import InterruptedToolError
from jupyter_agenttools.media import process as module
from jupyter_agenttools.media.frames import packed, unpacked
from jupyter_agenttools.media.process import MediaProblem, MediaProcess
from tests.support.media_files import photo, png, saved

ASK = {"do": "check"}
HANG = "import sys; sys.stdin.buffer.read()"


def problem_of(
    program: str, monkeypatch: pytest.MonkeyPatch, seconds: float = 20.0, data: bytes = b"x"
) -> MediaProblem:
    monkeypatch.setattr(module, "START", program)
    with MediaProcess(Cancellation()) as process, pytest.raises(MediaProblem) as problem:
        process.ask(ASK, (data,), seconds)
    assert not process.is_running
    return problem.value


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "crashed .signal 11"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)", "more time"),
        ("import os; os._exit(3)", "status 3"),
        ("import os, time; os.write(1, b'\\xff' * 100); time.sleep(60)", "no proper answer"),
        ("import os, time; os.write(1, b'\\0\\0\\0\\x08{\"a\": 1}'); time.sleep(60)", "no proper answer"),
    ],
)
def test_a_process_that_dies_or_babbles_is_an_error(program: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(f"import sys; sys.stdin.buffer.read(9); {program}", monkeypatch)
    assert problem.code == "decoder-crashed"
    assert re.search(words, problem.message)


def test_a_process_that_does_not_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    assert problem_of(HANG, monkeypatch, 0.3).code == "decoder-timeout"


def test_a_process_that_does_not_listen_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    assert problem_of("import time; time.sleep(60)", monkeypatch, 0.3, b"x" * 5_000_000).code == "decoder-timeout"


def test_after_a_crash_the_next_question_is_answered() -> None:
    with MediaProcess(Cancellation()) as process:
        assert process.ask(ASK, (png(3, 2),)).header["size"] == [3, 2]
        process._kill("")
        with pytest.raises(MediaProblem, match="signal 9"):
            process.ask(ASK, (png(3, 2),))
        assert process.ask(ASK, (png(3, 2),)).header["size"] == [3, 2]


def test_stopping_the_call_ends_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "START", HANG)
    cancellation, ended = Cancellation(), []

    def work() -> None:
        try:
            with MediaProcess(cancellation) as process:
                started.set()
                process.ask(ASK, (b"x",), 60)
        except InterruptedToolError as error:
            ended.append(error)

    started = threading.Event()
    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    cancellation.cancel("enough")
    thread.join(20)
    assert not thread.is_alive() and "enough" in str(ended[0])
    with MediaProcess(cancellation) as process, pytest.raises(InterruptedToolError):
        process.ask(ASK, (png(1, 1),))


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    with MediaProcess(Cancellation()) as process, pytest.raises(MediaProblem, match="pip install pillow") as problem:
        process.ask(ASK, (png(1, 1),))
    assert problem.value.code == "decoder-missing"


def test_what_lies_in_the_working_directory_is_never_imported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PIL", "json", "resource"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr("sys.path", ["", str(tmp_path), *sys.path])
    with MediaProcess(Cancellation()) as process:
        assert process.ask(ASK, (png(3, 2),)).header["size"] == [3, 2]
    assert not (tmp_path / "ran").exists()


def test_the_settings_of_this_kernel_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """People switch these off for their own work; a cut-off image must be refused all the same."""
    from PIL import Image, ImageFile

    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    with MediaProcess(Cancellation()) as process, pytest.raises(MediaProblem) as problem:
        process.ask(ASK, (saved(photo(), "PNG")[:-2_000],))
    assert problem.value.code == "image-damaged"


def test_messages_come_back_as_they_were_sent() -> None:
    data = b"".join(packed({"a": "ü"}, (b"", b"\0" * 5)))
    place = 0

    def take(count: int) -> bytes:
        nonlocal place
        piece = data[place : place + count]
        place += len(piece)
        return piece

    found: Any = unpacked(take)
    assert found.header == {"a": "ü"} and found.payloads == (b"", b"\0" * 5) and unpacked(take) is None
    data, place = data[:-1], 0
    with pytest.raises(ValueError):
        unpacked(take)
