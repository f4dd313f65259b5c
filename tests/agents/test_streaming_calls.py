"""Calls that run while the model still speaks: when they begin, in what order they are told, what stops them."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from jupyter_agenttools import Session, ToolUse
from jupyter_agenttools.core import ToolResult
from jupyter_agenttools.core.errors import ModelConnectionError
from jupyter_agenttools.core.events import ScheduleEvent
from jupyter_agenttools.core.updates import CallFinished, MessageAdded, ToolUseReady
from jupyter_agenttools.models import StopPart, ToolUsePart
from tests.agents.support import ALLOW, check_history, collect, results_of
from tests.support.models import CALLS, END, PlayingModel
from tests.support.tools import Log, calling, moving, reader, writer

pytestmark = pytest.mark.anyio


class Watch:
    """An observer that keeps what the executor tells."""

    def __init__(self, session: Session) -> None:
        self.events: list[ScheduleEvent] = []
        session.observers.attach(self)

    def on_schedule(self, event: ScheduleEvent) -> None:
        self.events.append(event)

    def of(self, use: ToolUse) -> list[ScheduleEvent]:
        return [event for event in self.events if event.tool_use_id == use.id]


async def test_a_call_runs_and_is_told_while_the_model_is_silent(tmp_path) -> None:
    told = anyio.Event()
    first, second = ToolUse("Reader", {"text": "a"}), ToolUse("Reader", {"text": "b"})
    model = PlayingModel([first, told.wait, second, CALLS], ["Seen.", END])
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[reader()], model=model)
    seen: list[Any] = []
    with anyio.fail_after(20):
        async for update in session.query("go"):
            seen.append(update)
            if isinstance(update, CallFinished):
                told.set()  # only now does the model write its second call
    kinds = [type(u) for u in seen if isinstance(u, (ToolUseReady, CallFinished))]
    assert kinds == [ToolUseReady, CallFinished, ToolUseReady, CallFinished]
    assert [b.content for b in results_of(session.messages)] == ["a", "b"]
    check_history(session.messages)


async def test_results_are_told_in_the_order_of_the_calls_and_each_step_is_an_event(tmp_path) -> None:
    log = Log()
    uses = [
        ToolUse("Reader", {"text": "slow", "seconds": 0.05}),
        ToolUse("Reader", {"text": "quick"}),
        ToolUse("Writer", {"text": "alone"}),
    ]
    model = PlayingModel([*uses, CALLS])
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[reader(log), writer(log)], model=model)
    watch = Watch(session)
    updates = await collect(session.query("go"))
    assert [u.outcome.text for u in updates if isinstance(u, CallFinished)] == ["slow", "quick", "alone"]
    assert log.words.index("end quick") < log.words.index("end slow") < log.words.index("start alone")
    for use in uses:
        assert [event.status for event in watch.of(use)] == ["queued", "executing", "completed", "yielded"]
    slow, quick, alone = uses
    assert slow.id in watch.of(alone)[0].waits_for and watch.of(alone)[0].reason == "waits to run alone"
    assert watch.of(quick)[2].waits_for == (slow.id,), "its result waits for that of the call before"


async def test_a_call_sees_the_message_so_far(tmp_path) -> None:
    seen: list[Any] = []

    def look(input: Any, context: Any) -> str:
        seen.append(context.parent_message)
        assert context.messages[-1] is context.parent_message and context.messages[0].text == "go"
        return "looked"

    uses = [ToolUse("Outer", {"text": "1"}), ToolUse("Outer", {"text": "2"})]
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[calling("Outer", look)])
    await collect(session.query("go", model=PlayingModel(["Hm. ", *uses, CALLS])))
    assert [b.content for b in results_of(session.messages)] == ["looked", "looked"]
    assert [m.text for m in seen] == ["Hm. ", "Hm. "]
    assert all(message.tool_uses[0].id == uses[0].id for message in seen)


# ---- changes of the session


async def test_a_serial_call_changes_the_session_before_the_next_begins(tmp_path) -> None:
    model = PlayingModel([ToolUse("Move", {"text": "/one"}), ToolUse("Move", {"text": "/two"}), CALLS])
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[moving(safe=False)], model=model)
    await collect(session.query("go"))
    assert [b.content for b in results_of(session.messages)] == [str(tmp_path), "/one"]
    assert session.cwd == "/two"


async def test_a_call_that_may_run_with_others_changes_nothing_and_an_event_says_so(tmp_path) -> None:
    use = ToolUse("Move", {"text": "/one"})
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[moving(safe=True)], model=PlayingModel([use, CALLS]))
    watch = Watch(session)
    await collect(session.query("go"))
    assert session.cwd == str(tmp_path)
    assert "not applied" in watch.of(use)[2].reason


async def test_a_command_that_moves_is_heard_by_the_next_one(tmp_path) -> None:
    (tmp_path / "inside").mkdir()
    uses = [ToolUse("Bash", {"command": "cd inside"}), ToolUse("Bash", {"command": "pwd"})]
    session = Session(cwd=tmp_path, settings={}, model=PlayingModel([*uses, CALLS]))
    await collect(session.query("go"))
    assert results_of(session.messages)[1].text.strip().endswith("inside")


# ---- what stops calls


def bash(command: str) -> ToolUse:
    return ToolUse("Bash", {"command": command})


BASH = {"permissions": {"allow": ["Bash"]}}


async def test_a_failed_command_that_may_change_something_stops_the_calls_beside_it(tmp_path) -> None:
    (tmp_path / "a").write_text("A")
    uses = [bash("mkdir /no/such/place"), ToolUse("Read", {"file_path": "a"}), bash("touch never")]
    model = PlayingModel([*uses, CALLS])
    session = Session(cwd=tmp_path, settings=BASH, model=model)
    watch = Watch(session)
    await collect(session.query("go"))
    failed, *others = results_of(session.messages)
    assert failed.is_error and "mkdir" in failed.text
    for block in others:
        assert block.is_error and "not run because Bash(mkdir /no/such/place) failed" in block.text
    assert not (tmp_path / "never").exists()
    assert [e.status for e in watch.of(uses[1])] == ["queued", "completed", "yielded"]
    check_history(session.messages)


async def test_also_a_call_that_is_written_after_the_failure(tmp_path) -> None:
    told = anyio.Event()
    model = PlayingModel([bash("false | tee x"), told.wait, bash("false > y"), told.wait, bash("touch never"), CALLS])
    session = Session(cwd=tmp_path, settings=BASH, model=model)
    async for update in session.query("go"):
        if isinstance(update, CallFinished):
            told.set()
    assert [b.is_error for b in results_of(session.messages)] == [False, True, True]
    assert not (tmp_path / "never").exists()


async def test_a_call_that_runs_beside_it_is_stopped_and_says_why(tmp_path) -> None:
    beside = anyio.Event()

    async def run(input: Any, context: Any) -> ToolResult[str]:
        if input.text == "waits":
            beside.set()
            await anyio.sleep_forever()
        await beside.wait()
        return ToolResult("no", is_error=True)

    tool = calling("Outer", run, is_concurrency_safe=True, rule_family="command")
    uses = [ToolUse("Outer", {"text": "waits"}), ToolUse("Outer", {"text": "fails"})]
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[tool, reader()])
    with anyio.fail_after(20):
        await collect(session.query("go", model=PlayingModel([*uses, CALLS])))
    stopped, failed = results_of(session.messages)
    assert failed.content == "no" and failed.is_error
    assert stopped.is_error and "Outer(text=fails) failed, which stops the calls beside it" in stopped.text


async def test_a_setting_lets_them_go_on(tmp_path) -> None:
    settings = {**BASH, "env": {"JUPYTER_AGENTTOOLS_SIBLING_ABORT": "off"}}
    model = PlayingModel([bash("mkdir /no/such/place"), bash("touch after"), CALLS])
    session = Session(cwd=tmp_path, settings=settings, model=model)
    await collect(session.query("go"))
    assert (tmp_path / "after").exists()


async def test_failures_that_change_nothing_stop_nobody(tmp_path) -> None:
    (tmp_path / "a").write_text("A")
    uses = [
        ToolUse("Grep", {"pattern": "zzz", "path": str(tmp_path)}),
        bash("grep -q zzz /dev/null"),
        bash("ls /no/such/place"),
        ToolUse("Read", {"file_path": str(tmp_path / "missing")}),
        ToolUse("Missing"),
        ToolUse("Bash", {"cmd": "wrong field"}),
        ToolUse("Read", {"file_path": str(tmp_path / "a")}),
        bash("echo ok"),
    ]
    session = Session(cwd=tmp_path, settings={}, model=PlayingModel([*uses, CALLS]))
    await collect(session.query("go"))
    results = results_of(session.messages)
    assert [b.tool_use_id for b in results] == [u.id for u in uses]
    assert not results[0].is_error and not results[1].is_error, "to find nothing is no failure"
    assert [b.is_error for b in results[2:6]] == [True] * 4
    assert "A" in results[6].text and results[7].text.strip() == "ok"


async def test_a_refused_command_stops_nobody(tmp_path) -> None:
    (tmp_path / "a").write_text("A")
    uses = [bash("touch never"), ToolUse("Read", {"file_path": "a"})]
    session = Session(cwd=tmp_path, prompter="deny", model=PlayingModel([*uses, CALLS]))
    await collect(session.query("go"))
    denied, read = results_of(session.messages)
    assert denied.is_error and not read.is_error


async def test_one_call_can_be_stopped_alone(tmp_path) -> None:
    log, uses = Log(), [ToolUse("Reader", {"text": "long", "seconds": 3600}), ToolUse("Reader", {"text": "short"})]
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[reader(log)], model=PlayingModel([*uses, CALLS]))
    began = anyio.Event()

    class Stop:
        def on_stage(self, event: Any) -> None:
            if event.stage == "permission" and event.tool_use_id == uses[0].id:
                began.set()

    session.observers.attach(Stop())
    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:

            async def stop() -> None:
                await began.wait()
                assert session.abort_call(uses[0].id, "takes too long")

            group.start_soon(stop)
            updates = await collect(session.query("go"))
    stopped, other = results_of(session.messages)
    assert stopped.is_error and "takes too long" in stopped.text and other.content == "short"
    assert updates[-1].reason == "end_turn" and not session.abort_call(uses[0].id, "again")


async def test_a_call_that_waits_can_be_stopped_before_it_begins(tmp_path) -> None:
    log, uses = Log(), [ToolUse("Writer", {"text": "first", "seconds": 0.05}), ToolUse("Writer", {"text": "second"})]
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[writer(log)])
    model = PlayingModel([*uses, lambda: session.abort_call(uses[1].id, "not needed") and None, CALLS])
    await collect(session.query("go", model=model))
    assert log.words == ["start first", "end first"]
    assert "not started: not needed" in results_of(session.messages)[1].text


# ---- calls that cannot be read, and answers that break off


async def test_a_call_whose_input_cannot_be_read_is_answered_and_never_run(tmp_path) -> None:
    log = Log()
    broken = ToolUse("Writer", {})
    model = PlayingModel([ToolUsePart(broken, 'the input is no JSON: it ends after {"text'), CALLS], ["Sorry.", END])
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[writer(log)], model=model)
    ended: list[Any] = []

    class Ends:
        def on_call_end(self, outcome: Any) -> None:
            ended.append(outcome)

    session.observers.attach(Ends())
    updates = await collect(session.query("go"))
    (result,) = results_of(session.messages)
    assert result.is_error and result.text.startswith("InputValidationError: Writer: the input is no JSON")
    assert log.words == [] and updates[-1].text == "Sorry."
    assert [outcome.block for outcome in ended] == [result]
    check_history(session.messages)


@pytest.mark.parametrize("failure", [None, ModelConnectionError("the connection was lost"), OSError("reset")])
async def test_after_a_break_running_calls_end_and_others_do_not_begin(tmp_path, failure: Exception | None) -> None:
    log, began = Log(), anyio.Event()

    async def slow(input: Any, context: Any) -> str:
        began.set()
        await anyio.sleep(0.05)
        log.words.append("ended")
        return "whole"

    uses = [ToolUse("Outer"), ToolUse("Writer", {"text": "never"})]
    steps = ["I begin ", uses[0], began.wait, uses[1], *([failure] if failure is not None else [])]
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[calling("Outer", slow), writer(log)])
    updates = await collect(session.query("go", model=PlayingModel(steps)))
    assert updates[-1].reason == "error" and updates[-1].text == "I begin "
    assert str(failure or "broke off") in updates[-1].detail
    first, second = results_of(session.messages)
    assert log.words == ["ended"] and first.content == "whole"
    assert second.is_error and "not started: the model's answer" in second.text
    check_history(session.messages)
    assert (await collect(session.query("go on", model=PlayingModel())))[-1].reason == "end_turn"


async def test_a_refusal_starts_nothing_more_and_keeps_what_was_said(tmp_path) -> None:
    log = Log()
    uses = [ToolUse("Writer", {"text": "first", "seconds": 0.02}), ToolUse("Writer", {"text": "second"})]
    model = PlayingModel(["No: ", *uses, StopPart("refusal", detail="not that")])
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[writer(log)], model=model)
    updates = await collect(session.query("go"))
    assert (updates[-1].reason, updates[-1].text, updates[-1].detail) == ("refusal", "No: ", "not that")
    assert log.words == ["start first", "end first"]
    check_history(session.messages)


async def test_an_answer_at_its_limit_of_tokens_runs_what_is_complete_and_ends(tmp_path) -> None:
    model = PlayingModel(["So ", ToolUse("Reader", {"text": "a"}), StopPart("max_tokens")])
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[reader()], model=model)
    updates = await collect(session.query("go"))
    assert updates[-1].reason == "max_tokens" and "limit of tokens" in updates[-1].detail
    assert [b.content for b in results_of(session.messages)] == ["a"]
    assert sum(isinstance(u, MessageAdded) for u in updates) == 3 and len(model.requests) == 1
