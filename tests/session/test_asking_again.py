"""Around a question: an edited input that cannot work, a turn that is stopped, rights that change meanwhile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core.context import ContextState
from jupyter_agenttools.core.decision import DecisionStep
from jupyter_agenttools.core.prompting import BY_RULES, PermissionAnswer, PermissionRequest, RuleUpdate
from jupyter_agenttools.core.updates import TurnEnded
from jupyter_agenttools.models import ScriptedModel
from jupyter_agenttools.session import problem_of_input, rule_place
from jupyter_agenttools.settings import SettingsPlaces, load_settings, trust_requests
from tests.support.settings import make_lab
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio


def make_session(folder: Path, prompter: Any, **options: Any) -> Session:
    return Session(cwd=folder, session_dir=folder / "session", settings={}, prompter=prompter, **options)


class TestEditedInputs:
    async def request_of(self, session: Session, name: str, input: dict[str, Any]) -> PermissionRequest:
        seen: list[PermissionRequest] = []
        session.observers.attach(type("Watch", (), {"on_permission_request": lambda _, r: seen.append(r)})())
        await session.call(name, input)
        return seen[0]

    async def test_an_input_that_does_not_fit_or_cannot_work_says_why(self, tmp_path: Path) -> None:
        (tmp_path / "x.py").write_text("one\n")
        session = make_session(tmp_path, lambda request: False)
        await session.call("Read", {"file_path": "x.py"})
        good = {"file_path": "x.py", "old_string": "one", "new_string": "two"}
        request = await self.request_of(session, "Edit", good)
        assert await problem_of_input(session, request, good) == ""
        assert "new_string" in await problem_of_input(session, request, {**good, "new_string": 5})
        assert "is not in" in await problem_of_input(session, request, {**good, "old_string": "three"})
        assert await problem_of_input(session, request, {"file_path": "x.py"})

    async def test_an_input_that_a_rule_denies_says_which(self, tmp_path: Path) -> None:
        session = make_session(tmp_path, lambda request: False)
        request = await self.request_of(session, "Bash", {"command": "touch a"})
        await session.keep_rules([RuleUpdate("Bash(rm *)", behavior="deny")])
        assert "Bash(rm *)" in await problem_of_input(session, request, {"command": "touch a; rm b"})
        assert await problem_of_input(session, request, {"command": "touch b"}) == ""

    @pytest.mark.parametrize(
        "command", ["touch 'a", 'touch "a', "echo $(", "if true; then", "echo )", "ls &&", "x() {", "case a in"]
    )
    async def test_a_command_that_bash_cannot_read_is_told_in_its_words(self, tmp_path: Path, command: str) -> None:
        session = make_session(tmp_path, lambda request: False)
        request = await self.request_of(session, "Bash", {"command": "touch a"})
        said = await problem_of_input(session, request, {"command": command})
        assert said.startswith("bash cannot read this command: line ") and "/bash" not in said

    @pytest.mark.parametrize("command", ["touch 'a b'", "!(x)", "cat <<E\nx", "x=(1 2)", "if true; then ls; fi"])
    async def test_a_command_that_bash_can_read_is_tried(self, tmp_path: Path, command: str) -> None:
        session = make_session(tmp_path, lambda request: False)
        request = await self.request_of(session, "Bash", {"command": "touch a"})
        assert await problem_of_input(session, request, {"command": command}) == ""

    async def test_nothing_is_run_to_find_out(self, tmp_path: Path) -> None:
        session = make_session(tmp_path, lambda request: False)
        request = await self.request_of(session, "Bash", {"command": "touch a"})
        assert await problem_of_input(session, request, {"command": "touch seen; echo 'x"})
        assert not (tmp_path / "seen").exists()

    async def test_a_file_that_was_not_read_is_told_wherever_it_lies(
        self, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        outside = tmp_path_factory.mktemp("outside") / "y.py"
        outside.write_text("two\n")
        session = make_session(tmp_path, lambda request: False)
        first = await self.request_of(session, "Write", {"file_path": "x.py", "content": "1"})
        edit = {"file_path": str(outside), "old_string": "two", "new_string": "3"}
        edits = await self.request_of(session, "Edit", edit)
        for request, input in ((first, {"file_path": str(outside), "content": "1"}), (edits, edit)):
            said = await problem_of_input(session, request, input)
            assert "has not been read" in said and outside.read_text() == "two\n"
        assert "does not exist" in await problem_of_input(session, edits, {**edit, "file_path": f"{outside}.not"})
        assert await problem_of_input(session, first, {"file_path": f"{outside}.new", "content": "1"}) == ""


class TestStoppedTurn:
    SCRIPT = json.dumps(
        [
            {"tool_uses": [{"name": "Both", "input": {"text": text}} for text in ("one", "two", "three")]},
            "never said",
        ]
    )

    async def run(self, folder: Path, answer: PermissionAnswer) -> tuple[Session, TurnEnded]:
        asked, all_asked = list[str](), anyio.Event()

        async def person(request: PermissionRequest) -> Any:
            asked.append(request.tool_use_id)
            if len(asked) == 3:
                all_asked.set()
            await all_asked.wait()
            if request.tool_use_id == asked[0]:
                return answer
            await anyio.sleep_forever()  # the others are never answered

        tool = echo_tool("Both", is_concurrency_safe=True)
        session = make_session(folder, person, tools=[tool], model=ScriptedModel.from_json(self.SCRIPT))
        with anyio.fail_after(10):
            updates = [update async for update in session.query("go")]
        assert isinstance(updates[-1], TurnEnded)
        return session, updates[-1]

    async def test_it_ends_with_a_result_for_every_call(self, tmp_path: Path) -> None:
        session, ended = await self.run(tmp_path, PermissionAnswer("deny", "not that", interrupt=True))
        assert (ended.reason, ended.detail) == ("interrupted", "the person stopped the turn")
        statuses = [outcome.status for outcome in session.outcomes]
        assert statuses.count("denied") == 1 and statuses.count("interrupted") == 2
        uses, results = session.messages[-2], session.messages[-1]
        assert [use.id for use in uses.tool_uses] == [block.tool_use_id for block in results.content]
        assert "not that" in results.content[0].text

    async def test_the_session_goes_on_afterwards(self, tmp_path: Path) -> None:
        session, _ = await self.run(tmp_path, PermissionAnswer("deny", interrupt=True))
        assert "stopped the turn" in session.messages[-1].content[0].text
        updates = [u async for u in session.query("again", model=ScriptedModel.from_json('["fine"]'))]
        assert updates[-1] == TurnEnded("end_turn", "fine", turns=1)

    async def test_an_allow_with_the_flag_stops_nothing(self, tmp_path: Path) -> None:
        session = make_session(tmp_path, lambda request: PermissionAnswer("allow", interrupt=True))
        assert (await session.call("Bash", {"command": "touch a"})).status == "ok"

    async def test_the_form_of_the_wire_has_it_too(self, tmp_path: Path) -> None:
        session = make_session(
            tmp_path,
            lambda request: {"behavior": "deny", "message": "no", "interrupt": True},
            tools=[echo_tool("Both", is_concurrency_safe=True)],
            model=ScriptedModel.from_json(self.SCRIPT),
        )
        updates = [update async for update in session.query("go")]
        assert updates[-1].reason == "interrupted"  # type: ignore[union-attr]


class TestChangedRights:
    async def test_observers_hear_of_every_change_of_the_rights_and_of_nothing_else(self, tmp_path: Path) -> None:
        heard: list[Any] = []
        session = make_session(tmp_path, "deny")
        session.observers.attach(type("Watch", (), {"on_rights": lambda _, rights: heard.append(rights)})())
        session.modify_state(lambda state: ContextState(state.permission, state.cwd, {"A": "1"}))
        assert heard == []
        await session.keep_rules([RuleUpdate("Bash(ls *)")])
        assert heard == [session.state.permission]

    @pytest.mark.parametrize(("rule", "behavior", "status"), [("allow", "allow", "ok"), ("deny", "deny", "denied")])
    async def test_a_rule_that_came_meanwhile_decides(
        self, tmp_path: Path, rule: Any, behavior: str, status: str
    ) -> None:
        async def person(request: PermissionRequest) -> PermissionAnswer:
            await session.keep_rules([RuleUpdate("Bash(touch *)", behavior=rule)])
            assert request.judge_again is not None
            now = await request.judge_again()
            assert now.behavior == behavior
            return PermissionAnswer(now.behavior, answered_by=BY_RULES)  # type: ignore[arg-type]

        session = make_session(tmp_path, person)
        outcome = await session.call("Bash", {"command": "touch a"})
        assert outcome.status == status and outcome.decision is not None
        assert outcome.decision.decided_by == "rule" and (tmp_path / "a").exists() == (status == "ok")

    async def test_nobody_can_claim_that_the_rules_allow_it(self, tmp_path: Path) -> None:
        answers = iter((PermissionAnswer("allow", answered_by=BY_RULES), PermissionAnswer("deny", "asked again")))
        session = make_session(tmp_path, lambda request: next(answers))
        outcome = await session.call("Bash", {"command": "touch a"})
        assert outcome.status == "denied" and "asked again" in outcome.text and not (tmp_path / "a").exists()


def test_a_rule_is_found_in_its_file(tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text('{"permissions": {"ask": ["Bash( git push *)", "Bash(*)"], "deny": ["Read(./.env)"]}}')
    loaded = load_settings(str(tmp_path), settings_file=settings, places=SettingsPlaces(tmp_path / "home", ()))
    assert rule_place(loaded, DecisionStep("ask_rules", "ask", "", "Bash [commandLine]")) == str(settings)
    assert rule_place(loaded, DecisionStep("deny_rules", "deny", "", "Read(./.env) [commandLine]")) == str(settings)
    assert rule_place(loaded, DecisionStep("ask_rules", "ask", "", "Bash(x) [session]")) == "this session"
    assert rule_place(loaded, DecisionStep("person", "ask", "no rule allows it")) == ""


class TestApprovedGuards:
    """A settings file that is approved while a question is open may bring a guard that nobody has heard yet."""

    @pytest.mark.parametrize(("code", "status"), [("exit 0", "ok"), ("echo stop >&2; exit 2", "denied")])
    @pytest.mark.parametrize("by", ["person", "rules"])
    async def test_they_have_their_say(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str, code: str, status: str
    ) -> None:
        lab = make_lab(tmp_path, monkeypatch)
        group = {"matcher": "Bash", "hooks": [{"type": "command", "command": code}]}
        allow = {"allow": ["Bash(touch *)"]}
        lab.write("projectSettings", {"permissions": allow, "hooks": {"PreToolUse": [group]}}, trusted=False)
        asked: list[PermissionRequest] = []

        async def person(request: PermissionRequest) -> PermissionAnswer:
            asked.append(request)
            trust_requests(session.settings)[0].approve()
            session.reload_settings(also_refused=False)
            assert request.judge_again is not None
            now = await request.judge_again()
            assert now.behavior == ("allow" if status == "ok" else "deny")
            answer: Any = PermissionAnswer("allow", answered_by="widget")
            return answer if by == "person" else PermissionAnswer(now.behavior, answered_by=BY_RULES)  # type: ignore[arg-type]

        session = Session(cwd=lab.project, settings=lab.load(), prompter=person, watch_settings=True)
        outcome = await session.call("Bash", {"command": "touch made"})
        await session.aclose()
        assert outcome.status == status and (lab.project / "made").exists() == (status == "ok")
        assert len(asked) == 1 and "guard" in asked[0].decision.reason
