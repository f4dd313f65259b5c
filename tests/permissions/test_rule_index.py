"""Looking up the rules that could be about a call gives what trying each of them gives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core.context import ToolPermissionContext
from jupyter_agenttools.core.decision import Decision
from jupyter_agenttools.permissions import decide, rule_tests
from jupyter_agenttools.permissions.command import coverage
from tests.corpus.commands import ATTACKS, EVERYDAY
from tests.support.gate import BASH, GREP, READ, WRITE, context_of, permission_of

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
