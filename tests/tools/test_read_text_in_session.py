"""Read of text through a whole session: the token limit, who is told, which file a name means, what is not repeated."""

from __future__ import annotations

import os
import re
import shutil
import threading
import unicodedata
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, ClassVar

import anyio
import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.core.events import FileEvent
from jupyter_agenttools.core.outcome import Outcome
from jupyter_agenttools.files import content, content_hash, safe_write
from jupyter_agenttools.models import ScriptedModel, token_counter
from jupyter_agenttools.tools.read import TextRead, counting
from jupyter_agenttools.tools.read.result import result_text
from tests.corpus.notebooks import dumped, notebook
from tests.support.crashes import kill_at_step

pytestmark = pytest.mark.anyio

LINE = "some words in a line of text\n"


class Counting(ScriptedModel):
    """A model that counts its tokens in one of several ways, and keeps what it was asked."""

    def __init__(self, answer: Callable[[str], Any]) -> None:
        super().__init__([])
        self.texts: list[str] = []
        self._answer = answer

    async def count_tokens(self, text: str) -> int:
        self.texts.append(text)
        answer = self._answer(text)
        return await answer if isinstance(answer, Awaitable) else answer


class Watcher:
    def __init__(self) -> None:
        self.events: list[FileEvent] = []

    def on_file(self, event: FileEvent) -> None:
        self.events.append(event)


async def read(session: Session, path: object, **fields: object) -> Outcome:
    return await session.call("Read", {"file_path": str(path), **fields})


def kind_of(outcome: Outcome) -> str:
    return "" if outcome.error is None else getattr(outcome.error, "kind", "")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(cwd=tmp_path)


async def test_the_model_counts_only_near_the_limit(tmp_path: Path) -> None:
    model = Counting(lambda text: 24_000)
    session = Session(cwd=tmp_path, model=model)
    (tmp_path / "small").write_text(LINE * 100)
    (tmp_path / "large").write_text(LINE * 1_900)
    assert (await read(session, "small")).status == "ok" and model.texts == []
    outcome = await read(session, "large")
    assert outcome.status == "ok" and model.texts == [outcome.text], "counted is what the model would read"


async def test_too_much_names_a_part_that_fits(tmp_path: Path) -> None:
    model = Counting(lambda text: len(text) // 2)
    session = Session(cwd=tmp_path, model=model)
    (tmp_path / "f").write_text(LINE * 2_500)
    outcome = await read(session, "f")
    assert kind_of(outcome) == "MaxFileReadTokenExceeded" and "Grep" in outcome.text
    part = re.search(r"\(offset=1, limit=(\d+)\)", outcome.text)
    assert part is not None
    fitting = await read(session, "f", offset=1, limit=int(part[1]))
    assert fitting.status == "ok" and len(fitting.text) // 2 <= 25_000
    assert int(part[1]) > 1_000, "and it is not much less than what fits"


async def fails(text: str) -> int:
    raise ConnectionError("the provider is away")


async def waits(text: str) -> int:
    await anyio.sleep_forever()
    return 0


@pytest.mark.parametrize(
    "answer",
    [fails, waits, lambda text: None, lambda text: -1, lambda text: "12", lambda text: True, lambda text: 1 / 0],
    ids=["fails", "waits", "none", "negative", "text", "bool", "crash"],
)
async def test_a_counter_that_does_not_count_is_no_reason_to_fail(
    tmp_path: Path, answer: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "COUNT_TIMEOUT_S", 0.05)
    session = Session(cwd=tmp_path, model=Counting(answer))
    (tmp_path / "f").write_text(LINE * 1_500)
    (tmp_path / "g").write_text(LINE * 100 + "1234567890" * 100 + "\n" + ("98765,43210," * 10 + "\n") * 500)
    assert (await read(session, "f")).status == "ok"
    assert kind_of(await read(session, "g")) == "MaxFileReadTokenExceeded", "the estimate decides"


async def test_the_model_of_a_query_counts(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(LINE * 1_500)
    use = {"type": "tool_use", "name": "Read", "input": {"file_path": "f"}}

    class Asking(ScriptedModel):
        asked: ClassVar[list[str]] = []

        def count_tokens(self, text: str) -> int:
            self.asked.append(threading.current_thread().name)
            return 1

    session = Session(cwd=tmp_path)
    async for _ in session.query("read it", model=Asking([use])):
        pass
    assert len(Asking.asked) == 1 and Asking.asked != [threading.main_thread().name], "a plain function may block"


async def test_models_without_a_counter() -> None:
    assert token_counter(None) is None and token_counter(ScriptedModel([])) is None


@pytest.mark.parametrize("place", ["settings", "environment"])
async def test_the_limit_can_be_set(tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS"
    if place == "environment":
        monkeypatch.setenv(name, "500")
    session = Session(cwd=tmp_path, settings={"env": {name: "500"}} if place == "settings" else {})
    (tmp_path / "f").write_text(LINE * 100)
    outcome = await read(session, "f")
    assert kind_of(outcome) == "MaxFileReadTokenExceeded" and "500 tokens" in outcome.text


async def test_a_refused_reading_counts_as_nothing_seen(tmp_path: Path, session: Session) -> None:
    (tmp_path / "f").write_text("1234567890," * 100 + "\n" + ("98765,43210," * 10 + "\n") * 600)
    watcher = Watcher()
    session.observers.attach(watcher)
    for _ in range(2):
        assert kind_of(await read(session, "f")) == "MaxFileReadTokenExceeded"
    assert watcher.events == [] and session.read_file_state.get(str(tmp_path / "f")) is None


async def test_whoever_watches_files_hears_of_every_reading(tmp_path: Path, session: Session) -> None:
    watcher = Watcher()
    session.observers.attach(watcher)
    (tmp_path / "f").write_bytes(b"one\ntwo\n")
    (tmp_path / "n.ipynb").write_text(dumped(notebook()))
    uses = [await read(session, "f", limit=1), await read(session, "f"), await read(session, "n.ipynb")]
    await read(session, "gone")
    expected = [
        FileEvent(outcome.tool_use.id, "read", str(tmp_path / name), content_hash((tmp_path / name).read_bytes()))
        for outcome, name in zip(uses, ("f", "f", "n.ipynb"), strict=True)
    ]
    assert watcher.events == expected


async def test_only_new_bytes_are_shown_again(tmp_path: Path, session: Session) -> None:
    path = tmp_path / "f"
    path.write_text("one\n")
    repeated = "File unchanged since you last read"
    assert "1→one" in (await read(session, path)).text
    path.touch()
    assert repeated in (await read(session, path)).text, "touching changes nothing"
    path.write_text("two\n")
    path.write_text("one\n")
    assert repeated in (await read(session, path)).text, "nor does changing and restoring"
    path.write_text("two\n")
    assert "1→two" in (await read(session, path)).text
    path.write_text("one\n")
    assert "1→one" in (await read(session, path)).text, "what was seen last is another content"


@pytest.mark.parametrize(
    ("on_disk", "asked"),
    [
        (unicodedata.normalize("NFD", "Übersicht é.txt"), unicodedata.normalize("NFC", "Übersicht é.txt")),
        (unicodedata.normalize("NFC", "Übersicht é.txt"), unicodedata.normalize("NFD", "Übersicht é.txt")),
        ("Screenshot 2024-05-01 at 9.41.00\u202fAM.txt", "Screenshot 2024-05-01 at 9.41.00 AM.txt"),
        ("Screenshot 2024-05-01 at 9.41.00 PM.txt", "Screenshot 2024-05-01 at 9.41.00\u202fPM.txt"),
    ],
    ids=["NFD", "NFC", "narrow space", "plain space"],
)
async def test_a_name_that_reads_the_same_is_the_file(
    tmp_path: Path, session: Session, on_disk: str, asked: str
) -> None:
    folder = tmp_path / os.path.splitext(on_disk)[0]
    folder.mkdir()
    (folder / on_disk).write_text("found\n")
    outcome = await read(session, tmp_path / os.path.splitext(asked)[0] / asked)
    assert outcome.status == "ok" and "1→found" in outcome.text
    (folder / asked).write_text("exact\n")
    assert "1→exact" in (await read(session, folder / asked)).text, "the exact name comes first"


async def test_line_ends_tabs_and_long_lines_are_kept_and_said(tmp_path: Path, session: Session) -> None:
    (tmp_path / "f").write_bytes(b"\tone\tend\r\n  two\x0c\r\n" + b"z" * 2_500 + b"\r\n")
    text = (await read(session, "f")).text
    assert text.startswith("     1→\tone\tend\n     2→  two\x0c\n     3→" + "z" * 2_000 + " […500 more characters]\n")
    assert "end in CR LF" in text and "line 3 cut" in text


@pytest.mark.parametrize(
    ("data", "fields", "words"),
    [
        (b"", {}, "empty"),
        (b"a\nb\n", {"offset": 3}, "beyond the end: the file has 2 lines"),
        (b"a\nb\nc\n", {"limit": 2}, "lines 1-2 of 3; continue with offset=3"),
        (b"a\nb\nc\n", {"offset": 2}, "lines 2-3 of 3, up to the end"),
        (b"x\n" * 2_001, {}, "lines 1-2000 of 2,001; continue with offset=2001"),
    ],
)
async def test_what_is_not_there_is_said(
    tmp_path: Path, session: Session, data: bytes, fields: dict[str, int], words: str
) -> None:
    (tmp_path / "f").write_bytes(data)
    assert words in (await read(session, "f", **fields)).text


async def test_a_kernel_that_was_killed_left_half_a_file(tmp_path: Path, session: Session, monkeypatch: Any) -> None:
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", str(tmp_path / "home"))
    path, old, new = tmp_path / "f", b"old\n" * 3_000, b"new!\n" * 6_000
    path.write_bytes(old)
    os.link(path, tmp_path / "g")

    def write() -> None:
        safe_write(str(path), new, cancellation=Cancellation(), expected_hash=None, expected=old)

    step = 1
    while path.read_bytes() in (old, new):
        shutil.rmtree(tmp_path / "home", ignore_errors=True)
        assert kill_at_step(write, step, torn=True)
        step += 1
    text = (await read(session, "g", limit=1)).text
    assert "1→old" in text and "of 3,000" in text and path.read_bytes() == old


@pytest.mark.parametrize(("first", "last"), [(1, 12), (9, 10), (99, 101), (999_998, 1_000_001)])
async def test_numbers_stand_in_six_columns(first: int, last: int) -> None:
    lines = tuple(f"line {number}" for number in range(first, last + 1))
    shown = result_text(TextRead("/f", lines, first, len(lines), last)).split("\n")
    assert shown == [f"{number:>6}→line {number}" for number in range(first, last + 1)]


async def test_a_large_file_is_shown_before_its_hash_is_known(
    tmp_path: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "IN_MEMORY_BYTES", 1_000)
    monkeypatch.setattr(content, "SETTLED_NS", -(10**9))
    told, events = threading.Event(), []

    class Waiting:
        def on_file(self, event: FileEvent) -> None:
            events.append(event)
            told.set()

    session.observers.attach(Waiting())
    path = tmp_path / "f"
    path.write_text(LINE * 1_000)
    outcome = await read(session, "f", offset=990)
    assert "lines 990-1000 of 1,000" in outcome.text and told.wait(10)
    assert events == [FileEvent(outcome.tool_use.id, "read", str(path), content_hash(path.read_bytes()))]
    assert "File unchanged" in (await read(session, "f", offset=990)).text
    path.touch()
    assert "File unchanged" in (await read(session, "f", offset=990)).text, "the hash was known before"
    written = await session.call("Write", {"file_path": "f", "content": "short\n"})
    assert written.status != "ok", "it was read in part, and nobody allowed it"
