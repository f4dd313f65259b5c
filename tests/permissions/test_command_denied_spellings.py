"""A denied program is found however it is written, and nothing else is taken for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.permissions.command.glob_fit import could_match
from jupyter_agenttools.permissions.command.matching import compile_command_pattern, fires
from jupyter_agenttools.permissions.patterns import compile_wildcard
from tests.corpus.hidden_spellings import hidden_spellings
from tests.corpus.near_misses import NEAR_MISSES, PARTLY, RULES
from tests.corpus.spellings import spellings

DENIED = [
    ("rm:*", "rm", "-f x"),
    ("git push:*", "git", "push origin main"),
    ("curl:*", "curl", "http://h.invalid/a"),
    ("mkfs* *", "mkfs.ext4", "/dev/sdb1"),
    ("sudo:*", "sudo", "ls"),
    ("git push --force:*", "git", "push --force origin"),
    ("rm -rf *", "rm", "-rf build"),
    ("docker run:*", "docker", "run alpine"),
    ("kubectl delete:*", "kubectl", "delete pod x"),
    ("pip install:*", "pip", "install x"),
]


def hit(rule: str, command: str) -> bool:
    return fires(compile_command_pattern(rule), command)


@pytest.mark.parametrize(("at", "rule", "program", "words"), [(i, *row) for i, row in enumerate(DENIED)])
def test_a_denied_program_is_found(at: int, rule: str, program: str, words: str) -> None:
    texts = [*hidden_spellings(program, words), *(spellings(program, words) if rule == f"{program}:*" else ())]
    texts = list(dict.fromkeys(texts))
    shown = texts if not at else texts[at % 4 :: 4]  # the first rule all of them, the others a fourth each
    missed = [text for text in shown if program in text and not hit(rule, text)]
    assert len(missed) <= 0.01 * len(shown), missed


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("git push --force:*", "git push origin main --force"),
        ("git push --force:*", "git -C x push -u origin HEAD -f"),
        ("git push --force:*", "git push --forc origin"),
        ("rm -rf *", "rm -fr x"),
        ("rm -rf *", "rm -r -v -f x"),
        ("rm -rf *", "rm x --recursive --force"),
        ("rm -rf /", "rm -r -f /"),
        ("docker run --privileged:*", "docker run -it --privileged alpine"),
        ("pip install:*", "python3.11 -Im pip install x"),
        ("pip install:*", "pip3 --log x install y"),
        ("pip install:*", "$PYTHON -m pip install x"),
        ("docker run:*", "docker --context c container run x"),
        ("npm publish", "npm --otp 1 publish"),
        ("npm install:*", "npm i x"),
        ("git push:*", "git -c alias.p='push -f' p"),
        ("git push:*", "git${IFS}push"),
        ("rm:*", "rm${IFS}x"),
        ("rm:*", "rm$IFS-rf${IFS}x"),
        ("rm:*", '"rm"${IFS}x'),
        ("rm:*", "PS4='$(rm x)' bash -xc :"),
        ("kubectl delete:*", "kubectl -v 9 --token t delete pod x"),
        ("rm:*", "\\\n/usr/b?n/[[:lower:]]m x"),
        ("mkfs*", "/sbin/mk[f]s.ext4 /dev/x"),
        ("mkfs* *", "/sbin/m*4 /dev/x"),
        ("rm:*", "alias q=rm; q x"),
        ("rm:*", "ln -s /bin/rm z && ./z x"),
        ("rm:*", "cat > s.sh <<'E'\nrm x\nE\nbash s.sh"),
        ("rm:*", "GIT_SSH_COMMAND='rm x' git fetch"),
        ("rm:*", 'f() { "$@"; }; f rm x'),
        ("rm:*", 'echo rm x | while read -r line; do eval "$line"; done'),
    ],
)
def test_the_same_call_in_other_words(rule: str, command: str) -> None:
    assert hit(rule, command)


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("git push --force:*", "git push origin --follow-tags"),
        ("git push --force:*", "git push --force-with-lease"),
        ("git push --force:*", "git push -- --force"),
        ("git push --force:*", "git fetch --force"),
        ("rm -rf /", "rm -rf /tmp/x"),
        ("rm -rf *", "rm -r x"),
        ("rm -rf *", "rm *.log"),
        ("git * --force", "git add *.py"),
        ("grep * /etc/*", "grep x *.py"),
        ("find -delete", "find . -name delete"),
    ],
)
def test_what_a_rule_with_options_is_not_about(rule: str, command: str) -> None:
    assert not hit(rule, command)


def test_near_misses_are_left_alone() -> None:
    wrong = [(rule, text) for text in NEAR_MISSES for rule in RULES if hit(rule, text)]
    assert not wrong
    for text, rules in PARTLY.items():
        assert [rule for rule in RULES if hit(rule, text)] == rules, text


@given(st.text("ab*?[", min_size=1, max_size=8), st.text("ab ", min_size=1, max_size=8), st.text("ab *", max_size=6))
def test_a_wildcard_could_be_every_text_that_it_matches(glob: str, text: str, rule: str) -> None:
    from fnmatch import fnmatchcase

    words = tuple(text.split())
    if len(words) == 1 and fnmatchcase(words[0], glob) and compile_wildcard(rule).matches(words[0]):
        assert could_match(compile_wildcard(rule), (glob,), frozenset({0}))
