"""Blocks, frozen values, stop switches, observers."""

from __future__ import annotations

import threading
from dataclasses import FrozenInstanceError

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core import Cancellation, Observers, TextBlock, ToolPermissionContext, ToolResultBlock, ToolUse
from jupyter_agenttools.core.cancel import CutScope
from jupyter_agenttools.core.errors import InterruptedToolError
from jupyter_agenttools.core.immutable import freeze, thaw

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_thawing_undoes_freezing(value: object) -> None:
    assert thaw(freeze(value)) == value


def test_a_permission_context_cannot_be_changed_anywhere_inside() -> None:
    given = {"session": ["Bash(ls)"]}
    context = ToolPermissionContext(always_allow_rules=given)
    given["session"].append("Bash(rm)")
    given["userSettings"] = ["Bash"]
    assert context.always_allow_rules == {"session": ("Bash(ls)",)}
    with pytest.raises(TypeError):
        context.always_allow_rules["session"] = ()
    with pytest.raises(FrozenInstanceError):
        context.mode = "bypassPermissions"
    more = context.with_rule("allow", "session", "Read")
    assert more.always_allow_rules["session"] == ("Bash(ls)", "Read")
    assert context.always_allow_rules["session"] == ("Bash(ls)",)
    assert more.with_rule("allow", "session", "Read") is more


def test_a_block_is_its_wire_mapping() -> None:
    block = ToolResultBlock("id1", "text", is_error=True)
    assert dict(block) == {"type": "tool_result", "tool_use_id": "id1", "content": "text", "is_error": True}
    assert block["content"] == block.content
    with pytest.raises(KeyError):
        block["colour"]
    assert ToolUse("Read", {"a": 1}).id != ToolUse("Read", {"a": 1}).id
    assert ToolResultBlock("i", (TextBlock("a"), TextBlock("b"))).text == "a\nb"


class TestCancellation:
    def test_the_first_reason_counts_and_the_second_escalates(self) -> None:
        switch, heard = Cancellation(), []
        switch.add_callback(heard.append)
        switch.cancel("one")
        switch.cancel("two")
        assert heard == ["one", "one"]
        assert switch.reason == "one"
        with pytest.raises(InterruptedToolError, match="one"):
            switch.check()

    def test_a_parent_stops_its_children_and_not_the_other_way_round(self) -> None:
        parent = Cancellation()
        first, second = Cancellation(parent), Cancellation(parent)
        first.cancel("alone")
        assert not parent.cancelled and not second.cancelled
        parent.cancel("all")
        assert second.reason == "all" and first.reason == "alone"

    def test_a_late_callback_hears_at_once_and_a_removed_one_never(self) -> None:
        switch, heard = Cancellation(), []
        switch.add_callback(heard.append)
        switch.remove_callback(heard.append)
        switch.cancel("x")
        assert heard == []
        switch.add_callback(heard.append)
        assert heard == ["x"]

    @pytest.mark.anyio
    async def test_a_stop_from_another_thread_ends_a_wait(self) -> None:
        switch = Cancellation()
        with anyio.fail_after(10), CutScope(Cancellation(switch)) as scope:
            threading.Thread(target=switch.cancel, args=("enough",)).start()
            await anyio.sleep_forever()
        assert scope.cut == "stopped" and switch.reason == "enough"

    @pytest.mark.anyio
    async def test_grace_lets_a_block_end_by_itself(self) -> None:
        switch = Cancellation()
        switch.grace_s = 30
        with CutScope(switch) as scope:
            switch.cancel("soon")
            await anyio.lowlevel.checkpoint()
        assert scope.cut == ""

    @pytest.mark.anyio
    async def test_a_second_stop_takes_the_grace_away(self) -> None:
        switch = Cancellation()
        switch.grace_s = 3600
        with anyio.fail_after(10), CutScope(switch) as scope:
            switch.cancel("one")
            switch.cancel("two")
            await anyio.sleep_forever()
        assert scope.cut == "stopped"

    @pytest.mark.anyio
    async def test_a_limit_cuts_and_can_be_taken_away(self) -> None:
        switch = Cancellation()
        with anyio.fail_after(10), CutScope(switch) as scope:
            switch.set_limit(0.001)
            switch.set_limit()
            await anyio.sleep(0.01)
            switch.set_limit(0.001)
            await anyio.sleep_forever()
        assert scope.cut == "limit" and not switch.cancelled


class TestObservers:
    def test_a_fault_in_one_reaches_nobody_else(self) -> None:
        class Broken:
            def on_call_end(self, outcome: object) -> None:
                raise RuntimeError("broken")

        class Fine:
            def __init__(self) -> None:
                self.seen: list[object] = []

            def on_call_end(self, outcome: object) -> None:
                self.seen.append(outcome)

        observers = Observers()
        observers.attach(Broken())
        undo = observers.attach(fine := Fine())
        observers.emit("on_call_end", 1)
        assert fine.seen == [1]
        assert [str(f.error) for f in observers.faults] == ["broken"]
        undo()
        undo()
        observers.emit("on_call_end", 2)
        assert fine.seen == [1]
