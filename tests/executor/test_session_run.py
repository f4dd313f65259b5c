"""Many calls: who may overlap, in what order results leave, when the shared context changes."""

from __future__ import annotations

import itertools
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import Session, ToolUse, build_tool
from jupyter_agenttools.core import StageEvent, ToolResult
from jupyter_agenttools.executor import max_concurrency, partition_tool_calls
from tests.support.tools import EchoInput, Log, calling, echo_tool, moving, reader, writer

pytestmark = pytest.mark.anyio

ALLOW = {"permissions": {"allow": ["Reader", "Writer", "Move", "Odd"]}}


def broken_flag(input: Any) -> bool:
    raise ValueError("no idea")


TOOLS = (reader(), writer(), echo_tool("Odd", is_concurrency_safe=broken_flag))
CALLS = st.lists(st.sampled_from(["Reader", "Writer", "Odd", "Missing"]), max_size=30)


@given(CALLS)
def test_partitioning_keeps_every_call_in_its_place(names: list[str]) -> None:
    uses = [ToolUse(name, {"text": str(n)}) for n, name in enumerate(names)]
    batches = partition_tool_calls(uses, TOOLS)
    assert [use for batch in batches for use in batch.uses] == uses
    for batch in batches:
        assert batch.uses
        if batch.concurrent:
            assert {use.name for use in batch.uses} == {"Reader"}
        else:
            assert len(batch.uses) == 1
    neighbours = itertools.pairwise(batches)
    assert not any(a.concurrent and b.concurrent for a, b in neighbours)


def test_a_bad_input_runs_alone() -> None:
    batches = partition_tool_calls([ToolUse("Reader", {"txt": 1}), ToolUse("Reader", {})], TOOLS)
    assert [b.concurrent for b in batches] == [False, True]


async def test_reads_overlap_a_write_waits_and_results_are_in_order(tmp_path) -> None:
    log = Log()
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[reader(log), writer(log)])
    seconds = [0.06, 0.03, 0.01]
    uses = [ToolUse("Reader", {"text": f"r{n}", "seconds": s}) for n, s in enumerate(seconds)]
    uses += [ToolUse("Writer", {"text": "w"})]
    uses += [ToolUse("Reader", {"text": f"s{n}"}) for n in range(2)]
    outcomes = await session.run(uses)
    assert [o.text for o in outcomes] == ["r0", "r1", "r2", "w", "s0", "s1"]
    assert log.peak == 3
    at = log.words.index
    assert all(at(f"end r{n}") < at("start w") for n in range(3))
    assert at("end w") < at("start s0")
    assert at("end r2") < at("end r0")


async def test_no_more_than_the_cap_run_at_once(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY", "3")
    log = Log()
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[reader(log)])
    outcomes = await session.run([ToolUse("Reader", {"text": str(n), "seconds": 0.01}) for n in range(12)])
    assert [o.text for o in outcomes] == [str(n) for n in range(12)]
    assert log.peak == 3


async def test_calls_that_wait_for_nothing_need_few_tasks_and_keep_their_order(tmp_path) -> None:
    begun: list[tuple[int, str]] = []

    async def call(input: EchoInput, context: Any) -> str:
        begun.append((anyio.get_current_task().id, input.text))
        return input.text

    tool = build_tool(name="Reader", call=call, input_model=EchoInput, is_read_only=True, is_concurrency_safe=True)
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[tool])
    outcomes = await session.run([ToolUse("Reader", {"text": str(n)}) for n in range(50)])
    assert [o.text for o in outcomes] == [text for _, text in begun] == [str(n) for n in range(50)]
    assert len({task for task, _ in begun}) <= max_concurrency()


@pytest.mark.parametrize(("value", "cap"), [("4", 4), ("0", 10), ("many", 10), ("", 10), ("-1", 10)])
def test_the_cap_comes_from_the_environment_when_it_is_a_number(monkeypatch, value: str, cap: int) -> None:
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_MAX_TOOL_USE_CONCURRENCY", value)
    assert max_concurrency() == cap


async def test_a_serial_call_changes_the_context_of_the_next(tmp_path) -> None:
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[moving(safe=False)])
    outcomes = await session.run([ToolUse("Move", {"text": "/one"}), ToolUse("Move", {"text": "/two"})])
    assert [o.text for o in outcomes] == [str(tmp_path), "/one"]
    assert session.cwd == "/two"


async def test_changes_of_a_batch_wait_for_its_end_and_come_in_order(tmp_path) -> None:
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[moving(safe=True)])
    outcomes = await session.run([ToolUse("Move", {"text": f"/{n}"}) for n in range(4)])
    assert [o.text for o in outcomes] == [str(tmp_path)] * 4
    assert session.cwd == "/3"


async def test_calls_that_have_not_begun_do_not_begin_after_a_stop(tmp_path) -> None:
    log = Log()
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[writer(log)])

    class StopAtFirst:
        def on_stage(self, event: StageEvent) -> None:
            if event.stage == "permission":
                session.interrupt("enough")

    session.observers.attach(StopAtFirst())
    uses = [ToolUse("Writer", {"text": str(n), "seconds": 3600}) for n in range(3)]
    with anyio.fail_after(20):
        outcomes = await session.run(uses)
    assert [o.status for o in outcomes] == ["interrupted"] * 3
    assert [o.block.tool_use_id for o in outcomes] == [u.id for u in uses]
    assert "start 1" not in log.words


async def test_a_tool_may_run_another_through_the_same_gate(tmp_path) -> None:
    async def outer(input: Any, context: Any) -> str:
        inner = await context.can_use_tool("Writer", {"text": input.text})
        return f"inner: {inner.status}"

    tools = [calling("Odd", outer), writer()]
    allowed = Session(cwd=tmp_path, settings=ALLOW, tools=tools)
    assert (await allowed.call("Odd", {"text": "x"})).text == "inner: ok"
    denied = Session(cwd=tmp_path, settings={"permissions": {"allow": ["Odd"], "deny": ["Writer"]}}, tools=tools)
    assert (await denied.call("Odd", {"text": "x"})).text == "inner: denied"


def no_state(state: Any) -> Any:
    return None


def broken_modifier(state: Any) -> Any:
    raise ValueError("LOST")


@pytest.mark.parametrize("modifier", [no_state, broken_modifier])
async def test_a_change_of_the_session_that_fails_is_told_in_its_own_result(tmp_path, modifier: Any) -> None:
    move = calling("Move", lambda input, context: ToolResult("moved", context_modifier=modifier))
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[move, reader()])
    before = session.state
    outcomes = await session.run([ToolUse("Reader"), ToolUse("Move"), ToolUse("Reader")])
    assert [o.status for o in outcomes] == ["ok", "error", "ok"]
    assert "change of the session failed" in outcomes[1].text and "moved" in outcomes[1].text
    assert session.state is before


async def test_a_tool_that_cancels_itself_takes_no_other_result_with_it(tmp_path) -> None:
    def cancels(input: Any, context: Any) -> None:
        raise anyio.get_cancelled_exc_class()

    odd = calling("Odd", cancels, is_concurrency_safe=True)
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[odd, reader()])
    uses = [ToolUse(name) for name in ("Odd", "Reader", *["Odd"] * 12, "Reader")]
    outcomes = await session.run(uses)
    assert [o.block.tool_use_id for o in outcomes] == [use.id for use in uses]
    assert [o.status for o in outcomes] == ["ok" if use.name == "Reader" else "interrupted" for use in uses]


async def test_questions_of_calls_that_run_together_come_in_the_order_of_the_calls(tmp_path) -> None:
    asked: list[str] = []

    async def ask(request: Any) -> bool:
        asked.append(request.input["text"])
        await anyio.lowlevel.checkpoint()
        return True

    safe = echo_tool(is_concurrency_safe=True)
    session = Session(cwd=tmp_path, tools=[safe], prompter=ask)
    texts = [str(n) for n in range(8)]
    for _ in range(5):
        asked.clear()
        await session.run([ToolUse("Echo", {"text": text}) for text in texts])
        assert asked == texts


async def test_calls_that_wait_for_nothing_begin_in_their_order(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_MAX_TOOL_USE_CONCURRENCY", "2")
    begun: list[str] = []

    def note(input: Any, context: Any) -> str:
        begun.append(input.text)
        return "noted"

    tools = [calling("Reader", note, is_read_only=True, is_concurrency_safe=True), calling("Writer", note)]
    session = Session(cwd=tmp_path, settings=ALLOW, tools=tools)
    names = ["Writer", *["Reader"] * 5, "Writer", *["Reader"] * 3]
    await session.run([ToolUse(name, {"text": str(n)}) for n, name in enumerate(names)])
    assert begun == [str(n) for n in range(len(names))]
