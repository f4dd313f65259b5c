"""No choice of sources, files, modes and hooks lets an allow win against a deny, or a bad file give a right."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core.call import HookEffects
from jupyter_agenttools.core.context import ToolPermissionContext
from jupyter_agenttools.permissions import decide, parse_settings
from jupyter_agenttools.settings import (
    SettingsLayer,
    SettingsOrigin,
    SettingsPlaces,
    load_settings,
    trust_workspace_file,
)
from jupyter_agenttools.settings.fold import UsedSettings, fold, nothing
from jupyter_agenttools.settings.narrow import narrowed
from tests.support.gate import BASH, LOOK, PLAIN, READ, WRITE, context_of

pytestmark = pytest.mark.anyio

CWD = "/proj"
ORDER = ("userSettings", "projectSettings", "localSettings", "commandLine", "session", "managed")
STRENGTH = {"deny": 0, "ask": 1, "allow": 2}
CALLS = (
    (PLAIN, {}),
    (LOOK, {}),
    (BASH, {"command": "git push origin"}),
    (BASH, {"command": "ls && rm -r x"}),
    (READ, {"file_path": f"{CWD}/a.txt"}),
    (WRITE, {"file_path": f"{CWD}/a.txt"}),
    (WRITE, {"file_path": "/else/b.txt"}),
)
RULES = (
    "Plain", "Look", "Bash", "Bash(git *)", "Bash(git push *)", "Bash(ls *)", "Bash(rm *)", "Read", "Read(a.txt)",
    "Edit", "Edit(/a.txt)", "Edit(//else/**)", "mcp__x",
)  # fmt: skip
GUARDS = (*RULES, "*", "Pl*", "mcp__*")
MODES = ("default", "manual", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions")


class Source(NamedTuple):
    """Settings of one source as a test draws them."""

    source: str
    data: dict[str, Any]
    trusted: bool = True
    broken: bool = False


def sources(names: tuple[str, ...] = ORDER, *, good: bool = False) -> st.SearchStrategy[Source]:
    rules = {
        "allow": st.lists(st.sampled_from(RULES), max_size=4),
        "ask": st.lists(st.sampled_from(GUARDS), max_size=1),
        "deny": st.lists(st.sampled_from(GUARDS), max_size=1),
        "defaultMode": st.sampled_from(MODES),
        "additionalDirectories": st.lists(st.sampled_from(("/else", "/")), max_size=1),
        "disableBypassPermissionsMode": st.just("disable"),
    }
    data = st.fixed_dictionaries(
        {"permissions": st.fixed_dictionaries({}, optional=rules)},
        optional={"allowManagedPermissionRulesOnly": st.booleans(), "disableAllHooks": st.booleans()},
    )
    flag = st.just(True) if good else st.booleans()
    broken = st.just(False) if good else st.sampled_from((False,) * 5 + (True,))
    return st.builds(Source, st.sampled_from(names), data, flag, broken)


def in_order(drawn: list[Source]) -> list[Source]:
    return sorted(drawn, key=lambda source: ORDER.index(source.source))


def rights(drawn: list[Source]) -> ToolPermissionContext:
    """What the sources add up to, by the same fold as files."""
    used = [nothing({name: CWD for name in ORDER})]
    layers = []
    for source, data, trusted, broken in in_order(drawn):
        if broken:
            layers.append(SettingsLayer(source, Path("/x"), error="broken"))
            continue
        parsed = parse_settings(data, cwd=CWD, source=source)
        if not trusted and source in ("projectSettings", "localSettings"):
            parsed = narrowed(parsed, [each.parsed for each in used]).settings
        used.append(UsedSettings(parsed))
    return fold(SettingsOrigin(CWD), (), layers, used, ()).permission


async def answer(permission: ToolPermissionContext, call: Any, hook: str | None = None) -> str:
    tool, observed = call
    effects = HookEffects(hook)  # type: ignore[arg-type]
    return (await decide(tool, observed, observed, context_of(permission, CWD), effects)).behavior


lists = st.lists(sources(), min_size=1, max_size=7)
calls = st.sampled_from(CALLS)
hooks = st.sampled_from((None, "allow", "ask", "deny"))


@settings(max_examples=300)
@given(lists, calls, hooks)
async def test_a_deny_anywhere_wins(drawn: list[Source], call: Any, hook: str | None) -> None:
    permission = rights(drawn)
    for source, data, _, broken in drawn:
        for rule in () if broken else data["permissions"].get("deny", ()):
            alone = rights([Source(source, {"permissions": {"deny": [rule]}})])
            if await answer(alone, call) == "deny":
                assert await answer(permission, call, hook) == "deny"


@settings(max_examples=300)
@given(lists, calls, hooks)
async def test_an_ask_anywhere_is_never_an_allow(drawn: list[Source], call: Any, hook: str | None) -> None:
    permission = rights(drawn)
    asks = {rule for _, data, _, broken in drawn if not broken for rule in data["permissions"].get("ask", ())}
    for rule in asks:
        alone = rights([Source("session", {"permissions": {"ask": [rule], "allow": list(RULES)}})])
        if await answer(alone, call) == "ask" and await answer(rights([_allow_all()]), call) == "allow":
            assert await answer(permission, call, hook) != "allow"


def _allow_all() -> Source:
    return Source("session", {"permissions": {"allow": list(RULES)}})


@settings(max_examples=300)
@given(lists, sources(("projectSettings", "localSettings")), calls)
async def test_a_file_that_nobody_approved_gives_nothing(drawn: list[Source], extra: Source, call: Any) -> None:
    without = await answer(rights(drawn), call)
    with_it = await answer(rights([*drawn, extra._replace(trusted=False)]), call)
    assert STRENGTH[with_it] <= STRENGTH[without]


@settings(max_examples=200)
@given(lists, sources(), calls, hooks)
async def test_a_broken_file_gives_nothing_and_everything_asks(
    drawn: list[Source], extra: Source, call: Any, hook: str | None
) -> None:
    without = await answer(rights(drawn), call, hook)
    with_it = await answer(rights([*drawn, extra._replace(broken=True)]), call, hook)
    assert with_it != "allow"
    assert STRENGTH[with_it] <= STRENGTH[without]


@settings(max_examples=200)
@given(lists, calls)
async def test_managed_rules_alone_never_allow_more(drawn: list[Source], call: Any) -> None:
    only = Source("managed", {"permissions": {}, "allowManagedPermissionRulesOnly": True})
    assert STRENGTH[await answer(rights([*drawn, only]), call)] <= STRENGTH[await answer(rights(drawn), call)]


@settings(max_examples=100)
@given(st.lists(sources(good=True), min_size=1, max_size=6, unique_by=lambda s: s.source), calls, st.randoms())
async def test_the_order_of_naming_does_not_matter(drawn: list[Source], call: Any, random: Any) -> None:
    shuffled = list(drawn)
    random.shuffle(shuffled)
    assert await answer(rights(shuffled), call) == await answer(rights(drawn), call)


# ---- the same from real files

FOLDERS = count()
FILES = ("userSettings", "projectSettings", "localSettings", "managed")


@settings(max_examples=30)
@given(st.lists(sources(("userSettings", "projectSettings", "localSettings", "managed")), max_size=4,
                unique_by=lambda s: s.source))  # fmt: skip
def test_files_say_the_same(
    agenttools_home: Path, tmp_path_factory: pytest.TempPathFactory, drawn: list[Source]
) -> None:
    base = tmp_path_factory.getbasetemp() / f"settings-{next(FOLDERS)}"
    paths = {
        "userSettings": base / "home/.claude/settings.json",
        "projectSettings": base / "proj/.claude/settings.json",
        "localSettings": base / "proj/.claude/settings.local.json",
        "managed": base / "etc/managed-settings.json",
    }
    (base / "proj").mkdir(parents=True)
    for source, data, trusted, broken in drawn:
        path = paths[source]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data)[: -1 if broken else None])
        if trusted:
            trust_workspace_file(path)
    loaded = load_settings(str(base / "proj"), places=SettingsPlaces(base / "home", (base / "etc",)))
    expected = rights(drawn)
    for name in ("mode", "always_allow_rules", "always_ask_rules", "always_deny_rules"):
        assert getattr(loaded.permission, name) == getattr(expected, name)
    assert set(loaded.permission.additional_working_directories) == set(expected.additional_working_directories)
