"""The help of ``%agent`` names everything, once, and fits a terminal."""

from __future__ import annotations

from itertools import chain
from typing import get_args

from jupyter_agenttools.notebook.agent_help import COLUMNS, GROUPS, TEXT_COLUMN, help_lines
from jupyter_agenttools.notebook.agent_line import AGENT_COMMANDS, AGENT_OPTIONS, UNDO_OPTIONS
from jupyter_agenttools.notebook.agent_permissions_line import PERMISSION_ACTIONS
from jupyter_agenttools.notebook.agent_trust_line import TrustAction


def test_every_sub_command_is_in_one_group() -> None:
    assert sorted(chain(*GROUPS.values())) == sorted(AGENT_COMMANDS)


def test_everything_that_can_be_written_is_told() -> None:
    told = [line.split()[0] for line in help_lines() if line]
    more = (*AGENT_OPTIONS, *UNDO_OPTIONS, *PERMISSION_ACTIONS, *get_args(TrustAction))
    assert {word for word in more if word != "show"} <= set(told)


def test_two_columns_fit_a_terminal() -> None:
    for line in help_lines():
        assert len(line) <= COLUMNS
        if line.startswith(" "):
            assert line[:TEXT_COLUMN].endswith("  ") and line[TEXT_COLUMN] != " ", "the text begins in its column"
