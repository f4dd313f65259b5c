"""An id means one call for as long as the session lives."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import Session
from jupyter_agenttools.agents.conversation import check_history
from jupyter_agenttools.agents.use_ids import UseIds, portable_id
from jupyter_agenttools.core.blocks import Message, TextBlock, ToolResultBlock, ToolUse
from jupyter_agenttools.models import ModelRequest, StopPart, TextPart, ToolUsePart
from tests.support.tools import reader

pytestmark = pytest.mark.anyio


@given(
    st.lists(
        st.sampled_from(["call_0", "call_0_2", "call_1", "", "functions.Read:0", "functions.Read_0", "x" * 50]),
        max_size=20,
    )
)
def test_no_id_is_given_twice(ids: list[str]) -> None:
    known = UseIds()
    own = [known.own(ToolUse("Read", {}, id)).id for id in ids]
    assert len(set(own)) == len(own)
    assert all(portable_id(id) == id and len(id) <= 40 for id in own)


def test_the_first_keeps_the_id_that_it_has() -> None:
    known, use = UseIds(), ToolUse("Read", {}, "call_0")
    assert known.own(use) is use
    assert known.own(use) == ToolUse("Read", {}, "call_0_2")
    known.note([Message("assistant", (TextBlock("x"), ToolUse("Read", {}, "call_1")))], ["call_2"])
    assert [known.own(ToolUse("Read", {}, id)).id for id in ("call_1", "call_2")] == ["call_1_2", "call_2_2"]


async def test_a_provider_that_counts_anew_in_each_answer(tmp_path: Any) -> None:
    class Counting:
        name = "counting"
        answers = 0

        async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
            self.answers += 1
            if self.answers == 3:
                yield TextPart("done")
            else:
                yield ToolUsePart(ToolUse("Reader", {"text": f"{self.answers}a"}, "call_0"))
                yield ToolUsePart(ToolUse("Reader", {"text": f"{self.answers}b"}, "call_0"))
            yield StopPart()

    allow = {"permissions": {"allow": ["Reader"]}}
    session = Session(cwd=tmp_path, settings=allow, tools=[reader()], model=Counting())
    _ = [update async for update in session.query("go")]
    assert check_history(session.messages) == ()
    results = [b for message in session.messages for b in message.content if isinstance(b, ToolResultBlock)]
    assert [block.text for block in results] == ["1a", "1b", "2a", "2b"]
    assert len({block.tool_use_id for block in results}) == 4
    await session.aclose()
