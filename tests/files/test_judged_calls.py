"""What calls are judged by: kept while they wait, gone when they are over."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools.core import Cancellation, Message, ToolUse, ToolUseContext
from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.files.judged import MAX_JUDGED, JudgedCalls
from jupyter_agenttools.files.opening import COMPARED_BYTES, holds_exactly

names = itertools.count()


@pytest.fixture
def call(make_context: Callable[..., ToolUseContext]) -> Callable[..., ToolUseContext]:
    def make(**fields: Any) -> ToolUseContext:
        return make_context(tool_use_id=f"call-{next(names)}", cancellation=Cancellation(), **fields)

    return make


def test_it_is_kept_until_the_call_is_over(call: Callable[..., ToolUseContext]) -> None:
    judged, first, second = JudgedCalls(), call(), call()
    judged.keep(first, "a")
    judged.keep(first, "b")
    judged.keep(second, "c")
    assert judged.get(first.tool_use_id) == "b" and judged.get("other") is None
    first.cancellation.close()
    assert judged.get(first.tool_use_id) is None and judged.get(second.tool_use_id) == "c"
    assert judged.take(second.tool_use_id) == "c" and judged.take(second.tool_use_id) is None
    second.cancellation.close()


def test_only_a_few_are_kept(call: Callable[..., ToolUseContext]) -> None:
    judged, calls = JudgedCalls(), [call() for _ in range(MAX_JUDGED + 1)]
    for context in calls:
        judged.keep(context, context.tool_use_id)
    assert [judged.get(context.tool_use_id) is None for context in calls] == [True] + [False] * MAX_JUDGED


def test_new_numbers_are_news_within_one_message_only(call: Callable[..., ToolUseContext]) -> None:
    first = ToolUse("NotebookEdit")
    judged, message, later = JudgedCalls(), Message("assistant", (first,)), Message("assistant", (ToolUse("Read"),))
    grown = Message("assistant", (first, ToolUse("NotebookEdit")))
    judged.note_shift("/a", call(parent_message=message))
    assert judged.is_shifted("/a", call(parent_message=message))
    assert judged.is_shifted("/a", call(parent_message=grown)), "the same message, of which more has come meanwhile"
    assert not judged.is_shifted("/b", call(parent_message=message))
    assert not judged.is_shifted("/a", call(parent_message=later)) and not judged.is_shifted("/a", call())
    judged.note_shift("/b", call(parent_message=later))
    assert not judged.is_shifted("/a", call(parent_message=later))
    judged.note_shift("/c", call())
    assert not judged.is_shifted("/c", call()), "calls of no message know nothing of each other"


def test_closers_run_once() -> None:
    done: list[int] = []
    cancellation = Cancellation(Cancellation())
    cancellation.add_closer(lambda: done.append(1))
    cancellation.close()
    cancellation.close()
    assert done == [1]


@pytest.mark.parametrize("size", [0, 1, COMPARED_BYTES, COMPARED_BYTES + 1, 3 * COMPARED_BYTES])
def test_a_file_is_compared_to_its_last_byte(tmp_path: Path, size: int) -> None:
    data = bytes(i * 7 % 251 for i in range(size))
    file = tmp_path / "f"
    file.write_bytes(data)
    assert holds_exactly(str(file), data)
    assert not holds_exactly(str(file), data + b"x") and holds_exactly(str(file), data[:-1]) == (not size)
    for position in {0, size // 2, size - 1} if size else ():
        assert not holds_exactly(str(file), data[:position] + b"\xff" + data[position + 1 :])
    with pytest.raises(ToolValidationError, match="does not exist"):
        holds_exactly(str(tmp_path / "gone"), data)
