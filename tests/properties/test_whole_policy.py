"""Settings of every source, hooks with every kind of answer, every mode, a tool's own check and a person, all at once.

A small oracle, which shares no code with what it judges, says what must never happen. Thousands of policies are folded
in this process; a sample of them is written into real files with real scripts and called through a session.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, get_args

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools import Session
from jupyter_agenttools.core import PermissionResult, Tool
from jupyter_agenttools.core.call import HookEffects
from jupyter_agenttools.core.context import PermissionMode, RuleSource, ToolPermissionContext
from jupyter_agenttools.hooks import Hook, ProcessEnd, fold, hooks_from_settings, not_approved
from jupyter_agenttools.hooks.command import interpret
from jupyter_agenttools.hooks.running import unavailable
from jupyter_agenttools.permissions import decide, parse_settings
from jupyter_agenttools.settings import (
    Contents,
    SettingsLayer,
    SettingsOrigin,
    SettingsPlaces,
    load_settings,
    trust_workspace_file,
)
from jupyter_agenttools.settings.fold import UsedSettings, nothing
from jupyter_agenttools.settings.fold import fold as fold_settings
from jupyter_agenttools.settings.narrow import narrowed
from tests.support.gate import context_of, make_tool, path_of
from tests.support.tools import Log, echo_tool

CWD = "/project"
MODES = get_args(PermissionMode)
WEAKEST_FIRST: tuple[RuleSource, ...] = (
    "userSettings", "projectSettings", "localSettings", "commandLine", "session", "managed",
)  # fmt: skip
OF_THE_PROJECT = ("projectSettings", "localSettings")
assert set(WEAKEST_FIRST) == set(get_args(RuleSource))

RULES = {"Echo": ("Echo",), "Bash": ("Bash", "Bash(git *)", "Bash(git push origin)"), "Write": ("Edit", "Edit(src/**)")}
ELSEWHERE = ("Glob", "Bash(curl *)", "Edit(//etc/**)", "mcp__x")
OBSERVED = {"Echo": {"text": "x"}, "Bash": {"command": "git push origin"}, "Write": {"file_path": f"{CWD}/src/a.py"}}
OPINIONS = ("allow", "ask", "deny", "passthrough", "raises")


# ---- what hooks answer, and what that counts as by the documents


class Said(NamedTuple):
    """One kind of answer: a real script, and how the same looks when it has ended."""

    script: str
    end: ProcessEnd


def printed(answer: str, status: int = 0) -> Said:
    return Said(f"printf '%s' '{answer}'; exit {status}", ProcessEnd(status, answer.encode()))


def decision(word: str, event: str = "PreToolUse") -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "permissionDecision": word}})


SAID = {
    **{word: printed(decision(word)) for word in ("allow", "ask", "defer", "deny")},
    "nothing": printed(""),
    "text": printed("all is well"),
    "exit 2": printed("", 2),
    "exit 2, allow": printed(decision("allow"), 2),
    "exit 1": printed("", 1),
    "exit 1, deny": printed(decision("deny"), 1),
    "another event": printed(decision("allow", "PermissionRequest")),
    "garbage": printed("{oops"),
    "crash": Said("kill -SEGV $$", ProcessEnd(-11)),
    "time": Said("sleep 100", ProcessEnd(-9, timed_out=True)),
}
CHOSEN = {"block": "deny", "ask": "ask", "pass": None}


class Guard(NamedTuple):
    """A PreToolUse hook: its kind of answer, and what somebody chose its failure to do."""

    kind: str
    on_failure: str | None = None

    @property
    def word(self) -> str | None:
        """The oracle: what it counts as."""
        if self.kind in ("allow", "ask", "defer", "deny"):
            return self.kind
        if self.kind in ("exit 2", "exit 2, allow", "exit 1, deny"):
            return "deny"
        if self.kind == "crash":
            return CHOSEN[self.on_failure or "block"]
        if self.kind == "time":
            return None if self.on_failure == "pass" else "ask"
        if self.kind == "garbage":
            return CHOSEN[self.on_failure or "ask"]
        return CHOSEN[self.on_failure or "pass"] if self.kind == "exit 1" else None

    @property
    def entry(self) -> dict[str, Any]:
        limit = {"timeout": 0.3} if self.kind == "time" else {}
        chosen = {"onFailure": self.on_failure} if self.on_failure else {}
        return {"type": "command", "command": f"{SAID[self.kind].script} # {id(self)}", **limit, **chosen}


# ---- policies


class Layer(NamedTuple):
    """The settings of one source."""

    source: RuleSource
    permissions: dict[str, Any]
    guards: tuple[Guard, ...] = ()
    trusted: bool = True
    broken: bool = False

    @property
    def data(self) -> dict[str, Any]:
        groups = [{"matcher": "", "hooks": [guard.entry]} for guard in self.guards]
        return {"permissions": self.permissions, **({"hooks": {"PreToolUse": groups}} if groups else {})}


class Policy(NamedTuple):
    """Everything that has a say about one call."""

    tool: str
    layers: tuple[Layer, ...]
    opinion: str
    request: str | None = None
    person: bool | None = None

    # the oracle

    def names(self, behavior: str, layer: Layer) -> bool:
        return not layer.broken and any(rule in RULES[self.tool] for rule in layer.permissions.get(behavior, ()))

    @property
    def words(self) -> set[str | None]:
        """What the guards say; one of a file that nobody approved does not run, and asks."""
        sound = [layer for layer in self.layers if not layer.broken]
        return {guard.word if layer.trusted else "ask" for layer in sound for guard in layer.guards}

    @property
    def must_not_run(self) -> bool:
        """Somebody says no."""
        return any(self.names("deny", layer) for layer in self.layers) or "deny" in self.words or self.opinion == "deny"

    @property
    def must_be_asked(self) -> bool:
        """Somebody wants a person to decide."""
        asks = any(self.names("ask", layer) or layer.broken for layer in self.layers)
        return asks or bool({"ask", "defer"} & self.words)

    def may_pass(self, mode: str) -> bool:
        """Somebody who may do so allows it."""
        rules = any(self.names("allow", layer) and layer.trusted for layer in self.layers)
        by_mode = mode == "bypassPermissions" or (mode == "acceptEdits" and self.tool == "Write")
        return rules or by_mode or "allow" in self.words or self.opinion == "allow"

    def modes(self) -> set[str]:
        """The modes that could hold: those of sources that may set them."""
        sound = [layer for layer in self.layers if not layer.broken and "defaultMode" in layer.permissions]
        named = {
            layer.permissions["defaultMode"]
            for layer in sound
            if layer.trusted or layer.permissions["defaultMode"] in ("default", "plan", "dontAsk", "acceptEdits")
            if not (layer.source in OF_THE_PROJECT and layer.permissions["defaultMode"] == "auto")
        }
        return named | {"default"}


def layer_of(random: Random, source: RuleSource, tool: str) -> Layer:
    texts = (*RULES[tool], *ELSEWHERE)
    chance = {"allow": 0.5, "ask": 0.06, "deny": 0.06}
    permissions: dict[str, Any] = {
        behavior: random.choices(texts, k=random.randint(1, 2))
        for behavior, often in chance.items()
        if random.random() < often
    }
    if random.random() < 0.25:
        permissions["defaultMode"] = random.choice(MODES)
    kinds = random.choices(list(SAID), k=random.choice((0, 0, 0, 0, 1, 2)))
    guards = tuple(Guard(kind, random.choice((None, None, "block", "ask", "pass"))) for kind in kinds)
    trusted = source not in OF_THE_PROJECT or random.random() < 0.6
    return Layer(source, permissions, guards, trusted, broken=source != "session" and random.random() < 0.02)


def policy_of(random: Random) -> Policy:
    tool = random.choice(list(RULES))
    sources = random.sample(WEAKEST_FIRST, random.randint(1, 4))
    layers = tuple(layer_of(random, source, tool) for source in sources)
    opinion = random.choice((*["passthrough"] * 6, *OPINIONS))
    return Policy(tool, layers, opinion, random.choice((None, "allow", "deny")), random.choice((None, True, False)))


# ---- folded in this process


def permission_of(policy: Policy) -> ToolPermissionContext:
    used = [nothing(dict.fromkeys(WEAKEST_FIRST, CWD))]
    broken = []
    for layer in sorted(policy.layers, key=lambda layer: WEAKEST_FIRST.index(layer.source)):
        if layer.broken:
            broken.append(SettingsLayer(layer.source, Path("/x"), error="broken"))
            continue
        parsed = parse_settings({"permissions": layer.permissions}, cwd=CWD, source=layer.source)
        if not layer.trusted:
            parsed = narrowed(parsed, [each.parsed for each in used]).settings
        used.append(UsedSettings(parsed))
    return fold_settings(SettingsOrigin(CWD), Contents(), broken, used, ()).permission


def effects_of(policy: Policy, random: Random) -> HookEffects:
    answers = []
    for layer in policy.layers:
        for guard in () if layer.broken else layer.guards:
            raw = {"PreToolUse": [{"matcher": "", "hooks": [guard.entry]}]}
            (made,) = hooks_from_settings(raw, source="s").hooks
            answers.append(interpret(made, SAID[guard.kind].end) if layer.trusted else unavailable(stand_in(made)))
    random.shuffle(answers)
    return fold(answers)


def stand_in(guard: Hook) -> Hook:
    found = not_approved(guard, "settings.json")
    assert found is not None
    return found


async def opinion_of(opinion: str) -> PermissionResult:
    if opinion == "raises":
        raise RuntimeError("a fault in the check")
    return PermissionResult(opinion, "its own")  # type: ignore[arg-type]


def tool_of(name: str, opinion: str) -> Tool:
    async def check(input: Any, context: Any) -> PermissionResult:
        return await opinion_of(opinion)

    definition: dict[str, Any] = {
        "Echo": {},
        "Bash": {"rule_family": "command", "primary_field": "command"},
        "Write": {"rule_family": "edit", "rule_names": ("Edit",), "get_path": path_of},
    }[name]
    return make_tool(name, check_permissions=check, **definition)


TOOLS = {(name, opinion): tool_of(name, opinion) for name in RULES for opinion in OPINIONS}


def answered(policy: Policy, permission: ToolPermissionContext, effects: HookEffects) -> str:
    observed = OBSERVED[policy.tool]
    coroutine = decide(TOOLS[policy.tool, policy.opinion], observed, observed, context_of(permission, CWD), effects)
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value.behavior
    raise AssertionError("the gate waited for something")


AT_ONCE = 50
"""Policies that one seed makes: drawing each by itself would take most of the time."""


def policies(seed: int) -> Iterator[tuple[Random, Policy]]:
    random = Random(seed)
    for _ in range(AT_ONCE):
        yield random, policy_of(random)


seeds = st.integers(0, 2**32)


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_nothing_that_somebody_forbids_passes(seed: int) -> None:
    for random, policy in policies(seed):
        permission = permission_of(policy)
        assert permission.mode in policy.modes(), policy
        said = answered(policy, permission, effects_of(policy, random))
        if policy.must_not_run:
            assert said == "deny", policy
        if policy.must_not_run or policy.must_be_asked or policy.opinion in ("ask", "raises"):
            assert said != "allow", policy
        if permission.mode == "plan":
            assert said == "deny", policy
        if permission.mode == "dontAsk":
            assert said != "ask", policy
        if said == "allow":
            assert policy.may_pass(permission.mode), policy


@settings(max_examples=16, deadline=None)
@given(seeds)
def test_no_permutation_of_sources_and_hooks_changes_the_answer(seed: int) -> None:
    for random, policy in policies(seed):
        first = answered(policy, permission_of(policy), effects_of(policy, random))
        turned = [layer._replace(guards=layer.guards[::-1]) for layer in policy.layers]
        random.shuffle(turned)
        other = policy._replace(layers=tuple(turned))
        assert answered(other, permission_of(other), effects_of(other, random)) == first, policy


@settings(max_examples=12, deadline=None)
@given(seeds)
def test_one_more_no_in_any_source_or_hook_is_a_no(seed: int) -> None:
    for random, policy in policies(seed):
        source = random.choice(WEAKEST_FIRST)
        by_rule = Layer(source, {"deny": [random.choice(RULES[policy.tool])]}, trusted=random.random() < 0.5)
        by_hook = Layer("session", {}, (Guard(random.choice(("deny", "exit 2", "exit 2, allow", "exit 1, deny"))),))
        for more in (by_rule, by_hook):
            other = policy._replace(layers=(*policy.layers, more))
            assert answered(other, permission_of(other), effects_of(other, random)) == "deny", other


def test_the_policies_that_are_drawn_are_not_all_alike() -> None:
    answers = [
        answered(policy, permission_of(policy), effects_of(policy, random))
        for seed in range(6)
        for random, policy in policies(seed)
    ]
    assert all(answers.count(word) > 50 for word in ("allow", "ask", "deny")), answers
    kinds = {g.kind for seed in range(6) for _, p in policies(seed) for layer in p.layers for g in layer.guards}
    assert kinds == set(SAID)


# ---- the same through a session, from files and with scripts

FOLDERS = count()


def written(base: Path, layers: Sequence[Layer]) -> Any:
    """The settings of a session for which these layers are in files."""
    command_line = None
    places = {
        "userSettings": base / "home/.claude/settings.json",
        "projectSettings": base / "project/.claude/settings.json",
        "localSettings": base / "project/.claude/settings.local.json",
        "commandLine": base / "given.json",
        "managed": base / "etc/managed-settings.json",
    }
    own: dict[str, Any] = {}
    (base / "project").mkdir(parents=True)
    for layer in layers:
        if layer.source == "session":
            own = layer.data
            continue
        path = places[layer.source]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(layer.data)[: -1 if layer.broken else None])
        if layer.source in OF_THE_PROJECT and layer.trusted:
            trust_workspace_file(path)
        if layer.source == "commandLine":
            command_line = path
    found = SettingsPlaces(base / "home", (base / "etc",))
    return load_settings(str(base / "project"), own, settings_file=command_line, places=found)


async def ran(policy: Policy, base: Path) -> tuple[bool, str, str, int]:
    """Whether the tool ran, how the call ended, the mode it was made in, and how often a person was asked."""
    log, asked = Log(), []

    async def check(input: Any, context: Any) -> PermissionResult:
        return await opinion_of(policy.opinion)

    def person(request: Any) -> bool:
        asked.append(request)
        return bool(policy.person)

    loaded = written(base, policy.layers)
    hooks = [request_hook(policy.request)] if policy.request else []
    tool = echo_tool(log=log, check_permissions=check)
    prompter = None if policy.person is None else person
    session = Session(cwd=base / "project", settings=loaded, tools=[tool], hooks=hooks, prompter=prompter)
    mode = session.state.permission.mode
    outcome = await session.call("Echo", {"text": "x"})
    await session.aclose()
    return "start x" in log.words, outcome.status, mode, len(asked)


def request_hook(behavior: str) -> Hook:
    async def answers(told: dict[str, Any]) -> Any:
        return {"hookSpecificOutput": {"decision": {"behavior": behavior}}}

    return Hook("PermissionRequest", answers, f"{behavior} every request", on_failure="pass")


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_nothing_that_somebody_forbids_runs(
    agenttools_home: Path, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    random = Random(seed)
    policy = policy_of(random)
    layers = [layer for layer in policy.layers if not (layer.broken and layer.source == "commandLine")]
    policy = Policy("Echo", tuple(as_echo(layer, policy.tool) for layer in layers), *policy[2:])
    if random.random() < 0.5:  # nobody is there, and a file that nobody approved wants to give the right
        others = tuple(layer for layer in policy.layers if layer.source != "projectSettings")
        wish = Layer("projectSettings", {"allow": ["Echo"], "defaultMode": "bypassPermissions"}, trusted=False)
        policy = Policy("Echo", (*others, wish), "passthrough")
    base = tmp_path_factory.getbasetemp() / f"policy-{next(FOLDERS)}"
    did, status, mode, asked = anyio.run(lambda: ran(policy, base))
    assert mode in policy.modes() and did == (status == "ok"), policy
    if policy.must_not_run or mode == "plan":
        assert not did, policy
    if policy.must_be_asked and not policy.person:
        assert not did, policy
    if policy.must_be_asked and did:
        assert asked == 1, policy
    if policy.request == "deny" and not policy.may_pass(mode):
        assert not did and not asked, policy
    if did:
        assert policy.may_pass(mode) or policy.request == "allow" or policy.person, policy


def as_echo(layer: Layer, tool: str) -> Layer:
    """The same layer with rules about Echo in the place of rules about that tool."""
    renamed = {
        key: ["Echo" if rule in RULES[tool] else rule for rule in value] if isinstance(value, list) else value
        for key, value in layer.permissions.items()
    }
    return layer._replace(permissions=renamed)
