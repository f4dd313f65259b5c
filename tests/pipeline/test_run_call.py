"""One call: whatever happens inside, exactly one result comes out, and every step of it can be seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from jupyter_agenttools import PermissionAnswer, PermissionRequest, Session, hook
from jupyter_agenttools.core import StageEvent, ToolResult, ValidationResult
from jupyter_agenttools.core.stepping import StepChoice
from jupyter_agenttools.pipeline import STAGE_NAMES
from tests.support.tools import calling, echo_tool

pytestmark = pytest.mark.anyio

ALLOW_ALL = {"permissions": {"allow": ["Echo", "Broken", "Odd", "Big"]}}


@pytest.fixture
def session(tmp_path):
    return Session(cwd=tmp_path, settings=ALLOW_ALL, tools=[echo_tool()])


def names(events: tuple[StageEvent, ...]) -> list[str]:
    return [event.stage for event in events]


async def test_a_call_walks_through_the_nine_stages_in_order(session) -> None:
    outcome = await session.call("Echo", {"text": "hello"})
    assert (outcome.status, outcome.text, outcome.output) == ("ok", "hello", "hello")
    assert tuple(names(outcome.events)) == STAGE_NAMES
    assert outcome.block.tool_use_id == outcome.tool_use.id
    assert outcome.decision.rule == "Echo"
    parse = outcome.events[0]
    assert parse.went_in()["tool_use"]["input"] == {"text": "hello"}
    assert parse.came_out() == {"tool": "Echo", "input": {"text": "hello"}}


@pytest.mark.parametrize(
    ("name", "input", "words", "last"),
    [
        ("Ecko", {}, "no tool is named 'Ecko'. Did you mean Echo?", "parse_input"),
        ("Echo", {"txt": 1}, "InputValidationError: Echo: `txt` is not a field (did you mean `text`?)", "parse_input"),
        ("Echo", {"text": ["a"]}, "`text`", "parse_input"),
    ],
)
async def test_a_bad_call_is_told_at_once(session, name: str, input: dict[str, Any], words: str, last: str) -> None:
    outcome = await session.call(name, input)
    assert outcome.status == "error" and outcome.block.is_error
    assert words in outcome.text
    assert names(outcome.events)[-1] == last


async def test_what_makes_no_sense_is_refused_before_anybody_is_asked(tmp_path) -> None:
    async def validate(input: Any, context: Any) -> ValidationResult:
        return ValidationResult(False, "text is empty; give some", "empty-text")

    asked: list[PermissionRequest] = []
    tool = echo_tool(validate_input=validate)
    session = Session(cwd=tmp_path, tools=[tool], prompter=lambda request: asked.append(request) or True)
    outcome = await session.call("Echo", {})
    assert outcome.status == "error" and "text is empty" in outcome.text
    assert outcome.error.check_id == "empty-text"
    assert not asked


async def test_internal_fields_are_taken_out(session) -> None:
    outcome = await session.call("Echo", {"text": "x", "_simulatedSedEdit": {"filePath": "/etc/passwd"}})
    assert outcome.status == "ok"
    assert "_simulatedSedEdit" in outcome.events[0].reason
    assert "_simulatedSedEdit" not in outcome.events[3].came_out()["observed"]


@pytest.mark.parametrize("error", [ValueError("LOST"), KeyError("k"), AssertionError(), RecursionError("deep")])
async def test_a_tool_that_raises_still_has_one_result(tmp_path, error: Exception) -> None:
    def broken(input: Any, context: Any) -> None:
        raise error

    session = Session(cwd=tmp_path, settings=ALLOW_ALL, tools=[calling("Broken", broken), echo_tool()])
    outcome = await session.call("Broken", {})
    assert outcome.status == "error" and outcome.error is error
    assert "InternalError" in outcome.text and "Traceback" not in outcome.text
    assert (await session.call("Echo", {"text": "alive"})).text == "alive"


@pytest.mark.parametrize("name", ["is_concurrency_safe", "map_tool_result", "backfill_observable_input", "preview"])
async def test_any_broken_part_of_a_tool_ends_in_one_result(tmp_path, name: str) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError(name)

    session = Session(cwd=tmp_path, tools=[echo_tool(**{name: broken})], prompter=lambda request: True)
    outcomes = await session.run([_use("Echo"), _use("Echo")])
    assert len(outcomes) == 2
    assert {o.block.tool_use_id for o in outcomes} == {o.tool_use.id for o in outcomes}


async def test_a_check_that_breaks_asks_and_never_allows(tmp_path) -> None:
    async def check(input: Any, context: Any) -> Any:
        raise RuntimeError("no idea")

    session = Session(cwd=tmp_path, settings=ALLOW_ALL, tools=[echo_tool(check_permissions=check)])
    decision = await session.decide("Echo", {"text": "x"})
    assert decision.behavior == "ask"
    assert (await session.call("Echo", {"text": "x"})).status == "denied"


async def test_an_observer_that_raises_harms_nobody(session) -> None:
    class Broken:
        def on_stage(self, event: StageEvent) -> None:
            raise RuntimeError("broken observer")

        on_call_start = on_call_end = on_stage

    session.observers.attach(Broken())
    assert (await session.call("Echo", {"text": "fine"})).text == "fine"
    assert session.observers.faults


class TestAsking:
    async def test_without_a_rule_a_person_decides(self, tmp_path) -> None:
        requests: list[PermissionRequest] = []

        def ask(request: PermissionRequest) -> PermissionAnswer:
            requests.append(request)
            return PermissionAnswer("deny", "not today")

        session = Session(cwd=tmp_path, tools=[echo_tool()], prompter=ask)
        outcome = await session.call("Echo", {"text": "x"})
        assert outcome.status == "denied" and "not today" in outcome.text
        assert requests[0].input == {"text": "x"} and requests[0].suggestions
        assert outcome.decision.behavior == "deny"
        assert outcome.decision.trace[-1].check == "person"

    async def test_a_prompter_that_breaks_is_a_denial(self, tmp_path) -> None:
        def ask(request: PermissionRequest) -> bool:
            raise OSError("front end gone")

        outcome = await Session(cwd=tmp_path, tools=[echo_tool()], prompter=ask).call("Echo", {})
        assert outcome.status == "denied" and "front end gone" in outcome.text

    @pytest.mark.parametrize("answer", [None, 0, "yes please", {}, [], "Allow"])
    async def test_what_is_not_clearly_yes_is_no(self, tmp_path, answer: Any) -> None:
        outcome = await Session(cwd=tmp_path, tools=[echo_tool()], prompter=lambda r: answer).call("Echo", {})
        assert outcome.status == "denied"

    async def test_an_edited_input_is_judged_again_from_the_schema_on(self, tmp_path) -> None:
        asked: list[Mapping[str, Any]] = []

        def ask(request: PermissionRequest) -> PermissionAnswer:
            asked.append(request.input)
            return PermissionAnswer("allow", updated_input={"text": "edited"})

        session = Session(cwd=tmp_path, tools=[echo_tool()], prompter=ask)
        outcome = await session.call("Echo", {"text": "first"})
        assert outcome.text == "edited" and len(asked) == 1
        assert names(outcome.events).count("parse_input") == 2
        assert outcome.tool_use.input == {"text": "edited"}

    async def test_an_edit_never_gets_past_a_deny_rule_or_a_guard(self, tmp_path) -> None:
        @hook("PreToolUse", matcher="Echo")
        async def guard(event: dict[str, Any]) -> str | None:
            return "deny" if event["tool_input"].get("text") == "secret" else None

        session = Session(
            cwd=tmp_path,
            tools=[echo_tool()],
            hooks=[guard],
            prompter=lambda request: PermissionAnswer("allow", updated_input={"text": "secret"}),
        )
        outcome = await session.call("Echo", {"text": "fine"})
        assert outcome.status == "denied" and "guard" in outcome.text

    async def test_an_unreadable_edit_is_an_input_error(self, tmp_path) -> None:
        session = Session(
            cwd=tmp_path,
            tools=[echo_tool()],
            prompter=lambda request: PermissionAnswer("allow", updated_input={"colour": 1}),
        )
        outcome = await session.call("Echo", {"text": "fine"})
        assert outcome.status == "error" and "`colour` is not a field" in outcome.text


class TestStopping:
    async def test_a_running_tool_is_stopped_and_says_so(self, tmp_path) -> None:
        started = anyio.Event()

        async def hang(input: Any, context: Any) -> None:
            started.set()
            await anyio.sleep_forever()

        session = Session(cwd=tmp_path, settings=ALLOW_ALL, tools=[calling("Odd", hang)])
        async with anyio.create_task_group() as group:
            done: list[Any] = []

            async def run() -> None:
                done.append(await session.call("Odd", {}))

            with anyio.fail_after(20):
                group.start_soon(run)
                await started.wait()
                session.interrupt("enough")
        assert done[0].status == "interrupted" and "enough" in done[0].text

    async def test_a_pending_question_is_stopped(self, tmp_path) -> None:
        async def never(request: PermissionRequest) -> bool:
            session.interrupt("gone")
            await anyio.sleep_forever()
            return True

        session = Session(cwd=tmp_path, tools=[echo_tool()], prompter=never)
        with anyio.fail_after(20):
            outcome = await session.call("Echo", {})
        assert outcome.status == "interrupted" and outcome.block.is_error

    async def test_what_a_stopped_tool_has_is_kept(self, tmp_path) -> None:
        async def slow(input: Any, context: Any) -> ToolResult[str]:
            stopped = anyio.Event()
            context.cancellation.add_callback(lambda reason: stopped.set())
            session.interrupt()
            await stopped.wait()
            return ToolResult("half of it", interrupted=True, is_error=True)

        session = Session(cwd=tmp_path, settings=ALLOW_ALL, tools=[calling("Odd", slow)])
        with anyio.fail_after(20):
            outcome = await session.call("Odd", {})
        assert (outcome.status, outcome.text) == ("interrupted", "half of it")

    async def test_cancelling_the_task_reaches_observers_and_is_passed_on(self, session) -> None:
        ended: list[Any] = []

        class Watcher:
            def on_call_end(self, outcome: Any) -> None:
                ended.append(outcome)

        session.observers.attach(Watcher())
        with anyio.move_on_after(3600) as scope:
            session.observers.attach(_OnStage("permission", scope.cancel))
            await session.call("Echo", {"seconds": 3600})
        assert scope.cancelled_caught
        assert [o.status for o in ended] == ["interrupted"]


class TestStepping:
    async def test_a_person_can_stop_between_any_two_stages(self, session) -> None:
        stepper = _Stepper()
        outcome = await session.call("Echo", {"text": "x"}, stepper=stepper)
        assert outcome.status == "ok"
        assert [event.stage for event, _, _ in stepper.seen] == list(STAGE_NAMES[:-1])
        assert [following for _, following, _ in stepper.seen] == list(STAGE_NAMES[1:])
        assert [editable for _, _, editable in stepper.seen] == [True] * 6 + [False] * 2

    @pytest.mark.parametrize("stage", STAGE_NAMES[:-1])
    async def test_aborting_after_any_stage_gives_one_denied_result(self, session, stage: str) -> None:
        outcome = await session.call("Echo", {"text": "x"}, stepper=_Stepper({stage: StepChoice("abort")}))
        assert outcome.status == "denied" and "aborted" in outcome.text
        assert names(outcome.events)[-1] == stage

    async def test_running_on_stops_no_more(self, session) -> None:
        stepper = _Stepper({"validate_input": StepChoice("run_on")})
        assert (await session.call("Echo", {"text": "x"}, stepper=stepper)).status == "ok"
        assert len(stepper.seen) == 2

    async def test_an_edit_while_stepping_is_judged_again(self, tmp_path) -> None:
        session = Session(cwd=tmp_path, tools=[echo_tool()], settings={"permissions": {"allow": ["Echo"]}})
        stepper = _Stepper({"permission": StepChoice("edit", {"text": "new"})}, once=True)
        outcome = await session.call("Echo", {"text": "old"}, stepper=stepper)
        assert outcome.text == "new"
        assert names(outcome.events).count("permission") == 2

    async def test_a_stepper_that_breaks_ends_the_call(self, session) -> None:
        class Broken:
            async def between(self, *_: Any) -> StepChoice:
                raise RuntimeError("no front end")

        outcome = await session.call("Echo", {"text": "x"}, stepper=Broken())
        assert outcome.status == "error" and "no front end" in outcome.text


async def test_a_big_result_goes_to_disk_and_can_be_read_whole(tmp_path) -> None:
    text = "".join(f"line {n}\n" for n in range(20_000))
    tool = calling("Big", lambda input, context: text, max_result_size_chars=10_000)
    session = Session(cwd=tmp_path, settings=ALLOW_ALL, tools=[tool])
    outcome = await session.call("Big", {})
    path = session.dir / "tool-results" / f"{outcome.tool_use.id}.txt"
    assert str(path) in outcome.text and len(outcome.text) < 10_000
    assert path.read_text() == text
    assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0


def _use(name: str, **input: Any):
    from jupyter_agenttools import ToolUse

    return ToolUse(name, input)


class _OnStage:
    """Does something when a stage has ended."""

    def __init__(self, stage: str, action: Any) -> None:
        self.stage, self.action = stage, action

    def on_stage(self, event: StageEvent) -> None:
        if event.stage == self.stage:
            self.action()


class _Stepper:
    def __init__(self, choices: dict[str, StepChoice] | None = None, once: bool = False) -> None:
        self.choices, self.once = dict(choices or {}), once
        self.seen: list[tuple[StageEvent, str, bool]] = []

    async def between(self, event: StageEvent, next_stage: str, may_edit: bool) -> StepChoice:
        self.seen.append((event, next_stage, may_edit))
        choice = self.choices.get(event.stage, StepChoice("next"))
        if self.once:
            self.choices.pop(event.stage, None)
        return choice
