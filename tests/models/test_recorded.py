"""Recordings: what is replayed is what was answered, what differs is shown, and no secret is in the file."""

from __future__ import annotations

import fcntl
import gc
import os
import stat
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_agenttools import RecordedModel, ScriptedModel, UsageError, build_tool
from jupyter_agenttools.core import Message, TextBlock, ToolUse
from jupyter_agenttools.core.blocks import ImageBlock, ToolResultBlock
from jupyter_agenttools.core.errors import (
    ModelBusyError,
    ModelConnectionError,
    ModelError,
    ReplayMismatchError,
)
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.models import (
    Model,
    ModelPart,
    ModelRequest,
    RetryPart,
    StopPart,
    TextPart,
    ThinkingPart,
    ToolUsePart,
)
from jupyter_agenttools.models.cassette import VERSION, TextLine, read_cassette

pytestmark = pytest.mark.anyio

KEY = "sk-ant-api03-" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA2cD4fG6hJ8kL0n"
HI = ModelRequest("You help.", (Message("user", (TextBlock("Hi."),)),), ())


async def _call(input: Any, context: Any) -> str:
    return ""


def make_tool(name: str = "Look", description: str = "Looks.") -> Any:
    return build_tool(name=name, call=_call, description=description)


class Streams:
    """A model that streams given parts, one list for each request."""

    name, provider = "streams", "test"

    def __init__(self, *answers: Sequence[ModelPart | Exception]) -> None:
        self._answers = list(answers)
        self.context_window = 5_000

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        for part in self._answers.pop(0):
            if isinstance(part, Exception):
                raise part
            yield part


async def answer(model: Model, request: ModelRequest = HI) -> list[ModelPart]:
    return [part async for part in model.stream(request)]


async def failing(model: Model, request: ModelRequest = HI) -> tuple[list[ModelPart], Exception | None]:
    seen: list[ModelPart] = []
    try:
        async for part in model.stream(request):
            seen.append(part)
    except Exception as error:
        return seen, error
    return seen, None


def after(request: ModelRequest, parts: Sequence[ModelPart], *more: Message) -> ModelRequest:
    """The next request of a loop: the answer, the result of each call, and ``more``."""
    text = "".join(part.text for part in parts if isinstance(part, TextPart))
    uses = [part.tool_use for part in parts if isinstance(part, ToolUsePart)]
    said = Message("assistant", (*([TextBlock(text)] if text else []), *uses))
    results = [Message("user", tuple(ToolResultBlock(use.id, f"done: {use.input}") for use in uses))] if uses else []
    return replace(request, messages=(*request.messages, said, *results, *more))


def record(model: Model, path: Path, **options: Any) -> Any:
    return RecordedModel.record(model, path, **options)


def content(path: Path) -> bytes:
    return path.read_bytes()


def fill(path: Path, data: bytes) -> None:
    path.write_bytes(data)


# ---- the same again

TEXTS = st.text(max_size=30) | st.sampled_from(["⟦", "⟧", "⟦cwd⟧", "⟦⟧", "/work", "/work/a", "/works", "/wo", "rk/b"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
USES = st.builds(
    lambda name, input, problem: ToolUsePart(ToolUse(name, input), problem),
    st.text(min_size=1, max_size=9),
    st.dictionaries(TEXTS, JSON, max_size=3),
    st.sampled_from(["", "not JSON"]),
)
COUNTS = st.integers(0, 10**6)
PARTS = st.lists(
    st.builds(TextPart, TEXTS)
    | st.builds(ThinkingPart, TEXTS, st.none() | st.just("c2ln"))
    | USES
    | st.builds(RetryPart, TEXTS, st.floats(0, 100), st.integers(2, 9)),
    max_size=8,
)
STOPS = st.builds(
    StopPart,
    st.sampled_from(["end_turn", "tool_use", "max_tokens", "refusal"]),
    st.none() | st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS),
    TEXTS,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answers=st.lists(st.tuples(PARTS, STOPS), min_size=1, max_size=3))
async def test_what_was_answered_is_answered_again(tmp_path: Path, answers: list[Any]) -> None:
    path = tmp_path / "cassette.jsonl"
    path.unlink(missing_ok=True)
    given_parts = [[*parts, stop] for parts, stop in answers]
    recording = record(Streams(*given_parts), path, cwd="/work")
    request, requests = HI, []
    for _ in answers:
        requests.append(request)
        request = after(request, await answer(recording, request))
    recording.close()
    replayed = RecordedModel.replay(path, cwd="/work")
    for asked, expected in zip(requests, given_parts, strict=True):
        assert await answer(replayed, asked) == expected
    assert replayed.exchanges_left == 0 and replayed.context_window == 5_000


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(0, 40), max_size=5))
async def test_a_folder_moves_with_the_recording_however_the_stream_is_cut(tmp_path: Path, cuts: list[int]) -> None:
    text = f"see {tmp_path}/one/data.csv and {tmp_path}/one."
    places = sorted({min(cut, len(text)) for cut in cuts})
    pieces = [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]
    path = tmp_path / "cassette.jsonl"
    path.unlink(missing_ok=True)
    use = ToolUse("Read", {"file_path": f"{tmp_path}/one/data.csv", "other": f"{tmp_path}/oneness"})
    recording = record(
        Streams([*map(TextPart, pieces), ToolUsePart(use), StopPart("tool_use")], [StopPart()]),
        path,
        cwd=tmp_path / "one",
    )
    await answer(recording, after(HI, await answer(recording)))
    recording.close()
    assert f"{tmp_path}/one/" not in path.read_text()

    moved = RecordedModel.replay(path, cwd="/elsewhere")
    parts = await answer(moved)
    assert "".join(p.text for p in parts if isinstance(p, TextPart)) == "see /elsewhere/data.csv and /elsewhere."
    (called,) = (p.tool_use for p in parts if isinstance(p, ToolUsePart))
    assert called.input == {"file_path": "/elsewhere/data.csv", "other": f"{tmp_path}/oneness"}
    await answer(moved, after(HI, parts))  # and the next request is the one that was recorded


async def test_the_ids_of_calls_do_not_matter_and_stay_unique(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    call = {"tool_uses": [{"name": "Look", "input": {}, "id": "toolu_recorded"}]}
    recording = record(ScriptedModel([call, "Seen."]), path)
    second = after(HI, await answer(recording))
    await answer(recording, second)
    recording.close()

    renamed = "toolu_another"
    other = ModelRequest(
        HI.system,
        (
            *HI.messages,
            Message("assistant", (ToolUse("Look", {}, renamed),)),
            Message("user", (ToolResultBlock(renamed, "done: {}"),)),
        ),
        (),
    )
    replayed = RecordedModel.replay(path)
    await answer(replayed)
    assert await answer(replayed, other) == [TextPart("Seen."), StopPart()]

    # the conversation holds this id already: the replayed call gets another one
    talk = after(HI, [ToolUsePart(ToolUse("Look", {}, "toolu_recorded"))])
    again = record(ScriptedModel([call]), tmp_path / "d.jsonl")
    await answer(again, talk)
    (part, _) = await answer(RecordedModel.replay(tmp_path / "d.jsonl"), talk)
    assert isinstance(part, ToolUsePart) and part.tool_use.id != "toolu_recorded"


async def test_a_thought_that_reads_differently_now_is_not_signed(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    thoughts = [ThinkingPart("in /wo"), ThinkingPart("rk/a", "one"), ThinkingPart("of ⟦ peace", "two"), StopPart()]
    await answer(record(Streams(thoughts), path, cwd="/work"))
    assert await answer(RecordedModel.replay(path, cwd="/work")) == thoughts
    moved = await answer(RecordedModel.replay(path, cwd="/elsewhere"))
    moved_thoughts = [p for p in moved if isinstance(p, ThinkingPart)]
    assert "".join(p.text for p in moved_thoughts) == "in /elsewhere/aof ⟦ peace"
    assert [p.signature for p in moved_thoughts] == [None, None, "two"]


async def test_what_no_encoder_takes_is_spelled_out(tmp_path: Path) -> None:
    path, odd = tmp_path / "c.jsonl", "caf\udce9 \ud800"
    asked = ModelRequest(f"In /work/{odd}", (Message("assistant", (ToolUse("Look", {odd: odd}, "t"),)),), ())
    use = ToolUse("Look", {"path": f"/{odd}/x", "when": Path("no JSON")}, odd)
    said = [TextPart(odd), ThinkingPart(odd, "sig"), ToolUsePart(use, odd), StopPart(detail=odd)]
    model = Streams(said, [StopPart()])
    recording = record(model, path, cwd=f"/{odd}")
    second = after(asked, await answer(recording, asked))
    await answer(recording, second)
    replayed = RecordedModel.replay(path, cwd="/elsewhere")
    text, thought, call, _ = await answer(replayed, asked)
    assert isinstance(text, TextPart) and text.text == TextBlock(odd).text
    assert isinstance(thought, ThinkingPart) and thought.signature is None
    assert isinstance(call, ToolUsePart) and call.tool_use.input == {"path": "/elsewhere/x", "when": "no JSON"}


# ---- failures


async def test_faults_are_recorded_and_come_again(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    model = Streams(
        [ModelBusyError("slow down", retry_after_s=3.5)],
        [TextPart("I beg"), ModelConnectionError("reset")],
        [ZeroDivisionError("oops")],
        [TextPart("cut")],
        [TextPart("Hi."), StopPart()],
    )
    recording = record(model, path)
    recorded = [await failing(recording) for _ in range(5)]
    recording.close()
    replayed = RecordedModel.replay(path)
    played = [await failing(replayed) for _ in range(5)]
    assert [parts for parts, _ in played] == [parts for parts, _ in recorded]
    busy, lost, foreign, cut, whole = (error for _, error in played)
    assert isinstance(busy, ModelBusyError) and (str(busy), busy.retry_after_s) == ("slow down", 3.5)
    assert isinstance(lost, ModelConnectionError) and str(lost) == "reset"
    assert type(foreign) is ModelError and "ZeroDivisionError: oops" in str(foreign)
    assert cut is None and whole is None
    assert isinstance(recorded[2][1], ZeroDivisionError), "whoever records sees the error itself"


async def test_an_answer_that_was_left_says_so(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    recording = record(ScriptedModel(["one two three"], delay_s=0.001), path)
    stream = recording.stream(HI)
    await anext(stream)
    await stream.aclose()
    assert len(read_cassette(path).exchanges) == 1
    parts, error = await failing(RecordedModel.replay(path))
    assert parts == [TextPart("one ")] and isinstance(error, ModelError) and "left this answer" in str(error)


async def test_a_cancelled_answer_is_written(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    recording = record(ScriptedModel([{"content": ["a", {"text": "b", "delay_ms": 3_600_000}]}]), path)
    with anyio.CancelScope() as scope:
        async for _ in recording.stream(HI):
            scope.cancel()
    assert scope.cancelled_caught
    assert read_cassette(path).exchanges[0].exchange.end == "left"


async def test_leaving_behind_the_end_is_no_leaving(tmp_path: Path) -> None:
    recording = record(ScriptedModel(["a"]), tmp_path / "c.jsonl")
    stream = recording.stream(HI)
    while not isinstance(await anext(stream), StopPart):
        pass
    await stream.aclose()
    assert await answer(RecordedModel.replay(tmp_path / "c.jsonl")) == [TextPart("a"), StopPart()]


# ---- what differs is shown


@pytest.fixture
async def lesson(tmp_path: Path) -> Path:
    """Two exchanges about one tool."""
    path = tmp_path / "lesson.jsonl"
    recording = record(ScriptedModel([{"tool_uses": [{"name": "Look"}]}, "Seen."]), path)
    request = replace(HI, tools=(make_tool(),))
    await answer(recording, after(request, await answer(recording, request)))
    recording.close()
    return path


async def test_another_question_is_a_mismatch_with_a_diff(lesson: Path) -> None:
    replayed = RecordedModel.replay(lesson)
    other = ModelRequest(HI.system, (Message("user", (TextBlock("Hello there."),)),), (make_tool(),))
    _, error = await failing(replayed, other)
    assert isinstance(error, ReplayMismatchError)
    assert "exchange 1 of 2" in str(error) and "`messages`" in str(error)
    assert "-Hi." in str(error) and "+Hello there." in str(error) and str(lesson) in str(error)
    assert replayed.exchanges_left == 2, "what did not fit is not used up"
    assert (await answer(replayed, replace(HI, tools=(make_tool(),))))[-1] == StopPart("tool_use")


@pytest.mark.parametrize(
    ("request_", "part", "sign"),
    [
        (replace(HI, tools=(make_tool(),), system="You harm."), "`system`", "+You harm."),
        (replace(HI, tools=(make_tool(description="Sees."),)), "`tools`", "Sees."),
        (replace(HI, tools=(make_tool(), make_tool("Other"))), "`tools`", "Other"),
        (replace(HI, tools=(make_tool(),), max_tokens=7), "`options`", '+ "max_tokens": 7'),
    ],
)
async def test_strict_compares_all_and_conversation_the_messages(
    lesson: Path, request_: ModelRequest, part: str, sign: str
) -> None:
    _, error = await failing(RecordedModel.replay(lesson), request_)
    assert isinstance(error, ReplayMismatchError)
    assert part in str(error) and sign in str(error) and "match='conversation'" in str(error)
    assert (await failing(RecordedModel.replay(lesson, "conversation"), request_))[1] is None


async def test_a_long_difference_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    await answer(record(ScriptedModel(["a"]), path))
    long = ModelRequest(HI.system, (Message("user", (TextBlock("\n".join("x" * 9_999 for _ in range(500))),)),), ())
    _, error = await failing(RecordedModel.replay(path), long)
    assert len(str(error)) < 6_000 and "more lines" in str(error)


async def test_no_more_exchanges(lesson: Path) -> None:
    replayed = RecordedModel.replay(lesson)
    request = replace(HI, tools=(make_tool(),))
    await answer(replayed, after(request, await answer(replayed, request)))
    _, error = await failing(replayed, request)
    assert isinstance(error, ReplayMismatchError) and "all 2 were played" in str(error)


async def test_requests_that_overlapped_may_come_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    recording = record(ScriptedModel([lambda m: m[-1].text.upper()] * 3), path)
    a, b, c = (replace(HI, messages=(Message("user", (TextBlock(word),)),)) for word in "abc")
    first, second = recording.stream(a), recording.stream(b)
    await anext(first), await anext(second)
    [_ async for _ in first], [_ async for _ in second]
    await answer(recording, c)
    replayed = RecordedModel.replay(path)
    assert (await answer(replayed, b))[0] == TextPart("B")
    assert isinstance((await failing(replayed, c))[1], ReplayMismatchError), "c came after both"
    assert (await answer(replayed, a))[0] == TextPart("A")
    assert (await answer(replayed, c))[0] == TextPart("C")


async def test_a_replay_may_begin_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    recording = record(ScriptedModel(["one", "two", "three"]), path)
    requests, request = [], HI
    for _ in range(3):
        requests.append(request)
        request = after(request, await answer(recording, request), Message("user", (TextBlock("More."),)))
    replayed = RecordedModel.replay(path)
    assert (await answer(replayed, requests[1]))[0] == TextPart("two")
    assert isinstance((await failing(replayed, requests[0]))[1], ReplayMismatchError), "there is no way back"
    assert (await answer(replayed, requests[2]))[0] == TextPart("three") and replayed.exchanges_left == 0

    other = replace(requests[2], messages=(*requests[2].messages[:-1], Message("user", (TextBlock("Less."),))))
    _, error = await failing(RecordedModel.replay(path), other)
    assert "exchange 3 of 3" in str(error) and "-More." in str(error) and "+Less." in str(error)


async def test_pictures_are_compared_but_not_kept(tmp_path: Path) -> None:
    def seen(data: str) -> ModelRequest:
        image = ImageBlock({"type": "base64", "media_type": "image/png", "data": data})
        return replace(HI, messages=(Message("user", (TextBlock("Look"), image)),))

    path = tmp_path / "c.jsonl"
    await answer(record(ScriptedModel(["a", "b"]), path), seen("QUFB" * 500))
    assert "QUFB" not in path.read_text()
    assert isinstance((await failing(RecordedModel.replay(path), seen("QUJD" * 500)))[1], ReplayMismatchError)
    assert (await failing(RecordedModel.replay(path), seen("QUFB" * 500)))[1] is None


# ---- the file


async def test_no_secret_is_in_the_file_and_the_replay_fits(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    use = ToolUse("Bash", {"command": f"export K={KEY}", KEY: 1})
    model = Streams(
        [TextPart("It is " + KEY[:20]), TextPart(KEY[20:]), ToolUsePart(use, f"bad: {KEY}"), StopPart("tool_use")],
        [ModelBusyError(f"the key {KEY} is spent")],
        [ThinkingPart(KEY, "sig"), StopPart(detail=KEY)],
    )
    asked = ModelRequest(f"Use {KEY}", (Message("user", (TextBlock(f"my key: {KEY}"),)),), (make_tool(KEY[:40]),))
    recording = record(model, path)
    second = after(asked, await answer(recording, asked))
    await failing(recording, second)
    await answer(recording, second)
    recording.close()
    written = path.read_text()
    assert KEY not in written and KEY[20:] not in written and "redacted" in written

    replayed = RecordedModel.replay(path)
    parts = await answer(replayed, asked)
    assert KEY not in repr(parts)
    third = after(asked, parts)
    assert isinstance((await failing(replayed, third))[1], ModelBusyError)
    thought = (await answer(replayed, third))[0]
    assert isinstance(thought, ThinkingPart) and thought.signature is None, "the signature no longer fits"


async def test_no_secret_is_in_names_and_ids_and_the_replay_fits(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    uses = [ToolUse(f"m-{KEY}", {"signature": KEY}, f"toolu_{mark}-{KEY}") for mark in "ab"]
    model = Streams([*map(ToolUsePart, uses), StopPart("tool_use")], [StopPart()])
    model.name = model.provider = f"Nope{KEY}"
    recording = record(model, path)
    results = Message("user", tuple(ToolResultBlock(use.id, "ok") for use in uses))
    parts = await answer(recording)
    await answer(recording, after(HI, parts, results))
    recording.close()
    assert KEY[20:] not in path.read_text()

    replayed = RecordedModel.replay(path)
    parts = await answer(replayed)
    ids = [part.tool_use.id for part in parts if isinstance(part, ToolUsePart)]
    results = Message("user", tuple(ToolResultBlock(id, "ok") for id in ids))
    assert (await answer(replayed, after(HI, parts, results)))[-1] == StopPart()


async def test_the_file_is_private_and_grows_with_each_exchange(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "c.jsonl"
    before = os.umask(0)
    try:
        recording = record(ScriptedModel(["a"] * 40), path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    request, sizes = replace(HI, system="S" * 5_000), []
    for number in range(20):
        request = after(request, await answer(recording, request), Message("user", (TextBlock("x" * 100),)))
        sizes.append(path.stat().st_size)
        assert len(read_cassette(path).exchanges) == number + 1
    steps = [b - a for a, b in pairwise(sizes)]
    assert max(steps[1:]) < 2 * min(steps), "what was said before is not written again"


async def test_a_file_that_is_there_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text("mine")
    with pytest.raises(UsageError, match="there already"):
        record(ScriptedModel(["a"]), path)
    for existing in ("append", "replace"):
        with pytest.raises(UsageError, match="no recording"):
            record(ScriptedModel(["a"]), path, existing=existing)
    assert path.read_text() == "mine"
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "target")
    with pytest.raises(UsageError):
        record(ScriptedModel(["a"]), link)
    assert not (tmp_path / "target").exists()


async def test_append_goes_on_and_replace_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    for existing, answers in (("own", 1), ("append", 2), ("own", 3), ("replace", 1)):
        recording = record(ScriptedModel([f"n{answers}"]), path, existing=existing)
        await answer(recording)
        recording.close()
        assert len(read_cassette(path).exchanges) == answers
        if answers > 1:
            replayed = RecordedModel.replay(path)
            played = [(await answer(replayed))[0] for _ in range(answers)]
            assert played == [TextPart(f"n{number}") for number in range(1, answers + 1)]


async def test_several_cells_record_one_conversation(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    one, other = (record(ScriptedModel([name] * 3), path) for name in "ab")
    request, requests = HI, []
    for model in (one, other, one, other):
        requests.append(request)
        request = after(request, await answer(model, request), Message("user", (TextBlock("x" * 100),)))
    one.close()
    assert isinstance((await failing(one))[1], ModelError), "one is closed"
    await answer(other)
    other.close()
    assert len(path.read_text().splitlines()) == 6 and path.read_text().count("x" * 100) == 3
    replayed = RecordedModel.replay(path)
    assert [(await answer(replayed, asked))[0] for asked in requests] == [TextPart(name) for name in "abab"]


async def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    record(ScriptedModel(["a"]), path).close()
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="another recording"):
            record(ScriptedModel(["a"]), path)
    record(ScriptedModel(["a"]), path).close()


class Panic(BaseException):
    pass


async def test_a_failure_of_any_class_is_recorded_as_one(tmp_path: Path) -> None:
    class Panics:
        name = "panics"

        async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
            yield TextPart("I beg")
            raise Panic("boom")

    recording = record(Panics(), tmp_path / "tape")
    with pytest.raises(Panic):
        await answer(recording)
    recording.close()
    [recorded] = read_cassette(tmp_path / "tape").exchanges
    exchange = recorded.exchange
    assert exchange.end == "fault" and exchange.fault is not None and "Panic was raised: boom" in exchange.fault.message


async def test_a_recording_of_another_process_is_refused_by_default(tmp_path: Path, lesson: Path) -> None:
    copy = tmp_path / "copy.jsonl"
    fill(copy, content(lesson))
    with pytest.raises(UsageError, match="there already"):
        record(ScriptedModel(["a"]), copy)
    record(ScriptedModel(["a"]), copy, existing="append").close()


async def test_a_model_that_is_let_go_lets_the_file_go(tmp_path: Path) -> None:
    gc.collect()  # what earlier tests left
    before = len(os.listdir("/proc/self/fd"))
    recording = record(ScriptedModel(["a"]), tmp_path / "c.jsonl")
    await answer(recording)
    del recording
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before


async def test_a_torn_last_line_is_told_when_it_is_reached(lesson: Path) -> None:
    whole = content(lesson)
    fill(lesson, whole[:-20])
    assert len(read_cassette(lesson).exchanges) == 1
    replayed = RecordedModel.replay(lesson)
    request = replace(HI, tools=(make_tool(),))
    second = after(request, await answer(replayed, request))
    _, error = await failing(replayed, second)
    assert isinstance(error, ReplayMismatchError)
    assert "ends after exchange 1" in str(error) and "line 3 breaks off" in str(error)
    with pytest.raises(UsageError, match="cannot be gone on with"):
        record(ScriptedModel(["a"]), lesson, existing="append")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_a_file_cut_anywhere_is_read_or_refused(lesson: Path, data: st.DataObject) -> None:
    whole = content(lesson)
    cut = lesson.with_name("cut.jsonl")
    at = data.draw(st.integers(0, len(whole)))
    fill(cut, whole[:at])
    lines = whole[:at].count(b"\n")
    if lines == 0:
        with pytest.raises(UsageError, match="no recording"):
            read_cassette(cut)
    else:
        cassette = read_cassette(cut)
        assert len(cassette.exchanges) == lines - 1
        assert bool(cassette.torn) == (not whole[:at].endswith(b"\n"))


def with_usage(line: str, usage: str) -> str:
    return line.replace('"type": "stop"', f'"type": "stop", "usage": {usage}')


def nested(line: str, depth: int) -> str:
    return line.replace('"tools": [', f'"tools": [{"[" * depth}{"]" * depth}, ', 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: [], "is empty"),
        (lambda lines: ["[1]"], "no recording"),
        (lambda lines: ["[" * 100_000], "no recording"),
        (lambda lines: [lines[0], "[" * 100_000], "line 2 is not JSON"),
        (lambda lines: [lines[0], '{"a": ' * 900 + "1" + "}" * 900], "line 2"),
        (lambda lines: [lines[0].replace(f'"version": {VERSION}', '"version": 99'), *lines[1:]], "version 99.*Update"),
        (lambda lines: [lines[0].replace('"model"', '"modell"'), *lines[1:]], "line 1: model"),
        (lambda lines: [lines[0], lines[2]], "line 2.*(not there|fingerprint)"),
        (lambda lines: [lines[0], lines[1].replace("Hi.", "Ho."), lines[2]], "line 2: its `messages` do not fit"),
        (lambda lines: [lines[0], lines[1][:-3], lines[2]], "line 2 is not JSON"),
        (lambda lines: [lines[0], lines[1].replace('"type": "stop"', '"type": "halt"'), lines[2]], r"line 2: parts\.1"),
        (lambda lines: [lines[0], lines[1].replace('"ms"', '"mss"'), lines[2]], "line 2: parts"),
        (lambda lines: [lines[0], with_usage(lines[1], '{"bogus": 1}'), lines[2]], "line 2: parts.*usage.bogus"),
        (lambda lines: [lines[0], with_usage(lines[1], '{"input_tokens": "x"}'), lines[2]], "line 2: parts.*usage"),
        (lambda lines: [lines[0], nested(lines[1], 900), lines[2]], "line 2"),
    ],
)
async def test_a_file_that_cannot_be_read_names_the_line(lesson: Path, change: Any, words: str) -> None:
    lines = change(content(lesson).decode().splitlines())
    fill(lesson, "".join(f"{line}\n" for line in lines).encode())
    with pytest.raises(UsageError, match=words):
        RecordedModel.replay(lesson)


def test_there_is_no_such_recording(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.jsonl"):
        RecordedModel.replay(tmp_path / "nowhere.jsonl")
    with pytest.raises(UsageError, match="recording"):
        record(ScriptedModel([]), Path("/proc/nowhere/c.jsonl"))


async def test_a_full_disk_costs_no_answer_and_is_told_with_the_next() -> None:
    recording = record(ScriptedModel(["a", "b"]), Path("/dev/shm") / f"full-{os.getpid()}.jsonl")
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        os.dup2(full, recording.tape._descriptor)
        assert (await answer(recording))[0] == TextPart("a")
        _, error = await failing(recording)
        assert isinstance(error, ModelError) and "cannot be written" in str(error)
    finally:
        os.close(full)
        recording.tape.path.unlink()


def test_what_was_written_survives_a_kill(tmp_path: Path) -> None:
    code = (
        "import anyio, sys\n"
        "from jupyter_agenttools import RecordedModel, ScriptedModel\n"
        "from jupyter_agenttools.models import ModelRequest\n"
        "model = RecordedModel.record(ScriptedModel(['a b c'] * 9_999), sys.argv[1])\n"
        "async def main():\n"
        "    while True:\n"
        "        async for part in model.stream(ModelRequest('s', (), ())): pass\n"
        "        print('.', end='', flush=True)\n"
        "anyio.run(main)\n"
    )
    path = tmp_path / "c.jsonl"
    with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        told = process.stdout.read(20)
        process.kill()
        told += process.stdout.read()
    exchanges = read_cassette(path).exchanges
    assert len(told) <= len(exchanges) <= len(told) + 1
    assert [each.exchange.number for each in exchanges] == [*range(1, len(exchanges) + 1)]


def test_several_event_loops_can_ask_at_once(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    recording = record(ScriptedModel([lambda messages: messages[-1].text] * 60), path)

    async def talk(name: str) -> None:
        request = HI
        for number in range(20):
            request = replace(request, messages=(*request.messages, Message("user", (TextBlock(f"{name}{number}"),))))
            assert await answer(recording, request) == [TextPart(f"{name}{number}"), StopPart()]

    threads = [threading.Thread(target=anyio.run, args=(talk, name)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    exchanges = read_cassette(path).exchanges
    assert sorted(each.exchange.number for each in exchanges) == [*range(1, 61)]
    for each in exchanges:
        said, last = each.exchange.parts[0], each.part("messages")[-1]
        assert isinstance(said, TextLine) and last["content"][0]["text"] == said.text
        assert len(each.part("messages")) == int(said.text[1:]) + 2 and each.part("system") == "You help."


async def test_pace_waits_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    await answer(record(ScriptedModel([{"content": ["a", {"text": "b", "delay_ms": 80}]}]), path))
    for pace, least, most in ((0, 0, 0.07), (1, 0.079, 60)):
        began = anyio.current_time()
        await answer(RecordedModel.replay(path, pace=pace))
        assert least <= anyio.current_time() - began <= most


async def test_what_the_model_offers_is_offered() -> None:
    class Counts(ScriptedModel):
        def count_tokens(self, text: str) -> int:
            return len(text)

    path = Path("/dev/shm") / f"counts-{os.getpid()}.jsonl"
    recording = record(Counts(["a"]), path)
    path.unlink()
    assert recording.count_tokens("abc") == 3 and recording.provider == "scripted" and recording.name == "scripted"
