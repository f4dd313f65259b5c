"""The corpora in full: no attack passes, everyday commands do, and a rule is not dodged by spelling."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools.permissions import classify_read_only
from jupyter_agenttools.permissions.command.matching import compile_command_pattern, fires
from tests.corpus.attack_families import FLAGS, family, moves, outside_reads
from tests.corpus.commands import ATTACKS, EVERYDAY
from tests.corpus.spellings import spellings
from tests.support.bash_gate import ask_bash

EVERYDAY_SHARE = 0.97
"""At least so many everyday commands run without a question."""


@pytest.mark.anyio
async def test_no_attack_is_allowed_and_what_a_rule_denies_is_denied(project: Path) -> None:
    for attack in ATTACKS:
        decision = await ask_bash(attack.command, project, attack.rules)
        assert decision.behavior != "allow", attack
        assert not attack.denied or decision.behavior == "deny", attack


@pytest.mark.anyio
async def test_everyday_commands_run_without_a_question(project: Path) -> None:
    refused = [row.command for row in EVERYDAY if (await ask_bash(row.command, project)).behavior != "allow"]
    assert len(refused) <= (1 - EVERYDAY_SHARE) * len(EVERYDAY), refused


@pytest.mark.parametrize("name", [*FLAGS, "outside", "moves"])
def test_no_disguise_of_an_attack_is_allowed(name: str, project: Path) -> None:
    texts = {"outside": outside_reads, "moves": moves}.get(name, lambda: family(name))()
    # Every attack in its first disguises, and a spread of the places where it may stand.
    for text in list(dict.fromkeys(texts))[::11]:
        assert not classify_read_only(text, cwd=str(project), roots=[str(project)]).ok, text


@pytest.mark.parametrize(("program", "words", "rule"), [
    ("rm", "notes.txt", "rm *"), ("curl", "http://h.invalid/", "curl *"), ("git", "push origin", "git push *"),
])  # fmt: skip
def test_a_denied_program_is_denied_in_every_spelling(program: str, words: str, rule: str) -> None:
    texts = [text for text in dict.fromkeys(spellings(program, words)) if "push" in text or program != "git"]
    missed = [text for text in texts if not fires(compile_command_pattern(rule), text)]
    assert len(texts) >= 200
    assert len(missed) <= 0.01 * len(texts), missed


@pytest.mark.parametrize("command", [
    "base64 -d <<< cm0gLXJmIHg= | sh", "$x notes.txt", "echo cm0= | base64 -d | bash", "r${u}m notes.txt",
    "$(cat name) x", "xxd -r -p <<< 726d | sh", "python3 -c 'import os; os.remove(\"notes.txt\")'", "find . -delete",
    "ln -s /bin/rm r; ./r x",
])  # fmt: skip
@pytest.mark.anyio
async def test_what_cannot_be_read_asks_at_least(command: str, project: Path) -> None:
    assert (await ask_bash(command, project, {"deny": ["Bash(rm *)"]})).behavior in ("ask", "deny")
    assert (await ask_bash(command, project)).behavior == "ask"
