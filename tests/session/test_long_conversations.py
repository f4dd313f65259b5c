"""Conversations that outgrow their model: results give way to paths, older messages to a summary, and work goes on."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from anyio import from_thread

from jupyter_agenttools import Session, UsageError
from jupyter_agenttools.agents.conversation import check_history
from jupyter_agenttools.core.blocks import ToolResultBlock, ToolUse
from jupyter_agenttools.core.errors import ContextOverflowError
from jupyter_agenttools.core.updates import Compacted, TurnEnded, UsageAdded
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.hooks import Hook
from jupyter_agenttools.models import ModelRequest, StopPart, TextPart, ToolUsePart
from tests.support.tools import calling

pytestmark = pytest.mark.anyio

ALLOW = {"permissions": {"allow": ["Big", "Read", "Edit"]}}


class Steps:
    """A model that takes these steps: a text is an answer, a tool use a call, an exception a failure.

    Whenever it is asked for a summary it gives one, and takes no step.
    """

    name = "steps"

    def __init__(self, *steps: Any, window: int = 200_000) -> None:
        self.steps = list(steps)
        self.context_window = window
        self.requests: list[ModelRequest] = []
        self.summaries: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        if "takes the place of the messages above" in request.messages[-1].text:
            self.summaries.append(request)
            yield TextPart("A SUMMARY")
            yield StopPart(usage=Usage(7, 3))
            return
        self.requests.append(request)
        step = self.steps.pop(0)
        if isinstance(step, BaseException):
            raise step
        for part in step if isinstance(step, list) else [step]:
            yield ToolUsePart(part) if isinstance(part, ToolUse) else TextPart(part)
        yield StopPart()


def big(name: str = "Big", words: int = 3_000, **definition: Any) -> Any:
    return calling(name, lambda input, context: f"{input.text} word " * words, max_result_size_chars=None, **definition)


async def ask(session: Session, prompt: str, **options: Any) -> list[Any]:
    return [update async for update in session.query(prompt, **options)]


def results_in(request: ModelRequest) -> dict[str, str]:
    blocks = [b for message in request.messages for b in message.content if isinstance(b, ToolResultBlock)]
    return {block.tool_use_id: block.text for block in blocks}


def use(name: str, id: str, **input: Any) -> ToolUse:
    return ToolUse(name, input, id)


async def test_near_the_window_the_conversation_is_shortened_and_the_query_goes_on(tmp_path: Path) -> None:
    calls = [use("Big", f"b{number}", text=str(number)) for number in range(4)]
    model = Steps(*calls, "done", window=20_000)
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[big(words=1_500)], model=model)
    updates = await ask(session, "please count")
    (shortened, *_) = [update for update in updates if isinstance(update, Compacted)]
    assert updates[-1].reason == "end_turn" and updates[-1].text == "done"
    assert "A SUMMARY" in shortened.summary and "please count" in shortened.summary
    assert shortened.tokens_after < shortened.tokens_before
    assert UsageAdded(Usage(7, 3), None) in updates and session.usage.input_tokens >= 7
    assert session.messages[0].text.startswith("[The conversation became too long") and len(session.messages) < 10
    assert check_history(session.messages) == ()
    await session.aclose()


async def test_a_request_that_overflows_is_shortened_and_asked_once_more(tmp_path: Path) -> None:
    model = Steps(use("Big", "b", text="x"), "first", ContextOverflowError("too big"), "second")
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[big()], model=model)
    await ask(session, "one")
    updates = await ask(session, "two")
    assert updates[-1] == TurnEnded("end_turn", "second", "", updates[-1].usage, None, updates[-1].turns)
    assert any(isinstance(update, Compacted) for update in updates)
    assert "two" in model.requests[-1].messages[-1].text and "A SUMMARY" in model.requests[-1].messages[0].text
    await session.aclose()


async def test_one_that_cannot_be_shortened_ends_the_turn_and_says_why(tmp_path: Path) -> None:
    session = Session(cwd=tmp_path, model=Steps(ContextOverflowError("the window has 10 tokens")))
    ended = (await ask(session, "one"))[-1]
    assert ended.reason == "error" and "10 tokens" in ended.detail and "nothing to shorten" in ended.detail
    await session.aclose()


async def test_a_person_hears_of_a_failure_and_the_query_goes_on(tmp_path: Path) -> None:
    class Failing(Steps):
        async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
            if "takes the place of the messages above" in request.messages[-1].text:
                raise OSError("no summary today")
            async for part in super().stream(request):
                yield part

    calls = [use("Big", f"b{number}", text=str(number)) for number in range(4)]
    session = Session(
        cwd=tmp_path, settings=ALLOW, tools=[big(words=1_500)], model=Failing(*calls, "done", window=20_000)
    )
    notes: list[Any] = []

    class Watch:
        def on_hook_note(self, note: Any) -> None:
            notes.append(note.text)

    session.observers.attach(Watch())
    updates = await ask(session, "go")
    assert updates[-1].text == "done" and not any(isinstance(update, Compacted) for update in updates)
    assert notes and all("no summary today" in note and "stays as it is" in note for note in notes) and len(notes) <= 3
    await session.aclose()


async def test_a_window_that_is_too_small_for_the_tools_alone_is_no_reason_to_shorten(tmp_path: Path) -> None:
    model = Steps("first", window=512)
    session = Session(cwd=tmp_path, model=model)
    assert (await ask(session, "one"))[-1].text == "first" and model.summaries == []
    await session.aclose()


async def test_a_person_can_ask_for_it(tmp_path: Path) -> None:
    model = Steps("first", "second")
    session = Session(cwd=tmp_path, settings=ALLOW, model=model)
    with pytest.raises(UsageError, match="nothing to shorten"):
        await session.compact()
    await ask(session, "one")
    done = await session.compact("keep the numbers")
    assert done is not None and "keep the numbers" in model.summaries[0].messages[-1].text
    assert (await ask(session, "two"))[-1].text == "second"
    assert check_history(model.requests[-1].messages) == ()
    await session.aclose()


async def test_hooks_hear_of_it_and_can_refuse(tmp_path: Path) -> None:
    heard: list[Any] = []

    def refuse(event: dict[str, Any]) -> dict[str, Any] | None:
        heard.append((event["hook_event_name"], event["trigger"], event["custom_instructions"]))
        return {"decision": "block", "reason": "not now"} if len(heard) == 1 else None

    def hear(event: dict[str, Any]) -> None:
        heard.append((event["hook_event_name"], event["trigger"], event["compact_summary"]))

    hooks = [Hook("PreCompact", refuse, "refuse"), Hook("PostCompact", hear, "hear")]
    session = Session(cwd=tmp_path, model=Steps("first"), hooks=hooks)
    await ask(session, "one")
    with pytest.raises(UsageError, match="not now"):
        await session.compact()
    assert len(session.messages) == 2
    await session.compact("short")
    summary = session.messages[0].text
    assert heard == [
        ("PreCompact", "manual", ""),
        ("PreCompact", "manual", "short"),
        ("PostCompact", "manual", summary),
    ]
    await session.aclose()


async def test_what_left_the_conversation_has_to_be_read_again_before_it_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_text("one\ntwo\n")
    edit = {"file_path": str(path), "old_string": "one", "new_string": "three"}
    model = Steps(use("Read", "r1", file_path=str(path)), "seen", use("Edit", "e1", **edit), "ok")
    session = Session(cwd=tmp_path, settings=ALLOW, model=model)
    await ask(session, "read it")
    await session.compact()
    assert str(path) in session.messages[0].text
    await ask(session, "change it")
    assert "Read it first" in results_in(model.requests[-1])["e1"] and path.read_text() == "one\ntwo\n"
    again = await session.call("Read", {"file_path": str(path)})
    assert "1→one" in again.text, "it is shown again, not said to be unchanged"
    await session.aclose()


async def test_old_results_give_way_to_a_path_and_stay_in_the_session(tmp_path: Path) -> None:
    calls = [use("Big", f"b{number}", text=str(number)) for number in range(8)]
    model = Steps(*calls, "done", "again")
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[big(words=10_000)], model=model)
    await ask(session, "go")
    sent = results_in(model.requests[-1])
    gone = [id for id, text in sent.items() if "All of it: " in text]
    assert gone == [f"b{number}" for number in range(len(gone))] and 1 <= len(gone) <= 5
    for id in gone:
        found = re.search(r"All of it: (.+)", sent[id])
        assert found is not None
        whole = await session.call("Read", {"file_path": found[1].strip(), "limit": 1})
        assert whole.status == "ok" or "tokens" in whole.text
    assert all("All of it" not in text for text in results_in(ModelRequest("", session.messages, ())).values())
    await ask(session, "and now")
    assert results_in(model.requests[-1]) == sent, "the beginning of the request stays the same"
    await session.aclose()


async def test_a_file_whose_result_gave_way_is_shown_again(tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_text("some words here\n" * 1_500)
    calls = [use("Big", f"b{number}", text=str(number)) for number in range(6)]
    model = Steps(use("Read", "r1", file_path=str(path)), *calls, use("Read", "r2", file_path=str(path)), "done")
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[big(words=10_000)], model=model)
    await ask(session, "go")
    assert "r1" in session.conversation.replacements.replaced
    assert "some words here" in results_in(model.requests[-1])["r2"]
    await session.aclose()


def size_of(path: str) -> int:
    return Path(path).stat().st_size


NEEDLE = ("q" * 4_000 + "NEEDLE\n") * 500


async def test_no_result_goes_around_the_limit(tmp_path: Path) -> None:
    """Whatever tool it is: what enters the conversation is within its limit, and the rest can be reached."""
    (tmp_path / "a").write_text(NEEDLE)
    allow = {"permissions": {"allow": ["Grep", "Read", "Bash(cat *)", "Mine"]}}
    mine = calling("Mine", lambda input, context: "m" * 3_000_000)
    session = Session(cwd=tmp_path, settings=allow, tools=[mine])
    grep = {"pattern": "NEEDLE", "path": str(tmp_path), "output_mode": "content"}
    for name, input in (
        ("Grep", grep),
        ("Read", {"file_path": str(tmp_path / "a")}),
        ("Bash", {"command": "cat a"}),
        ("Mine", {}),
    ):
        outcome = await session.call(name, input)
        limit = session.find_tool(name).max_result_size_chars or 100_000
        assert len(outcome.text) <= limit + 500, name
    assert size_of(re.search(r"All of it: (\S+)", outcome.text)[1]) == 3_000_000
    await session.aclose()


async def test_every_line_of_a_result_that_was_cut_can_be_read(tmp_path: Path) -> None:
    session = Session(cwd=tmp_path, settings={"permissions": {"allow": ["Bash(seq *)"]}})
    outcome = await session.call("Bash", {"command": "seq 1 200000"})
    path = outcome.output.persisted_output_path
    assert path in outcome.text and size_of(path) == 1_288_895
    assert outcome.text.index("1\n2\n3") < outcome.text.index("200000")
    last = await session.call("Read", {"file_path": path, "offset": 199_999, "limit": 2})
    assert "199999" in last.text and "200000" in last.text
    await session.aclose()


async def test_what_the_notice_of_a_background_command_names_is_there_and_whole(tmp_path: Path) -> None:
    session = Session(cwd=tmp_path, settings={"permissions": {"allow": ["Bash(seq *)"]}})
    ended: list[Any] = []
    over, here = anyio.Event(), anyio.lowlevel.current_token()

    class Watch:
        def on_job(self, event: Any) -> None:
            if event.kind == "ended":
                ended.append((event, Path(event.output_path).stat().st_size))
                from_thread.run_sync(over.set, token=here)

    session.observers.attach(Watch())
    await session.call("Bash", {"command": "seq 1 300000", "run_in_background": True})
    with anyio.fail_after(60):
        await over.wait()
    (event, size) = ended[0]
    assert size == event.output_bytes == sum(len(str(n)) + 1 for n in range(1, 300_001))
    await session.aclose()
