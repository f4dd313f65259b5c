"""Whatever rules, sources, hooks and modes come together: nothing lets a call pass that something forbids."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core import (
    Cancellation,
    ContextState,
    Decision,
    HookEffects,
    PermissionResult,
    ToolOptions,
    ToolPermissionContext,
    ToolUseContext,
)
from jupyter_agenttools.core.context import PermissionMode, RuleBehavior, RuleSource
from jupyter_agenttools.permissions import decide
from tests.support.gate import make_tool, path_of

MODES = get_args(PermissionMode)
SOURCES = get_args(RuleSource)
BEHAVIORS = get_args(RuleBehavior)
CWD = "/project"
STRICTNESS = {"deny": 0, "ask": 1, "allow": 2}

CALLS: Mapping[str, tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]] = {
    # for each tool: how it is made, a call of it, and rules that are about that call
    "Bash": (
        {"rule_family": "command", "primary_field": "command"},
        {"command": "git push origin"},
        ("Bash", "Bash(git *)", "Bash(git push *)", "Bash(git push origin)"),
    ),
    "Write": (
        {"rule_family": "edit", "rule_names": ("Edit",), "get_path": path_of},
        {"file_path": f"{CWD}/src/a.py"},
        ("Edit", "Edit(src/**)", "Edit(//project/src/a.py)", "Edit(*.py)"),
    ),
    "Read": (
        {"rule_family": "read", "get_path": path_of, "is_read_only": True},
        {"file_path": "/elsewhere/a.txt"},
        ("Read", "Read(//elsewhere/**)", "Read(//elsewhere/a.txt)"),
    ),
    "WebFetch": (
        {"rule_family": "domain", "is_read_only": True},
        {"url": "https://a.example.org/x"},
        ("WebFetch", "WebFetch(domain:*.example.org)", "WebFetch(domain:a.example.org)"),
    ),
    "mcp__db__query": ({"rule_family": "mcp", "is_mcp": True}, {}, ("mcp__db", "mcp__db__*", "mcp__db__query")),
    "Plain": ({}, {}, ("Plain",)),
}
OPINIONS = (None, "allow", "ask", "passthrough", "deny")


def tool_of(name: str, opinion: str | None) -> Any:
    async def check(input: Any, context: Any) -> PermissionResult:
        return PermissionResult(opinion, "its own")  # type: ignore[arg-type]

    definition = CALLS[name][0]
    return make_tool(name, **definition, **({"check_permissions": check} if opinion else {}))


TOOLS = {(name, opinion): tool_of(name, opinion) for name, opinion in itertools.product(CALLS, OPINIONS)}


def gate(name: str, opinion: str | None, permission: ToolPermissionContext, hook: HookEffects) -> Decision:
    context = ToolUseContext("toolu_1", ContextState(permission, CWD), ToolOptions(), Path(CWD, "own"), Cancellation())
    observed = CALLS[name][1]
    coroutine = decide(TOOLS[name, opinion], observed, observed, context, hook)
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("the gate waited for something")


Situation = tuple[str, str | None, ToolPermissionContext, HookEffects]
ELSEWHERE = ("Bash(curl *)", "Read(x)", "Other", "mcp__web__get", "Edit(//etc/**)")
AT_ONCE = 60
"""Situations that one seed makes: drawing each of them by itself would take most of the time."""

seeds = st.integers(0, 2**32)


def situations(seed: int) -> Iterator[tuple[Random, Situation]]:
    """Situations with about as many rules for the call as against it, the same for the same seed."""
    random = Random(seed)
    for _ in range(AT_ONCE):
        name = random.choice(list(CALLS))
        rules: dict[str, Any] = {}
        for behavior in BEHAVIORS:
            sources = random.sample(SOURCES, random.choice((0, 0, 1, 2)))
            texts = (*CALLS[name][2], *ELSEWHERE)
            rules[f"always_{behavior}_rules"] = {
                s: tuple(random.choices(texts, k=random.randint(1, 3))) for s in sources
            }
        permission = ToolPermissionContext(
            mode=random.choice(MODES),
            is_bypass_permissions_mode_available=random.random() < 0.7,
            should_avoid_permission_prompts=random.random() < 0.2,
            rule_roots=dict.fromkeys(SOURCES, CWD),
            **rules,
        )
        behavior = random.choice((None, None, "allow", "ask", "defer", "deny"))
        hook = HookEffects(behavior, updated_input=random.choice((None, CALLS[name][1])))
        yield random, (name, random.choice(OPINIONS), permission, hook)


def is_about(name: str, permission: ToolPermissionContext, behavior: RuleBehavior) -> bool:
    return any(text in CALLS[name][2] for texts in permission.rules(behavior).values() for text in texts)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_no_allow_beats_a_deny_and_none_an_ask(seed: int) -> None:
    for _, situation in situations(seed):
        check_one(*situation)


def check_one(name: str, opinion: str | None, permission: ToolPermissionContext, hook: HookEffects) -> None:
    decision = gate(name, opinion, permission, hook)
    if is_about(name, permission, "deny"):
        assert decision.behavior == "deny"
    if is_about(name, permission, "ask") or hook.behavior in ("ask", "defer", "deny") or opinion == "ask":
        assert decision.behavior != "allow"
    if "deny" in (hook.behavior, opinion):
        assert decision.behavior == "deny"
    if permission.mode == "plan" and name not in ("Read", "WebFetch"):
        assert decision.behavior == "deny"


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_a_further_deny_or_ask_rule_never_lets_more_pass(seed: int) -> None:
    for random, (name, opinion, permission, hook) in situations(seed):
        rule, source = random.choice((*CALLS[name][2], "Other")), random.choice(SOURCES)
        before = gate(name, opinion, permission, hook)
        for behavior in ("deny", "ask"):
            after = gate(name, opinion, permission.with_rule(behavior, source, rule), hook)
            assert STRICTNESS[after.behavior] <= STRICTNESS[before.behavior]


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_it_does_not_matter_which_source_says_it(seed: int) -> None:
    for random, (name, opinion, permission, hook) in situations(seed):
        renamed = dict(zip(SOURCES, random.sample(SOURCES, len(SOURCES)), strict=True))
        moved = replace(
            permission,
            **{
                f"always_{behavior}_rules": {
                    renamed[source]: texts for source, texts in reversed(permission.rules(behavior).items())
                }
                for behavior in BEHAVIORS
            },
        )
        assert gate(name, opinion, moved, hook).behavior == gate(name, opinion, permission, hook).behavior


@settings(max_examples=8, deadline=None)
@given(seeds)
def test_no_mode_lets_pass_what_a_rule_is_against(seed: int) -> None:
    for _, (name, opinion, permission, hook) in situations(seed):
        for mode in MODES:
            check_one(name, opinion, replace(permission, mode=mode), hook)
