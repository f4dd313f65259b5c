"""What deciding about a shell command costs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from jupyter_agenttools import Session
from jupyter_agenttools.core.context import ToolPermissionContext
from jupyter_agenttools.core.schema import parse_input
from jupyter_agenttools.permissions import decide, parse_command
from jupyter_agenttools.permissions.command import coarse, parse, read_only, reader, spellings
from jupyter_agenttools.session.policy import check_policy
from jupyter_agenttools.settings import SettingsPlaces, load_settings
from jupyter_agenttools.tools.bash import bash_tool
from tests.corpus.commands import ATTACKS, EVERYDAY
from tests.corpus.spellings import spellings as spellings_of
from tests.support.bash_project import build_project
from tests.support.gate import FETCH, READ, WRITE, context_of, permission_of

from .measure import Figure, median

RULES = {
    "allow": ["Bash(npm test *)", "Bash(git commit *)"],
    "ask": ["Bash(git push *)"],
    "deny": ["Bash(rm *)"],
}
ROUNDS = 5


def _forget() -> None:
    """Every command is a new one: nothing that was read before helps."""
    caches: tuple[Callable[..., object], ...] = (
        parse._understood, parse_command, reader.read_script, spellings.forms_of, read_only.is_read_only_shape,
        coarse.coarse_words,
    )  # fmt: skip
    for cached in caches:
        cached.cache_clear()  # type: ignore[attr-defined]


MANY_RULES = 5_000
OTHER_CALLS = 60


def _many_rules() -> dict[str, list[str]]:
    """As many rules of every kind, a third of them each to deny, ask and allow."""
    kinds = ("Bash(prog{} *)", "Bash(git sub{}:*)", "Bash(npm run task{})", "Bash(tool{}*)", "Read(./src/pkg{}/**)",
             "Read(**/secret{}.env)", "Read(*.ext{})", "Edit(/docs/part{}/*.md)", "Edit(~/.conf{})",
             "WebFetch(domain:host{}.example.org)")  # fmt: skip
    rules = [kinds[i % len(kinds)].format(i) for i in range(MANY_RULES)]
    return {behavior: rules[i::3] for i, behavior in enumerate(("deny", "ask", "allow"))}


def _many_from_file(project: Path) -> tuple[ToolPermissionContext, float]:
    """The rights that come from a settings file with as many rules, and the CPU time of reading it in milliseconds."""
    places = SettingsPlaces(project.parent / "home", ())
    file = places.home / ".claude" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"permissions": _many_rules()}, indent=2))
    before = time.process_time()
    loaded = load_settings(str(project), places=places)
    took_ms = (time.process_time() - before) * 1e3
    assert sum(map(len, loaded.permission.always_deny_rules.values())) >= MANY_RULES // 3, loaded.notes
    return loaded.permission, took_ms


async def _times_us(project: Path, permission: ToolPermissionContext, commands: list[str], rounds: int) -> list[float]:
    """For each command the CPU time of its decision in microseconds, the best of some rounds."""
    best = [float("inf")] * len(commands)
    for _ in range(rounds):
        for i, command in enumerate(commands):
            observed = {"command": command}
            parsed, context = parse_input(bash_tool, observed), context_of(permission, project)
            _forget()
            before = time.thread_time()
            await decide(bash_tool, parsed, observed, context)
            best[i] = min(best[i], (time.thread_time() - before) * 1e6)
    return sorted(best)


async def _other_times_us(project: Path, permission: ToolPermissionContext) -> dict[str, list[float]]:
    """For tools that run no commands: the CPU time of each decision in microseconds, every one about another thing."""
    times: dict[str, list[float]] = {}
    for tool, field, pattern in (
        (WRITE, "file_path", f"{project}/src/new{{}}.py"),
        (READ, "file_path", f"{project}/src/pkg{{}}.py"),
        (FETCH, "url", "https://host{}.example.com/"),
    ):
        for i in range(OTHER_CALLS):
            observed, context = {field: pattern.format(i)}, context_of(permission, project)
            before = time.thread_time()
            await decide(tool, observed, observed, context)
            times.setdefault(tool.name, []).append((time.thread_time() - before) * 1e6)
    return times


def _checking_s(project: Path) -> float:
    """How long looking for faults in all of the rules takes, in seconds of CPU time."""
    session = Session(cwd=project, settings={"permissions": _many_rules()}, session_dir=project.parent / "session")
    before = time.process_time()
    assert check_policy(session)
    return time.process_time() - before


async def _shares(project: Path) -> tuple[int, float, float]:
    """Attacks that are allowed, and the shares of everyday commands and of denied spellings that are not."""

    async def behavior(command: str, **rules: list[str]) -> str:
        observed = {"command": command}
        context = context_of(permission_of(project, **rules), project)
        return (await decide(bash_tool, parse_input(bash_tool, observed), observed, context)).behavior

    attacks = [await behavior(row.command, **{k: list(v) for k, v in row.rules.items()}) for row in ATTACKS]
    everyday = [await behavior(row.command) for row in EVERYDAY]
    texts = list(dict.fromkeys(spellings_of("rm")))
    denied = [await behavior(text, deny=["Bash(rm *)"]) for text in texts]
    asked = sum(b != "allow" for b in everyday) / len(everyday)
    return attacks.count("allow"), asked, sum(b != "deny" for b in denied) / len(denied)


def figures() -> Iterator[Figure]:
    """The figures of this module, one after the other."""
    with TemporaryDirectory() as name:
        project = build_project(Path(name))
        commands = [row.command for row in (*EVERYDAY, *ATTACKS)]
        times = anyio.run(_times_us, project, permission_of(project, **RULES), commands, ROUNDS)
        many, reading_ms = _many_from_file(project)
        among_many = anyio.run(_times_us, project, many, commands[::8], 3)
        checking_s = _checking_s(project)
        detail = {"commands": len(times), "caches": "empty before each decision"}
        yield Figure("bash-decide: one decision, median", median(times), None, "us CPU", 300, detail)
        yield Figure("bash-decide: one decision, 99th of 100", times[int(len(times) * 0.99)], None, "us CPU", 3_000)
        title = f"bash-decide: one decision among {MANY_RULES:,} rules, median"
        yield Figure(title, median(among_many), None, "us CPU", 1_000, {"commands": len(among_many)})
        title = f"bash-decide: one decision among {MANY_RULES:,} rules, 99th of 100"
        yield Figure(title, among_many[int(len(among_many) * 0.99)], None, "us CPU", 5_000)
        yield Figure(f"settings: a file of {MANY_RULES:,} rules read", reading_ms, None, "ms CPU", 1_000)
        yield Figure(f"permissions check: {MANY_RULES:,} rules", checking_s, None, "s CPU", 5)
        for kind, times in anyio.run(_other_times_us, project, many).items():
            title = f"decide: one call of {kind} among {MANY_RULES:,} rules, median"
            yield Figure(title, median(times), None, "us CPU", 1_000, {"calls": len(times)})
        allowed, asked, missed = anyio.run(_shares, project)
        yield Figure("bash-decide: attacks of the corpus that are allowed", allowed, None, "commands", 0)
        yield Figure("bash-decide: everyday commands that ask", asked, None, "share", 0.03)
        yield Figure("bash-decide: spellings of a denied program that are not denied", missed, None, "share", 0.01)
