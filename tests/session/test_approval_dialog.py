"""A call is asked about in lines of text: there is always a way back, and nothing is allowed by accident."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_agenttools import Session
from jupyter_agenttools.core import PermissionAnswer, PermissionRequest
from jupyter_agenttools.core.prompting import RuleUpdate
from jupyter_agenttools.session.approval_dialog import request_dialog

pytestmark = pytest.mark.anyio

SCOPES = ("session", "localSettings", "projectSettings", "userSettings")


class Typist:
    """Asks as a session would, and answers each call with lines.

    Attributes:
        shown: every text that was shown.
    """

    def __init__(self, folder: Path, *lines: str) -> None:
        self.session = Session(cwd=folder, session_dir=folder / "log", prompter=self, rule_scopes=SCOPES)
        self.lines = list(lines)
        self.shown: list[str] = []
        self.answer: PermissionAnswer | None = None

    async def ask(self, request: PermissionRequest) -> PermissionAnswer:
        lines, dialog = iter(self.lines), request_dialog(request, self.session)
        try:
            step = next(dialog)
            while True:
                step = dialog.send(self._typed(step, lines) if isinstance(step, str) else await step())
        except StopIteration as end:
            self.answer = end.value
            return end.value
        except EOFError:
            return PermissionAnswer("deny", "out of lines")

    def _typed(self, text: str, lines: Iterator[str]) -> str:
        self.shown.append(text)
        if (line := next(lines, None)) is None:
            raise EOFError
        return line

    async def bash(self, command: str = "touch made", **arguments: Any) -> Any:
        return await self.session.call("Bash", {"command": command, **arguments})


@pytest.mark.parametrize(
    "lines", [("a", "back"), ("e", ""), ("e", "back"), ("a", "Bash", "", "back"), ("a", "", "back")]
)
async def test_every_way_leads_back_to_the_question(tmp_path: Path, lines: tuple[str, ...]) -> None:
    typist = Typist(tmp_path, *lines, "n enough")
    outcome = await typist.bash()
    assert outcome.status == "denied" and typist.answer == PermissionAnswer("deny", "enough", answered_by="stdin")
    assert "back" in typist.shown[-2], "the way back is said where it can be gone"
    assert "Allow Bash?" in typist.shown[-1] and "touch made" in typist.shown[-1]


async def test_no_to_a_broad_rule_leaves_the_choice_of_another(tmp_path: Path) -> None:
    typist = Typist(tmp_path, "a", "Bash", "no", "Bash(touch made)", "proj")
    assert (await typist.bash()).status == "ok"
    assert typist.answer is not None
    assert typist.answer.rule_updates == (RuleUpdate("Bash(touch made)", "projectSettings"),)
    assert "allows every call of Bash" in typist.shown[2] and typist.shown[3].startswith("Not kept.")


async def test_a_rule_can_stand_behind_the_letter(tmp_path: Path) -> None:
    typist = Typist(tmp_path, "a Bash(rm *)", "Bash(touch made)", "")
    assert (await typist.bash()).status == "ok"
    assert "would not allow this call" in typist.shown[1], "and is looked at like every other"
    assert typist.answer is not None and typist.answer.rule_updates == (RuleUpdate("Bash(touch made)"),)


async def test_rules_that_cannot_be_read_or_do_not_cover_say_why(tmp_path: Path) -> None:
    typist = Typist(tmp_path, "a", "Bash(((", "Bash(touch made), Bash(", "Read(x)", "back", "s that is all")
    assert (await typist.bash()).status == "denied"
    assert "never closed" in typist.shown[2] and "would not allow" in typist.shown[4]
    assert typist.answer is not None and typist.answer.interrupt and typist.answer.message == "that is all"


async def test_where_no_rule_may_be_kept_none_is_offered(tmp_path: Path) -> None:
    typist = Typist(tmp_path, "a", "n")
    typist.session.rule_scopes = ()
    await typist.bash()
    assert "always" not in "".join(typist.shown) and "'a' is no answer" in typist.shown[1]


@pytest.mark.parametrize(
    "typed", ["yes but first make a copy", "y?", "ok", "Y es", "yy", "e rm -rf x", "allow", "1", ""]
)
async def test_only_a_plain_yes_is_a_yes(tmp_path: Path, typed: str) -> None:
    typist = Typist(tmp_path, typed)
    assert (await typist.bash()).status == "denied"
    assert "deny it and stop the turn" in typist.shown[1], "the question comes with help"
    assert not (tmp_path / "made").exists()


async def test_an_edit_is_validated_and_judged_before_it_is_an_answer(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("one = 1\n")
    typist = Typist(tmp_path, "e", '{"file_path": "x.py", "old_string": "absent", "new_string": "b"}', "", "n")
    assert (await typist.session.call("Read", {"file_path": "x.py"})).status == "ok"
    edit = {"file_path": "x.py", "old_string": "one", "new_string": "two"}
    assert (await typist.session.call("Edit", edit)).status == "denied"
    assert typist.shown[2].startswith("Not yet: ") and (tmp_path / "x.py").read_text() == "one = 1\n"


async def test_an_edit_that_a_rule_denies_is_no_answer(tmp_path: Path) -> None:
    typist = Typist(tmp_path, "e", "rm made", "touch other")
    await typist.session.keep_rules([RuleUpdate("Bash(rm *)", behavior="deny")])
    assert (await typist.bash()).status == "ok" and (tmp_path / "other").exists()
    assert "it would be denied" in typist.shown[2]


async def test_the_whole_call_is_shown_with_what_to_look_at_and_every_step(tmp_path: Path) -> None:
    typist = Typist(tmp_path, "w", "n")
    await typist.bash("touch p\u0430y && echo $(id)", timeout=5_000)
    question, why = typist.shown
    assert "5000" in question and "CYRILLIC SMALL LETTER A" in question and "Bash asks to run" in question
    assert "How it was judged:" in why and "  1. " in why and "[at " in why and "Allow Bash?" in why


LINES = st.lists(
    st.sampled_from(
        [
            "a",
            "e",
            "w",
            "?",
            "",
            "back",
            "Bash",
            "Bash(touch *)",
            "no",
            "x",
            "session",
            "s3",
            "{}",
            '{"command": 1}',
            "[",
        ]
    ),
    max_size=8,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES)
async def test_nobody_is_ever_caught(tmp_path: Path, lines: list[str]) -> None:
    """After whatever was typed, one word leads back to the question, and the next one ends it."""
    typist = Typist(tmp_path, *lines, "back", "n")
    outcome = await typist.bash()
    assert typist.answer is not None
    if typist.answer.behavior == "deny":
        assert outcome.status == "denied" and len(typist.shown) <= len(lines) + 2
    else:
        assert "a" in lines or "e" in lines
