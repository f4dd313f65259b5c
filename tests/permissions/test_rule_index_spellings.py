"""No rule that fits is missed by the tables in which it is looked up, however a call is spelt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from jupyter_agenttools.core.context import RuleBehavior
from jupyter_agenttools.permissions.command.matching import compile_command_pattern, covers, fires
from jupyter_agenttools.permissions.command.parse import parse_command
from jupyter_agenttools.permissions.command.rule_index import CoveringIndex, FiringIndex
from jupyter_agenttools.permissions.command.spellings import Forms, forms_of
from jupyter_agenttools.permissions.path_rules import MANY, Access, PathRules
from jupyter_agenttools.permissions.paths import path_forms
from jupyter_agenttools.permissions.rules import make_rule
from tests.corpus.commands import ATTACKS, EVERYDAY
from tests.corpus.hidden_spellings import hidden_spellings
from tests.corpus.near_misses import RULES as NEAR_RULES

CALLS = [("rm", "-rf x"), ("git", "push --force"), ("curl", "-s u"), ("touch", "x y")]
STEP = 8
"""Of the spellings every eighth one is tried, each program's from another one on."""

ABOUT_CALLS = [
    shape.format(p=program, w=words, first=words.split()[0], last=words.split()[-1], begin=program[:2])
    for program, words in CALLS
    for shape in (
        "{p}", "{p} *", "{p}:*", "{p}*", "{begin}*", "*{p}*", "*{p} *", "* {last}", "*{last}*", "{p} {w}", "{p} {w} *",
        "{p} {first}*", "{p} * {last}", "* {first} *", "{p} * | sh", "*|*sh",
    )
]  # fmt: skip
FILLERS = [f"{name}{i}{end}" for i in range(10) for name in ("prog", "rmt") for end in (" *", "*", ":*")]
PATTERNS = [compile_command_pattern(rule) for rule in dict.fromkeys((*ABOUT_CALLS, *NEAR_RULES, *FILLERS, "*"))]

Missed = list[tuple[str, str]]


@cache
def _fired() -> list[tuple[str, Forms, frozenset[int]]]:
    """Every text, as it is looked up, with the numbers of the rules that fire on it, each tried by itself."""
    texts = [
        text for i, (program, words) in enumerate(CALLS) for text in list(hidden_spellings(program, words))[i::STEP]
    ]
    texts += ["r? x", "/bin/[r]m x", "to*h x", "c[u]rl -s u", "git pu?h --force", "g* push", "rm\x0b -rf x"]
    texts += ["git push origin --force", "rm -r -f x", "rm x -rf", "command rm y -fr"]
    return [
        (text, forms_of(text), frozenset(at for at, pattern in enumerate(PATTERNS) if fires(pattern, text)))
        for text in dict.fromkeys(texts)
    ]


def _missed(index: FiringIndex, about: int | None = None) -> Missed:
    """The texts with the rules that fire on them and are not found; only of texts on which the rule ``about`` fires."""
    return [
        (text, "*".join(PATTERNS[at].pieces))
        for text, forms, fired in _fired()
        if about is None or about in fired
        for at in sorted(fired - index.candidates(forms))
    ]


def test_no_rule_that_fires_is_missed() -> None:
    assert sum(len(fired) for _, _, fired in _fired()) > 4_000
    assert _missed(FiringIndex(list(enumerate(PATTERNS)))) == []


def test_a_rule_that_the_index_forgets_is_noticed() -> None:
    firing = sorted(frozenset().union(*(fired for _, _, fired in _fired())))
    assert len(firing) > 60
    for dropped in firing[::4]:
        index = FiringIndex([(at, pattern) for at, pattern in enumerate(PATTERNS) if at != dropped])
        assert {missed for _, missed in _missed(index, dropped)} == {"*".join(PATTERNS[dropped].pieces)}


def _tables() -> Iterator[tuple[str, Callable[[FiringIndex], None]]]:
    yield "programs of rules with options", lambda index: index._by_program.clear()
    yield "beginnings", lambda index: index._heads._by_head.update({head: [] for head in index._heads._by_head})
    yield "beginnings in their order", lambda index: index._heads._sorted.clear()
    yield "open beginnings", lambda index: index._heads.open.clear()
    yield "coarse words", lambda index: index._coarse._words.clear()
    yield "coarse starts", lambda index: index._coarse._starts.clear()
    yield "coarse insides", lambda index: index._coarse._inside.clear()


@pytest.mark.parametrize("empty", [pytest.param(empty, id=name) for name, empty in _tables()])
def test_every_table_of_the_index_is_needed(empty: Callable[[FiringIndex], None]) -> None:
    index = FiringIndex(list(enumerate(PATTERNS)))
    empty(index)
    assert _missed(index)


def test_no_allow_rule_that_covers_a_call_is_missed() -> None:
    wrapped = ["timeout 5 npm test", "nice -n 5 make all", "command ls"]
    commands = [*wrapped, *[row.command for row in (*EVERYDAY, *ATTACKS)][::4]]
    calls = [call for command in commands for call in parse_command(command).commands]
    texts = [call.text for call in calls]
    rules = dict.fromkeys(
        (
            *ABOUT_CALLS,
            *wrapped,
            *texts[::5],
            *(f"{text.split()[0]} *" for text in texts[1::5] if text),
            *(f"{t[:5]}*" for t in texts[2::9]),
        )
    )
    patterns = [compile_command_pattern(rule) for rule in rules if rule.strip()]
    index = CoveringIndex(patterns)
    found = 0
    for call in calls:
        covering = {at for at, pattern in enumerate(patterns) if covers(pattern, call)}
        found += len(covering)
        assert covering <= set(index.candidates(call)), call
    assert found > 1_000


PATHS = [
    "src/app.py",
    "notes.txt",
    "data/rows.csv",
    "../secret/token.txt",
    "/etc/passwd",
    "~/x",
    "a/.env",
    "a b.pem",
    ".",
]


@pytest.mark.parametrize("access", ["read", "edit"])
@pytest.mark.parametrize("behavior", ["deny", "ask", "allow"])
def test_no_path_rule_is_missed(behavior: RuleBehavior, access: Access, tmp_path: Path) -> None:
    specifiers = ["src/**", "*.pem", "./data/*.csv", "../secret/**", "//etc/passwd", "~/**", "**/.env", "no*", "*",
                  "**", "/src/app.py", "a*/.e[n]v", "?otes.txt", "a b.pem"]  # fmt: skip
    texts = [f"{tool}({specifier})" for specifier in specifiers for tool in ("Read", "Edit")]
    texts += [f"{tool}(dir{i}/**)" for i in range(MANY) for tool in ("Read", "Edit")]
    if behavior != "allow":
        texts.append("Read")
    rules = PathRules([make_rule(text, "session", behavior) for text in texts], access, behavior, "")
    base = str(tmp_path)
    assert len(rules.all) > MANY
    for path in PATHS:
        forms = path_forms(str(Path(path).expanduser()), base)
        fitting = [
            rule for rule, pattern in rules.all if pattern is None or pattern.matches(forms, source_root=base, cwd=base)
        ]
        assert fitting
        likely = [rule for rule, _ in rules.likely(forms)]
        assert [rule for rule in likely if rule in fitting] == fitting
        assert len(likely) < len(rules.all)
