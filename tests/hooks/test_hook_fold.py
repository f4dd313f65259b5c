"""How the answers of many hooks add up, in every order; and that no answer beats a deny or ask rule."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools import Session
from jupyter_agenttools.hooks import Answer, Hook, HookOutput, fold, hook
from tests.support.tools import echo_tool

WORDS = ("deny", "defer", "ask", "allow")

OUTPUTS = st.fixed_dictionaries(
    {
        "behavior": st.sampled_from([*WORDS, None]),
        "reason": st.text(max_size=3),
        "updated_input": st.none() | st.dictionaries(st.sampled_from("ab"), st.integers(0, 3), max_size=2),
        "additional_context": st.text(max_size=3),
        "stop": st.none() | st.text(max_size=3),
        "message": st.text(max_size=3),
    }
).map(lambda fields: HookOutput(**fields))


def answers(outputs: list[HookOutput]) -> list[Answer]:
    return [Answer(Hook("PreToolUse", None, f"h{number}"), output) for number, output in enumerate(outputs)]


@given(st.lists(OUTPUTS, max_size=6), st.randoms())
def test_the_decision_does_not_depend_on_the_order(outputs: list[HookOutput], random: Any) -> None:
    folded = fold(answers(outputs))
    shuffled = outputs[:]
    random.shuffle(shuffled)
    assert fold(answers(shuffled)).behavior == folded.behavior
    assert (fold(answers(shuffled)).stop is None) == (folded.stop is None)


@given(st.lists(OUTPUTS, min_size=1, max_size=6))
def test_the_most_careful_answer_is_the_one_that_is_named(outputs: list[HookOutput]) -> None:
    folded = fold(answers(outputs))
    said = [output.behavior for output in outputs]
    expected = next((word for word in WORDS if word in said), None)
    assert folded.behavior == expected and len(folded.runs) == len(outputs)
    if expected is not None:
        first = said.index(expected)
        assert (folded.hook, folded.reason) == (f"h{first}", outputs[first].reason)
    assert list(folded.additional_context) == [o.additional_context for o in outputs if o.additional_context]


@given(st.lists(OUTPUTS, max_size=5), OUTPUTS)
def test_one_more_answer_never_makes_it_laxer(outputs: list[HookOutput], more: HookOutput) -> None:
    order = [*WORDS, None]
    before, after = fold(answers(outputs)).behavior, fold(answers([*outputs, more])).behavior
    if before in ("deny", "defer", "ask"):
        assert order.index(after) <= order.index(before)


@settings(max_examples=60)
@given(
    words=st.lists(st.sampled_from([*WORDS, None]), min_size=1, max_size=3),
    requests=st.lists(st.sampled_from(["allow", "deny", None]), max_size=2),
    rules=st.fixed_dictionaries({}, optional={key: st.just(["Echo"]) for key in ("allow", "ask", "deny")}),
    mode=st.sampled_from(["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"]),
)
def test_no_mix_of_hooks_rules_and_modes_lets_an_allow_beat_a_no(
    tmp_path_factory: pytest.TempPathFactory,
    words: list[str | None],
    requests: list[str | None],
    rules: dict[str, list[str]],
    mode: str,
) -> None:
    def saying(event: Any, answer: Any) -> Hook:
        @hook(event)
        async def says(told: Any) -> Any:
            return answer

        return says

    hooks = [saying("PreToolUse", word) for word in words]
    hooks += [saying("PermissionRequest", {"decision": {"behavior": word}} if word else None) for word in requests]
    asked: list[Any] = []
    session = Session(
        cwd=tmp_path_factory.getbasetemp(),
        settings={"permissions": {**rules, "defaultMode": mode}},
        tools=[echo_tool()],
        hooks=hooks,
        prompter=lambda request: bool(asked.append(request)),
    )
    outcome = anyio.run(lambda: session.call("Echo", {"text": "x"}))
    if outcome.status == "ok":
        assert "deny" not in rules and "ask" not in rules
        assert "deny" not in words and not {"ask", "defer"} & set(words)
        assert mode != "plan"
        by_hook = "allow" in words or ("allow" in requests and "deny" not in requests)
        assert by_hook or "allow" in rules or mode == "bypassPermissions"
    else:
        assert outcome.status == "denied"
