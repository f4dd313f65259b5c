"""The guards around the grammar: texts that it misreads, or in which shells and readers see different things."""

from __future__ import annotations

import hashlib

import pytest

from jupyter_agenttools.permissions import parse_command
from jupyter_agenttools.permissions.command.grammar import parse_tree
from jupyter_agenttools.permissions.command.kinds import CHILDREN

KINDS = 280
KINDS_HASH = "3c7d603c061adb61db16a8bf6611b5ff"


def kinds() -> list[str]:
    import tree_sitter_bash
    from tree_sitter import Language

    language = Language(tree_sitter_bash.language())
    return [language.node_kind_for_id(i) or "" for i in range(language.node_kind_count)]


def test_the_grammar_is_the_one_that_the_lists_were_written_for() -> None:
    found = kinds()
    assert len(found) == KINDS
    assert hashlib.sha256("\n".join(found).encode()).hexdigest().startswith(KINDS_HASH)


def test_every_listed_kind_exists() -> None:
    known = set(kinds())
    assert CHILDREN.keys() <= known
    assert {kind for allowed in CHILDREN.values() for kind in allowed} - {"\n"} <= known


@pytest.mark.parametrize(
    ("command", "check_id"),
    [
        ("echo a \\ # x ; touch y", "gap"),
        ("r\\\nm f", "line-continuation"),
        ("cat <<EOF\n`touch x`\nEOF", "readers-differ"),
        ("cat <<-EOF\n\t$(touch x)\n\tEOF", "heredoc"),
        ('echo "${x:=`touch x`}"', "expansion"),
        ("ls\r", "carriage-return"),
        ("echo \x0b# ;touch y", "control-character"),
        ("\ufeffls", "unicode-blank"),
        ("ls\u00a0-l", "unicode-blank"),
        ("cat <<E\nx\n E\ntouch y\nE", "heredoc"),
        ("cat <<E\nx\nE \ntouch y\nE", "heredoc"),
        ("ls; done", "keyword"),
        ("ls;;", "malformed"),
        ("coproc ls", "keyword"),
    ],
)
def test_a_text_that_is_misread_somewhere_is_too_complex(command: str, check_id: str) -> None:
    parsed = parse_command(command)
    assert (parsed.kind, parsed.check_id) == ("too-complex", check_id)
    start, end = parsed.span
    assert 0 <= start <= end <= len(command)


def test_offsets_count_characters() -> None:
    command = "echo 'éé' \u00a0"
    start, end = parse_command(command).span
    assert command[start:end] == "\u00a0"


def test_the_tree_is_at_hand() -> None:
    assert parse_tree("ls | wc").root_node.children[0].type == "pipeline"
