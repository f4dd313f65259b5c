"""Sleep and Brief, which a session has by its flags, and SyntheticOutput, which only a query with a schema has."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import Session
from jupyter_agenttools.core import ToolUse, schema_process
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.models import ScriptedModel
from jupyter_agenttools.session.conversation import RequestTerms
from jupyter_agenttools.tools.synthetic_output import create_synthetic_output_tool, schema_problems

pytestmark = pytest.mark.anyio


@pytest.fixture
async def session(tmp_path: Path, monkeypatch: Any) -> AsyncIterator[Session]:
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_SLEEP", "1")
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_BRIEF", "true")
    made = Session(cwd=tmp_path)
    yield made
    await made.aclose()


async def last_update(session: Session, model: ScriptedModel, **options: Any) -> Any:
    return [update async for update in session.query("go", model=model, **options)][-1]


# ---- flags


async def test_without_its_flag_a_tool_does_not_exist(tmp_path: Path) -> None:
    session = Session(cwd=tmp_path)
    assert not {"Sleep", "Brief", "SyntheticOutput"} & {tool.name for tool in session.tools}
    for name in ("Sleep", "Brief", "SyntheticOutput"):
        assert "no tool is named" in (await session.call(name, {})).text


async def test_flags_are_those_of_the_sessions_beginning(session: Session, monkeypatch: Any) -> None:
    monkeypatch.delenv("JUPYTER_AGENTTOOLS_SLEEP")
    assert "Sleep" in {tool.name for tool in session.tools}
    assert (await session.call("Sleep", {"seconds": 0.01})).status == "ok"


def test_settings_can_set_them_through_env(tmp_path: Path) -> None:
    session = Session(cwd=tmp_path, settings={"env": {"JUPYTER_AGENTTOOLS_BRIEF": "1"}})
    assert "Brief" in {tool.name for tool in session.tools}


# ---- Sleep


@pytest.fixture
def asleep(monkeypatch: pytest.MonkeyPatch) -> anyio.Event:
    """Set once the tool sleeps."""
    begun = anyio.Event()

    def monotonic() -> float:
        begun.set()
        return time.monotonic()

    module = import_module("jupyter_agenttools.tools.sleep.tool")
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=monotonic))
    return begun


async def test_time_passes(session: Session) -> None:
    began = time.monotonic()
    outcome = await session.call("Sleep", {"seconds": 0.2, "reason": "the build"})
    assert outcome.status == "ok" and 0.2 <= time.monotonic() - began < 20 and "have passed" in outcome.text


@pytest.mark.parametrize("seconds", [0, -1, 4_000])
async def test_times_that_make_no_sense(session: Session, seconds: float) -> None:
    assert (await session.call("Sleep", {"seconds": seconds})).error.check_id == "sleep-seconds"


async def test_what_the_person_says_wakes_it_and_the_turn_goes_on(session: Session, asleep: anyio.Event) -> None:
    model = ScriptedModel([[ToolUse("Sleep", {"seconds": 60})], "awake"])
    began = time.monotonic()
    async with anyio.create_task_group() as group:

        async def say() -> None:
            await asleep.wait()
            assert session.steer("wake up")

        group.start_soon(say)
        last = await last_update(session, model)
    assert last.reason == "end_turn" and last.text == "awake" and time.monotonic() - began < 30


async def test_a_stop_ends_it_with_the_time_that_passed(session: Session, asleep: anyio.Event) -> None:
    async with anyio.create_task_group() as group:

        async def stop() -> None:
            await asleep.wait()
            session.interrupt("enough")

        group.start_soon(stop)
        outcome = await session.call("Sleep", {"seconds": 60})
    assert outcome.status == "interrupted" and "Woken after " in outcome.text and "enough" in outcome.text


# ---- Brief


async def test_answers_are_short_until_they_are_not(session: Session) -> None:
    model = ScriptedModel(["one", "two", "three"])
    systems: list[str] = []

    async def ask() -> None:
        systems.append((await session.conversation.request(model, RequestTerms())).system)

    await ask()
    assert (await session.call("Brief", {})).output.brief and session.options.brief
    await ask()
    assert not (await session.call("Brief", {})).output.brief and not session.options.brief
    await session.call("Brief", {"enabled": False})
    await ask()
    assert ["Short answers" in system.rpartition("## ")[2] for system in systems] == [False, True, False]
    assert systems[0] == systems[2] and systems[1].startswith(systems[0])


# ---- SyntheticOutput

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "items": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number"}}}},
    },
    "required": ["name", "items"],
    "additionalProperties": False,
}


async def test_every_error_is_told_with_its_place_and_the_data_is_the_answer(session: Session) -> None:
    wrong = {"name": 3, "items": [{"price": "x"}, {"price": 1}, {"price": None}], "more": 1}
    right = {"name": "a", "items": [{"price": 1}]}
    uses = [[ToolUse("SyntheticOutput", wrong)], [ToolUse("SyntheticOutput", right)], "done"]
    last = await last_update(session, ScriptedModel(uses), output_schema=SCHEMA)
    assert last.structured_output == right and isinstance(last.structured_output, dict)
    told = session.outcomes[0].text
    for place in ("`name`", "`items.0.price`", "`items.2.price`", "'more' was unexpected"):
        assert place in told
    assert session.outcomes[1].result.structured_output is not None
    assert "SyntheticOutput" not in {tool.name for tool in session.tools}


async def test_data_of_another_kind_stands_in_a_field(session: Session) -> None:
    schema = {"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}}
    uses = [[ToolUse("SyntheticOutput", {"output": [1, "x"]})], [ToolUse("SyntheticOutput", {"output": [1, 2]})], "."]
    last = await last_update(session, ScriptedModel(uses), output_schema=schema)
    assert last.structured_output == [1, 2] and "output.1" in session.outcomes[0].text


ANSWER = '{"name": "a", "items": []}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [(ANSWER, True), (f"```json\n{ANSWER}\n```", True), ("{}", False), ("no", False)],
)
async def test_an_answer_in_text_counts_where_it_fits(session: Session, text: str, expected: bool) -> None:
    last = await last_update(session, ScriptedModel([text]), output_schema=SCHEMA)
    assert last.structured_output == ({"name": "a", "items": []} if expected else None)


async def test_without_a_schema_there_is_no_such_tool(session: Session) -> None:
    last = await last_update(session, ScriptedModel([[ToolUse("SyntheticOutput", {})], "x"]))
    assert last.structured_output is None and "no tool is named" in session.outcomes[-1].text


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "nonsense"}, "at type"),
        ({"properties": {"a": {"minimum": "x"}}}, "properties/a/minimum"),
        ({"$ref": "https://example.org/s.json"}, "example.org"),
        ([], "object"),
    ],
)
async def test_what_is_no_schema_is_refused_before_anything_runs(session: Session, schema: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        await anext(session.query("x", model=ScriptedModel(["y"]), output_schema=schema))
    assert not session.messages
    assert (await last_update(session, ScriptedModel(["y"]))).text == "y"


async def test_the_check_of_a_schema_blocks_no_event_loop_and_can_be_stopped(session: Session) -> None:
    busy, ended = schema_process._CHECKER._lock, []  # another check, which takes long

    async def ask() -> None:
        ended.append(await last_update(session, ScriptedModel(["y"]), output_schema=SCHEMA))

    workers = anyio.to_thread.current_default_thread_limiter()
    busy.acquire()
    over = threading.Timer(20, busy.release)  # else a loop that is blocked would be so for ever
    over.start()
    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        while not workers.borrowed_tokens and over.is_alive():
            await anyio.lowlevel.checkpoint()
        assert over.is_alive() and not ended
        session.interrupt("enough")
        over.cancel()
        busy.release()
    assert ended[0].reason == "interrupted" and ended[0].turns == 0


async def test_a_deny_rule_still_wins(tmp_path: Path) -> None:
    session = Session(cwd=tmp_path, settings={"permissions": {"deny": ["SyntheticOutput"]}})
    model = ScriptedModel([[ToolUse("SyntheticOutput", {"name": "a", "items": []})], "x"])
    assert (await last_update(session, model, output_schema=SCHEMA)).structured_output is None
    assert session.outcomes[-1].status == "denied"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_a_schema_that_wants_a_value_takes_just_that(value: Any) -> None:
    tool = create_synthetic_output_tool({"const": value})
    assert not schema_problems({"output": value}, tool.json_schema)
    assert schema_problems({"output": [value, "other"]}, tool.json_schema)
