"""Looking up the rules that could be about a call gives what trying each of them gives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core.call import NO_EFFECTS
from jupyter_agenttools.core.context import ToolPermissionContext
from jupyter_agenttools.core.decision import Decision
from jupyter_agenttools.permissions import decide, rule_tests
from jupyter_agenttools.permissions.command import coverage
from jupyter_agenttools.permissions.question import Question
from jupyter_agenttools.permissions.table import table_of
from tests.corpus.commands import ATTACKS, EVERYDAY
from tests.support.gate import BASH, FETCH, GREP, READ, WRITE, context_of, permission_of

pytestmark = pytest.mark.anyio

COMMANDS = [row.command for row in (*EVERYDAY, *ATTACKS)]
WORDS = sorted({word for command in COMMANDS for word in command.split() if word.isascii() and word.isprintable()})
PATHS = ["src/app.py", "notes.txt", "data/rows.csv", "../secret/token.txt", "/etc/passwd", "~/x", "src", "a b.env"]


def _escaped(specifier: str) -> str:
    return "".join("\\" + sign if sign in "\\()" else sign for sign in specifier)


def _command_rules() -> st.SearchStrategy[str]:
    words = st.sampled_from(WORDS)
    return st.one_of(
        st.builds(
            lambda text, count, end: " ".join(text.split()[:count]) + end,
            st.sampled_from(COMMANDS), st.integers(1, 4), st.sampled_from(["", "*", " *", ":*"]),
        ),
        st.builds(lambda start, word, end: start + word + end, st.sampled_from(["*", "* ", ""]), words,
                  st.sampled_from(["", "*", " *"])),
        st.builds(lambda word, count: word[:count] + "*", words, st.integers(1, 4)),
        st.sampled_from(["rm -rf *", "git push --force *", "run_in_background:true", "cat * | sh", "sort -o *"]),
    ).filter(lambda text: bool(text.strip())).map(lambda text: f"Bash({_escaped(text)})")  # fmt: skip


def _path_rules() -> st.SearchStrategy[str]:
    parts = st.sampled_from(["src", "data", "secret", "*", "**", "*.py", "no*", "*.t[xy]t", "app.py", ".git", "x?"])
    return st.builds(
        lambda tool, start, names: f"{tool}({start}{'/'.join(names)})",
        st.sampled_from(["Read", "Edit"]),
        st.sampled_from(["", "/", "./", "../", "~/", "//"]),
        st.lists(parts, min_size=1, max_size=3),
    )


RULES = st.lists(st.one_of(_command_rules(), _path_rules()), min_size=3, max_size=14)


async def _answers(
    permission: ToolPermissionContext, folder: Path, many: int, patch: pytest.MonkeyPatch, commands: Sequence[str]
) -> list[Decision]:
    patch.setattr(rule_tests, "MANY", many)
    patch.setattr(coverage, "MANY", many)
    calls = [(BASH, {"command": command}) for command in commands]
    calls += [(tool, {"file_path": path}) for tool in (READ, WRITE, GREP) for path in PATHS]
    return [await decide(tool, call, call, context_of(permission, folder)) for tool, call in calls]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12, deadline=None)
@given(deny=RULES, ask=RULES, allow=RULES, commands=st.lists(st.sampled_from(COMMANDS), min_size=10, max_size=20))
async def test_the_index_finds_every_rule_that_fits(
    deny: list[str],
    ask: list[str],
    allow: list[str],
    commands: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    permission = permission_of(tmp_path, deny=deny, ask=ask, allow=allow)
    one_by_one = await _answers(permission, tmp_path, 10**6, monkeypatch, commands)
    assert await _answers(permission, tmp_path, 0, monkeypatch, commands) == one_by_one


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("Bash(rm *)", "rm x"),
        ("Bash(rm *)", "r? x"),
        ("Bash(* --force*)", "git push --force"),
        ("Bash(git push --force *)", "git push origin --force"),
        ("Bash(cat * | sh)", "cat x | sh"),
        ("Bash(touch *)", "python3 -c 'import os; os.system(\"touch x\")'"),
        ("Bash(tou*)", "awk 'BEGIN{system(\"touch x\")}'"),
        ("Read(./secret/**)", "cat secret/x"),
        ("Read(*.pem)", "cat a/key.pem"),
        ("Read(key*)", "cat a/key.pem"),
        ("Read(k[e]y.pem)", "cat a/key.pem"),
        ("Edit(src/**)", "sed -i s/a/b/ src/x"),
    ],
)
async def test_one_rule_is_found_among_many(rule: str, command: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/x").write_text("a\n")
    others = [
        f"{name}{i}{end}" for i in range(300) for name, end in (("Bash(p", " *)"), ("Read(f", ")"), ("Edit(*.e", ")"))
    ]
    permission = permission_of(tmp_path, deny=[*others[:450], rule, *others[450:]])
    decision = await decide(BASH, {"command": command}, {"command": command}, context_of(permission, tmp_path))
    assert (decision.behavior, decision.rule) == ("deny", rule)


HOSTS = ["example.org", "a.example.org", "b.a.example.org", "EXAMPLE.org.", "xn--bcher-kva.example", "localhost", "::1"]
HOST_RULES = ["example.org", "*.example.org", "*.org", "*", "a.*.org", "Example.ORG.", "bücher.example",
              "*.a.example.org", " localhost", "*host", "::1", "*.", ""]  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(rules=st.lists(st.sampled_from(HOST_RULES), min_size=1, max_size=6), behavior=st.sampled_from(["deny", "allow"]))
async def test_the_index_finds_every_rule_about_a_host(
    rules: list[str], behavior: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    permission = permission_of(tmp_path, **{behavior: [f"WebFetch(domain:{rule})" for rule in rules]})

    async def answers(many: int) -> list[Decision]:
        monkeypatch.setattr(rule_tests, "MANY", many)
        calls = [{"url": f"https://{f'[{host}]' if ':' in host else host}/x"} for host in (*HOSTS, "a b", "")]
        return [await decide(FETCH, call, call, context_of(permission, tmp_path)) for call in calls]

    assert await answers(0) == await answers(10**6)


@pytest.mark.parametrize("rule", ["Read(./part7/secret)", "Read(**/part7/**/secret)"])
async def test_rules_that_share_a_name_are_told_apart_by_another_one(rule: str, tmp_path: Path) -> None:
    others = [f"Read(./part{i}/secret)" for i in range(100, 400)]
    permission = permission_of(tmp_path, deny=[*others, rule])
    call = {"file_path": str(tmp_path / "part7/secret")}
    plan = table_of(permission).plan_for(READ)
    question = Question(READ, call, call, context_of(permission, tmp_path), NO_EFFECTS)
    tried = [test.rule.text for test in plan.deny.likely(question)]
    assert tried == [rule]
    assert (await decide(READ, call, call, context_of(permission, tmp_path))).rule == rule
