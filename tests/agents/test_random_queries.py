"""Whatever a model sends, however it fails and whenever somebody stops or leaves: the history is sound and goes on."""

from __future__ import annotations

import tempfile
from typing import Any

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools import Session, ToolUse
from jupyter_agenttools.agents.conversation import check_history as faults_of
from jupyter_agenttools.core.errors import ContextOverflowError, ModelBusyError, ModelConnectionError
from jupyter_agenttools.core.updates import CallFinished, Compacted, MessageAdded, ToolUseReady, TurnEnded, UsageAdded
from jupyter_agenttools.core.usage import NO_USAGE, Usage
from jupyter_agenttools.models import RetryPart, StopPart, ThinkingPart, ToolUsePart
from tests.agents.support import ALLOW, collect, results_of
from tests.support.models import PlayingModel
from tests.support.tools import Log, calling, reader, writer

TEXTS = st.sampled_from(["", " ", "word ", "# Title\n"])
CALLS = st.builds(
    lambda name, seconds: ToolUse(name, {"text": "x", "seconds": seconds}),
    st.sampled_from(["Reader", "Reader", "Writer", "Missing", "Fails"]),
    st.sampled_from([0.0, 0.001]),
)
STEPS = st.one_of(
    TEXTS,
    CALLS,
    st.builds(ThinkingPart, TEXTS, st.none() | st.just("sig")),
    st.builds(lambda use: ToolUsePart(use, "it is no JSON"), CALLS),
    st.just(RetryPart("busy", 0.0, 2)),
)
ENDS = st.one_of(
    st.builds(
        StopPart,
        st.sampled_from(["end_turn", "tool_use", "tool_use", "max_tokens", "refusal"]),
        st.none() | st.builds(Usage, st.integers(0, 9), st.integers(0, 9)),
    ),
    st.sampled_from(
        [None, ModelConnectionError("lost"), ModelBusyError("busy"), ContextOverflowError("big"), OSError("x")]
    ),
)


@st.composite
def answers(draw: st.DrawFn) -> list[Any]:
    end = draw(ENDS)
    return [*draw(st.lists(STEPS, max_size=5)), *([end] if end is not None else [])]


def fails(input: Any, context: Any) -> None:
    raise ValueError("broken")


async def play(turns: list[list[Any]], how: str, at: int) -> None:
    log, finished = Log(), []
    tools = [reader(log), writer(log), calling("Fails", fails)]
    with tempfile.TemporaryDirectory() as folder:
        session = Session(cwd=folder, session_dir=f"{folder}/session", settings=ALLOW, tools=tools)
        updates: list[Any] = []
        query = session.query("go", model=PlayingModel(*turns), max_turns=3)
        with anyio.fail_after(20):
            async for update in query:
                updates.append(update)
                if len(updates) == at and how == "stop":
                    session.interrupt("enough")
                if len(updates) == at and how == "leave":
                    break
                if len(updates) == at and how == "say":
                    session.steer("and?")
            await query.aclose()
        assert log.running == 0
        finished = [u.outcome.block for u in updates if isinstance(u, CallFinished)]
        check(session, updates, finished, left=how == "leave")
        history = session.messages
        again = await collect(session.query("again", model=PlayingModel()))
        assert again[-1].text == "Done." and session.messages[: len(history)] == history
        await session.aclose()


def check(session: Session, updates: list[Any], finished: list[Any], *, left: bool) -> None:
    assert not [fault for fault in faults_of(session.messages) if fault.kind not in ("roles_repeat", "empty_text")]
    uses = [use.id for message in session.messages for use in message.tool_uses]
    results = results_of(session.messages)
    assert [block.tool_use_id for block in results] == uses and len(set(uses)) == len(uses)
    if any(isinstance(u, Compacted) for u in updates):
        return  # a summary stands for some of it
    assert finished == results[: len(finished)]
    ready = [u.tool_use.id for u in updates if isinstance(u, ToolUseReady)]
    assert ready == uses[: len(ready)]
    if left:
        return
    assert finished == results and ready == uses
    assert isinstance(updates[-1], TurnEnded) and not any(isinstance(u, TurnEnded) for u in updates[:-1])
    assert tuple(u.message for u in updates if isinstance(u, MessageAdded)) == session.messages
    used = sum((u.usage for u in updates if isinstance(u, UsageAdded)), NO_USAGE)
    assert updates[-1].usage == used == session.usage


@settings(max_examples=100)
@given(
    turns=st.lists(answers(), max_size=4),
    how=st.sampled_from(["read", "stop", "leave", "say"]),
    at=st.integers(1, 20),
)
def test_any_model_and_any_end(turns: list[list[Any]], how: str, at: int) -> None:
    anyio.run(play, turns, how, at)
